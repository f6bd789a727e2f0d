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

/// Declares the handler of an action that needs only a reason.
macro_rules! support_action {
    (
        $(#[$doc:meta])*
        fn $handler:ident($agent:ident) = $operation:expr;
        $path:literal, $operation_id:literal, $description:literal
    ) => {
        $(#[$doc])*
        #[utoipa::path(post, path = $path, operation_id = $operation_id, tag = "support",
            security(("session" = [])),
            params(("id" = uuid::Uuid, Path, description = "An account")),
            request_body = SupportReason,
            responses((status = 204, description = $description)))]
        pub(crate) async fn $handler(
            State(app): State<SharedApp>,
            $agent(agent): $agent,
            id: PathId,
            JsonBody(form): JsonBody<SupportReason>,
        ) -> Result<StatusCode, ApiError> {
            perform_action(&app, &agent, id, $operation, &form.reason).await
        }
    };
}

support_action! {
    /// Ends all sessions of an account, invalidates its links, and removes its devices.
    fn sign_out_account(SupportAgent) = SupportOperation::SignOut;
    "/support/accounts/{id}/sign-out", "support_sign_out", "All sessions have ended"
}

support_action! {
    /// Cancels the deletion of an account.
    fn cancel_deletion(SupportAgent) = SupportOperation::CancelDeletion;
    "/support/accounts/{id}/cancel-deletion", "support_cancel_deletion", "The deletion is cancelled"
}

support_action! {
    /// Disables an account, so that its sessions end and its sign-ins are refused. Requires the role `admin`.
    fn disable_account(DisablingAgent) = SupportOperation::Disable { quiet: false };
    "/support/accounts/{id}/disable", "support_disable", "The account is disabled"
}

support_action! {
    /// Enables a disabled account. Requires the role `admin`.
    fn enable_account(EnablingAgent) = SupportOperation::Enable;
    "/support/accounts/{id}/enable", "support_enable", "The account is enabled"
}
