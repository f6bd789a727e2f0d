//! Unsubscribing from invitations: the button of the page, and the one-click of mail programs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::body::{Body, TokenQuery, lenient_text};
use super::email_verification::{MessageBody, check_limits_and_parse};
use super::request_context::RequestContext;
use crate::app::{App, Shared};
use crate::db::conflict::repeated;
use crate::domain::secret::SecretHash;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::rate_limit::LimitedAction;
use crate::store::legacy;
use crate::store::tokens::{self, Purpose, Redemption};

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Unsubscription {
    #[serde(default, deserialize_with = "lenient_text")]
    token: Option<String>,
}

/// Ends the invitations to an old account. A repeated call gives the same response until the token
/// expires.
#[utoipa::path(post, path = "/unsubscribe", operation_id = "unsubscribe", tag = "migration",
    request_body = Unsubscription,
    responses((status = 200, description = "No further invitations are sent", body = MessageBody)))]
pub(crate) async fn unsubscribe(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Unsubscription>,
) -> Result<Json<MessageBody>, ApiError> {
    end(&app, &context, form.token.as_deref()).await?;
    let message = Message::AnswerUnsubscribed
        .text(context.language)
        .to_owned();
    Ok(Json(MessageBody { message }))
}

/// One-click unsubscribe (RFC 8058): a mail program posts to the link itself, without an origin or
/// cookies. The token is the only credential, so this route is outside the cross-site guard of the API.
/// The body is ignored.
pub(crate) async fn one_click(
    State(app): State<Shared>,
    context: RequestContext,
    query: TokenQuery,
) -> Response {
    let Err(failure) = end(&app, &context, query.token.as_deref()).await else {
        return StatusCode::OK.into_response();
    };
    let mut response = failure.code.status().into_response();
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

async fn end(app: &App, context: &RequestContext, token: Option<&str>) -> Result<(), ApiError> {
    let tries = [LimitedAction::ConfirmFrom("unsubscribe", context.ip)];
    let hash = check_limits_and_parse(app, &tries, token).await?;
    repeated(&app.rng, || redeem(app, &tries, &hash)).await
}

async fn redeem(app: &App, tries: &[LimitedAction<'_>], hash: &SecretHash) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    match tokens::redeem(&mut tx, hash, Purpose::Unsubscribe, now).await? {
        Redemption::Redeemed(token) => {
            legacy::mark_unsubscribed(&mut tx, token.subject_id, now).await?;
            tracing::info!(target: "security", event = "unsubscribed", legacy = %token.subject_id);
        }
        Redemption::AlreadyRedeemed(_) => {}
        Redemption::Invalid => return Err(ErrorCode::InvalidToken.into()),
    }
    app.rate_limiter.refund(&mut tx, tries).await?;
    Ok(tx.commit().await?)
}
