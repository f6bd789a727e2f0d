//! The devices on which an account is signed in. To sign a device out, the browser needs a session, or the token of a
//! sign-in that was refused because of the device limit.

use uuid::Uuid;

use super::prelude::*;
use crate::accounts::session::devices;
use crate::store::devices::Device;

/// A browser that is signed in to the account.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignedInDevice {
    #[serde(flatten)]
    device: Device,
    /// Whether this request comes from the device.
    current: bool,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SignedInDevices {
    devices: Vec<SignedInDevice>,
}

/// Lists the devices on which the account is signed in, the most recently used first.
#[utoipa::path(get, path = "/devices",
    responses((status = 200, description = "Devices with a live session", body = SignedInDevices)))]
pub(crate) async fn devices(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
) -> ApiResult<Json<SignedInDevices>> {
    let found = signed_in.devices(&app).await?;
    let found = found.into_iter();
    let devices = found.map(|(device, current)| SignedInDevice { device, current });
    Ok(Json(SignedInDevices {
        devices: devices.collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SignOutDevice {
    /// The id of a device from the list of devices.
    id: Uuid,
    /// The value `device_token` of a refused sign-in. If absent, a session is required.
    #[schema(value_type = Option<String>)]
    token: Option<SecretInput>,
}

/// Signs a device out and removes it, so that the next sign-in on it needs approval by mail.
#[utoipa::path(post, path = "/devices/sign-out",
    security((), ("session" = [])),
    request_body = SignOutDevice,
    responses((status = 204, description = "The device is signed out")))]
pub(crate) async fn sign_out_device(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: ApiResult<SignedIn>,
    JsonBody(form): JsonBody<SignOutDevice>,
) -> ApiResult<StatusCode> {
    match &form.token {
        None => devices::sign_out(&app, &client, &signed_in?, form.id).await?,
        Some(token) => {
            let link = MailedLink::open(&app, &client, "device_choice", token.expose()).await?;
            devices::sign_out_with_token(&app, &client, &link, form.id).await?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all sessions including this one, removes every other device than this one, and cancels a pending change of the
/// email address.
#[utoipa::path(post, path = "/devices/sign-out-all",
    responses((status = 204, description = "All sessions of the account have ended")))]
pub(crate) async fn sign_out_everywhere(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
) -> ApiResult<impl IntoResponse> {
    devices::sign_out_everywhere(&app, &client, &signed_in).await?;
    let cookies = CookieSetter::new(&app).clear_session();
    Ok((cookies, StatusCode::NO_CONTENT))
}
