//! The mailed links that undo a change of the email address, an added credential, or the request for a deletion.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;

use super::bodies::{MailedToken, MessageBody};
use super::email_change::EmailNow;
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::undo::reported_change::{self, UndoDetails};
use crate::accounts::undo::{self, RemainingCredentials};
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::i18n::Message;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UndoneCredential {
    message: String,
    remaining: RemainingCredentials,
}

errors! { UNDO_ERRORS: InvalidToken, RateLimited }

/// Removes a credential that the owner did not add, and all credentials that were added later. Ends all sessions.
#[utoipa::path(post, path = "/undo-credential", operation_id = "undo_credential", tag = "passkeys",
    request_body = MailedToken,
    responses((status = 200, description = "The credential is removed, and all sessions have ended",
        body = UndoneCredential)))]
pub(crate) async fn undo_credential(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "undo-credential", form.token.expose()).await?;
    let cookie = client.device_or_new(&app.rng);
    let remaining = undo::undo(&app, &client, &link, &cookie).await?;
    let cookies = CookieSetter::new(&app.config)
        .clear_session()
        .set_device(&cookie);
    let message = Message::AnswerCredentialRemoved.text(client.language);
    let answer = UndoneCredential {
        message: message.to_owned(),
        remaining,
    };
    Ok((cookies, Json(answer)))
}

/// Returns the change that the link of a mail would undo: an added credential, a change of the email address, or a
/// request for a deletion. The link stays valid.
#[utoipa::path(post, path = "/undo-credential/details", operation_id = "undo_details", tag = "passkeys",
    request_body = MailedToken,
    responses((status = 200, description = "The link is valid", body = UndoDetails)))]
pub(crate) async fn undo_details(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<Json<UndoDetails>, ApiError> {
    let token = form.token.expose();
    let link = MailedLink::open(&app, &client, "undo-credential-details", token).await?;
    Ok(Json(
        reported_change::find_undo_details(&app, &client, &link).await?,
    ))
}

errors! { UNDO_EMAIL_ERRORS: InvalidToken, AccountExists, RateLimited }

/// Restores the old email address, ends all sessions and removes all devices except this one.
#[utoipa::path(post, path = "/undo-email-change", operation_id = "undo_email_change", tag = "settings",
    request_body = MailedToken,
    responses((status = 200, description = "The old address is restored", body = EmailNow)))]
pub(crate) async fn undo_email_change(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "undo-email-change", form.token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let email = undo::email_change::undo(&app, &client, &link, &device).await?;
    let cookies = CookieSetter::new(&app.config)
        .clear_session()
        .set_device(&device);
    let answer = EmailNow::new(Message::AnswerEmailRestored, &client, email);
    Ok((cookies, answer))
}

/// Cancels the deletion of an account. Starts no session.
#[utoipa::path(post, path = "/restore-account", operation_id = "restore_account", tag = "sign_in",
    request_body = MailedToken,
    responses((status = 200, description = "The deletion is cancelled", body = MessageBody)))]
pub(crate) async fn cancel_deletion(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "restore-account", form.token.expose()).await?;
    deletion::cancel_by_link(&app, &client, &link).await?;
    Ok(MessageBody::new(Message::AnswerAccountRestored, &client))
}
