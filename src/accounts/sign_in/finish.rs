//! Finishes a sign-in with the right password: checks email address, second factor and device, then starts the session.

use super::PasswordAttempt;
use crate::accounts::change::change_with_durability;
use crate::accounts::device_approval;
use crate::accounts::prelude::*;
use crate::accounts::second_factor::challenge;
use crate::accounts::session::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::accounts::session::session_proof::SessionProof;
use crate::config::NewDevice;
use crate::db::Durability;
use crate::error::ErrorData;
use crate::store::accounts;

impl PasswordAttempt<'_> {
    /// Runs in one transaction that locks the account's row. `rehashed` replaces an outdated password hash.
    pub(super) async fn finish(
        &self,
        account: &Account,
        rehashed: Option<&str>,
    ) -> ApiResult<SignedInBrowser> {
        let app = self.app;
        // A sign-in on a known device only adds a session. If power loss removes the session, the user signs in again.
        let durability = match (&self.device, rehashed) {
            (Some(_), None) => Durability::Deferred,
            _ => Durability::PowerLoss,
        };
        change_with_durability(app, self.client, durability, |mut change| async move {
            // The account is read again, because it may have changed while the password was verified. Its row is locked
            // before the rate-limit counters, in the lock order of all transactions, to avoid a deadlock.
            let account = accounts::lock(&mut change, account.id)
                .await?
                .filter(|fresh| fresh.password_hash == account.password_hash)
                .ok_or_else(|| self.invalid_credentials())?;
            self.reset_failures(&mut change).await?;
            if let Some(new) = rehashed {
                accounts::replace_password_hash(
                    &mut change, account.id, &account.password_hash, new,
                )
                .await?;
            }
            // The device is looked up again, because it may have been removed while the password was verified.
            let browser = VerifiedBrowser::find(&mut change, self.client, &account).await?;
            if !account.is_disabled && !account.verified {
                self.resend_link(&mut change, &account).await?;
                let refusal = ErrorCode::EmailNotVerified.into();
                return Err(browser.refuse(change, refusal).await?);
            }
            let (mut change, usable) = browser.require_usable(change).await?;
            let device = browser.device.as_ref();
            let proof = SessionProof::by_password(&mut change, usable, device).await?;
            let Some(proof) = proof else {
                let mut challenge = challenge::begin(&mut change, self.client, account.id).await?;
                // The second step of the sign-in identifies the device by this cookie.
                challenge.headers.device_cookie = Some(browser.cookie);
                return Err(change.commit_refusal(challenge).await);
            };
            if app.config.security.new_device == NewDevice::Verify && browser.is_new() {
                browser
                    .queue_mail(&mut change, MailKind::ApproveDevice)
                    .await?;
                let approval = device_approval::sign(app, account.id, &browser.cookie, change.now);
                let refusal = ErrorData::NewDevice { approval }.into();
                return Err(browser.refuse(change, refusal).await?);
            }
            let (change, signed_in) = browser.start_session(change, proof).await?;
            change.commit(signed_in).await
        })
        .await
    }
}
