//! Resets the password: mails a reset link on request, and stores the new password that the link's user chooses.

use serde::Serialize;

use crate::accounts::account_state::{BlockReason, UsableAccount};
use crate::accounts::change::notify_now;
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session;
use crate::accounts::timing::with_padded_duration;
use crate::accounts::{new_password, security_log, unverified};
use crate::config::Profile;
use crate::domain::email::{self, Email};
use crate::domain::secret::Secret;
use crate::i18n::Message;
use crate::mail::OutgoingMail;
use crate::store::account_emails::{Departure, ProvedEmail};
use crate::store::accounts;
use crate::store::tokens::{Purpose, Token};
use crate::store::{credentials, devices, legacy};

/// The outcome of a request for a password reset.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResetCode {
    ResetSent,
    /// The account has not migrated from the older system. Only the profile `spec` returns this code.
    NeedsMigration,
}

/// Mails a reset link if an account has the email address. The response takes equally long for every email address.
pub(crate) async fn request(app: &App, client: &Client, email: &Email) -> ApiResult<ResetCode> {
    let queued = change(app, client, |change| async move {
        let actions = [
            LimitName::ResetFrom.of(Subject::Network(client.ip)),
            LimitName::ResetOf.of(Subject::Email(email.key())),
        ];
        let mut change = change.admit(&actions).await?;
        let mut code = ResetCode::ResetSent;
        let account = accounts::find_by_email(&mut change, email.key()).await?;
        let legacy_account = legacy::unmigrated_by_email(&mut change, email.key()).await?;
        let is_verified = account.as_ref().is_some_and(|account| account.verified);
        match (&account, &legacy_account) {
            // A legacy account with the same email address takes precedence over an unverified registration.
            (_, Some(old)) if !is_verified => {
                if app.config.security.profile == Profile::Spec {
                    code = ResetCode::NeedsMigration;
                } else {
                    let kind = MailKind::LegacyAccountExists;
                    let (language, region) = (client.language, &client.region);
                    let outgoing = OutgoingMail::to_legacy(old, kind, language, region);
                    change.queue_mail(outgoing).await?;
                }
            }
            (Some(account), _) => {
                queue_link(&mut change, account).await?;
                let (account, ip) = (account.id, client.ip);
                change.on_commit(
                move || tracing::info!(target: "security", event = "reset_requested", %account, %ip),
            );
            }
            (None, _) => {}
        }
        change.commit(code).await
    });
    with_padded_duration(queued).await
}

/// Mails a reset link or, if a deletion is pending, the link that cancels it. A disabled account gets no mail.
async fn queue_link(change: &mut Change<'_>, account: &Account) -> ApiResult {
    let outgoing = match UsableAccount::of(account) {
        Err(BlockReason::Disabled) => return Ok(()),
        Ok(_) => OutgoingMail::to(account, MailKind::ResetPassword),
        Err(BlockReason::DeletionPending(due_at)) => {
            let mut restore_link = OutgoingMail::to(account, MailKind::DeletionPending);
            restore_link.details.effective_at = Some(due_at);
            restore_link
        }
    };
    Ok(change.queue_mail(outgoing).await?)
}

/// Sets a new password, ends every session and the trust in all devices, and verifies the email address. Keeps the
/// passkeys and the authenticator app, because access to the mailbox alone must not remove them. Returns the names of
/// the passkeys. `cookie` becomes the browser's device cookie.
pub(crate) async fn reset(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
    typed: &str,
    confirmation: &str,
) -> ApiResult<Vec<String>> {
    let checked = find_account(app, client, link).await?;
    let password = new_password::check(app, &checked, typed, confirmation)?;
    let new = new_password::hash(app, &checked, password).await?;
    let (checked, new) = (&checked, &new);
    change(app, client, |mut change| async move {
        let now = change.now;
        change.set_device(cookie);
        let token = link.redeem(&mut change, Purpose::Reset).await?;
        let account = new_password::save(&mut change, checked, new)
            .await?
            .ok_or(ErrorCode::InvalidToken)?;
        let account = restore_address(&mut change, account, &token).await?;
        change.end_sessions(account.id).await?;
        // Other browsers lose their enrolment, because an attacker with the old password may have enrolled one.
        let ended =
            devices::remove_all_except_cookie(&mut change, account.id, &cookie.hash()).await?;
        change.report_ended(ended).await?;
        if !account.verified {
            accounts::mark_verified(&mut change, account.id, now).await?;
            security_log::record(&mut change, SecurityEvent::EmailVerified, account.id).await?;
        }
        browser_session::enrol(&mut change, client, account.id, cookie).await?;
        reset_failures(&mut change, &account, cookie).await?;
        notify_now(&mut change, &account, MailKind::PasswordResetDone).await?;
        security_log::record(&mut change, SecurityEvent::PasswordReset, account.id).await?;
        let passkeys = credentials::list(&mut change, account.id).await?;
        let names = passkeys.into_iter().map(|passkey| passkey.name).collect();
        link.commit(change, names).await
    })
    .await
}

/// Returns the account of the reset link without redeeming the link.
async fn find_account(app: &App, client: &Client, link: &MailedLink) -> ApiResult<Account> {
    change(app, client, |mut change| async move {
        let token = link.find_live(&mut change, Purpose::Reset).await?;
        let account = mailed_link::lock_account(&mut change, &token).await?;
        change.commit(account).await
    })
    .await
}

/// Restores the email address that the reset link was mailed to, if an undo has removed it: an undo puts a placeholder
/// address in the place of an address that may be a thief's (`accounts/undo.rs`). Returns an error if another account
/// has the email address.
async fn restore_address(
    change: &mut Change<'_>,
    account: Account,
    token: &Token,
) -> ApiResult<Account> {
    let proved = ProvedEmail::of_link(token).ok_or(ErrorCode::InvalidToken)?;
    let mailbox = proved.email();
    if account.email == mailbox.as_entered() {
        return Ok(account);
    }
    if !email::is_placeholder(&account.email) {
        return Err(ErrorCode::InvalidToken.into());
    }
    if !unverified::make_available(change, mailbox, account.id).await? {
        let taken = ApiError::with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
        return Err(taken);
    }
    change
        .set_email(&account, &proved, Departure::Undone)
        .await?;
    security_log::record(change, SecurityEvent::EmailChangeUndone, account.id).await?;
    Ok(Account {
        email: mailbox.as_entered().to_owned(),
        ..account
    })
}

/// Clears the counters of failed sign-ins, because the person has proved access to the mailbox.
async fn reset_failures(change: &mut Change<'_>, account: &Account, cookie: &Secret) -> ApiResult {
    let email = Email::from_stored(&account.email);
    let device = cookie.hash();
    let failures = [
        LimitName::FailedSignIn.of(Subject::Email(email.key())),
        LimitName::FailedSignInStreak.of(Subject::Email(email.key())),
        LimitName::FailedSignInOn.of(Subject::Device(account.id, &device)),
        LimitName::FailedSignInStreakOn.of(Subject::Device(account.id, &device)),
    ];
    Ok(change.app.rate_limiter.reset(change, &failures).await?)
}
