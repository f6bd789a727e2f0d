//! The `sid` of OpenID Connect, by which applications know a session. A session whose id changes keeps its `sid`.

use uuid::Uuid;

use super::LockedSession;
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
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

/// Returns the live session with this `sid`, which may end at any time.
pub(crate) async fn by_sid(tx: &mut Tx, sid: Uuid, now: i64) -> Result<Option<NamedSession>> {
    let sql = "FROM sessions WHERE sid = $1 AND idle_until > $2 AND expires_at > $2";
    NamedSession::select_one(tx, sql, params![sid, now]).await
}

/// Returns and locks the live session with this `sid`. The caller has locked the account. The account's id is in the
/// condition, because Citus locks rows only if it knows their shard.
pub(crate) async fn lock_by_sid(
    tx: &mut Tx,
    account: Uuid,
    sid: Uuid,
    now: i64,
) -> Result<Option<NamedSession>> {
    let lock = tx.for_update();
    let sql = format!(
        "FROM sessions WHERE account_id = $1 AND sid = $2 AND idle_until > $3 AND expires_at > $3{lock}"
    );
    NamedSession::select_one(tx, &sql, params![account, sid, now]).await
}

/// Returns the `sid` of a session, if applications know the session.
pub(crate) async fn find_sid(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Uuid>> {
    let sql = "SELECT sid FROM sessions WHERE id_hash = $1";
    Ok(tx.value(sql, params![hash]).await?.flatten())
}

/// Returns the `sid` of a session. Assigns `fresh` if the session has no `sid`.
pub(crate) async fn sid_or_set(tx: &mut Tx, session: &LockedSession, fresh: Uuid) -> Result<Uuid> {
    if let Some(sid) = find_sid(tx, session.hash()).await? {
        return Ok(sid);
    }
    set_sid(tx, session.hash(), fresh).await?;
    Ok(fresh)
}

/// Removes and returns the `sid` of a session that a new session replaces. [`set_sid`] assigns it to the new session.
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

/// Assigns the `sid` of the replaced session to a new session, so that the applications stay signed in.
pub(crate) async fn set_sid(tx: &mut Tx, hash: &SecretHash, sid: Uuid) -> Result<()> {
    let sql = "UPDATE sessions SET sid = $1 WHERE id_hash = $2";
    tx.run(sql, params![sid, hash]).await
}
