//! The actions of the support view. No response contains a credential, a link, a token or a session.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::app::SharedApp;
use crate::domain::reason::{Reason, ReasonProblem};
use crate::error::{ApiError, ErrorCode, FieldRule};
use crate::http::extract::json_body::JsonBody;
use crate::http::extract::path_id::PathId;
use crate::http::extract::support_agent::{DisablingAgent, EnablingAgent, SupportAgent};
use crate::support::actions::{self, LinkKind, SupportOperation};
use crate::support::agent::Agent;
use crate::support::audited::SupportActor;
use crate::support::lookup::AccountKey;

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct SupportReason {
    /// The reason for the audit: 1 to 500 characters, none of them a control character.
    reason: String,
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct SupportResend {
    kind: LinkKind,
    /// The reason for the audit: 1 to 500 characters, none of them a control character.
    reason: String,
}

fn parse_reason(text: &str) -> Result<Reason, ApiError> {
    Reason::parse(text).map_err(|problem| match problem {
        ReasonProblem::Empty => ApiError::broken_rule(FieldRule::MissingField),
        _ => ErrorCode::ValidationFailed.into(),
    })
}

async fn perform_action(
    app: &SharedApp,
    agent: &Agent,
    id: PathId,
    operation: SupportOperation<'_>,
    reason: &str,
) -> Result<StatusCode, ApiError> {
    let reason = parse_reason(reason)?;
    let (actor, key) = (SupportActor::Agent(agent), AccountKey::Id(id.0));
    actions::perform(app, actor, &key, operation, Some(&reason)).await?;
    Ok(StatusCode::NO_CONTENT)
}

errors! {
    RESEND_ERRORS: NotFound, NotAllowed, NothingPending, RateLimited, ReauthenticationRequired
}

/// Mails a link again, but only to the stored email address.
#[utoipa::path(post, path = "/support/accounts/{id}/resend", operation_id = "support_resend", tag = "support",
    security(("session" = [])),
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportResend,
    responses((status = 202, description = "The mail is queued")))]
pub(crate) async fn resend_link(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportResend>,
) -> Result<StatusCode, ApiError> {
    perform_action(
        &app,
        &agent,
        id,
        SupportOperation::Resend(form.kind),
        &form.reason,
    )
    .await?;
    Ok(StatusCode::ACCEPTED)
}

errors! { ACTION_ERRORS: NotFound, NotAllowed, NothingPending, ReauthenticationRequired }

/// Ends all sessions of an account, invalidates its links, and removes its devices.
#[utoipa::path(post, path = "/support/accounts/{id}/sign-out", operation_id = "support_sign_out", tag = "support",
    security(("session" = [])),
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportReason,
    responses((status = 204, description = "All sessions have ended")))]
pub(crate) async fn sign_out_account(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportReason>,
) -> Result<StatusCode, ApiError> {
    perform_action(&app, &agent, id, SupportOperation::SignOut, &form.reason).await
}

/// Cancels the deletion of an account.
#[utoipa::path(post, path = "/support/accounts/{id}/cancel-deletion", operation_id = "support_cancel_deletion", tag = "support",
    security(("session" = [])),
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportReason,
    responses((status = 204, description = "The deletion is cancelled")))]
pub(crate) async fn cancel_deletion(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportReason>,
) -> Result<StatusCode, ApiError> {
    perform_action(
        &app,
        &agent,
        id,
        SupportOperation::CancelDeletion,
        &form.reason,
    )
    .await
}

/// Disables an account, so that its sessions end and its sign-ins are refused. Requires the role `admin`.
#[utoipa::path(post, path = "/support/accounts/{id}/disable", operation_id = "support_disable", tag = "support",
    security(("session" = [])),
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportReason,
    responses((status = 204, description = "The account is disabled")))]
pub(crate) async fn disable_account(
    State(app): State<SharedApp>,
    DisablingAgent(agent): DisablingAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportReason>,
) -> Result<StatusCode, ApiError> {
    perform_action(&app, &agent, id, SupportOperation::Disable, &form.reason).await
}

/// Enables a disabled account. Requires the role `admin`.
#[utoipa::path(post, path = "/support/accounts/{id}/enable", operation_id = "support_enable", tag = "support",
    security(("session" = [])),
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportReason,
    responses((status = 204, description = "The account is enabled")))]
pub(crate) async fn enable_account(
    State(app): State<SharedApp>,
    EnablingAgent(agent): EnablingAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportReason>,
) -> Result<StatusCode, ApiError> {
    perform_action(&app, &agent, id, SupportOperation::Enable, &form.reason).await
}
