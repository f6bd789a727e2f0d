//! Registrations whose address was never verified.

use super::account_state::UsableAccount;
use crate::app::App;
use crate::db::{Result, Tx};
use crate::deliveries::webhook::{self, EventType};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::{self, Account};

/// Mails another verification link, which replaces the earlier one. Mails nothing to an account that is verified or may
/// not be used. The caller has locked the account and checked the limits.
pub(crate) async fn resend_link(app: &App, tx: &mut Tx, account: &Account) -> Result<()> {
    if account.verified || UsableAccount::of(account).is_err() {
        return Ok(());
    }
    mail::queue(app, tx, OutgoingMail::to(account, MailKind::VerifyEmail)).await
}

/// Removes the unverified account with an address that its mailbox has just verified for another account.
pub(crate) async fn remove(app: &App, tx: &mut Tx, email_key: &str) -> Result<()> {
    if let Some(account) = accounts::delete_unverified(tx, email_key).await? {
        webhook::announce(app, tx, EventType::Deleted, account, &[]).await?;
    }
    Ok(())
}
