//! Secret keys of this installation: generated once, shared by all nodes.

use crate::db::row::statements;
use crate::db::{Result, Tx};
use crate::params;
use crate::rng::Rng;

/// Returns the named secret key. The earliest call generates the key.
pub(crate) async fn get_or_create(tx: &mut Tx, name: &str, rng: &Rng) -> Result<Vec<u8>> {
    let fresh = rng.bytes::<32>();
    tx.execute(
        "INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        params![name, &fresh],
    )
    .await?;
    let value = find(tx, name).await?;
    Ok(value.expect("inserted now or earlier"))
}

statements! {
    fn find(name: &str) -> Option<Vec<u8>> = "SELECT value FROM secrets WHERE name = $1";

    fn upsert(name: &str, value: &[u8]) =
        "INSERT INTO secrets (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
}
