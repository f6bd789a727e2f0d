//! The change of the password by a signed-in person.

use axum::extract::State;
use axum::response::IntoResponse;

use super::bodies::MessageBody;
use crate::accounts::client::Client;
use crate::accounts::password;
use crate::accounts::password::change::PasswordForm;
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::i18n::Message;

errors! {
    CHANGE_ERRORS: ReauthenticationRequired, CurrentPasswordMismatch, PasswordEqualsCurrent,
        PasswordReused, RateLimited, Busy
}

/// Changes the password, ends all sessions except this one, and rotates the id of this session. By default, removes
/// all devices except this one.
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
    let id = password::change::change_password(&app, &client, &signed_in, &form).await?;
    let cookies = CookieSetter::new(&app.config).set_session(&id);
    let answer = MessageBody::new(Message::AnswerPasswordChanged, &client);
    Ok((cookies, answer))
}
