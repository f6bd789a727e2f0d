//! Undoes the addition of a credential with the link in the mail about it, and removes all credentials added later.

pub(crate) mod email_change;
pub(crate) mod reported_change;

use crate::accounts::change::{Change, change};
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::security_log::Event;
use crate::accounts::strong_factor::removal::Removal;
use crate::accounts::unverified;
use crate::app::App;
use crate::db::StoreError;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::links::{self, Ending};
use crate::mail::{MailKind, OutgoingMail};
use crate::store::account_emails::{Departure, ProvedEmail};
use crate::store::accounts::{self, Account};
use crate::store::tokens::{Purpose, Token};
use crate::store::{credentials, devices, totp};

/// The credentials that remain after an undo: those added before the credential that the undo removes.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub(crate) struct RemainingCredentials {
    /// The names of the passkeys, oldest first.
    passkeys: Vec<String>,
    /// Whether the authenticator app is on.
    second_factor: bool,
}

/// Removes the credential and every later credential, cancels a pending deletion, ends all sessions, and removes all
/// devices except the device with `cookie`. Restores the email address to which the undo link was mailed; if another
/// account has that address now, sets a placeholder. If the password was changed after the credential was added, or the
/// address was not restored, disables the password and mails a reset link to that mailbox, unless the account is
/// disabled.
pub(crate) async fn undo(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<RemainingCredentials, ApiError> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::CredentialUndo).await?;
        remove_added(&mut change, client, &token, cookie).await?;
        let passkeys = credentials::list(&mut change, token.subject_id).await?;
        let remaining = RemainingCredentials {
            passkeys: passkeys.into_iter().map(|passkey| passkey.name).collect(),
            second_factor: totp::has_confirmed_app(&mut change, token.subject_id).await?,
        };
        link.commit(change, remaining).await
    })
    .await
}

async fn remove_added(
    change: &mut Change<'_>,
    client: &Client,
    token: &Token,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let now = change.now;
    let account = mailed_link::lock_account(change, token).await?;
    let added_at = token.change_number;
    let proved = ProvedEmail::of_link(token).ok_or(ErrorCode::InvalidToken)?;
    let mailbox = proved.email();
    links::end(change, account.id, Ending::AccessRevoked).await?;
    links::end(change, account.id, Ending::UndoneFrom(added_at)).await?;
    let ended = devices::remove_all(change, account.id).await?;
    change.report_ended(ended).await?;
    let (id, name) = (change.new_id(), &client.device_name());
    devices::enrol(change, id, account.id, &cookie.hash(), name, now).await?;
    let is_changed = account.email != mailbox.as_entered();
    let has_address = !is_changed || restore_address(change, &account, &proved).await?;
    if is_changed {
        let event = Event::new(SecurityEvent::EmailChangeUndone, account.id);
        change.record(event.device(cookie)).await?;
    }
    let account = Account {
        email: mailbox.as_entered().to_owned(),
        ..account
    };
    deletion::cancel_by_undo(change, &account).await?;
    Removal::of(&account)
        .with_cookie(cookie)
        .remove_since(change, added_at)
        .await?;
    if !has_address || accounts::password_changed_at(change, account.id).await? > added_at {
        let rng = &change.app.rng;
        accounts::disable_password(change, &account, rng).await?;
        // A reset link does not work for a disabled account.
        if !account.is_disabled {
            change
                .queue_mail(OutgoingMail::to(&account, MailKind::ResetPassword))
                .await?;
        }
    }
    Ok(())
}

/// Restores the email address to which the undo link was mailed, because an attacker may have changed the address. If
/// another account has this address now, sets a placeholder instead, so that the attacker's mailbox loses its access.
/// Returns whether the email address was restored.
async fn restore_address(
    change: &mut Change<'_>,
    account: &Account,
    proved: &ProvedEmail,
) -> Result<bool, ApiError> {
    let mailbox = proved.email();
    unverified::remove(change, mailbox.key()).await?;
    let owner = accounts::find_by_email(change, mailbox.key()).await?;
    let is_free = owner.is_none_or(|owner| owner.id == account.id);
    let email = match is_free {
        true => proved.clone(),
        false => ProvedEmail::placeholder(change.new_id()),
    };
    match change.set_email(account, &email, Departure::Undone).await {
        Ok(_) => Ok(is_free),
        // Another account took the email address after the query. The transaction is repeated, and finds that account.
        Err(StoreError::UniqueViolation(_)) => {
            Err(StoreError::Conflict("the address was taken meanwhile".into()).into())
        }
        Err(error) => Err(error.into()),
    }
}
