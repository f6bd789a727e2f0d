//! Finishes every sign-in after the identity is proved: checks the device limit, enrols the browser, starts a session.

use uuid::Uuid;

use crate::accounts::account_state::UsableAccount;
use crate::accounts::change::notify;
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::accounts::session::session_proof::SessionProof;
use crate::accounts::session::{self, NewSession, device_limit};
use crate::clock::DAY;
use crate::domain::secret::Secret;
use crate::domain::session_id::SessionId;
use crate::mail::{self, MailDetails};
use crate::store::accounts;
use crate::store::devices::{self, Device};
use crate::store::sessions::{Authentication, Proof};

/// A new session, with the device cookie of the browser.
pub(crate) struct SignedInBrowser {
    pub id: Uuid,
    pub email: String,
    pub username: String,
    pub session: SessionId,
    pub device: Secret,
}

/// A browser whose user has proved the identity, and has no session yet. The account's row is locked.
pub(crate) struct VerifiedBrowser<'a> {
    pub client: &'a Client,
    pub account: &'a Account,
    pub cookie: Secret,
    /// The account's device with this cookie, or `None` if the browser is not enrolled.
    pub device: Option<Device>,
}

impl<'a> VerifiedBrowser<'a> {
    /// Finds the device by the browser's cookie. A browser without a cookie gets a new cookie.
    pub(crate) async fn find(
        change: &mut Change<'_>,
        client: &'a Client,
        account: &'a Account,
    ) -> ApiResult<VerifiedBrowser<'a>> {
        let cookie = client.device_or_new(&change.app.rng);
        change.set_device(&cookie);
        let device = devices::find(change, account.id, &cookie.hash()).await?;
        Ok(VerifiedBrowser {
            client,
            account,
            cookie,
            device,
        })
    }

    /// Returns the account if it may be used. Otherwise commits the change, and returns the error with which the
    /// sign-in is refused.
    pub(crate) async fn require_usable<'c>(
        &self,
        mut change: Change<'c>,
    ) -> ApiResult<(Change<'c>, UsableAccount<'a>)> {
        match UsableAccount::of(self.account) {
            Ok(usable) => Ok((change, usable)),
            Err(blocked) => {
                let refusal = blocked.sign_in_error(&mut change, self.account).await?;
                Err(self.refuse(change, refusal).await?)
            }
        }
    }

    /// Returns whether the browser is not enrolled, although the account has been signed in before.
    pub(crate) fn is_new(&self) -> bool {
        self.device.is_none() && self.account.signed_in_before
    }

    /// Queues a mail about this browser: a notice, or a link that approves the browser.
    pub(crate) async fn queue_mail(&self, change: &mut Change<'_>, kind: MailKind) -> ApiResult {
        let details = MailDetails {
            device_hash: Some(mail::encode_hash(&self.cookie.hash())),
            ..change.details()
        };
        Ok(notify(change, self.account, kind, details).await?)
    }

    /// Returns the error if too many other devices are signed in, otherwise `None`.
    async fn check_device_limit(&self, change: &mut Change<'_>) -> ApiResult<Option<ApiError>> {
        let (account, now) = (self.account, change.now);
        let own = self.device.as_ref().map_or(Uuid::nil(), |device| device.id);
        let others = devices::count_others_signed_in(change, account.id, own, now).await?;
        if others < i64::from(change.app.config.security.max_devices) {
            return Ok(None);
        }
        Ok(Some(
            device_limit::too_many_devices_error(change, account, own).await?,
        ))
    }

    /// Records that a policy refused the sign-in, and commits. Returns the refusal with the device cookie.
    pub(crate) async fn refuse(
        &self,
        mut change: Change<'_>,
        mut refusal: ApiError,
    ) -> ApiResult<ApiError> {
        let event = Event::new(SecurityEvent::SignInBlocked, self.account.id);
        change.record(event.reason(refusal.code.as_str())).await?;
        // The approval link identifies the requesting browser by this cookie.
        refusal.headers.device_cookie = Some(self.cookie.clone());
        Ok(change.commit_refusal(refusal).await)
    }

    /// Starts the session of this browser and returns the change, which the caller commits. If too many devices are
    /// signed in, commits and returns the error.
    pub(crate) async fn start_session<'c>(
        self,
        mut change: Change<'c>,
        proof: SessionProof<'_>,
    ) -> ApiResult<(Change<'c>, SignedInBrowser)> {
        if let Some(refusal) = self.check_device_limit(&mut change).await? {
            return Err(self.refuse(change, refusal).await?);
        }
        if self.is_new() && proof.reports_new_browser(change.app.config.security.new_device) {
            let (limiter, now) = (&change.app.rate_limiter, change.now);
            let notice = [LimitName::SignInNotice.of(Subject::Account(self.account.id))];
            if let Some(wait) = limiter.count_actions(&mut change, &notice, now).await? {
                return Err(self.refuse(change, ApiError::rate_limited(wait)).await?);
            }
            self.queue_mail(&mut change, MailKind::NewDeviceNotice)
                .await?;
        }
        let signed_in = self.begin_session(&mut change, proof).await?;
        Ok((change, signed_in))
    }

    /// Enrols the browser and inserts its session.
    async fn begin_session(
        self,
        change: &mut Change<'_>,
        proof: SessionProof<'_>,
    ) -> ApiResult<SignedInBrowser> {
        let (account, methods) = proof.into_parts();
        let now = change.now;
        let device = match &self.device {
            // The row of a device is updated at most once a day, so that most sign-ins do not write it.
            Some(device)
                if now - device.last_used_at < DAY && device.name == self.client.device_name() =>
            {
                device.id
            }
            _ => enrol(change, self.client, account.id, &self.cookie).await?,
        };
        let event = Event::new(SecurityEvent::SignedIn, account.id);
        change
            .record(event.detail(EventDetail::Methods(&methods)))
            .await?;
        let new = NewSession {
            account: account.id,
            device,
            authenticated: &Authentication::begin(Proof::new(methods, now)),
            replaces: self.client.session_id.as_ref(),
        };
        let session = session::start(change, new).await?;
        accounts::mark_signed_in(change, account.id, now).await?;
        if account.inactive_due_at.is_some() {
            pending::stop_by(change, account, Cause::SignIn).await?;
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

/// Enrols the browser with the device cookie `cookie`. Returns the device id.
pub(crate) async fn enrol(
    change: &mut Change<'_>,
    client: &Client,
    account: Uuid,
    cookie: &Secret,
) -> ApiResult<Uuid> {
    let (id, name, now) = (change.new_id(), client.device_name(), change.now);
    Ok(devices::enrol(change, id, account, &cookie.hash(), &name, now).await?)
}
