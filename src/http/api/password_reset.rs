//! The password reset: the request for a link, and the choice of a new password with the link.

use super::prelude::*;
use crate::accounts::password;
use crate::accounts::password::reset::ResetCode;
use crate::domain::email::Email;
use crate::domain::form_field::deserialize_secret;
use crate::error::FieldRule;

/// Returns the message in English, whatever the language of the request, because clients parse it. Only the message
/// about an account that needs a migration contains the word "migration".
fn request_message(code: ResetCode) -> &'static str {
    match code {
        ResetCode::ResetSent => "If an account exists, a reset link has been sent.",
        ResetCode::NeedsMigration => "This account needs a migration first.",
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ResetAccepted {
    success: bool,
    message: &'static str,
    code: ResetCode,
}

/// Mails a reset link if there is an account with this email address.
#[utoipa::path(post, path = "/reset-password",
    request_body = EmailAddressBody,
    responses((status = 200, description = "The same whether or not an account exists, except in profile `spec` for an unmigrated account", body = ResetAccepted)))]
pub(crate) async fn reset_password(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<EmailAddressBody>,
) -> ApiResult<Json<ResetAccepted>> {
    let email = Email::parse(&form.email).map_err(|code| match code {
        FieldRule::EmailMissing => ApiError::broken_rule(FieldRule::MissingField),
        code => ApiError::broken_rule(code),
    })?;
    let code = password::reset::request(&app, &client, &email).await?;
    Ok(Json(ResetAccepted {
        success: true,
        message: request_message(code),
        code,
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetForm {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    new_password: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    confirm_password: SecretInput,
    /// Whether another person may have had access to the account. The response then lists the names of its passkeys,
    /// which a reset does not remove. Default: false.
    revoke_others: Option<bool>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ResetDone {
    success: bool,
    message: &'static str,
    /// The names of the account's passkeys, which a reset keeps. Only with `revoke_others`.
    #[serde(skip_serializing_if = "Option::is_none")]
    passkeys: Option<Vec<String>>,
}

/// Sets a new password. Ends every session, verifies the email address, and starts no session. Keeps the passkeys and
/// the authenticator app.
#[utoipa::path(post, path = "/reset-password/confirm",
    request_body = ResetForm,
    responses((status = 200, description = "The new password is in force", body = ResetDone)))]
pub(crate) async fn confirm_reset(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<ResetForm>,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(&app, &client, "reset-password", form.token.expose()).await;
    let link = link.map_err(|error| match form.token.expose() {
        "" => error.reword(ErrorCode::InvalidToken, Message::ErrorResetTokenMissing),
        _ => error,
    })?;
    let device = client.device_or_new(&app.rng);
    let (typed, again) = (form.new_password.expose(), form.confirm_password.expose());
    let passkeys = password::reset::reset(&app, &client, &link, &device, typed, again).await?;
    let cookies = CookieSetter::new(&app).clear_session().set_device(&device);
    let answer = ResetDone {
        success: true,
        message: Message::AnswerResetDone.text(client.language),
        passkeys: form.revoke_others.unwrap_or(false).then_some(passkeys),
    };
    Ok((cookies, Json(answer)))
}
