//! The transaction of a support action, which cannot commit without a row in the audit log.

use uuid::Uuid;

use super::agent::Agent;
use crate::accounts::actor::Actor;
use crate::accounts::change::Change;
use crate::accounts::security_log::{Event, EventDetail};
use crate::db::Tx;
use crate::db::conflict::Committed;
use crate::domain::reason::Reason;
use crate::domain::security_event::SecurityEvent;
use crate::domain::support_role::SupportRole;
use crate::error::{ApiResult, ErrorCode};
use crate::named_enum::named_enum;
use crate::rate_limit::LimitedAction;
use crate::store::support_audit::{self, AuditReceipt, NewAuditEntry};

named_enum! {
    /// An action of support on an account, with its name in the audit log and the lowest role that permits the action.
    pub(crate) enum SupportAction(required_role: SupportRole) {
        Find = "find", SupportRole::Support;
        ViewActivity = "view_activity", SupportRole::Support;
        ViewMails = "view_mails", SupportRole::Support;
        ResendVerify = "resend_verify", SupportRole::Support;
        ResendReset = "resend_reset", SupportRole::Support;
        ResendMigration = "resend_migration", SupportRole::Support;
        SignOut = "sign_out", SupportRole::Support;
        CancelDeletion = "cancel_deletion", SupportRole::Support;
        Disable = "disable", SupportRole::Admin;
        Enable = "enable", SupportRole::Admin;
        ReadAudit = "read_audit", SupportRole::Admin;
        // The following actions are possible only on the command line.
        Delete = "delete", SupportRole::Admin;
        DeleteNow = "delete_now", SupportRole::Admin;
        Export = "export", SupportRole::Admin;
        SetEmail = "set_email", SupportRole::Admin;
        SetDetails = "set_details", SupportRole::Admin;
        Unsubscribe = "unsubscribe", SupportRole::Admin;
        GrantSupport = "grant_support", SupportRole::Admin;
        GrantAdmin = "grant_admin", SupportRole::Admin;
        Revoke = "revoke", SupportRole::Admin;
    }
}

/// The person who performs a support action.
#[derive(Clone, Copy)]
pub(crate) enum SupportActor<'a> {
    /// The name of the operating system's user who runs a command.
    Operator(&'a str),
    Agent(&'a Agent),
}

/// A database change that cannot commit before its row in the audit log is written. Every support action uses it.
pub(crate) struct SupportChange<'a> {
    change: Change<'a>,
    agent_id: Option<Uuid>,
    operator: Option<&'a str>,
    action: SupportAction,
}

impl<'a> SupportActor<'a> {
    pub(crate) fn is_agent(self) -> bool {
        matches!(self, SupportActor::Agent(_))
    }

    /// Begins an action. Fails with 404 if the agent's role does not permit the action, or if the role was revoked.
    pub(super) async fn begin(
        self,
        mut change: Change<'a>,
        action: SupportAction,
    ) -> ApiResult<SupportChange<'a>> {
        if let SupportActor::Agent(agent) = self {
            agent.lock(&mut change, action.required_role()).await?;
        }
        Ok(self.begin_refused(change, action))
    }

    /// Begins the record of a refused action, which requires no role.
    pub(super) fn begin_refused(
        self,
        change: Change<'a>,
        action: SupportAction,
    ) -> SupportChange<'a> {
        let (agent_id, operator) = match self {
            SupportActor::Operator(name) => (None, Some(name)),
            SupportActor::Agent(agent) => (Some(agent.account_id()), None),
        };
        SupportChange {
            change,
            agent_id,
            operator,
            action,
        }
    }
}

impl<'a> SupportChange<'a> {
    /// Returns the account id of the agent, or `None` for an operator.
    pub(super) fn agent_id(&self) -> Option<Uuid> {
        self.agent_id
    }

    /// Returns the transaction for lookups that determine the account of the action.
    pub(super) fn tx(&mut self) -> &mut Tx {
        &mut self.change
    }

    /// Counts actions against the rate limits like [`Change::admit`].
    pub(super) async fn admit(self, actions: &[LimitedAction<'_>]) -> ApiResult<SupportChange<'a>> {
        let change = self.change.admit(actions).await?;
        Ok(SupportChange { change, ..self })
    }

    /// Writes the row of the audit log. `account` is an account or a legacy account, or `None` for a lookup without a
    /// result. Returns the change, which then records support as the actor of its security events.
    pub(super) async fn audit(
        mut self,
        account: Option<Uuid>,
        reason: Option<&Reason>,
    ) -> ApiResult<Change<'a>> {
        let receipt = self.insert_row(account, reason, None).await?;
        Ok(self.change.caused_by(Actor::Support(receipt)))
    }

    /// Writes the row of a refused action to the audit log, and commits.
    pub(super) async fn audit_refusal(
        mut self,
        account: Option<Uuid>,
        reason: Option<&Reason>,
        refusal: ErrorCode,
    ) -> ApiResult<Committed<()>> {
        self.insert_row(account, reason, Some(refusal)).await?;
        self.change.commit(()).await
    }

    async fn insert_row(
        &mut self,
        account: Option<Uuid>,
        reason: Option<&Reason>,
        refusal: Option<ErrorCode>,
    ) -> ApiResult<AuditReceipt> {
        let refusal = refusal.map(ErrorCode::as_str);
        let entry = NewAuditEntry {
            id: self.change.new_id(),
            at: self.change.now,
            operator: self.operator,
            agent_id: self.agent_id,
            action: self.action.as_str(),
            account_id: account,
            reason: reason.map(Reason::as_str),
            refusal,
        };
        let receipt = support_audit::insert(&mut self.change, &entry).await?;
        let (action, agent) = (self.action.as_str(), self.agent_id);
        self.change.on_commit(move || {
            let agent = agent.map(tracing::field::display);
            let account = account.map(tracing::field::display);
            tracing::info!(target: "security", event = "support", action, agent, account, refusal);
        });
        Ok(receipt)
    }
}

/// Records in the person's list of activity that support has viewed or changed the account.
pub(super) async fn record_event(
    change: &mut Change<'_>,
    event: SecurityEvent,
    account: Uuid,
    action: SupportAction,
) -> ApiResult {
    let event = Event::new(event, account);
    let event = event.detail(EventDetail::Action(action.as_str()));
    Ok(change.record(event).await?)
}
