//! Handles registrations whose email address was never verified.

use uuid::Uuid;

use crate::accounts::account_state::UsableAccount;
use crate::accounts::prelude::*;
use crate::db::{Result, Tx};
use crate::domain::email::Email;
use crate::mail::OutgoingMail;
use crate::mail::links::{self, Ending};
use crate::store::accounts::{self, RegistrationCorrection};
use crate::store::legacy;
use crate::store::names::Reservation;

/// Mails another verification link, which replaces the earlier link. An account that is verified, disabled or about to
/// be deleted gets no mail. The caller has locked the account's row and checked the rate limits.
pub(crate) async fn resend_link(change: &mut Change<'_>, account: &Account) -> Result<()> {
    if account.verified || UsableAccount::of(account).is_err() {
        return Ok(());
    }
    change
        .queue_mail(OutgoingMail::to(account, MailKind::VerifyEmail))
        .await
}

/// Removes the unverified account with an email address that was just verified for another account.
pub(crate) async fn remove(change: &mut Change<'_>, email_key: &str) -> Result<()> {
    if let Some(account) = accounts::delete_unverified(change, email_key).await? {
        change.report_removed_registration(account).await?;
    }
    Ok(())
}

/// Returns whether the account `own` may have the email address: false if another verified account or an unmigrated legacy
/// account has it.
pub(crate) async fn is_available(tx: &mut Tx, email: &Email, own: Uuid) -> Result<bool> {
    let owner = accounts::find_by_email(tx, email.key()).await?;
    let is_free = owner.is_none_or(|owner| owner.id == own || !owner.verified);
    Ok(is_free
        && legacy::unmigrated_by_email(tx, email.key())
            .await?
            .is_none())
}

/// Removes another unverified registration with this email address, which the account `own` is about to get. Returns
/// [`is_available`].
pub(crate) async fn make_available(
    change: &mut Change<'_>,
    email: &Email,
    own: Uuid,
) -> Result<bool> {
    if !is_available(change, email, own).await? {
        return Ok(false);
    }
    let owner = accounts::find_by_email(change, email.key()).await?;
    if owner.is_some_and(|owner| owner.id != own) {
        remove(change, email.key()).await?;
    }
    Ok(true)
}

/// Removes the earlier registrations of a browser that its new registration replaces, with their mailed links and the
/// browser's reservation of the username. In profile `strict` the username therefore becomes free even if the email
/// address was taken and no account was created.
pub(crate) async fn remove_corrected_registrations(
    change: &mut Change<'_>,
    correction: &RegistrationCorrection<'_>,
) -> Result<()> {
    for account in accounts::delete_corrected(change, correction).await? {
        links::end(change, account, Ending::AccessRevoked).await?;
        change.report_removed_registration(account).await?;
    }
    let RegistrationCorrection {
        username_key,
        device,
        made_after,
        ..
    } = correction;
    let reservation = Reservation {
        key: username_key,
        device,
        lifetime: change.app.config.lifetimes.unverified_account.millis(),
    };
    reservation.release(change, *made_after).await
}
