//! Undoes a change of the email address with the link in the mail to the old address.

use crate::accounts::change::{Change, change, notify_now};
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::migration::email_change as legacy_email;
use crate::accounts::security_log::Event;
use crate::accounts::session::browser_session;
use crate::accounts::strong_factor::removal::Removal;
use crate::accounts::unverified;
use crate::app::App;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::MailKind;
use crate::mail::links::{self, Ending};
use crate::store::account_emails::{Departure, ProvedEmail};
use crate::store::accounts::{self, Account};
use crate::store::tokens::{Purpose, Token};
use crate::store::{devices, legacy};

/// Undoes a change of the email address, and all that an attacker may have done since: removes the credentials added
/// after the change, cancels a pending deletion, ends all sessions, and removes all devices except the device with
/// `cookie`. A disabled account stays disabled. Returns the restored address.
pub(crate) async fn undo(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<String, ApiError> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::EmailUndo).await?;
        let email = restore_email(&mut change, client, &token, cookie).await?;
        link.commit(change, email).await
    })
    .await
}

async fn restore_email(
    change: &mut Change<'_>,
    client: &Client,
    token: &Token,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let proved = ProvedEmail::of_link(token).ok_or(ErrorCode::InvalidToken)?;
    let old = proved.email();
    // The account may have been unmigrated at the time of the email change, and may have migrated since.
    if let Some(waiting) = legacy::lock(change, token.subject_id).await? {
        return legacy_email::restore(change, &waiting, old, token.change_number).await;
    }
    let migrated = legacy::find_account(change, token.subject_id).await?;
    let account = accounts::lock(change, migrated.unwrap_or(token.subject_id))
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    unverified::remove(change, old.key()).await?;
    change
        .set_email(&account, &proved, Departure::Undone)
        .await?;
    links::end(change, account.id, Ending::AccessRevoked).await?;
    let undone = Ending::UndoneFrom(token.change_number);
    links::end(change, token.subject_id, undone).await?;
    links::end(change, account.id, undone).await?;
    let ended = devices::remove_all(change, account.id).await?;
    change.report_ended(ended).await?;
    browser_session::enrol(change, client, account.id, cookie).await?;
    if account.email != old.as_entered() {
        notify_now(change, &account, MailKind::EmailRemoved).await?;
    }
    let restored = Account {
        email: old.as_entered().to_owned(),
        ..account
    };
    notify_now(change, &restored, MailKind::EmailRestored).await?;
    change
        .record(Event::new(SecurityEvent::EmailChangeUndone, restored.id).device(cookie))
        .await?;
    deletion::cancel_by_undo(change, &restored).await?;
    let number = token.change_number;
    Removal::of(&restored)
        .with_cookie(cookie)
        .remove_since(change, number)
        .await?;
    Ok(restored.email)
}
