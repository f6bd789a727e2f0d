//! The `sid` of OpenID Connect, by which applications know a session. A session whose id changes keeps its `sid`.

use uuid::Uuid;

use super::LockedSession;
use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionKey;
use crate::params;

row! {
    /// A live session that has a `sid`.
    #[derive(Debug, Clone)]
    pub(crate) struct NamedSession {
        pub id_hash: SecretHash,
        pub account_id: Uuid,
        pub last_used_at: i64,
        pub expires_at: i64,
    }
}

impl NamedSession {
    pub(crate) fn key(&self) -> SessionKey {
        SessionKey {
            account: self.account_id,
            hash: self.id_hash,
        }
    }
}

statements! {
    /// Returns the live session with this `sid`. The session is not locked, so it may end at any time.
    fn find_by_sid(sid: Uuid, now: i64) -> Option<NamedSession> =
        "FROM sessions WHERE sid = $1 AND idle_until > $2 AND expires_at > $2";

    /// Returns and locks the live session with this `sid`. The caller has locked the account's row. The account's id is
    /// in the condition, because Citus locks rows only if it knows their shard.
    fn lock_by_sid(account: Uuid, sid: Uuid, now: i64) -> Option<NamedSession> =
        "FROM sessions
         WHERE account_id = $1 AND sid = $2 AND idle_until > $3 AND expires_at > $3 FOR UPDATE";

    /// Returns the `sid` of a session, or `None` if the session has signed in to no application.
    fn find_sid(key: SessionKey) -> Option<Uuid> =
        "SELECT sid FROM sessions WHERE account_id = $1 AND id_hash = $2 AND sid IS NOT NULL",
        [key.account, &key.hash];
}

/// Returns the `sid` of a session. Assigns `fresh` if the session has no `sid`.
pub(crate) async fn sid_or_set(tx: &mut Tx, session: &LockedSession, fresh: Uuid) -> Result<Uuid> {
    if let Some(sid) = find_sid(tx, session.key()).await? {
        return Ok(sid);
    }
    set_sid(tx, session.key(), fresh).await?;
    Ok(fresh)
}

/// Removes and returns the `sid` of a session that a new session replaces. [`set_sid`] assigns it to the new session.
pub(crate) async fn take_sid(tx: &mut Tx, key: SessionKey) -> Result<Option<Uuid>> {
    let found = find_sid(tx, key).await?;
    if found.is_some() {
        let sql = "UPDATE sessions SET sid = NULL WHERE account_id = $1 AND id_hash = $2";
        tx.execute(sql, params![key.account, &key.hash]).await?;
    }
    Ok(found)
}

statements! {
    /// Assigns a `sid` to a session. If a session gets the `sid` of the session that it replaces, the applications stay
    /// signed in.
    fn set_sid(key: SessionKey, sid: Uuid) =
        "UPDATE sessions SET sid = $1 WHERE account_id = $2 AND id_hash = $3", [sid, key.account, &key.hash];
}
