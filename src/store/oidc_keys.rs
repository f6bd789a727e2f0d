//! The signing keys of ID tokens and logout tokens.

use uuid::Uuid;

use crate::crypto::sealing::{FieldLocation, SealedColumn};
use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct StoredKey {
        pub id: Uuid,
        pub algorithm: String,
        /// The number of the signing key among the keys of its algorithm.
        pub number: i64,
        pub kid: String,
        /// The public key, as `signing::PublicKey` writes it.
        pub jwk: String,
        pub created_at: i64,
        /// The time from which the key signs, until the key with the next number signs, in milliseconds since 1970 UTC.
        pub active_at: i64,
        /// The time of the key's withdrawal, after which it does not sign and its signatures are not accepted.
        pub withdrawn_at: Option<i64>,
    }
}

/// Returns the column and the row to which the encryption binds a private key.
pub(super) fn secret_location(id: Uuid) -> FieldLocation {
    FieldLocation {
        column: SealedColumn::SigningKey,
        row: id,
    }
}

statements! {
    /// Adds a signing key. Returns `UniqueViolation` if another node has added the key with this number.
    fn insert(key: &StoredKey, private_key: &[u8]) =
        "INSERT INTO oidc_keys (id, algorithm, number, kid, jwk, private_key, created_at, active_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        [key.id, &key.algorithm, key.number, &key.kid, &key.jwk, private_key, key.created_at,
         key.active_at];

    /// Returns all signing keys, ordered by algorithm and number.
    fn list() -> Vec<StoredKey> = "FROM oidc_keys ORDER BY algorithm, number";
}

/// Returns the id and the kid of the key that signs now: the newest active key. If no key is active, returns the next
/// key, because another node, which generated it or withdrew all active keys, may have a clock that is ahead.
pub(super) async fn find_signing_key(
    tx: &mut Tx,
    algorithm: &str,
    now: i64,
) -> Result<Option<(Uuid, String)>> {
    let sql = "SELECT id, kid FROM oidc_keys WHERE algorithm = $1 AND withdrawn_at IS NULL
               ORDER BY CASE WHEN active_at <= $2 THEN -number ELSE number END LIMIT 1";
    let row = tx.row(sql, params![algorithm, now]).await?;
    Ok(row.map(|row| (row.get(0), row.get(1))))
}

statements! {
    /// Returns the private key, encrypted (`crypto/sealing.rs`).
    fn private_key(id: Uuid) -> Option<Vec<u8>> =
        "SELECT private_key FROM oidc_keys WHERE id = $1";

    /// Withdraws the algorithm's signing keys whose number is below `number`.
    fn withdraw_keys_below(algorithm: &str, number: i64, now: i64) =
        "UPDATE oidc_keys SET withdrawn_at = $1
         WHERE algorithm = $2 AND number < $3 AND withdrawn_at IS NULL", [now, algorithm, number];

    fn remove(id: Uuid) = "DELETE FROM oidc_keys WHERE id = $1";
}
