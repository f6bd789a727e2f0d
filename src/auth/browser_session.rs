//! The last part of every sign-in, whatever proved the identity: the device limit, the browser's enrolment, the
//! session.

use serde_json::json;
use uuid::Uuid;

use super::account_state::UsableAccount;
use super::client::Client;
use super::device_limit;
use super::security_log::Event;
use super::session::{self, NewSession};
use super::session_proof::SessionProof;
use crate::app::App;
use crate::db::Tx;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::ApiError;
use crate::mail::{self, MailDetails, MailKind, OutgoingMail};
use crate::store::accounts::{self, Account};
use crate::store::devices::{self, Device};
use crate::store::sessions::Authentication;

/// A new session, with the device cookie of the browser.
pub(crate) struct SignedInBrowser {
    pub id: Uuid,
    pub email: String,
    pub username: String,
    pub session: Secret,
    pub device: Secret,
}

/// A browser whose user has proved to own the account, before its session begins. The transaction has locked the
/// account.
pub(crate) struct VerifiedBrowser<'a> {
    pub client: &'a Client,
    pub account: &'a Account,
    pub cookie: Secret,
    /// The browser as an enrolled device of the account, if it is one.
    pub device: Option<Device>,
}

impl<'a> VerifiedBrowser<'a> {
    /// Finds the browser among the account's devices.
    pub(crate) async fn find(
        app: &App,
        tx: &mut Tx,
        client: &'a Client,
        account: &'a Account,
    ) -> Result<VerifiedBrowser<'a>, ApiError> {
        let cookie = client.device_or_new(&app.rng);
        let device = devices::find(tx, account.id, &cookie.hash()).await?;
        Ok(VerifiedBrowser {
            client,
            account,
            cookie,
            device,
        })
    }

    /// Returns the account if it may be used, otherwise the refusal of the sign-in.
    pub(crate) async fn check_usable(
        &self,
        app: &App,
        tx: &mut Tx,
    ) -> Result<Result<UsableAccount<'a>, ApiError>, ApiError> {
        Ok(match UsableAccount::of(self.account) {
            Ok(usable) => Ok(usable),
            Err(blocked) => Err(blocked.refusal(app, tx, self.account).await?),
        })
    }

    /// Returns whether the account has been signed in before, but not on this browser.
    pub(crate) fn is_new(&self) -> bool {
        self.device.is_none() && self.account.signed_in_before
    }

    /// Queues a mail about this browser: a notice, or a link that approves it.
    pub(crate) async fn queue_mail(
        &self,
        app: &App,
        tx: &mut Tx,
        kind: MailKind,
    ) -> Result<(), ApiError> {
        let outgoing = OutgoingMail {
            details: MailDetails {
                device: Some(self.client.device_name()),
                device_hash: Some(mail::encode_hash(&self.cookie.hash())),
                at: Some(app.clock.millis()),
                ..MailDetails::default()
            },
            ..OutgoingMail::to(self.account, kind)
        };
        Ok(mail::queue(app, tx, outgoing).await?)
    }

    /// Returns the refusal at the device limit, if the account is signed in on too many other devices.
    async fn check_device_limit(
        &self,
        app: &App,
        tx: &mut Tx,
    ) -> Result<Option<ApiError>, ApiError> {
        let (account, now) = (self.account, app.clock.millis());
        let own = self.device.as_ref().map_or(Uuid::nil(), |device| device.id);
        let others = devices::count_others_signed_in(tx, account.id, own, now).await?;
        if others < i64::from(app.config.security.max_devices) {
            return Ok(None);
        }
        Ok(Some(device_limit::refuse(app, tx, account, own).await?))
    }

    /// Commits a sign-in that a policy refused, with its event. Returns the refusal.
    pub(crate) async fn refuse(
        self,
        app: &App,
        mut tx: Tx,
        mut refusal: ApiError,
    ) -> Result<ApiError, ApiError> {
        let event = Event::new(SecurityEvent::SignInBlocked, self.account.id, self.client);
        let event = event.device(&self.cookie).reason(refusal.code.as_str());
        event.record(app, &mut tx).await?;
        tx.commit().await?;
        // The approval recognises the requesting browser by this cookie.
        refusal.headers.device_cookie = Some(self.cookie);
        Ok(refusal)
    }

    /// Starts the session of this browser and returns the transaction, which the caller commits. At the device limit it
    /// commits and returns the refusal.
    pub(crate) async fn start_session(
        self,
        app: &App,
        mut tx: Tx,
        proof: SessionProof<'_>,
    ) -> Result<(Tx, SignedInBrowser), ApiError> {
        if let Some(refusal) = self.check_device_limit(app, &mut tx).await? {
            return Err(self.refuse(app, tx, refusal).await?);
        }
        if self.is_new() && proof.reports_new_browser(app.config.security.new_device) {
            self.queue_mail(app, &mut tx, MailKind::NewDeviceNotice)
                .await?;
        }
        let signed_in = self.enrol(app, &mut tx, proof).await?;
        Ok((tx, signed_in))
    }

    /// Enrols the browser and inserts its session.
    async fn enrol(
        self,
        app: &App,
        tx: &mut Tx,
        proof: SessionProof<'_>,
    ) -> Result<SignedInBrowser, ApiError> {
        let (account, methods) = proof.into_parts();
        let now = app.clock.millis();
        let (id, hash) = (app.rng.id(now), self.cookie.hash());
        let name = &self.client.device_name();
        let device = devices::enrol(tx, id, account.id, &hash, name, now).await?;
        let event = Event::new(SecurityEvent::SignedIn, account.id, self.client);
        let names: Vec<_> = methods.names().collect();
        let event = event
            .device(&self.cookie)
            .details(json!({"methods": names}));
        event.record(app, tx).await?;
        let new = NewSession {
            account: account.id,
            device,
            authenticated: &Authentication::begin(methods, now),
            replaces: self.client.session.as_ref(),
        };
        let session = session::start(app, tx, new).await?;
        accounts::mark_signed_in(tx, account.id, now).await?;
        if account.inactive_due_at.is_some() {
            mail::withdraw(tx, account.id, MailKind::InactiveAccount).await?;
        }
        Ok(SignedInBrowser {
            id: account.id,
            email: account.email.clone(),
            username: account.username.clone(),
            session,
            device: self.cookie,
        })
    }
}
