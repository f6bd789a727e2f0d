//! Mailed links that verify an email address or approve a device, and requests for another such link.

use crate::accounts::change::{Change, change};
use crate::accounts::client::Client;
use crate::accounts::links::{self, MailedLink};
use crate::accounts::security_log::{Event, EventDetail};
use crate::accounts::session::browser_session;
use crate::accounts::strong_factor::reset_cancellation::cancel_reset;
use crate::accounts::timing::with_padded_duration;
use crate::accounts::unverified;
use crate::app::App;
use crate::db::Tx;
use crate::domain::email::Email;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::domain::session_id::SessionId;
use crate::error::{ApiError, ErrorCode, ErrorData, ReplaceableLink};
use crate::mail::{self, MailKind};
use crate::rate_limit::LimitedAction;
use crate::store::tokens::{self, Purpose, Redemption, Token};
use crate::store::{accounts, devices, sessions};

/// The result of opening a mailed link.
pub(crate) enum Confirmation {
    EmailVerified,
    DeviceApproved {
        /// The name of the approved device, if it is not the device of this browser.
        elsewhere: Option<String>,
    },
    /// The link was opened in another browser than the one to approve. The page then asks the person for a decision.
    DevicePending {
        device: Option<String>,
        /// The time of the sign-in that waits for the approval, in milliseconds since 1970 UTC.
        requested_at: i64,
    },
    DeviceRefused,
}

/// Verifies an email address or approves a device, as the link requests. `cookie` becomes the browser's device cookie.
pub(crate) async fn confirm(
    app: &App,
    client: &Client,
    link: &MailedLink,
    cookie: &Secret,
) -> Result<Confirmation, ApiError> {
    change(app, client, |mut change| async move {
        let confirmation = match link
            .redeem_or_find_redeemed(&mut change, Purpose::VerifyEmail)
            .await?
        {
            Redemption::Redeemed(token) => {
                verify_email(&mut change, client, &token, cookie).await?;
                Confirmation::EmailVerified
            }
            Redemption::AlreadyRedeemed(_) => Confirmation::EmailVerified,
            Redemption::Invalid => confirm_device(&mut change, client, link).await?,
        };
        link.commit(change, confirmation).await
    })
    .await
}

/// Marks the email address as verified and enrols the browser that opened the link.
async fn verify_email(
    change: &mut Change<'_>,
    client: &Client,
    token: &Token,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let now = change.now;
    let account = links::lock_account(change, token).await?;
    // The link verifies only the email address to which it was mailed.
    if token.email.as_deref() != Some(account.email.as_str()) {
        return Err(ErrorCode::InvalidToken.into());
    }
    accounts::mark_verified(change, account.id, now).await?;
    mail::invalidate_link(change, account.id, MailKind::VerifyEmail).await?;
    browser_session::enrol(change, client, account.id, cookie).await?;
    let event = Event::new(SecurityEvent::EmailVerified, account.id);
    Ok(change.record(event.device(cookie)).await?)
}

/// Approves the device of this browser. For a device of another browser, returns [`Confirmation::DevicePending`].
async fn confirm_device(
    change: &mut Change<'_>,
    client: &Client,
    link: &MailedLink,
) -> Result<Confirmation, ApiError> {
    let now = change.now;
    let own = client.device_cookie.as_ref().map(Secret::hash);
    if let Some(token) =
        tokens::find_live(change, link.hash(), Purpose::DeviceApproval, now).await?
        && token.device_hash != own
    {
        return Ok(Confirmation::DevicePending {
            device: token.device_name,
            requested_at: token.reported_at,
        });
    }
    let token = match link
        .redeem_or_find_redeemed(change, Purpose::DeviceApproval)
        .await?
    {
        Redemption::Redeemed(token) => {
            approve_device(change, &token).await?;
            token
        }
        Redemption::AlreadyRedeemed(token) => token,
        Redemption::Invalid => return Err(invalid_link_error(change, link.hash(), now).await?),
    };
    Ok(device_approved(client, &token))
}

