//! The devices on which an account is signed in. To sign a device out, the browser needs a session, or the token of a
//! sign-in that was refused because of the device limit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::accounts::client::Client;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::session::SignedIn;
use crate::accounts::session::devices;
use crate::app::SharedApp;
use crate::domain::secret::SecretInput;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::store::devices::Device;

/// A browser that is signed in to the account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SignedInDevice {
    #[serde(flatten)]
    device: Device,
    /// Whether this request comes from the device.
    current: bool,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SignedInDevices {
    devices: Vec<SignedInDevice>,
}

/// Lists the devices on which the account is signed in, the most recently used first.
#[utoipa::path(get, path = "/devices", operation_id = "devices", tag = "devices",
    security(("session" = [])),
    responses((status = 200, description = "Devices with a live session", body = SignedInDevices)))]
pub(crate) async fn list_devices(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
) -> Result<Json<SignedInDevices>, ApiError> {
    let found = signed_in.devices(&app).await?;
    let found = found.into_iter();
    let devices = found.map(|(device, current)| SignedInDevice { device, current });
    Ok(Json(SignedInDevices {
        devices: devices.collect(),
    }))
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct SignOutDevice {
    /// The id of a device from the list of devices.
    id: Uuid,
    /// The value `device_token` of a refused sign-in. If absent, a session is required.
    #[schema(value_type = Option<String>)]
    token: Option<SecretInput>,
}

errors! { SIGN_OUT_ERRORS: InvalidToken, RateLimited }

/// Signs a device out and removes it, so that the next sign-in on it needs approval by mail.
#[utoipa::path(post, path = "/devices/sign-out", operation_id = "sign_out_device", tag = "devices",
    security((), ("session" = [])),
    request_body = SignOutDevice,
    responses((status = 204, description = "The device is signed out")))]
pub(crate) async fn sign_out_device(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: Result<SignedIn, ApiError>,
    JsonBody(form): JsonBody<SignOutDevice>,
) -> Result<StatusCode, ApiError> {
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
#[utoipa::path(post, path = "/devices/sign-out-all", operation_id = "sign_out_everywhere", tag = "devices",
    security(("session" = [])),
    responses((status = 204, description = "All sessions of the account have ended")))]
pub(crate) async fn sign_out_everywhere(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
) -> Result<impl IntoResponse, ApiError> {
    devices::sign_out_everywhere(&app, &client, &signed_in).await?;
    let cookies = CookieSetter::new(&app.config).clear_session();
    Ok((cookies, StatusCode::NO_CONTENT))
}
