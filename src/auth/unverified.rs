//! Registrations whose address was never verified.

use super::account_state::UsableAccount;
use crate::app::App;
use crate::db::{Result, Tx};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::outbox::webhook::{self, EventType};
use crate::store::accounts::{self, Account, Correction};
use crate::store::reservations;

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

/// Removes the registrations that a browser corrects, with their links, and its reservation of the username. In profile
/// `strict` a name is as free afterwards for a taken address, which made no account, as for a free one.
pub(crate) async fn remove_corrected(
    app: &App,
    tx: &mut Tx,
    correction: &Correction<'_>,
) -> Result<()> {
    for account in accounts::delete_corrected(tx, correction).await? {
        mail::end_links(tx, account).await?;
        webhook::announce(app, tx, EventType::Deleted, account, &[]).await?;
    }
    let Correction {
        username_key,
        device,
        made_after,
        ..
    } = correction;
    reservations::release(tx, username_key, device, *made_after).await
}
