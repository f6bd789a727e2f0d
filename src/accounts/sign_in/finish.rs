//! The end of a sign-in with the right password: the policy, then the session.

use uuid::Uuid;

use super::{Attempt, SignedInBrowser};
use crate::auth::{device_limit, session};
use crate::config::NewDevice;
use crate::db::{Durability, Tx};
use crate::domain::secret::Secret;
use crate::error::{ErrorCode, Failure};
use crate::mail::{self, Kind, MailDetails, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::devices;

impl Attempt<'_> {
    /// Finishes a sign-in with the right password: resets the counters, applies the policy and starts
    /// the session, in one transaction that locks the account.
    pub(super) async fn finish(
        &self,
        account: &Account,
        rehashed: Option<&str>,
    ) -> Result<SignedInBrowser, Failure> {
        let (app, now) = (self.app, self.app.clock.millis());
        // A returning device only creates a session; losing it in a power cut just means signing in
        // again.
        let mut tx = match (&self.device, rehashed) {
            (Some(_), None) => app.store.begin(Durability::Deferred).await?,
            _ => app.store.write().await?,
        };
        // Read again under a lock: the account may have changed during the hash. Locked before the
        // counters, in the order that all transactions use; another order could deadlock.
        let account = accounts::locked(&mut tx, account.id)
            .await?
            .filter(|fresh| fresh.password_hash == account.password_hash)
            .ok_or_else(|| self.wrong())?;
        self.reset_failures(&mut tx).await?;
        if let Some(new) = rehashed {
            accounts::rehash(&mut tx, account.id, &account.password_hash, new).await?;
        }
        let cookie = self.client.device_or_new(&app.rng);
        // The device may have been refused or forgotten during the hash.
        let device = devices::find(&mut tx, account.id, &cookie.hash()).await?;
        let policy = self
            .policy(&mut tx, &account, &cookie, device.as_ref())
            .await?;
        if let Some(mut failure) = policy {
            tx.commit().await?;
            tracing::warn!(target: "security", event = "sign_in_stopped", account = %account.id,
                reason = failure.code.as_str());
            // The approval recognises the requesting browser by this cookie.
            failure.device = Some(cookie);
            return Err(failure);
        }
        let name = &self.client.device_name();
        let device = devices::enrol(
            &mut tx,
            app.rng.id(now),
            account.id,
            &cookie.hash(),
            name,
            now,
        )
        .await?;
        let replaces = self.client.session.as_ref();
        let id = session::start(app, &mut tx, account.id, device, replaces).await?;
        accounts::mark_signed_in(&mut tx, account.id, now).await?;
        tx.commit().await?;
        tracing::info!(target: "security", event = "sign_in", account = %account.id, ip = %self.client.ip);
        Ok(SignedInBrowser {
            email: account.email,
            username: account.username,
            session: id,
            device: cookie,
        })
    }

    /// The checks between a right password and a session. Queues the mails that belong to them.
    async fn policy(
        &self,
        tx: &mut Tx,
        account: &Account,
        cookie: &Secret,
        device: Option<&devices::Device>,
    ) -> Result<Option<Failure>, Failure> {
        let (app, now) = (self.app, self.app.clock.millis());
        if !account.verified {
            let resend = LimitedAction::ResendTo(self.email.key());
            if app.rate_limiter.allows(tx, &[resend], now).await? {
                mail::queue(app, tx, OutgoingMail::to(account, Kind::VerifyEmail)).await?;
            }
            return Ok(Some(ErrorCode::EmailNotVerified.into()));
        }
        let is_new = device.is_none() && account.signed_in_before;
        let details = MailDetails {
            device: Some(self.client.device_name()),
            device_hash: Some(mail::encode_hash(&cookie.hash())),
            at: Some(now),
            ..MailDetails::default()
        };
        match app.config.security.new_device {
            NewDevice::Verify if is_new => {
                let outgoing = OutgoingMail {
                    details,
                    ..OutgoingMail::to(account, Kind::ApproveDevice)
                };
                mail::queue(app, tx, outgoing).await?;
                return Ok(Some(ErrorCode::NewDevice.into()));
            }
            NewDevice::Notify if is_new => {
                let outgoing = OutgoingMail {
                    details,
                    ..OutgoingMail::to(account, Kind::NewDeviceNotice)
                };
                mail::queue(app, tx, outgoing).await?;
            }
            _ => {}
        }
        let own = device.map_or(Uuid::nil(), |device| device.id);
        let others = devices::others_signed_in(tx, account.id, own, now).await?;
        if others >= i64::from(app.config.security.max_devices) {
            return Ok(Some(device_limit::too_many(app, tx, account, own).await?));
        }
        Ok(None)
    }
}
