//! Sessions: the only way to start one, to read one, to write with one, and to end one.

use uuid::Uuid;

use super::account_state::UsableAccount;
use super::client::Client;
use super::security_log::Event;
use super::session_end;
use crate::app::App;
use crate::db::conflict::repeated;
use crate::db::{Durability, Tx};
use crate::domain::auth_method::AuthMethods;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::error::{ErrorCode, Failure};
use crate::store::accounts::{self, Account};
use crate::store::devices::{self, Device};
use crate::store::sessions::{self, Authentication, LockedSession, Session};

/// The number of sessions of one device; the oldest end. A browser holds one session, so further ones
/// come from copies of its device cookie.
const SESSIONS_PER_DEVICE: u32 = 20;

/// A session that begins.
pub(crate) struct NewSession<'a> {
    pub account: Uuid,
    pub device: Uuid,
    pub authenticated: &'a Authentication,
    /// The earlier session of this browser, which ends.
    pub replaces: Option<&'a Secret>,
}

/// Starts a session. Returns its id.
pub(crate) async fn start(
    app: &App,
    tx: &mut Tx,
    session: NewSession<'_>,
) -> crate::db::Result<Secret> {
    let NewSession {
        account,
        device,
        authenticated,
        replaces,
    } = session;
    let mut sid = None;
    if let Some(old) = replaces {
        // The same person signs in again: the applications stay signed in.
        sid = sessions::take_sid(tx, &old.hash(), account).await?;
        let ended = sessions::end(tx, &old.hash()).await?;
        session_end::report(app, tx, ended).await?;
    }
    let id = Secret::generate(&app.rng);
    let new = sessions::NewSession {
        hash: &id.hash(),
        account_id: account,
        device_id: device,
        now: app.clock.millis(),
        idle: app.config.lifetimes.session_idle.millis(),
        absolute: app.config.lifetimes.session_absolute.millis(),
        authenticated,
    };
    sessions::insert(tx, &new).await?;
    if let Some(sid) = sid {
        sessions::set_sid(tx, &id.hash(), sid).await?;
    }
    let ended = sessions::end_oldest(tx, device, &id.hash(), SESSIONS_PER_DEVICE).await?;
    session_end::report(app, tx, ended).await?;
    Ok(id)
}

/// A request that had a live session when it began. Anything else is 401 `unauthenticated`.
///
/// The session may end while the body is still on its way, so this type gives no id to write with: a change goes
/// through [`SignedIn::begin_change`], which reads the session again under a lock.
pub(crate) struct SignedIn {
    id: Secret,
    session: Session,
}

/// A write transaction with a locked, live session, which cannot end before the commit.
pub(crate) struct SignedInChange {
    pub tx: Tx,
    /// The current account, locked.
    pub account: Account,
    pub session: LockedSession,
}

impl SignedIn {
    /// The live session with this id. Extends its idle end.
    pub(crate) async fn find(app: &App, id: Secret) -> Result<SignedIn, Failure> {
        let now = app.clock.millis();
        let hash = id.hash();
        let session = sessions::live(&app.store, &hash, now).await?;
        let session = session.ok_or(ErrorCode::Unauthenticated)?;
        let step = (app.config.lifetimes.session_idle.millis() / 20).min(60_000);
        if now - session.last_used_at >= step {
            // Boxed to keep the extractor's future small: this path runs at most once a minute per
            // session.
            Box::pin(keep_alive(app, &hash, &session, now)).await;
        }
        Ok(SignedIn { id, session })
    }

    /// The session as it was when the request began. Only for reading.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The session as it was when the request began. Only for reading.
    pub(crate) fn into_session(self) -> Session {
        self.session
    }

    /// Opens the transaction of a signed-in change. 401 if the session has ended meanwhile; then
    /// nothing is changed or counted.
    pub(crate) async fn begin_change(&self, app: &App) -> Result<SignedInChange, Failure> {
        self.lock(app, app.store.write().await?).await
    }

    /// Like `begin_change`, but not durable across a power loss. For counters.
    pub(crate) async fn begin_light_change(&self, app: &App) -> Result<SignedInChange, Failure> {
        self.lock(app, app.store.begin(Durability::ProcessCrash).await?)
            .await
    }

    /// Locks the account, then the session: every transaction takes the two locks in this order.
    async fn lock(&self, app: &App, mut tx: Tx) -> Result<SignedInChange, Failure> {
        let account = accounts::locked(&mut tx, self.session.account_id)
            .await?
            .ok_or(ErrorCode::Unauthenticated)?;
        // Its sessions have ended already; this keeps a session of an earlier version from going on.
        UsableAccount::of(&account).map_err(|_| ErrorCode::Unauthenticated)?;
        let now = app.clock.millis();
        let session = sessions::locked(&mut tx, &self.id.hash(), account.id, now)
            .await?
            .ok_or(ErrorCode::Unauthenticated)?;
        Ok(SignedInChange {
            tx,
            account,
            session,
        })
    }

