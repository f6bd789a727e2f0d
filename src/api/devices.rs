//! Devices: where an account is signed in, and signing them out, also by somebody whose right
//! password met the cap.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::body::Body;
use super::caller::Caller;
use super::cookies::Setter;
use super::session::SignedIn;
use crate::app::{App, Shared};
use crate::domain::secret::Secret;
use crate::error::{Code, Failure};
use crate::limits::Try;
use crate::store::accounts::Account;
use crate::store::conflict::repeated;
use crate::store::tokens::{self, NewToken, Purpose};
use crate::store::{self, Tx, devices, sessions};

/// A browser that is signed in to the account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SignedInDevice {
    id: Uuid,
    /// In our own words: "Firefox · Windows".
    name: String,
    /// When it was enrolled, in milliseconds since 1970 UTC.
    first_seen_at: i64,
    /// Milliseconds since 1970 UTC.
    last_used_at: i64,
    /// Whether it is the one that asks.
    current: bool,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SignedInDevices {
    devices: Vec<SignedInDevice>,
}

/// The refusal at the cap: with the devices, and a token that signs one of them out.
pub async fn too_many(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    own: Uuid,
) -> store::Result<Failure> {
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
        now,
        lifetime: Purpose::DeviceChoice
            .lifetime(&app.config.lifetimes)
            .millis(),
    };
    tokens::insert(tx, &new).await?;
    let mut failure = Failure::from(Code::TooManyDevices);
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

/// Where the account is signed in, the device used last first.
#[utoipa::path(get, path = "/devices", operation_id = "devices", tag = "devices",
    security(("session" = [])),
    responses((status = 200, description = "Devices with a live session", body = SignedInDevices)))]
pub async fn list(
    State(app): State<Shared>,
    signed_in: SignedIn,
) -> Result<Json<SignedInDevices>, Failure> {
    let mut tx = app.store.read().await?;
    let account = signed_in.session.account_id;
    let found = devices::signed_in(&mut tx, account, app.clock.millis()).await?;
    let current = signed_in.session.device_id;
    let devices = found.into_iter().map(|d| SignedInDevice {
        current: d.id == current,
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
pub struct SignOutDevice {
    /// A device of the list.
    id: Uuid,
    /// From a refused sign-in (`device_token`); without it a session is needed.
    token: Option<String>,
}

/// Signs one device out and forgets it: signing in there again needs a mail.
#[utoipa::path(post, path = "/devices/sign-out", operation_id = "sign_out_device", tag = "devices",
    security((), ("session" = [])),
    request_body = SignOutDevice,
    responses((status = 204, description = "That device is signed out")))]
pub async fn sign_out(
    State(app): State<Shared>,
    caller: Caller,
    signed_in: Result<SignedIn, Failure>,
    Body(form): Body<SignOutDevice>,
) -> Result<StatusCode, Failure> {
    let removed = || remove(&app, &caller, signed_in.as_ref(), &form);
    let account = repeated(&app.rng, removed).await?;
    tracing::info!(target: "security", event = "device_signed_out", %account, ip = %caller.ip);
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the device in one transaction. Returns its account.
async fn remove(
    app: &App,
    caller: &Caller,
    signed_in: Result<&SignedIn, &Failure>,
    form: &SignOutDevice,
) -> Result<Uuid, Failure> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let account = match &form.token {
        None => signed_in.map_err(Failure::clone)?.session.account_id,
        Some(text) => {
            let tried = [Try::ConfirmFrom("device_choice", caller.ip)];
            if let Err(limited) = app.limits.ask(&mut tx, &tried, now).await? {
                tx.commit().await?;
                return Err(limited.into());
            }
            let hash = Secret::parse(text).map(|token| token.hash());
            let token = match hash {
                Some(hash) => tokens::live(&mut tx, &hash, Purpose::DeviceChoice, now).await?,
                None => None,
            };
            let Some(token) = token else {
                tx.commit().await?;
                return Err(Code::InvalidToken.into());
            };
            token.subject_id
        }
    };
    devices::remove(&mut tx, account, form.id).await?;
    tx.commit().await?;
    Ok(account)
}

/// Signs out everywhere, here too. Every device but this one is forgotten.
#[utoipa::path(post, path = "/devices/sign-out-all", operation_id = "sign_out_everywhere", tag = "devices",
    security(("session" = [])),
    responses((status = 204, description = "No session of the account is left")))]
pub async fn sign_out_all(
    State(app): State<Shared>,
    caller: Caller,
    signed_in: SignedIn,
) -> Result<impl IntoResponse, Failure> {
    let account = signed_in.session.account_id;
    repeated(&app.rng, || async {
        let mut tx = app.store.write().await?;
        sessions::end_all(&mut tx, account).await?;
        devices::remove_others(&mut tx, account, signed_in.session.device_id).await?;
        Ok::<_, Failure>(tx.commit().await?)
    })
    .await?;
    tracing::info!(target: "security", event = "signed_out_everywhere", %account, ip = %caller.ip);
    let cookies = Setter::new(&app.config).end_session().done();
    Ok((StatusCode::NO_CONTENT, cookies))
}
