//! The devices on which an account is signed in, and how one is signed out, also with the token of a
//! sign-in that was refused at the device limit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::body::Body;
use super::cookies::Setter;
use super::email_verification::check_limits_and_parse;
use super::request_context::RequestContext;
use super::session::{SignedIn, SignedInChange};
use crate::app::{App, Shared};
use crate::db::Tx;
use crate::db::conflict::repeated;
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, Kind};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::tokens::{self, NewToken, Purpose, Redemption};
use crate::store::{devices, sessions};

/// A browser that is signed in to the account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SignedInDevice {
    id: Uuid,
    /// The browser as text, such as "Firefox · Windows".
    name: String,
    /// When it was enrolled, in milliseconds since 1970 UTC.
    first_seen_at: i64,
    /// Milliseconds since 1970 UTC.
    last_used_at: i64,
    /// Whether this request comes from it.
    current: bool,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SignedInDevices {
    devices: Vec<SignedInDevice>,
}

/// The refusal at the device limit. It lists the devices and has a token that signs one of them out.
pub(crate) async fn too_many(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    own: Uuid,
) -> crate::db::Result<ApiError> {
    let now = app.clock.millis();
    let others = devices::signed_in(tx, account.id, now).await?;
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
    let mut failure = ApiError::from(ErrorCode::TooManyDevices);
    let listed = others.iter().filter(|device| device.id != own).map(|d| {
        json!({
            "id": d.id,
            "name": d.name,
            "first_seen_at": d.first_seen_at,
            "last_used_at": d.last_used_at,
        })
    });
    failure.extra.insert("devices".into(), listed.collect());
    failure
        .extra
        .insert("device_token".into(), json!(token.expose()));
    Ok(failure)
}

/// Lists the devices on which the account is signed in, the one used last first.
#[utoipa::path(get, path = "/devices", operation_id = "devices", tag = "devices",
    security(("session" = [])),
    responses((status = 200, description = "Devices with a live session", body = SignedInDevices)))]
pub(crate) async fn list(
    State(app): State<Shared>,
    signed_in: SignedIn,
) -> Result<Json<SignedInDevices>, ApiError> {
    let found = signed_in.devices(&app).await?;
    let devices = found.into_iter().map(|(d, current)| SignedInDevice {
        current,
        id: d.id,
        name: d.name,
        first_seen_at: d.first_seen_at,
        last_used_at: d.last_used_at,
    });
    Ok(Json(SignedInDevices {
        devices: devices.collect(),
    }))
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct SignOutDevice {
    /// An id from the list of devices.
    id: Uuid,
    /// From a refused sign-in (`device_token`). Without it a session is needed.
    token: Option<String>,
}

/// Signs one device out and forgets it: the next sign-in there needs a mail.
#[utoipa::path(post, path = "/devices/sign-out", operation_id = "sign_out_device", tag = "devices",
    security((), ("session" = [])),
    request_body = SignOutDevice,
    responses((status = 204, description = "The device is signed out")))]
pub(crate) async fn sign_out(
    State(app): State<Shared>,
    context: RequestContext,
    signed_in: Result<SignedIn, ApiError>,
    Body(form): Body<SignOutDevice>,
) -> Result<StatusCode, ApiError> {
    let account = match &form.token {
        None => {
            let signed_in = signed_in?;
            repeated(&app.rng, || forget_one(&app, &signed_in, form.id)).await?
        }
        Some(token) => {
            let tried = [LimitedAction::ConfirmFrom("device_choice", context.ip)];
            let hash = check_limits_and_parse(&app, &tried, Some(token)).await?;
            repeated(&app.rng, || {
                sign_out_with_token(&app, &tried, &hash, form.id)
            })
            .await?
        }
    };
    tracing::info!(target: "security", event = "device_signed_out", %account, ip = %context.ip);
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets a device of the session's account. Returns the account.
async fn forget_one(app: &App, signed_in: &SignedIn, device: Uuid) -> Result<Uuid, ApiError> {
    let SignedInChange {
        mut tx, session, ..
    } = signed_in.begin_change(app).await?;
    devices::remove(&mut tx, session.account_id(), device).await?;
    tx.commit().await?;
    Ok(session.account_id())
}

/// Forgets a device with the token of a sign-in that was refused at the device limit. The token is used
/// up: a further sign-in gets a new one while there are too many devices. Returns the account.
async fn sign_out_with_token(
    app: &App,
    tried: &[LimitedAction<'_>],
    hash: &SecretHash,
    device: Uuid,
) -> Result<Uuid, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let Redemption::Redeemed(token) =
        tokens::redeem(&mut tx, hash, Purpose::DeviceChoice, now).await?
    else {
        return Err(ErrorCode::InvalidToken.into());
    };
    devices::remove(&mut tx, token.subject_id, device).await?;
    app.rate_limiter.refund(&mut tx, tried).await?;
    tx.commit().await?;
    Ok(token.subject_id)
}

/// Ends all sessions, this one included. Every device but this one is forgotten, and a pending address
/// change ends.
#[utoipa::path(post, path = "/devices/sign-out-all", operation_id = "sign_out_everywhere", tag = "devices",
    security(("session" = [])),
    responses((status = 204, description = "All sessions of the account have ended")))]
pub(crate) async fn sign_out_all(
    State(app): State<Shared>,
    context: RequestContext,
    signed_in: SignedIn,
) -> Result<impl IntoResponse, ApiError> {
    let account = repeated(&app.rng, || sign_out_everywhere(&app, &signed_in)).await?;
    tracing::info!(target: "security", event = "signed_out_everywhere", %account, ip = %context.ip);
    let cookies = Setter::new(&app.config).end_session().done();
    Ok((StatusCode::NO_CONTENT, cookies))
}

async fn sign_out_everywhere(app: &App, signed_in: &SignedIn) -> Result<Uuid, ApiError> {
    let SignedInChange {
        mut tx, session, ..
    } = signed_in.begin_change(app).await?;
    let account = session.account_id();
    sessions::end_all(&mut tx, account).await?;
    devices::remove_others(&mut tx, account, session.device_id()).await?;
    mail::end_link(&mut tx, account, Kind::ConfirmNewEmail).await?;
    tx.commit().await?;
    Ok(account)
}
