//! Credentials: ways to prove an identity besides the password. All credentials are passkeys today.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

/// The name of the unique constraint on a credential id within a relying party.
pub(crate) const CREDENTIAL_CONSTRAINT: &str = "credentials_credential_id";

const PASSKEY_KIND: &str = "passkey";

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct StoredPasskey {
        pub id: Uuid,
        pub account_id: Uuid,
        pub rp_id: String,
        pub credential_id: Vec<u8>,
        /// The passkey as JSON; see `accounts/passkey.rs`.
        pub data: String,
        pub aaguid: String,
        pub name: String,
        pub synced: bool,
        /// The time at which the passkey was added, in milliseconds since 1970 UTC.
        pub created_at: i64,
        pub last_used_at: Option<i64>,
    }
}

pub(crate) async fn insert(tx: &mut Tx, new: &StoredPasskey) -> Result<()> {
    tx.run(
        "INSERT INTO credentials (id, account_id, kind, rp_id, credential_id, data, aaguid, name,
           synced, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            new.id, new.account_id, PASSKEY_KIND, &new.rp_id, &new.credential_id, &new.data,
            &new.aaguid, &new.name, new.synced, new.created_at,
        ],
    )
    .await
}

/// Returns the account's passkeys, oldest first.
pub(crate) async fn list(tx: &mut Tx, account: Uuid) -> Result<Vec<StoredPasskey>> {
    let sql = "FROM credentials WHERE account_id = $1 ORDER BY created_at";
    StoredPasskey::select_all(tx, sql, params![account]).await
}

pub(crate) async fn count(tx: &mut Tx, account: Uuid) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM credentials WHERE account_id = $1";
    tx.number(sql, params![account]).await
}

/// Returns the passkey with this credential id, which the authenticator has sent.
pub(crate) async fn find_by_credential_id(
    tx: &mut Tx,
    rp_id: &str,
    credential_id: &[u8],
) -> Result<Option<StoredPasskey>> {
    let sql = "FROM credentials WHERE rp_id = $1 AND credential_id = $2";
    StoredPasskey::select_one(tx, sql, params![rp_id, credential_id]).await
}

/// Records a use of the passkey. `data` contains the new signature counter.
pub(crate) async fn record_use(
    tx: &mut Tx,
    passkey: &StoredPasskey,
    data: &str,
    synced: bool,
    now: i64,
) -> Result<()> {
    let sql = "UPDATE credentials SET data = $1, synced = $2, last_used_at = $3
               WHERE account_id = $4 AND id = $5";
    let values = params![data, synced, now, passkey.account_id, passkey.id];
    tx.run(sql, values).await
}

/// Renames a passkey. Returns false if the account does not have this passkey.
pub(crate) async fn rename(tx: &mut Tx, account: Uuid, id: Uuid, name: &str) -> Result<bool> {
    let sql = "UPDATE credentials SET name = $1 WHERE id = $2 AND account_id = $3";
    Ok(tx.execute(sql, params![name, id, account]).await? > 0)
}

/// Removes a passkey. Returns the passkey's name, or `None` if the account does not have this passkey.
pub(crate) async fn remove(tx: &mut Tx, account: Uuid, id: Uuid) -> Result<Option<String>> {
    let sql = "DELETE FROM credentials WHERE id = $1 AND account_id = $2 RETURNING name";
    tx.value(sql, params![id, account]).await
}

/// Removes the credentials that were added at this change number or later. Returns the names of these credentials.
pub(crate) async fn remove_since(
    tx: &mut Tx,
    account: Uuid,
    created_at: i64,
) -> Result<Vec<String>> {
    let sql = "DELETE FROM credentials WHERE account_id = $1 AND created_at >= $2 RETURNING name";
    tx.query_column(sql, params![account, created_at]).await
}

/// Removes all credentials of the account. Returns the names of these credentials.
pub(crate) async fn remove_all(tx: &mut Tx, account: Uuid) -> Result<Vec<String>> {
    let sql = "DELETE FROM credentials WHERE account_id = $1 RETURNING name";
    tx.query_column(sql, params![account]).await
}

/// Redeems a WebAuthn challenge. Returns false if the challenge was redeemed before.
pub(crate) async fn redeem_challenge(
    tx: &mut Tx,
    hash: &SecretHash,
    expires_at: i64,
) -> Result<bool> {
    let sql = "INSERT INTO spent_challenges (challenge_hash, expires_at) VALUES ($1, $2)
               ON CONFLICT (challenge_hash) DO NOTHING";
    Ok(tx.execute(sql, params![hash, expires_at]).await? > 0)
}
