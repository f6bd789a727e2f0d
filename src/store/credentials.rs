//! Credentials: ways to prove an identity besides the password. All credentials are passkeys today.

use uuid::Uuid;

use crate::db::row::{row, statements};
use crate::domain::secret::SecretHash;

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

statements! {
    fn insert(new: &StoredPasskey) =
        "INSERT INTO credentials (id, account_id, kind, rp_id, credential_id, data, aaguid, name,
         synced, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        [new.id, new.account_id, PASSKEY_KIND, &new.rp_id, &new.credential_id, &new.data, &new.aaguid,
         &new.name, new.synced, new.created_at];

    /// Returns the account's passkeys, oldest first.
    fn list(account: Uuid) -> Vec<StoredPasskey> =
        "FROM credentials WHERE account_id = $1 ORDER BY created_at";

    fn count(account: Uuid) -> i64 = "SELECT COUNT(*) FROM credentials WHERE account_id = $1";

    /// Returns the passkey with this credential id, which the authenticator has sent.
    fn find_by_credential_id(rp_id: &str, credential_id: &[u8]) -> Option<StoredPasskey> =
        "FROM credentials WHERE rp_id = $1 AND credential_id = $2";

    /// Records a use of the passkey. `data` contains the new signature counter.
    fn record_use(passkey: &StoredPasskey, data: &str, synced: bool, now: i64) =
        "UPDATE credentials SET data = $1, synced = $2, last_used_at = $3
         WHERE account_id = $4 AND id = $5", [data, synced, now, passkey.account_id, passkey.id];

    /// Renames a passkey. Returns false if the account does not have this passkey.
    fn rename(account: Uuid, id: Uuid, name: &str) -> bool =
        "UPDATE credentials SET name = $1 WHERE id = $2 AND account_id = $3", [name, id, account];

    /// Removes a passkey. Returns the passkey's name, or `None` if the account does not have this passkey.
    fn remove(account: Uuid, id: Uuid) -> Option<String> =
        "DELETE FROM credentials WHERE id = $1 AND account_id = $2 RETURNING name", [id, account];

    /// Removes the credentials that were added at this change number or later. Returns the names of these credentials.
    fn remove_since(account: Uuid, created_at: i64) -> Vec<String> =
        "DELETE FROM credentials WHERE account_id = $1 AND created_at >= $2 RETURNING name";

    /// Redeems a WebAuthn challenge. Returns false if the challenge was redeemed before.
    fn redeem_challenge(hash: &SecretHash, expires_at: i64) -> bool =
        "INSERT INTO spent_challenges (challenge_hash, expires_at) VALUES ($1, $2)
         ON CONFLICT (challenge_hash) DO NOTHING";
}
