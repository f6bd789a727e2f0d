//! Starts, reads, renews and ends sessions.

pub(crate) mod browser_session;
pub(crate) mod device_limit;
pub(crate) mod devices;
pub(crate) mod session_end;
pub(crate) mod session_proof;

use uuid::Uuid;

use crate::accounts::account_state::UsableAccount;
use crate::accounts::actor::Actor;
use crate::accounts::change::change_with_durability;
use crate::accounts::prelude::*;
use crate::accounts::security_log;
use crate::db::{Durability, StoreError};
use crate::domain::session_id::{SessionId, SessionKey};
use crate::store::accounts;
use crate::store::sessions::{self, Authentication, LockedSession, Session};
use crate::store::{recovery_codes, totp};

/// The maximum number of sessions per device; a further session ends the oldest session. A browser has one session, so
/// a device has several sessions only if its cookie was copied to other browsers.
const MAX_SESSIONS_PER_DEVICE: u32 = 20;

pub(crate) struct NewSession<'a> {
    pub account: Uuid,
    pub device: Uuid,
    pub authenticated: &'a Authentication,
    /// The browser's earlier session, which ends when the new session starts.
    pub replaces: Option<&'a SessionId>,
}

pub(crate) async fn start(
    change: &mut Change<'_>,
    new: NewSession<'_>,
) -> crate::db::Result<SessionId> {
    let app = change.app;
    let (account, device) = (new.account, new.device);
    let mut sid = None;
    if let Some(old) = new.replaces.map(SessionId::key) {
        if old.account == account {
            // The same account signs in again, so its applications stay signed in to the new session.
            sid = sessions::take_sid(change, old).await?;
        }
        let ended = sessions::end(change, old).await?;
        change.report_ended(ended).await?;
    }
    let id = SessionId::generate(account, &app.rng);
    let key = id.key();
    let (now, lifetimes) = (change.now, &app.config.lifetimes);
    sessions::insert(change, key, device, new.authenticated, now, lifetimes).await?;
    if let Some(sid) = sid {
        sessions::set_sid(change, key, sid).await?;
    }
    let ended = sessions::end_oldest(change, device, key, MAX_SESSIONS_PER_DEVICE).await?;
    change.report_ended(ended).await?;
    Ok(id)
}

/// A session that was live at the start of the HTTP request; without such a session the response is 401. The session
/// may end while the body is received, so [`SignedIn::lock`] reads it again with a row lock before a change.
pub(crate) struct SignedIn {
    key: SessionKey,
    session: Session,
}

/// A live session and its account, whose rows are locked until the end of the transaction.
pub(crate) struct LockedRows {
    pub account: Account,
    pub session: LockedSession,
}

/// Returns whether a use of a session now extends its idle expiry: only some uses do, so that most write nothing.
pub(crate) fn is_touch_due(app: &App, last_used_at: i64, now: i64) -> bool {
    let step = (app.config.lifetimes.session_idle.millis() / 20).min(60_000);
    now - last_used_at >= step
}

impl SignedIn {
    /// Returns the live session with this id. Extends its idle expiry.
    pub(crate) async fn find(app: &App, id: &SessionId) -> ApiResult<SignedIn> {
        let now = app.clock.millis();
        let key = id.key();
        let session = sessions::find_live(&app.store, key, now).await?;
        let session = session.ok_or(ErrorCode::Unauthenticated)?;
        if is_touch_due(app, session.last_used_at, now) {
            // The future is boxed, because it would enlarge the future of every request, but seldom runs.
            Box::pin(keep_alive(app, key, &session, now)).await;
        }
        Ok(SignedIn { key, session })
    }

    /// Returns the live session of the browser, if it has one.
    pub(crate) async fn find_in_browser(app: &App, client: &Client) -> ApiResult<Option<SignedIn>> {
        let Some(id) = &client.session_id else {
            return Ok(None);
        };
        match SignedIn::find(app, id).await {
            Err(error) if error.code == ErrorCode::Unauthenticated => Ok(None),
            found => found.map(Some),
        }
    }

    /// Returns 401 if the session has ended since the start of the HTTP request. Read-only handlers check this after
    /// they have received a body; changes use [`SignedIn::lock`].
    pub(crate) async fn check_live(&self, app: &App) -> ApiResult {
        let now = app.clock.millis();
        let session = sessions::find_live(&app.store, self.key, now).await?;
        session.map(|_| ()).ok_or(ErrorCode::Unauthenticated.into())
    }

