//! The request to delete the account.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;

use super::bodies::Nothing;
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::reauthentication::RecentSession;
use crate::app::SharedApp;
use crate::clock::rfc3339;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;

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
