//! The request to delete the account, and the cancellation of that deletion.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;

use super::bodies::{MailedToken, MessageBody, Nothing};
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::links::MailedLink;
use crate::accounts::reauthentication::RecentSession;
use crate::app::SharedApp;
use crate::clock::rfc3339;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::i18n::Message;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct DeletionRequested {
    /// The time of the account's deletion, RFC 3339.
    delete_at: String,
}

errors! { DELETE_ERRORS: ReauthenticationRequired, RateLimited }

/// Requests the deletion of the account. Ends its sessions, invalidates its links, and mails a link that cancels the
/// deletion.
#[utoipa::path(post, path = "/delete-account", operation_id = "delete_account", tag = "settings",
    security(("session" = [])),
    request_body = Nothing,
    responses((status = 202, description = "The account will be deleted", body = DeletionRequested)))]
pub(crate) async fn request_deletion(
    State(app): State<SharedApp>,
    client: Client,
    recent: RecentSession,
    _body: Option<JsonBody<Nothing>>,
) -> Result<impl IntoResponse, ApiError> {
    let due_at = deletion::request_by_user(&app, &client, &recent).await?;
    let cookies = CookieSetter::new(&app.config).clear_session();
    let delete_at = rfc3339(due_at);
    let answer = Json(DeletionRequested { delete_at });
    Ok((StatusCode::ACCEPTED, cookies, answer))
}

errors! { RESTORE_ERRORS: InvalidToken, RateLimited }

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