    /// Returns the session as it was at the start of the HTTP request, for reading only.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    pub(crate) fn key(&self) -> SessionKey {
        self.key
    }

    pub(crate) fn into_session(self) -> Session {
        self.session
    }

    /// Locks the rows of the account and of the session, in the lock order of all transactions. Returns 401 if the
    /// session has ended since the start of the HTTP request.
    pub(crate) async fn lock(&self, change: &mut Change<'_>) -> ApiResult<LockedRows> {
        let account = accounts::lock(change, self.session.account_id)
            .await?
            .ok_or(ErrorCode::Unauthenticated)?;
        // The sessions of a disabled account, or of one with a pending deletion, have already ended. This check refuses
        // a session that an earlier program version started during a rolling upgrade.
        UsableAccount::of(&account).map_err(|_| ErrorCode::Unauthenticated)?;
        let now = change.now;
        let session = sessions::lock(change, self.key, now)
            .await?
            .ok_or(ErrorCode::Unauthenticated)?;
        Ok(LockedRows { account, session })
    }

    /// Returns the time of the last use of the support view with this session, in milliseconds since 1970 UTC.
    pub(crate) async fn last_support_view_use(&self, app: &App) -> crate::db::Result<Option<i64>> {
        let mut tx = app.store.read().await?;
        sessions::last_support_view_use(&mut tx, self.key).await
    }

    /// Records a use of the support view, at most once per twentieth of `lifetimes.support_session`. An error is only
    /// logged, because the support view then requires a new proof of identity earlier, not later.
    pub(crate) async fn record_support_use(&self, app: &App, last: i64) {
        let now = app.clock.millis();
        if now.saturating_sub(last) < app.config.lifetimes.support_session.millis() / 20 {
            return;
        }
        let (key, durability) = (self.key, Durability::ProcessCrash);
        let recorded: Result<(), StoreError> =
            change_with_durability(app, Actor::System, durability, |mut change| async move {
                sessions::record_support_use(&mut change, key, now).await?;
                change.commit(()).await
            })
            .await;
        if let Err(error) = recorded {
            tracing::warn!(%error, "the use of the support view could not be recorded");
        }
    }
}

/// Ends every session of the account, and starts a new session for this browser. The new session keeps the time at
/// which the old session was authenticated.
pub(crate) async fn replace_all_sessions(
    change: &mut Change<'_>,
    session: &LockedSession,
) -> crate::db::Result<SessionId> {
    let sid = sessions::take_sid(change, session.key()).await?;
    change.end_sessions(session.account_id()).await?;
    let new = NewSession {
        account: session.account_id(),
        device: session.device_id(),
        authenticated: session.authenticated(),
        replaces: None,
    };
    let id = start(change, new).await?;
    if let Some(sid) = sid {
        sessions::set_sid(change, id.key(), sid).await?;
    }
    Ok(id)
}

/// Stores new proofs of identity in the session, and replaces the session id, which an attacker may have copied.
/// Returns the new id. An unconfirmed authenticator app and pending recovery codes move to the new id.
pub(crate) async fn renew_session_id(
    change: &mut Change<'_>,
    session: &LockedSession,
    authenticated: &Authentication,
) -> crate::db::Result<SessionId> {
    let id = SessionId::generate(session.account_id(), &change.app.rng);
    sessions::reauthenticate(change, session, &id.hash(), authenticated).await?;
    let (account, from) = (session.account_id(), session.hash());
    totp::move_setup(change, account, from, &id.hash()).await?;
    recovery_codes::move_pending(change, account, from, &id.hash()).await?;
    Ok(id)
}

/// Extends the idle expiry. An error is only logged, so that sessions stay usable while the database is read-only.
async fn keep_alive(app: &App, key: SessionKey, session: &Session, now: i64) {
    let idle = app.config.lifetimes.session_idle.millis();
    let until = now.saturating_add(idle).min(session.expires_at);
    let durability = Durability::ProcessCrash;
    let recorded: Result<(), StoreError> =
        change_with_durability(app, Actor::System, durability, |mut change| async move {
            sessions::extend_idle_expiry(&mut change, key, now, until).await?;
            change.commit(()).await
        })
        .await;
    if let Err(error) = recorded {
        tracing::warn!(%error, "a session could not be kept alive");
    }
}

/// Ends the session of the browser, if there is one. Anybody can send a cookie that names no session.
pub(crate) async fn end(app: &App, client: &Client) -> ApiResult {
    let Some(id) = &client.session_id else {
        return Ok(());
    };
    let mut tx = app.store.read().await?;
    let key = id.key();
    if !sessions::exists(&mut tx, key).await? {
        return Ok(());
    }
    drop(tx);
    change(app, client, |mut change| async move {
        // The account is locked before its session, in the lock order of all transactions.
        let account = key.account;
        accounts::lock(&mut change, account).await?;
        let ended = sessions::end(&mut change, key).await?;
        if ended.len() > 0 {
            change.report_ended(ended).await?;
            security_log::record(&mut change, SecurityEvent::SignedOut, account).await?;
        }
        change.commit(()).await
    })
    .await
}
