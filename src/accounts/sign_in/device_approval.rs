//! Tells a waiting browser whether the mailed link has approved its device.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::client::Client;
use crate::app::App;
use crate::crypto::signed_text::SignedText;
use crate::domain::secret::Secret;
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, encode_hash};
use crate::store::devices;

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
pub(super) fn sign(app: &App, account: Uuid, device: &Secret, now: i64) -> String {
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
pub(crate) async fn is_approved(
    app: &App,
    client: &Client,
    approval: &str,
) -> Result<bool, ApiError> {
    let cookie = client.device_cookie.as_ref().map(Secret::hash);
    let cookie = cookie.ok_or(ErrorCode::InvalidToken)?;
    let pending = SignedText::DeviceApproval
        .open::<PendingDevice>(&app.signed_text_keys, approval)
        .filter(|pending| pending.expires_at > app.clock.millis())
        .filter(|pending| pending.device_hash == encode_hash(&cookie))
        .ok_or(ErrorCode::InvalidToken)?;
    let mut tx = app.store.read().await?;
    // The link is read before the device, because an approval ends the link and adds the device at the same time.
    let is_waiting =
        mail::has_approval_link(&mut tx, pending.account, &pending.device_hash).await?;
    let device = devices::find(&mut tx, pending.account, &cookie).await?;
    match device {
        Some(_) => Ok(true),
        None if is_waiting => Ok(false),
        None => Err(ErrorCode::InvalidToken.into()),
    }
}
