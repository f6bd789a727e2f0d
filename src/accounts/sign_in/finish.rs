//! The last part of a sign-in with the right password: the policy, then the session.

use super::Attempt;
use crate::auth::account_state::{BlockReason, UsableAccount};
use crate::auth::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::auth::second_factor::challenge;
use crate::auth::session_proof::SessionProof;
use crate::config::NewDevice;
use crate::db::{Durability, Tx};
use crate::error::{ApiError, ErrorCode};
use crate::mail::MailKind;
use crate::store::accounts::{self, Account};

impl Attempt<'_> {
    /// Finishes a sign-in with the right password: resets the counters, applies the policy and starts
    /// the session, in one transaction that locks the account.
    pub(super) async fn finish(
        &self,
        account: &Account,
        rehashed: Option<&str>,
    ) -> Result<SignedInBrowser, ApiError> {
        let app = self.app;
        // For a returning device only a session is created. If power loss removes it, the user signs in again.
        let mut tx = match (&self.device, rehashed) {
            (Some(_), None) => app.store.begin(Durability::Deferred).await?,
            _ => app.store.write().await?,
        };
        // Read again with a row lock, because the account may have changed during the hash. It is locked before the
        // counters, in the lock order of all transactions; another order could deadlock.
        let account = accounts::lock(&mut tx, account.id)
            .await?
            .filter(|fresh| fresh.password_hash == account.password_hash)
            .ok_or_else(|| self.invalid_credentials())?;
        self.reset_failures(&mut tx).await?;
        if let Some(new) = rehashed {
            accounts::rehash(&mut tx, account.id, &account.password_hash, new).await?;
        }
        // Looked up again, because the device may have been refused or removed during the hash.
        let browser = VerifiedBrowser::find(app, &mut tx, self.client, &account).await?;
        let usable = match self.check_usable(&mut tx, &browser).await? {
            Ok(usable) => usable,
            Err(refusal) => return Err(browser.refuse(app, tx, refusal).await?),
        };
        let (device, now) = (browser.device.as_ref(), app.clock.millis());
        let proof = SessionProof::by_password(&mut tx, usable, device, now).await?;
        let Some(proof) = proof else {
            let mut challenge = challenge::begin(app, &mut tx, account.id).await?;
            tx.commit().await?;
            // The cookie identifies the device and its counter of failures in the second step.
            challenge.headers.device_cookie = Some(browser.cookie);
            return Err(challenge);
        };
        if app.config.security.new_device == NewDevice::Verify && browser.is_new() {
            browser
                .queue_mail(app, &mut tx, MailKind::ApproveDevice)
                .await?;
            let refusal = ErrorCode::NewDevice.into();
            return Err(browser.refuse(app, tx, refusal).await?);
        }
        let (tx, signed_in) = browser.start_session(app, tx, proof).await?;
        tx.commit().await?;
        Ok(signed_in)
    }

    /// Returns the account, or the refusal by the first broken rule: not disabled, address verified, no deletion
    /// pending.
    async fn check_usable<'b>(
        &self,
        tx: &mut Tx,
        browser: &VerifiedBrowser<'b>,
    ) -> Result<Result<UsableAccount<'b>, ApiError>, ApiError> {
        let account = browser.account;
        Ok(match UsableAccount::of(account) {
            Err(BlockReason::Disabled) => Err(ErrorCode::AccountDisabled.into()),
            Ok(_) | Err(BlockReason::DeletionPending(_)) if !account.verified => {
                self.resend_link(tx, account).await?;
                Err(ErrorCode::EmailNotVerified.into())
            }
            Ok(_) | Err(BlockReason::DeletionPending(_)) => {
                browser.check_usable(self.app, tx).await?
            }
        })
    }
}
