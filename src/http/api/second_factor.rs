//! The second factor in the settings, and its reset.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::email_verification::MessageBody;
use super::passkeys::Nothing;
use crate::accounts::{second_factor, second_factor_reset};
use crate::app::SharedApp;
use crate::auth::client::Client;
use crate::auth::mailed_link::MailedLink;
use crate::auth::reauthentication::RecentSession;
use crate::auth::session::SignedIn;
use crate::clock;
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::secret::SecretInput;
use crate::error::{ApiError, ErrorCode};
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::i18n::Message;

/// The data for an authenticator app. Shown once.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TotpSetup {
    /// Base32 (RFC 4648).
    secret: String,
    /// `otpauth://totp/…`.
    uri: String,
    /// The QR code of `uri`, an SVG document.
    qr_svg: String,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RecoveryCodes {
    /// Ten codes, each for one sign-in. Shown once.
    recovery_codes: Vec<String>,
}

impl RecoveryCodes {
    fn new(codes: &[RecoveryCode]) -> RecoveryCodes {
        RecoveryCodes {
            recovery_codes: codes.iter().map(RecoveryCode::expose).collect(),
        }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct TotpCode {
    /// Six digits.
    #[schema(value_type = String)]
    code: SecretInput,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct SecondFactorToken {
    #[schema(value_type = String)]
    token: SecretInput,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ResetRequested {
    /// The time from which the second factor can be turned off, RFC 3339.
    at: String,
}

pub(crate) const BEGIN_ERRORS: &[ErrorCode] = &[
    ErrorCode::ReauthenticationRequired,
    ErrorCode::SecondFactorEnabled,
];

/// Begins the set-up of an authenticator app. Replaces an unconfirmed set-up.
#[utoipa::path(post, path = "/second-factor/totp", operation_id = "second_factor_totp", tag = "settings",
    security(("session" = [])),
    request_body = Nothing,
    responses((status = 200, description = "The secret, shown once", body = TotpSetup)))]
pub(crate) async fn begin(
    State(app): State<SharedApp>,
    client: Client,
    recent: RecentSession,
    _body: JsonBody<Nothing>,
) -> Result<Json<TotpSetup>, ApiError> {
    let setup = second_factor::begin(&app, &client, &recent).await?;
    Ok(Json(TotpSetup {
        secret: setup.secret,
        uri: setup.uri,
        qr_svg: setup.qr_svg,
    }))
}

pub(crate) const CONFIRM_ERRORS: &[ErrorCode] = &[ErrorCode::CodeInvalid, ErrorCode::InvalidToken];

/// Turns the second factor on with the first code of the app. Rotates the session id; the session then has aal 2.
#[utoipa::path(post, path = "/second-factor/totp/confirm", operation_id = "second_factor_confirm",
    tag = "settings", security(("session" = [])),
    request_body = TotpCode,
    responses((status = 200, description = "The second factor is on", body = RecoveryCodes)))]
pub(crate) async fn confirm(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(form): JsonBody<TotpCode>,
) -> Result<impl IntoResponse, ApiError> {
    let enabled = second_factor::confirm(&app, &client, &signed_in, form.code.expose()).await?;
    let cookies = CookieSetter::new(&app.config)
        .session(&enabled.session)
        .into_headers();
    Ok((cookies, Json(RecoveryCodes::new(&enabled.codes))))
}

pub(crate) const DISABLE_ERRORS: &[ErrorCode] = &[ErrorCode::ReauthenticationRequired];

/// Turns the second factor off. Also succeeds if it is off.
#[utoipa::path(delete, path = "/second-factor", operation_id = "second_factor_disable", tag = "settings",
    security(("session" = [])),
    responses((status = 204, description = "The second factor is off")))]
pub(crate) async fn disable(
    State(app): State<SharedApp>,
    client: Client,
    recent: RecentSession,
) -> Result<StatusCode, ApiError> {
    second_factor::disable(&app, &client, &recent).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) const REGENERATE_ERRORS: &[ErrorCode] = &[
    ErrorCode::ReauthenticationRequired,
    ErrorCode::SecondFactorOff,
];

/// Makes new recovery codes. The old codes no longer work.
#[utoipa::path(post, path = "/second-factor/recovery-codes", operation_id = "recovery_codes", tag = "settings",
    security(("session" = [])),
    request_body = Nothing,
    responses((status = 200, description = "The codes, shown once", body = RecoveryCodes)))]
pub(crate) async fn regenerate(
    State(app): State<SharedApp>,
    client: Client,
    recent: RecentSession,
    _body: JsonBody<Nothing>,
) -> Result<Json<RecoveryCodes>, ApiError> {
    let codes = second_factor::regenerate(&app, &client, &recent).await?;
    Ok(Json(RecoveryCodes::new(&codes)))
}

pub(crate) const REQUEST_RESET_ERRORS: &[ErrorCode] =
    &[ErrorCode::InvalidToken, ErrorCode::RateLimited];

/// Requests that a lost second factor be turned off after a waiting period. Requires the token of a sign-in with the
/// right password. The link in each mail about the request, a right code and a passkey cancel it.
#[utoipa::path(post, path = "/second-factor/reset", operation_id = "second_factor_reset", tag = "sign_in",
    request_body = SecondFactorToken,
    responses((status = 202, description = "The wait has begun, or goes on", body = ResetRequested)))]
pub(crate) async fn request_reset(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<SecondFactorToken>,
) -> Result<(StatusCode, Json<ResetRequested>), ApiError> {
    let due_at = second_factor_reset::request(&app, &client, form.token.expose()).await?;
    let at = clock::rfc3339(due_at);
    Ok((StatusCode::ACCEPTED, Json(ResetRequested { at })))
}

pub(crate) const CONFIRM_RESET_ERRORS: &[ErrorCode] =
    &[ErrorCode::InvalidToken, ErrorCode::RateLimited];

/// Turns a lost second factor off with the link of the last mail. Ends all sessions.
#[utoipa::path(post, path = "/second-factor/reset/confirm", operation_id = "second_factor_reset_confirm",
    tag = "links",
    request_body = SecondFactorToken,
    responses((status = 200, description = "The second factor is off", body = MessageBody)))]
pub(crate) async fn confirm_reset(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<SecondFactorToken>,
) -> Result<impl IntoResponse, ApiError> {
    let token = Some(form.token.expose());
    let link = MailedLink::open(&app, &client, "second-factor/reset/confirm", token).await?;
    second_factor_reset::confirm(&app, &client, &link).await?;
    let cookies = CookieSetter::new(&app.config).end_session().into_headers();
    let answer = MessageBody::new(Message::AnswerSecondFactorOff, client.language);
    Ok((cookies, answer))
}
