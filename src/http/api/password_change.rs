//! The change of the password in a session.

use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::bodies::MessageBody;
use crate::accounts::client::Client;
use crate::accounts::password;
use crate::accounts::password::change::PasswordChange;
use crate::accounts::password::new_password::TypedPassword;
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::domain::secret::SecretInput;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::{JsonBody, deserialize_secret_or_none};
use crate::i18n::Message;

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct PasswordForm {
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    current_password: Option<SecretInput>,
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    new_password: Option<SecretInput>,
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    confirm_password: Option<SecretInput>,
    /// Whether every other device than this one needs approval by mail at its next sign-in. Default: true.
    forget_other_devices: Option<bool>,
}

errors! {
    CHANGE_ERRORS: ReauthenticationRequired, CurrentPasswordMismatch, PasswordEqualsCurrent,
        PasswordReused, RateLimited, Busy
}

/// Changes the password, ends all sessions except this one, and rotates its id. By default, removes all devices except
/// this one.
#[utoipa::path(post, path = "/change-password", operation_id = "change_password", tag = "settings",
    security(("session" = [])),
    request_body = PasswordForm,
    responses((status = 200, description = "The new password is in force", body = MessageBody)))]
pub(crate) async fn change_password(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(form): JsonBody<PasswordForm>,
) -> Result<impl IntoResponse, ApiError> {
    let typed = PasswordChange {
        current: form
            .current_password
            .as_ref()
            .map(SecretInput::expose)
            .unwrap_or_default(),
        new: TypedPassword {
            password: form
                .new_password
                .as_ref()
                .map(SecretInput::expose)
                .unwrap_or_default(),
            confirmation: form.confirm_password.as_ref().map(SecretInput::expose),
        },
        removes_other_devices: form.forget_other_devices.unwrap_or(true),
    };
    let id = password::change::change_password(&app, &client, &signed_in, &typed).await?;
    let cookies = CookieSetter::new(&app.config).set_session(&id);
    let answer = MessageBody::new(Message::AnswerPasswordChanged, &client);
    Ok((cookies, answer))
}
