//! The limit of signed-in devices (`security.max_devices`).

use uuid::Uuid;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::secret::Secret;
use crate::error::{ApiError, ErrorData, OtherDevice};
use crate::store::accounts::Account;
use crate::store::devices;
use crate::store::tokens::{self, NewToken, Purpose};

/// Returns the refusal at the device limit. It lists the devices and contains a token that signs one of them out.
pub(crate) async fn refuse(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    own: Uuid,
) -> Result<ApiError> {
    let now = app.clock.millis();
    let others = devices::list_signed_in(tx, account.id, now).await?;
    let token = Secret::generate(&app.rng);
    tokens::end(tx, account.id, Purpose::DeviceChoice).await?;
    let new = NewToken {
        hash: &token.hash(),
        purpose: Purpose::DeviceChoice,
        subject_id: account.id,
        email: None,
        device_hash: None,
        device_name: None,
        requested_at: None,
        change_number: None,
        now,
        lifetime: Purpose::DeviceChoice
            .lifetime(&app.config.lifetimes)
            .millis(),
    };
    tokens::insert(tx, &new).await?;
    let others = others.into_iter().filter(|device| device.id != own);
    let devices = others.map(|device| OtherDevice {
        id: device.id,
        name: device.name,
        first_seen_at: device.first_seen_at,
        last_used_at: device.last_used_at,
    });
    let refusal = ErrorData::TooManyDevices {
        devices: devices.collect(),
        device_token: token,
    };
    Ok(refusal.into())
}
