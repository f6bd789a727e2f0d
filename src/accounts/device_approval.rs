//! Approves or refuses a device with a mailed link, and tells the waiting browser whether its device is approved.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::crypto::signed_text::SignedText;
use crate::db::Tx;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::session_id::SessionId;
use crate::error::{ErrorData, ReplaceableLink};
use crate::mail::encode_hash;
use crate::mail::links::{self, Ending};
use crate::store::tokens::{self, Purpose, Redemption, Token};
use crate::store::{devices, sessions};

/// The time for which a browser can ask for the approval of its device, in milliseconds.
const POLLING_PERIOD: i64 = 10 * 60_000;

/// The content of the signed text that a waiting browser sends.
#[derive(Serialize, Deserialize)]
struct PendingDevice {
    account: Uuid,
    /// The hash of the device cookie, which binds the signed text to the browser.
    device_hash: String,
    /// The time until which the browser can ask for the approval, in milliseconds since 1970 UTC.
    expires_at: i64,
}

/// The browser sends the signed text to ask whether its device was approved.
pub(crate) fn sign(app: &App, account: Uuid, device: &Secret, now: i64) -> String {
    let pending = PendingDevice {
        account,
        device_hash: encode_hash(&device.hash()),
        expires_at: now.saturating_add(POLLING_PERIOD),
    };
    SignedText::DeviceApproval.sign(&app.signed_text_keys, &pending)
}

/// Returns whether the device of this browser is approved. The error is `invalid_token` if the text in `approval` is
/// not signed, has expired or belongs to another browser, or if no link can approve the device any more, for example
/// because the owner has refused the device.
pub(crate) async fn is_approved(app: &App, client: &Client, approval: &str) -> ApiResult<bool> {
    let cookie = client.device_cookie.as_ref().map(Secret::hash);
    let cookie = cookie.ok_or(ErrorCode::InvalidToken)?;
    let pending = SignedText::DeviceApproval
        .open::<PendingDevice>(&app.signed_text_keys, approval)
        .filter(|pending| pending.expires_at > app.clock.millis())
        .filter(|pending| pending.device_hash == encode_hash(&cookie))
        .ok_or(ErrorCode::InvalidToken)?;
    let mut tx = app.store.read().await?;
    // The link is read before the device, because an approval ends the link and adds the device at the same time.
    let is_waiting = links::has_approval_link(&mut tx, pending.account, &cookie).await?;
    let device = devices::find(&mut tx, pending.account, &cookie).await?;
    match device {
        Some(_) => Ok(true),
        None if is_waiting => Ok(false),
        None => Err(ErrorCode::InvalidToken.into()),
    }
}

/// The result of a link that approves a device.
pub(crate) enum DeviceConfirmation {
    Approved {
        /// The name of the approved device, if it is not the device of this browser.
        elsewhere: Option<String>,
    },
    /// The link was opened in another browser than the one to approve. The page then asks the person for a decision.
    Pending {
        device: Option<String>,
        /// The time of the sign-in that waits for the approval, in milliseconds since 1970 UTC.
        requested_at: i64,
    },
    Refused,
}

/// Approves the device of this browser. For a device of another browser, returns [`DeviceConfirmation::Pending`].
pub(crate) async fn confirm(
    change: &mut Change<'_>,
    client: &Client,
    link: &MailedLink,
) -> ApiResult<DeviceConfirmation> {
    let now = change.now;
    let own = client.device_cookie.as_ref().map(Secret::hash);
    if let Some(token) =
        tokens::find_live(change, link.hash(), Purpose::DeviceApproval, now).await?
        && token.device_hash != own
    {
        return Ok(DeviceConfirmation::Pending {
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

fn device_approved(client: &Client, token: &Token) -> DeviceConfirmation {
    let own = client.device_cookie.as_ref().map(Secret::hash);
    let is_other = token.device_hash != own;
    DeviceConfirmation::Approved {
        elsewhere: is_other.then(|| device_name(token).to_owned()),
    }
}

fn device_name(token: &Token) -> &str {
    token.device_name.as_deref().unwrap_or("Browser")
}

/// Returns the error for a link that does not work. An expired approval link has its own error, for which the page
/// offers another sign-in instead of another verification mail.
async fn invalid_link_error(tx: &mut Tx, hash: &SecretHash, now: i64) -> ApiResult<ApiError> {
    let is_approval = tokens::is_expired(tx, hash, Purpose::DeviceApproval, now).await?;
    let purpose = is_approval.then_some(ReplaceableLink::DeviceApproval);
    Ok(ErrorData::InvalidToken { purpose }.into())
}

async fn approve_device(change: &mut Change<'_>, token: &Token) -> ApiResult {
    let now = change.now;
    let device_hash = token.device_hash.as_ref().ok_or(ErrorCode::InvalidToken)?;
    let account = mailed_link::lock_account(change, token).await?;
    let name = device_name(token);
    let id = change.new_id();
    devices::enrol(change, id, account.id, device_hash, name, now).await?;
    links::end(change, account.id, Ending::Device(device_hash)).await?;
    let event = Event::new(SecurityEvent::DeviceApproved, account.id);
    let event = event.detail(EventDetail::Device(Some(name)));
    Ok(change.record(event).await?)
}

/// Approves the device that requested the link, or refuses it and ends all sessions but the session of this browser.
pub(crate) async fn decide(
    app: &App,
    client: &Client,
    link: &MailedLink,
    approved: bool,
) -> ApiResult<DeviceConfirmation> {
    change(app, client, |mut change| async move {
        let token = link.redeem(&mut change, Purpose::DeviceApproval).await?;
        let confirmation = if approved {
            approve_device(&mut change, &token).await?;
            device_approved(client, &token)
        } else {
            refuse(&mut change, client, &token).await?;
            DeviceConfirmation::Refused
        };
        link.commit(change, confirmation).await
    })
    .await
}

/// Refuses a device on which the owner has not signed in: removes the device, ends all sessions except the session of
/// this browser, and invalidates mailed links except undo links.
async fn refuse(change: &mut Change<'_>, client: &Client, token: &Token) -> ApiResult {
    let account = token.subject_id;
    let found = mailed_link::lock_account(change, token).await?;
    if let Some(device_hash) = &token.device_hash {
        let ended = devices::remove_by_cookie(change, account, device_hash).await?;
        change.report_ended(ended).await?;
    }
    let own = client.session_id.as_ref().map(SessionId::hash);
    let ended = sessions::end_others(change, account, own.as_ref()).await?;
    change.report_ended(ended).await?;
    pending::revoke_links(change, &found).await?;
    // Another person who knows the password may have requested the reset of the second factor.
    pending::stop_by(change, &found, Cause::DeviceRefused).await?;
    // Redeemed approval links are deleted, because they would still report an approval.
    tokens::delete(change, account, Purpose::DeviceApproval).await?;
    let event = Event::new(SecurityEvent::DeviceRefused, account);
    let event = event.detail(EventDetail::Device(token.device_name.as_deref()));
    Ok(change.record(event).await?)
}
