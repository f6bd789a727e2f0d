use uuid::Uuid;

use crate::clock::HOUR;
use crate::db::row::row;
use crate::db::{Param, Result, Tx};
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionKey;
use crate::params;

/// Sessions that the transaction has ended. Every caller passes these sessions to `session_end.rs`, which reports their
/// end to applications and webhooks.
#[must_use = "session::session_end reports the ends of sessions"]
#[derive(Debug, Default)]
pub(crate) struct EndedSessions(Vec<EndedSession>);

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct EndedSession {
        pub account_id: Uuid,
        /// The `sid` by which applications know the session, or `None` if the session signed in to no application.
        pub sid: Option<Uuid>,
    }
}

impl EndedSessions {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &EndedSession> {
        self.0.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Ends the sessions that meet a condition. Only this statement ends sessions.
async fn end_where(tx: &mut Tx, condition: &str, params: &[Param<'_>]) -> Result<EndedSessions> {
    let sql = format!("DELETE FROM sessions WHERE {condition} RETURNING");
    tx.all(&sql, params).await.map(EndedSessions)
}

/// Ends the session with this key, if there is one.
pub(crate) async fn end(tx: &mut Tx, key: SessionKey) -> Result<EndedSessions> {
    let condition = "account_id = $1 AND id_hash = $2";
    end_where(tx, condition, params![key.account, &key.hash]).await
}

pub(crate) async fn end_all(tx: &mut Tx, account: Uuid) -> Result<EndedSessions> {
    end_where(tx, "account_id = $1", params![account]).await
}

/// Ends every session of the account except the session with the hash `keep`.
pub(crate) async fn end_others(
    tx: &mut Tx,
    account: Uuid,
    keep: Option<&SecretHash>,
) -> Result<EndedSessions> {
    match keep {
        None => end_all(tx, account).await,
        Some(keep) => {
            let condition = "account_id = $1 AND id_hash <> $2";
            end_where(tx, condition, params![account, keep]).await
        }
    }
}

/// Ends the sessions on those devices of the account `$1` that meet the condition.
pub(in crate::store) async fn end_on_devices(
    tx: &mut Tx,
    condition: &str,
    params: &[Param<'_>],
) -> Result<EndedSessions> {
    let on_devices = format!(
        "account_id = $1 AND device_id IN
         (SELECT id FROM devices WHERE account_id = $1 AND {condition})"
    );
    end_where(tx, &on_devices, params).await
}

/// Ends the oldest sessions of a device, so that `keep` sessions remain, including the session `own`.
pub(crate) async fn end_oldest(
    tx: &mut Tx,
    device: Uuid,
    own: SessionKey,
    keep: u32,
) -> Result<EndedSessions> {
    end_where(
        tx,
        "account_id = $1 AND device_id = $2 AND id_hash <> $3 AND id_hash NOT IN
           (SELECT id_hash FROM sessions WHERE account_id = $1 AND device_id = $2 AND id_hash <> $3
            ORDER BY created_at DESC LIMIT $4)",
        params![own.account, device, &own.hash, i64::from(keep) - 1],
    )
    .await
}

/// Ends at most `limit` expired sessions. The idle expiry decides alone, because it is never after the absolute expiry.
pub(crate) async fn delete_expired(tx: &mut Tx, now: i64, limit: i64) -> Result<EndedSessions> {
    // The outer condition keeps a session that is used while the DELETE waits for its row. After the wait, PostgreSQL
    // checks the outer condition again, but not the subquery.
    end_where(
        tx,
        "(account_id, id_hash) IN
           (SELECT account_id, id_hash FROM sessions WHERE idle_hour <= $1 AND idle_until <= $2
            ORDER BY idle_hour LIMIT $3) AND idle_until <= $2",
        params![now / HOUR, now, limit],
    )
    .await
}
