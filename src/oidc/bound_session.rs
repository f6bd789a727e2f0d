//! The session that authorization codes and tokens are bound to.

use uuid::Uuid;

use crate::accounts::change::Change;
use crate::accounts::session::is_touch_due;
use crate::db::Result;
use crate::store::accounts::{self, Account};
use crate::store::sessions::{self, NamedSession};

/// A live session. The transaction has locked the rows of the account and of the session, so that the session cannot
/// end before the commit.
pub(crate) struct BoundSession {
    pub account: Account,
    pub session: NamedSession,
}

/// Locks the account before the session, like all transactions. Returns `None` if the session has ended.
pub(crate) async fn find_and_lock(
    change: &mut Change<'_>,
    sid: Uuid,
) -> Result<Option<BoundSession>> {
    let now = change.now;
    let Some(found) = sessions::find_by_sid(change, sid, now).await? else {
        return Ok(None);
    };
    let Some(account) = accounts::lock(change, found.account_id).await? else {
        return Ok(None);
    };
    let session = sessions::lock_by_sid(change, account.id, sid, now).await?;
    Ok(session.map(|session| BoundSession { account, session }))
}

/// Postpones the idle expiry of the session, as an HTTP request of its browser does.
pub(crate) async fn touch(change: &mut Change<'_>, session: &NamedSession) -> Result<()> {
    let (app, now) = (change.app, change.now);
    if !is_touch_due(app, session.last_used_at, now) {
        return Ok(());
    }
    let idle = app.config.lifetimes.session_idle.millis();
    let until = now.saturating_add(idle).min(session.expires_at);
    sessions::extend_idle_expiry(change, session.key(), now, until).await
}
