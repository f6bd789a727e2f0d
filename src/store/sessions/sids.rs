//! The names of sessions for applications (`sid` of OpenID Connect). A session with a new id keeps its name.

use uuid::Uuid;

use super::LockedSession;
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

row! {
    /// A live session with its name for applications.
    #[derive(Debug, Clone)]
    pub(crate) struct NamedSession {
        pub id_hash: SecretHash,
        pub account_id: Uuid,
        pub last_used_at: i64,
        pub expires_at: i64,
    }
}

/// Returns the live session with this name. The caller locks the account and then calls this function again with the
/// clause of a row lock, because the session may have ended in between.
pub(crate) async fn by_sid(
    tx: &mut Tx,
    sid: Uuid,
    now: i64,
    lock: &str,
) -> Result<Option<NamedSession>> {
    let sql = format!("FROM sessions WHERE sid = $1 AND idle_until > $2 AND expires_at > $2{lock}");
    NamedSession::select_one(tx, &sql, params![sid, now]).await
}

/// Returns the name of a session for applications, if the session has a name.
pub(crate) async fn sid(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Uuid>> {
    let sql = "SELECT sid FROM sessions WHERE id_hash = $1";
    Ok(tx.value(sql, params![hash]).await?.flatten())
}

/// Returns the name of a session for applications. Assigns `fresh` if the session has no name.
pub(crate) async fn sid_or(tx: &mut Tx, session: &LockedSession, fresh: Uuid) -> Result<Uuid> {
    if let Some(sid) = sid(tx, session.hash()).await? {
        return Ok(sid);
    }
    set_sid(tx, session.hash(), fresh).await?;
    Ok(fresh)
}

/// Removes the name for applications from a session of this account that another session replaces, for [`set_sid`].
pub(crate) async fn take_sid(
    tx: &mut Tx,
    hash: &SecretHash,
    account: Uuid,
) -> Result<Option<Uuid>> {
    let sql = "SELECT sid FROM sessions WHERE id_hash = $1 AND account_id = $2";
    let found: Option<Uuid> = tx.value(sql, params![hash, account]).await?.flatten();
    if found.is_some() {
        let sql = "UPDATE sessions SET sid = NULL WHERE id_hash = $1";
        tx.execute(sql, params![hash]).await?;
    }
    Ok(found)
}

/// Assigns the name of the replaced session to a new session, so that its applications stay signed in.
pub(crate) async fn set_sid(tx: &mut Tx, hash: &SecretHash, sid: Uuid) -> Result<()> {
    let sql = "UPDATE sessions SET sid = $1 WHERE id_hash = $2";
    tx.run(sql, params![sid, hash]).await
}
