//! Mailed links that verify an address or approve a device, and requests for another link.

use serde_json::json;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::auth::second_factor::reset;
use crate::auth::security_log::Event;
use crate::auth::session_end;
use crate::auth::timing::with_min_duration;
use crate::auth::unverified;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::email::Email;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode, ErrorData, ReplaceableLink};
use crate::mail::{self, MailKind};
use crate::rate_limit::LimitedAction;
use crate::store::tokens::{self, Purpose, Redemption, Token};
use crate::store::{accounts, devices, sessions};

/// The result of a confirmation.
pub(crate) enum Confirmation {
    EmailVerified,
    DeviceApproved,
    /// The link was opened in another browser, where a button approves or refuses.
    DevicePending {
        device: Option<String>,
        /// Milliseconds since 1970 UTC.
        requested_at: i64,
    },
    DeviceRefused,
}

/// Verifies an address, or approves a device. `cookie` becomes the browser's device cookie.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<Confirmation, ApiError> {
    retry_on_conflict(&app.rng, || confirm_once(app, client, link, cookie)).await
}

/// Redeems the link in one transaction.
async fn confirm_once(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<Confirmation, ApiError> {
    let mut tx = app.store.write().await?;
    let confirmation = match link
        .redeem_again(app, &mut tx, Purpose::VerifyEmail)
        .await?
    {
        Redemption::Redeemed(token) => {
            verify(app, &mut tx, client, &token, cookie).await?;
            Confirmation::EmailVerified
        }
        Redemption::AlreadyRedeemed(_) => Confirmation::EmailVerified,
        Redemption::Invalid => confirm_device(app, &mut tx, client, link).await?,
    };
    link.commit(app, tx).await?;
    Ok(confirmation)
}

/// Marks the address as verified and enrols the browser that opened the link.
async fn verify(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    token: &Token,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let account = accounts::lock(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    // The link verifies only the address to which it was mailed.
    if token.email.as_deref() != Some(account.email.as_str()) {
        return Err(ErrorCode::InvalidToken.into());
    }
    accounts::mark_verified(tx, account.id, now).await?;
    mail::end_link(tx, account.id, MailKind::VerifyEmail).await?;
    devices::enrol(
        tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        &client.device_name(),
        now,
    )
    .await?;
    let event = Event::new(SecurityEvent::EmailVerified, account.id, client);
    Ok(event.device(cookie).record(app, tx).await?)
}

/// Approves a device: immediately in the browser that requested it, by a button in any other.
async fn confirm_device(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    link: &MailedLink,
) -> Result<Confirmation, ApiError> {
    let now = app.clock.millis();
    let own = client.device.as_ref().map(Secret::hash);
    if let Some(token) = tokens::find_live(tx, link.hash(), Purpose::DeviceApproval, now).await?
        && token.device_hash != own
    {
        return Ok(Confirmation::DevicePending {
            device: token.device_name,
            requested_at: token.requested_at,
        });
    }
    match link.redeem_again(app, tx, Purpose::DeviceApproval).await? {
        Redemption::Redeemed(token) => approve(app, tx, client, &token).await?,
        Redemption::AlreadyRedeemed(_) => {}
        Redemption::Invalid => return Err(invalid_link_error(tx, link.hash(), now).await?),
    }
    Ok(Confirmation::DeviceApproved)
}

/// Returns the error for a link that does not work. It names the purpose of an expired device approval, because its
/// page offers another sign-in, not another verification mail.
async fn invalid_link_error(
    tx: &mut Tx,
    hash: &SecretHash,
    now: i64,
) -> Result<ApiError, ApiError> {
    let is_approval = tokens::is_expired(tx, hash, Purpose::DeviceApproval, now).await?;
    let purpose = is_approval.then_some(ReplaceableLink::DeviceApproval);
    Ok(ErrorData::InvalidToken { purpose }.into())
}

async fn approve(app: &App, tx: &mut Tx, client: &Client, token: &Token) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let device_hash = token.device_hash.as_ref().ok_or(ErrorCode::InvalidToken)?;
    let account = accounts::lock(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let name = token.device_name.as_deref().unwrap_or("Browser");
    devices::enrol(tx, app.rng.id(now), account.id, device_hash, name, now).await?;
    mail::end_approvals_of(tx, account.id, &mail::encode_hash(device_hash)).await?;
    let event = Event::new(SecurityEvent::DeviceApproved, account.id, client);
    let event = event.details(json!({"device": name}));
    Ok(event.record(app, tx).await?)
}

/// Approves the device that requested the link, or refuses it and ends all other sessions.
pub(crate) async fn decide_device_request(
    app: &App,
    client: &Client,
    link: &MailedLink,
    approved: bool,
) -> Result<Confirmation, ApiError> {
    retry_on_conflict(&app.rng, || {
        decide_device_request_once(app, client, link, approved)
    })
    .await
}

async fn decide_device_request_once(
    app: &App,
    client: &Client,
    link: &MailedLink,
    approved: bool,
) -> Result<Confirmation, ApiError> {
    let mut tx = app.store.write().await?;
    let token = link.redeem(app, &mut tx, Purpose::DeviceApproval).await?;
    let confirmation = if approved {
        approve(app, &mut tx, client, &token).await?;
        Confirmation::DeviceApproved
    } else {
        refuse(app, &mut tx, client, &token).await?;
        Confirmation::DeviceRefused
    };
    link.commit(app, tx).await?;
    Ok(confirmation)
}

/// Refuses a device, because another person knows the password. Removes that browser and ends all other sessions, links
/// and pending changes. Links that undo an address change stay. The screen offers a reset.
async fn refuse(app: &App, tx: &mut Tx, client: &Client, token: &Token) -> Result<(), ApiError> {
    let account = token.subject_id;
    let found = accounts::lock(tx, account).await?;
    let found = found.ok_or(ErrorCode::InvalidToken)?;
    if let Some(device_hash) = &token.device_hash {
        let ended = devices::remove_by_cookie(tx, account, device_hash).await?;
        session_end::report(app, tx, ended).await?;
    }
    let own = client.session.as_ref().map(Secret::hash);
    let ended = sessions::end_others(tx, account, own.as_ref()).await?;
    session_end::report(app, tx, ended).await?;
    mail::end_links(tx, account).await?;
    // Another person who knows the password may have requested it.
    reset::cancel(app, tx, client, &found).await?;
    // A redeemed approval would still return "approved".
    tokens::delete(tx, account, Purpose::DeviceApproval).await?;
    let event = Event::new(SecurityEvent::DeviceRefused, account, client);
    let event = event.details(json!({"device": token.device_name}));
    Ok(event.record(app, tx).await?)
}

/// Mails another verification link. Takes equally long for every address.
pub(crate) async fn resend(app: &App, client: &Client, email: &Email) -> Result<(), ApiError> {
    with_min_duration(retry_on_conflict(&app.rng, || {
        resend_once(app, client, email)
    }))
    .await
}

async fn resend_once(app: &App, client: &Client, email: &Email) -> Result<(), ApiError> {
    let mut tx = app.store.write().await?;
    // Locked before the counters, in the lock order of all transactions.
    let account = match accounts::by_email(&mut tx, email.key()).await? {
        Some(found) => accounts::lock(&mut tx, found.id).await?,
        None => None,
    };
    let actions = [
        LimitedAction::ConfirmFrom("resend-verification", client.ip),
        LimitedAction::ResendTo(email.key()),
    ];
    let now = app.clock.millis();
    let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
    if let Some(account) = account {
        unverified::resend_link(app, &mut tx, &account).await?;
    }
    tx.commit().await?;
    Ok(())
}
