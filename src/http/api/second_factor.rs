//! The second factor in the settings, and the reset of a lost second factor.

use super::prelude::*;
use crate::accounts::reauthentication::SessionAtRequiredLevel;
use crate::accounts::second_factor::reset::{self, PasswordProof};
use crate::accounts::second_factor::settings;
use crate::accounts::strong_factor::totp::TotpSetup;
use crate::clock;
use crate::domain::recovery_code::RecoveryCode;

#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryCodes {
    /// Ten recovery codes, each for one sign-in, which are shown once.
    recovery_codes: Vec<String>,
}

impl RecoveryCodes {
    fn new(codes: &[RecoveryCode]) -> RecoveryCodes {
        RecoveryCodes {
            recovery_codes: codes.iter().map(RecoveryCode::expose).collect(),
        }
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct TotpCode {
    /// The six digits of the authenticator app.
    #[schema(value_type = String)]
    code: SecretInput,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ResetRequested {
    /// The time from which the second factor can be turned off by the mailed link, RFC 3339.
    at: String,
}

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct NewTotp {
    /// Whether to continue the set-up that this session has begun, with the same secret. With false (the default), a
    /// new set-up replaces the earlier set-up.
    #[serde(default)]
    resume: bool,
}

/// Begins the set-up of an authenticator app. Replaces an unconfirmed set-up, unless the session resumes it. A resumed
/// set-up keeps its expiry and its count of wrong codes.
#[utoipa::path(post, path = "/second-factor/totp",
    request_body = NewTotp,
    responses((status = 200, description = "The secret of the set-up", body = TotpSetup)))]
pub(crate) async fn second_factor_totp(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    body: Option<JsonBody<NewTotp>>,
) -> ApiResult<Json<TotpSetup>> {
    let form = body.map(|JsonBody(form)| form).unwrap_or_default();
    let setup = settings::begin_setup(&app, &client, &session, form.resume).await?;
    Ok(Json(setup))
}

/// Turns the second factor on with a code of the authenticator app, in the session that began the set-up. Five wrong
/// codes cancel the set-up. Rotates the session id, and raises the session to authentication level 2.
#[utoipa::path(post, path = "/second-factor/totp/confirm",
    request_body = TotpCode,
    responses((status = 200, description = "The second factor is on", body = RecoveryCodes)))]
pub(crate) async fn second_factor_confirm(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    JsonBody(form): JsonBody<TotpCode>,
) -> ApiResult<impl IntoResponse> {
    let enabled = settings::confirm_setup(&app, &client, &session, form.code.expose()).await?;
    let cookies = CookieSetter::new(&app).set_session(&enabled.session);
    Ok((cookies, Json(RecoveryCodes::new(&enabled.codes))))
}

/// Turns the second factor off. Also succeeds if the second factor is already off.
#[utoipa::path(delete, path = "/second-factor",
    responses((status = 204, description = "The second factor is off")))]
pub(crate) async fn second_factor_disable(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
) -> ApiResult<StatusCode> {
    settings::disable(&app, &client, &session).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct NewRecoveryCodes {
    /// Whether the new recovery codes replace the old ones only when the session confirms them. With false (the
    /// default), the new codes replace the old codes at once.
    #[serde(default)]
    pending: bool,
}

/// Makes new recovery codes. The old recovery codes stop working at once or, if the new ones are pending, with the call
/// of `/second-factor/recovery-codes/confirm`. A later call replaces pending codes.
#[utoipa::path(post, path = "/second-factor/recovery-codes",
    request_body = NewRecoveryCodes,
    responses((status = 200, description = "The codes, shown once", body = RecoveryCodes)))]
pub(crate) async fn recovery_codes(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    body: Option<JsonBody<NewRecoveryCodes>>,
) -> ApiResult<Json<RecoveryCodes>> {
    let form = body.map(|JsonBody(form)| form).unwrap_or_default();
    let codes = match form.pending {
        true => settings::make_pending_codes(&app, &client, &session).await?,
        false => settings::regenerate_recovery_codes(&app, &client, &session).await?,
    };
    Ok(Json(RecoveryCodes::new(&codes)))
}

/// Replaces the recovery codes with the pending recovery codes that this session has made.
#[utoipa::path(post, path = "/second-factor/recovery-codes/confirm",
    request_body = Nothing,
    responses((status = 204, description = "The new codes work, the old ones do not")))]
pub(crate) async fn recovery_codes_confirm(
    State(app): State<SharedApp>,
    client: Client,
    session: SessionAtRequiredLevel,
    _body: JsonBody<Nothing>,
) -> ApiResult<StatusCode> {
    settings::confirm_codes(&app, &client, &session).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The body of a request to reset the second factor.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetRequest {
    /// The token of the refused sign-in, which proves the password. If absent, the session of the request is the proof.
    #[schema(value_type = Option<String>)]
    token: Option<SecretInput>,
}

/// Requests that a lost authenticator app and all lost passkeys be removed after a waiting period. Requires the token
/// of a sign-in with the right password, or a session with a recent proof of the password. The link in each mail about
/// the request cancels it, and so does a right second-factor code or a passkey.
#[utoipa::path(post, path = "/second-factor/reset",
    request_body = ResetRequest,
    responses((status = 202, description = "The waiting period has begun, or continues", body = ResetRequested)))]
pub(crate) async fn second_factor_reset(
    State(app): State<SharedApp>,
    client: Client,
    session: ApiResult<SignedIn>,
    JsonBody(form): JsonBody<ResetRequest>,
) -> ApiResult<(StatusCode, Json<ResetRequested>)> {
    let due_at = match form.token {
        Some(token) => {
            let proof = PasswordProof::by_token(token.expose())?;
            reset::request(&app, &client, &proof).await?
        }
        None => {
            let session = session?;
            let proof = PasswordProof::Session(&session);
            reset::request(&app, &client, &proof).await?
        }
    };
    let at = clock::rfc3339(due_at);
    Ok((StatusCode::ACCEPTED, Json(ResetRequested { at })))
}

/// Removes a lost authenticator app and all passkeys. Requires the link of the last mail about the request, and ends
/// all sessions.
#[utoipa::path(post, path = "/second-factor/reset/confirm",
    request_body = MailedToken,
    responses((status = 200, description = "The second factor is off", body = MessageBody)))]
pub(crate) async fn second_factor_reset_confirm(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(
        &app,
        &client,
        "second-factor/reset/confirm",
        form.token.expose(),
    )
    .await?;
    reset::confirm(&app, &client, &link).await?;
    let cookies = CookieSetter::new(&app).clear_session();
    let answer = MessageBody::new(Message::AnswerSecondFactorOff, &client);
    Ok((cookies, answer))
}