fn device_approved(client: &Client, token: &Token) -> Confirmation {
    let own = client.device_cookie.as_ref().map(Secret::hash);
    let is_other = token.device_hash != own;
    Confirmation::DeviceApproved {
        elsewhere: is_other.then(|| device_name(token).to_owned()),
    }
}

fn device_name(token: &Token) -> &str {
    token.device_name.as_deref().unwrap_or("Browser")
}

/// Returns the error for a link that does not work. An expired approval link has its own error, for which the page
/// offers another sign-in instead of another verification mail.
async fn invalid_link_error(
    tx: &mut Tx,
    hash: &SecretHash,
    now: i64,
) -> Result<ApiError, ApiError> {
    let is_approval = tokens::is_expired(tx, hash, Purpose::DeviceApproval, now).await?;
    let purpose = is_approval.then_some(ReplaceableLink::DeviceApproval);
    Ok(ErrorData::InvalidToken { purpose }.into())
}

async fn approve_device(change: &mut Change<'_>, token: &Token) -> Result<(), ApiError> {
    let now = change.now;
    let device_hash = token.device_hash.as_ref().ok_or(ErrorCode::InvalidToken)?;
    let account = links::lock_account(change, token).await?;
    let name = device_name(token);
    let id = change.new_id();
    devices::enrol(change, id, account.id, device_hash, name, now).await?;
    mail::end_approval_links(change, account.id, &mail::encode_hash(device_hash)).await?;
    let event = Event::new(SecurityEvent::DeviceApproved, account.id);
    let event = event.detail(EventDetail::Device(Some(name)));
    Ok(change.record(event).await?)
}

/// Approves the device that requested the link, or refuses it and ends all sessions but the session of this browser.
pub(crate) async fn decide_device_request(
    app: &App,
    client: &Client,
    link: &MailedLink,
    approved: bool,
) -> Result<Confirmation, ApiError> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::DeviceApproval).await?;
        let confirmation = if approved {
            approve_device(&mut change, &token).await?;
            device_approved(client, &token)
        } else {
            refuse(&mut change, client, &token).await?;
            Confirmation::DeviceRefused
        };
        link.commit(change, confirmation).await
    })
    .await
}

/// Refuses a device on which the owner has not signed in: removes the device, ends all sessions except the session of
/// this browser, and invalidates mailed links except undo links.
async fn refuse(change: &mut Change<'_>, client: &Client, token: &Token) -> Result<(), ApiError> {
    let account = token.subject_id;
    let found = links::lock_account(change, token).await?;
    if let Some(device_hash) = &token.device_hash {
        let ended = devices::remove_by_cookie(change, account, device_hash).await?;
        change.report_ended(ended).await?;
    }
    let own = client.session_id.as_ref().map(SessionId::hash);
    let ended = sessions::end_others(change, account, own.as_ref()).await?;
    change.report_ended(ended).await?;
    mail::invalidate_links(change, account).await?;
    // Another person who knows the password may have requested the reset of the second factor.
    cancel_reset(change, &found).await?;
    // Redeemed approval links are deleted, because they would still report an approval.
    tokens::delete(change, account, Purpose::DeviceApproval).await?;
    let event = Event::new(SecurityEvent::DeviceRefused, account);
    let event = event.detail(EventDetail::Device(token.device_name.as_deref()));
    Ok(change.record(event).await?)
}

/// Mails another verification link. The duration is padded, so that it does not reveal whether an account exists.
pub(crate) async fn resend(app: &App, client: &Client, email: &Email) -> Result<(), ApiError> {
    with_padded_duration(change(app, client, |mut change| async move {
        // The account is locked before the rate-limit counters, in the lock order of all transactions.
        let account = match accounts::find_by_email(&mut change, email.key()).await? {
            Some(found) => accounts::lock(&mut change, found.id).await?,
            None => None,
        };
        let actions = [
            LimitedAction::ConfirmFrom("resend-verification", client.ip),
            LimitedAction::ResendTo(email.key()),
        ];
        let mut change = change.admit(&actions).await?;
        if let Some(account) = account {
            unverified::resend_link(&mut change, &account).await?;
        }
        change.commit(()).await
    }))
    .await
}
