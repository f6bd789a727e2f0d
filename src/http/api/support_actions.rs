//! The actions of the support view. No response contains a credential, a link, a token or a session.

use super::prelude::*;
use crate::domain::reason::{Reason, ReasonProblem};
use crate::error::FieldRule;
use crate::http::extract::path_id::PathId;
use crate::http::extract::support_agent::{DisablingAgent, EnablingAgent, SupportAgent};
use crate::support::actions::{self, LinkKind, SupportOperation};
use crate::support::agent::Agent;
use crate::support::audited::SupportActor;
use crate::support::lookup::AccountKey;

#[derive(Deserialize, ToSchema)]
pub(crate) struct SupportReason {
    /// The reason for the audit: 1 to 500 characters, none of them a control character.
    reason: String,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SupportResend {
    kind: LinkKind,
    /// The reason for the audit: 1 to 500 characters, none of them a control character.
    reason: String,
}

fn parse_reason(text: &str) -> ApiResult<Reason> {
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
) -> ApiResult<StatusCode> {
    let reason = parse_reason(reason)?;
    let (actor, key) = (SupportActor::Agent(agent), AccountKey::Id(id.0));
    actions::perform(app, actor, &key, operation, Some(&reason)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Mails a link again, but only to the stored email address.
#[utoipa::path(post, path = "/support/accounts/{id}/resend",
    params(("id" = uuid::Uuid, Path, description = "An account")),
    request_body = SupportResend,
    responses((status = 202, description = "The mail is queued")))]
pub(crate) async fn support_resend(
    State(app): State<SharedApp>,
    SupportAgent(agent): SupportAgent,
    id: PathId,
    JsonBody(form): JsonBody<SupportResend>,
) -> ApiResult<StatusCode> {
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

/// Declares the handler of an action that needs only a reason.
macro_rules! support_action {
    (
        $(#[$doc:meta])*
        fn $handler:ident($agent:ident) = $operation:expr;
        $path:literal, $description:literal
    ) => {
        $(#[$doc])*
        #[utoipa::path(post, path = $path,
            params(("id" = uuid::Uuid, Path, description = "An account")),
            request_body = SupportReason,
            responses((status = 204, description = $description)))]
        pub(crate) async fn $handler(
            State(app): State<SharedApp>,
            $agent(agent): $agent,
            id: PathId,
            JsonBody(form): JsonBody<SupportReason>,
        ) -> ApiResult<StatusCode> {
            perform_action(&app, &agent, id, $operation, &form.reason).await
        }
    };
}

support_action! {
    /// Ends all sessions of an account, invalidates its links, and removes its devices.
    fn support_sign_out(SupportAgent) = SupportOperation::SignOut;
    "/support/accounts/{id}/sign-out", "All sessions have ended"
}

support_action! {
    /// Cancels the deletion of an account.
    fn support_cancel_deletion(SupportAgent) = SupportOperation::CancelDeletion;
    "/support/accounts/{id}/cancel-deletion", "The deletion is cancelled"
}

support_action! {
    /// Disables an account, so that its sessions end and its sign-ins are refused. Requires the role `admin`.
    fn support_disable(DisablingAgent) = SupportOperation::Disable { quiet: false };
    "/support/accounts/{id}/disable", "The account is disabled"
}

support_action! {
    /// Enables a disabled account. Requires the role `admin`.
    fn support_enable(EnablingAgent) = SupportOperation::Enable;
    "/support/accounts/{id}/enable", "The account is enabled"
}
