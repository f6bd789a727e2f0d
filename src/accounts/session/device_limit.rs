//! The limit of signed-in devices per account (`security.max_devices`).

use uuid::Uuid;

use crate::accounts::mailed_link;
use crate::accounts::prelude::*;
use crate::db::Result;
use crate::error::ErrorData;
use crate::store::devices;
use crate::store::tokens::Purpose;

/// Returns the error with the account's devices, and with a token that signs one of them out. Omits the device `own`.
pub(crate) async fn too_many_devices_error(
    change: &mut Change<'_>,
    account: &Account,
    own: Uuid,
) -> Result<ApiError> {
    let (purpose, now) = (Purpose::DeviceChoice, change.now);
    let others = devices::list_signed_in(change, account.id, now).await?;
    let token = mailed_link::issue_for_response(change, purpose, account.id).await?;
    let others = others.into_iter().filter(|device| device.id != own);
    let refusal = ErrorData::TooManyDevices {
        devices: others.collect(),
        device_token: token,
    };
    Ok(refusal.into())
}
