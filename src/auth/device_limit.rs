//! The limit of signed-in devices (`security.max_devices`).

use serde_json::json;
use uuid::Uuid;

use super::change::Change;
use super::mailed_link;
use crate::db::Result;
use crate::error::{ApiError, ErrorCode};
use crate::store::accounts::Account;
use crate::store::devices;
use crate::store::tokens::{self, Purpose};

/// Returns the refusal at the device limit. It lists the devices and contains a token that signs one of them out.
pub(crate) async fn refuse(
    change: &mut Change<'_>,
    account: &Account,
    own: Uuid,
) -> Result<ApiError> {
    let now = change.now;
    let others = devices::list_signed_in(change, account.id, now).await?;
    tokens::end(change, account.id, Purpose::DeviceChoice).await?;
    let purpose = Purpose::DeviceChoice;
    let token = mailed_link::issue_in_response(change, purpose, account.id).await?;
    let mut error = ApiError::from(ErrorCode::TooManyDevices);
    let device_list = others.iter().filter(|device| device.id != own).map(|d| {
        json!({
            "id": d.id,
            "name": d.name,
            "first_seen_at": d.first_seen_at,
            "last_used_at": d.last_used_at,
        })
    });
    error.extra.insert("devices".into(), device_list.collect());
    error
        .extra
        .insert("device_token".into(), json!(token.expose()));
    Ok(error)
}
