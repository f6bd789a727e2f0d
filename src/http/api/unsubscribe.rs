//! Unsubscribing from invitations to migrate, by the button of the page or by the one-click request of mail programs.

use axum::http::header::RETRY_AFTER;
use axum::response::Response;

use super::prelude::*;
use crate::accounts::migration::unsubscribe;
use crate::http::error::status_of;
use crate::http::extract::link_token::TokenQuery;

/// Stops the invitations to a legacy account. A repeated call gives the same response until the token expires.
#[utoipa::path(post, path = "/unsubscribe",
    request_body = MailedToken,
    responses((status = 200, description = "No further invitations are sent", body = MessageBody)))]
pub(crate) async fn unsubscribe(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<Json<MessageBody>> {
    unsubscribe::unsubscribe(&app, &client, form.token.expose()).await?;
    Ok(MessageBody::new(Message::AnswerUnsubscribed, &client))
}

/// Unsubscribes by one click (RFC 8058): a mail program sends a POST to the URL of the link, without an `Origin` header
/// or cookies. The token is the only credential, so this route needs no cross-site check, unlike the routes of the API.
/// The body is ignored.
pub(crate) async fn unsubscribe_by_one_click(
    State(app): State<SharedApp>,
    client: Client,
    query: TokenQuery,
) -> Response {
    let Err(error) = unsubscribe::unsubscribe(&app, &client, query.token.expose()).await else {
        return StatusCode::OK.into_response();
    };
    let mut response = status_of(error.code).into_response();
    if let Some(seconds) = error.headers.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}
