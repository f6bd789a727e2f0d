//! Password reset: the request for a link, and the choice of a new password with it.

use crate::app::App;
use crate::auth::account_state::{BlockReason, UsableAccount};
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::auth::new_password::{self, NewPassword, TypedPassword};
use crate::auth::security_log::Event;
use crate::auth::session_end;
use crate::auth::timing::with_min_duration;
use crate::auth::unverified;
use crate::config::Profile;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::deliveries::webhook::{self, EventType};
use crate::domain::email::{self, Email};
use crate::domain::password::LengthPolicy;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, MailDetails, MailKind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::tokens::{Purpose, Token};
use crate::store::{credentials, devices, legacy, sessions};

/// The outcome of a request for a reset.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ResetRequest {
    /// A link is mailed if there is an account.
    Accepted,
    /// Profile `spec` only: the account is still in the older system.
    NeedsMigration,
}

/// Mails a reset link if there is an account. Takes equally long for every address.
pub(crate) async fn request(
    app: &App,
    client: &Client,
    email: &Email,
) -> Result<ResetRequest, ApiError> {
    with_min_duration(retry_on_conflict(&app.rng, || {
        request_once(app, client, email)
    }))
    .await
}

async fn request_once(app: &App, client: &Client, email: &Email) -> Result<ResetRequest, ApiError> {
    let tx = app.store.write().await?;
    let actions = [
        LimitedAction::ResetFrom(client.ip),
        LimitedAction::ResetOf(email.key()),
    ];
    let now = app.clock.millis();
    let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
    let mut code = ResetRequest::Accepted;
    let account = accounts::by_email(&mut tx, email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(&mut tx, email.key()).await?;
    let is_verified = account.as_ref().is_some_and(|account| account.verified);
    match (&account, &legacy_account) {
        // A legacy account with the same address takes precedence over an unverified registration.
        (_, Some(old)) if !is_verified => {
            if app.config.security.profile == Profile::Spec {
                code = ResetRequest::NeedsMigration;
            } else {
                let outgoing = OutgoingMail {
                    kind: MailKind::LegacyAccountExists,
                    subject_id: old.id,
                    recipient: &old.email,
                    language: client.language,
                    region: &client.region,
                    details: MailDetails::default(),
                };
                mail::queue(app, &mut tx, outgoing).await?;
            }
        }
        (Some(account), _) => {
            queue_link(app, &mut tx, account).await?;
            let (account, ip) = (account.id, client.ip);
            tx.on_commit(
                move || tracing::info!(target: "security", event = "reset_requested", %account, %ip),
            );
        }
        (None, _) => {}
    }
    tx.commit().await?;
    Ok(code)
}

/// Mails a reset link, or during a pending deletion the link that cancels it. Mails nothing to a disabled account.
async fn queue_link(app: &App, tx: &mut Tx, account: &Account) -> Result<(), ApiError> {
    let outgoing = match UsableAccount::of(account) {
        Err(BlockReason::Disabled) => return Ok(()),
        Ok(_) => OutgoingMail::to(account, MailKind::ResetPassword),
        Err(BlockReason::DeletionPending(due_at)) => {
            let mut restore_link = OutgoingMail::to(account, MailKind::DeletionPending);
            restore_link.details.effective_at = Some(due_at);
            restore_link
        }
    };
    Ok(mail::queue(app, tx, outgoing).await?)
}

/// Sets a new password. Ends every session, the trust in all devices and the sign-ins to applications, and verifies the
/// address; starts no session. Keeps the passkeys and the authenticator app, because the mailbox alone must not remove
/// them. Returns the names of the passkeys. `cookie` becomes the browser's device cookie.
pub(crate) async fn reset(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
    password: TypedPassword<'_>,
) -> Result<Vec<String>, ApiError> {
    let account = retry_on_conflict(&app.rng, || find_account(app, link)).await?;
    let password = new_password::check(app, &account, password, LengthPolicy::Default)?;
    let new = new_password::hash(app, &account, password).await?;
    retry_on_conflict(&app.rng, || {
        finish(app, client, link, cookie, &account, &new)
    })
    .await
}

/// Returns the account of the token, which is not redeemed yet.
async fn find_account(app: &App, link: &MailedLink) -> Result<Account, ApiError> {
    let mut tx = app.store.write().await?;
    let token = link.find_live(app, &mut tx, Purpose::Reset).await?;
    let account = accounts::lock(&mut tx, token.subject_id).await?;
    Ok(account.ok_or(ErrorCode::InvalidToken)?)
}

async fn finish(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
    checked: &Account,
    new: &NewPassword,
) -> Result<Vec<String>, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let token = link.redeem(app, &mut tx, Purpose::Reset).await?;
    let account = new_password::save(app, &mut tx, checked, new)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let account = restore_address(app, &mut tx, account, &token).await?;
    let ended = sessions::end_all(&mut tx, account.id).await?;
    session_end::report(app, &mut tx, ended).await?;
    // A thief with the old password may have enrolled a browser, so only this browser stays.
    let ended = devices::remove_all_except_cookie(&mut tx, account.id, &cookie.hash()).await?;
    session_end::report(app, &mut tx, ended).await?;
    if !account.verified {
        accounts::mark_verified(&mut tx, account.id, now).await?;
        webhook::announce(app, &mut tx, EventType::Verified, account.id, &[]).await?;
    }
    let name = &client.device_name();
    devices::enrol(
        &mut tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        name,
        now,
    )
    .await?;
    reset_failures(app, &mut tx, &account, cookie).await?;
    let notice = OutgoingMail::to(&account, MailKind::PasswordResetDone).at(now);
    mail::queue(app, &mut tx, notice).await?;
    let event = Event::new(SecurityEvent::PasswordReset, account.id, client);
    event.device(cookie).record(app, &mut tx).await?;
    let passkeys = credentials::list(&mut tx, account.id).await?;
    link.commit(app, tx).await?;
    Ok(passkeys.into_iter().map(|passkey| passkey.name).collect())
}

/// Returns the account with the address of the link's mailbox. An account that an undo left without an address gets
/// that one, if no other account has it (`credential_undo.rs`).
async fn restore_address(
    app: &App,
    tx: &mut Tx,
    account: Account,
    token: &Token,
) -> Result<Account, ApiError> {
    let mailbox = token.email.as_deref().unwrap_or_default();
    if account.email == mailbox {
        return Ok(account);
    }
    let mailbox = Email::from_stored(mailbox);
    if !email::is_placeholder(&account.email) {
        return Err(ErrorCode::InvalidToken.into());
    }
    unverified::remove(app, tx, mailbox.key()).await?;
    if accounts::by_email(tx, mailbox.key()).await?.is_some() {
        let taken = ApiError::with_message(ErrorCode::AccountExists, Message::ErrorEmailTaken);
        return Err(taken);
    }
    app.email_change().restore(tx, &account, &mailbox).await?;
    Ok(Account {
        email: mailbox.as_entered().to_owned(),
        ..account
    })
}

/// Resets the counters of failed sign-ins before the reset.
async fn reset_failures(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let email = Email::from_stored(&account.email);
    let device = cookie.hash();
    let failures = [
        LimitedAction::FailedSignIn(email.key()),
        LimitedAction::FailedSignInStreak(email.key()),
        LimitedAction::FailedSignInOn(account.id, &device),
        LimitedAction::FailedSignInStreakOn(account.id, &device),
    ];
    Ok(app.rate_limiter.reset(tx, &failures).await?)
}
