//! The change of the password by a signed-in person.

use super::prelude::*;
use crate::accounts::password;
use crate::accounts::password::change::PasswordForm;

/// Changes the password, ends all sessions except this one, and rotates the id of this session. By default, removes
/// all devices except this one.
#[utoipa::path(post, path = "/change-password",
    request_body = PasswordForm,
    responses((status = 200, description = "The new password is in force", body = MessageBody)))]
pub(crate) async fn change_password(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(form): JsonBody<PasswordForm>,
) -> ApiResult<impl IntoResponse> {
    let id = password::change::change_password(&app, &client, &signed_in, &form).await?;
    let cookies = CookieSetter::new(&app).set_session(&id);
    let answer = MessageBody::new(Message::AnswerPasswordChanged, &client);
    Ok((cookies, answer))
}
