//! The session that codes and tokens are bound to.

use uuid::Uuid;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::store::accounts::{self, Account};
use crate::store::sessions::{self, NamedSession};

/// A live session whose account and row the transaction has locked, so that it cannot end before the commit.
pub(crate) struct BoundSession {
    pub account: Account,
    pub session: NamedSession,
}

/// Locks the account, then the session, in the lock order of all transactions. None: the session has ended.
pub(crate) async fn find_and_lock(
    app: &App,
    tx: &mut Tx,
    sid: Uuid,
) -> Result<Option<BoundSession>> {
    let now = app.clock.millis();
    let Some(found) = sessions::by_sid(tx, sid, now, "").await? else {
        return Ok(None);
    };
    let Some(account) = accounts::lock(tx, found.account_id).await? else {
        return Ok(None);
    };
    let lock = tx.for_update();
    let session = sessions::by_sid(tx, sid, now, lock).await?;
    Ok(session.map(|session| BoundSession { account, session }))
}

/// Extends the idle expiry of the session, as a request of its browser does, at most about once a minute.
pub(crate) async fn touch(app: &App, tx: &mut Tx, session: &NamedSession) -> Result<()> {
    let (now, idle) = (
        app.clock.millis(),
        app.config.lifetimes.session_idle.millis(),
    );
    if now - session.last_used_at < (idle / 20).min(60_000) {
        return Ok(());
    }
    let until = now.saturating_add(idle).min(session.expires_at);
    sessions::touch(tx, &session.id_hash, now, until).await
}
