//! The request to delete the account.

use super::prelude::*;
use crate::accounts::deletion;
use crate::accounts::reauthentication::RecentSession;
use crate::clock::rfc3339;

#[derive(Serialize, ToSchema)]
pub(crate) struct DeletionRequested {
    /// The time of the account's deletion, RFC 3339.
    delete_at: String,
}

/// Requests the deletion of the account. Ends its sessions, invalidates its links, and mails a link that cancels the
/// deletion.
#[utoipa::path(post, path = "/delete-account",
    request_body = Nothing,
    responses((status = 202, description = "The account will be deleted", body = DeletionRequested)))]
pub(crate) async fn delete_account(
    State(app): State<SharedApp>,
    client: Client,
    recent: RecentSession,
    _body: Option<JsonBody<Nothing>>,
) -> ApiResult<impl IntoResponse> {
    let due_at = deletion::request_by_user(&app, &client, &recent).await?;
    let cookies = CookieSetter::new(&app).clear_session();
    let delete_at = rfc3339(due_at);
    let answer = Json(DeletionRequested { delete_at });
    Ok((StatusCode::ACCEPTED, cookies, answer))
}