    /// When the support view was last used with this session, in milliseconds since 1970 UTC.
    pub(crate) async fn last_support_use(&self, app: &App) -> crate::db::Result<Option<i64>> {
        let mut tx = app.store.read().await?;
        sessions::support_used_at(&mut tx, &self.id.hash()).await
    }

    /// Records a call of the support view, in steps of a twentieth of `lifetimes.support_session`. An error is ignored:
    /// the session then counts as idle earlier.
    pub(crate) async fn record_support_use(&self, app: &App, last: i64) {
        let now = app.clock.millis();
        if now.saturating_sub(last) < app.config.lifetimes.support_session.millis() / 20 {
            return;
        }
        let hash = self.id.hash();
        let touched = repeated(&app.rng, || async {
            let mut tx = app.store.begin(Durability::ProcessCrash).await?;
            sessions::touch_support(&mut tx, &hash, now).await?;
            tx.commit().await
        });
        if let Err(error) = touched.await {
            tracing::warn!(%error, "the use of the support view could not be recorded");
        }
    }

    /// The account's devices with a live session, each with whether the request comes from it.
    pub(crate) async fn devices(&self, app: &App) -> crate::db::Result<Vec<(Device, bool)>> {
        let mut tx = app.store.read().await?;
        let now = app.clock.millis();
        let found = devices::signed_in(&mut tx, self.session.account_id, now).await?;
        let own = self.session.device_id;
        let marked = found.into_iter().map(|device| {
            let is_own = device.id == own;
            (device, is_own)
        });
        Ok(marked.collect())
    }
}

/// Ends every session of the account, and starts a new one for this browser. It counts as authenticated no later than
/// the old one.
pub(crate) async fn rotate(
    app: &App,
    tx: &mut Tx,
    session: &LockedSession,
) -> crate::db::Result<Secret> {
    let sid = sessions::take_sid(tx, session.hash(), session.account_id()).await?;
    let ended = sessions::end_all(tx, session.account_id()).await?;
    session_end::report(app, tx, ended).await?;
    let new = NewSession {
        account: session.account_id(),
        device: session.device_id(),
        authenticated: session.authenticated(),
        replaces: None,
    };
    let id = start(app, tx, new).await?;
    if let Some(sid) = sid {
        sessions::set_sid(tx, &id.hash(), sid).await?;
    }
    Ok(id)
}

/// Records a fresh proof of identity, and gives the session another id. Returns it. Methods that the session had before
/// stay, so that the assurance level never falls.
pub(crate) async fn reauthenticate(
    app: &App,
    change: &mut SignedInChange,
    methods: AuthMethods,
) -> crate::db::Result<Secret> {
    let authenticated = Authentication {
        methods: change.session.authenticated().methods.with(methods),
        at: app.clock.millis(),
    };
    renew(app, change, &authenticated).await
}

/// Adds a method to the session, and gives it another id. Returns it. The time of the last proof of identity stays.
pub(crate) async fn raise(
    app: &App,
    change: &mut SignedInChange,
    methods: AuthMethods,
) -> crate::db::Result<Secret> {
    let before = change.session.authenticated();
    let authenticated = Authentication {
        methods: before.methods.with(methods),
        at: before.at,
    };
    renew(app, change, &authenticated).await
}

async fn renew(
    app: &App,
    change: &mut SignedInChange,
    authenticated: &Authentication,
) -> crate::db::Result<Secret> {
    let id = Secret::generate(&app.rng);
    sessions::reauthenticate(&mut change.tx, &change.session, &id.hash(), authenticated).await?;
    Ok(id)
}

/// Extends the idle end, at most about once a minute per session, so that most reads write nothing. An
/// error is ignored: a database without writes must not end sessions that it can still read.
async fn keep_alive(app: &App, hash: &SecretHash, session: &Session, now: i64) {
    let idle = app.config.lifetimes.session_idle.millis();
    let until = now.saturating_add(idle).min(session.expires_at);
    let touched = repeated(&app.rng, || async {
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        sessions::touch(&mut tx, hash, now, until).await?;
        tx.commit().await
    });
    if let Err(error) = touched.await {
        tracing::warn!(%error, "a session could not be kept alive");
    }
}

/// Ends the session of the browser, if it has one.
pub(crate) async fn end(app: &App, client: &Client) -> Result<(), Failure> {
    let Some(id) = &client.session else {
        return Ok(());
    };
    repeated(&app.rng, || async {
        let mut tx = app.store.write().await?;
        // The account is locked before its session, as in every transaction; the event refers to it.
        let Some(account) = sessions::account_of(&mut tx, &id.hash()).await? else {
            return Ok(());
        };
        accounts::locked(&mut tx, account).await?;
        let ended = sessions::end(&mut tx, &id.hash()).await?;
        if ended.len() > 0 {
            session_end::report(app, &mut tx, ended).await?;
            let event = Event::new(SecurityEvent::SignedOut, account, client);
            event.record(app, &mut tx).await?;
        }
        Ok(tx.commit().await?)
    })
    .await
}
