//! The transaction of a support flow. It exists only together with its audit row.

use serde_json::json;
use uuid::Uuid;

use super::agent::Agent;
use crate::app::App;
use crate::auth::security_log::{Actor, Event};
use crate::db::Tx;
use crate::domain::reason::Reason;
use crate::domain::security_event::SecurityEvent;
use crate::domain::support_role::SupportRole;
use crate::error::{ApiError, ErrorCode};
use crate::named_enum::named_enum;
use crate::store::support_audit::{self, AuditReceipt, NewAuditEntry};

named_enum! {
    /// An action of support on an account, by its name in the audit, with the lowest role of an agent that permits it.
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
        // Only on the command line.
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

/// The person behind a flow of support.
#[derive(Clone, Copy)]
pub(crate) enum SupportActor<'a> {
    /// The name of the operating system's user of a command.
    Operator(&'a str),
    Agent(&'a Agent),
}

/// A transaction whose audit row is not written yet. Flows of support get a transaction in no other way.
pub(crate) struct SupportChange {
    tx: Tx,
    agent_id: Option<Uuid>,
    operator: Option<String>,
    action: SupportAction,
}

/// A transaction with the audit row of its action.
pub(crate) struct AuditedChange {
    pub tx: Tx,
    receipt: AuditReceipt,
    action: SupportAction,
}

impl SupportActor<'_> {
    pub(crate) fn is_agent(self) -> bool {
        matches!(self, SupportActor::Agent(_))
    }

    /// Opens the transaction of an action. 404 for an agent whose role is not enough or was revoked.
    pub(super) async fn begin(
        self,
        app: &App,
        action: SupportAction,
    ) -> Result<SupportChange, ApiError> {
        let tx = match self {
            SupportActor::Operator(_) => app.store.write().await?,
            SupportActor::Agent(agent) => agent.begin_change(app, action.required_role()).await?.tx,
        };
        Ok(self.change(tx, action))
    }

    /// Opens a transaction for the audit row of a refused action, which requires no role.
    pub(super) async fn begin_refused(
        self,
        app: &App,
        action: SupportAction,
    ) -> Result<SupportChange, ApiError> {
        Ok(self.change(app.store.write().await?, action))
    }

    fn change(self, tx: Tx, action: SupportAction) -> SupportChange {
        let (agent_id, operator) = match self {
            SupportActor::Operator(name) => (None, Some(name.to_owned())),
            SupportActor::Agent(agent) => (Some(agent.account_id()), None),
        };
        SupportChange {
            tx,
            agent_id,
            operator,
            action,
        }
    }
}

impl SupportChange {
    /// Returns the account of the agent.
    pub(super) fn agent_id(&self) -> Option<Uuid> {
        self.agent_id
    }

    /// Returns the transaction for lookups that determine the account of the action.
    pub(super) fn tx(&mut self) -> &mut Tx {
        &mut self.tx
    }

    /// Passes the transaction through the check of a limit.
    pub(super) async fn checked_by<F>(self, check: impl FnOnce(Tx) -> F) -> Result<Self, ApiError>
    where
        F: Future<Output = Result<Tx, ApiError>>,
    {
        let tx = check(self.tx).await?;
        Ok(SupportChange { tx, ..self })
    }

    /// Writes the audit row. `account` is an account or a legacy account; none: a lookup without a result.
    pub(super) async fn audit(
        mut self,
        app: &App,
        account: Option<Uuid>,
        reason: Option<&Reason>,
    ) -> Result<AuditedChange, ApiError> {
        let receipt = self.insert_row(app, account, reason, None).await?;
        Ok(AuditedChange {
            tx: self.tx,
            receipt,
            action: self.action,
        })
    }

    /// Writes the audit row of a refused action, and commits.
    pub(super) async fn audit_refusal(
        mut self,
        app: &App,
        account: Option<Uuid>,
        reason: Option<&Reason>,
        refusal: ErrorCode,
    ) -> Result<(), ApiError> {
        self.insert_row(app, account, reason, Some(refusal)).await?;
        Ok(self.tx.commit().await?)
    }

    async fn insert_row(
        &mut self,
        app: &App,
        account: Option<Uuid>,
        reason: Option<&Reason>,
        refusal: Option<ErrorCode>,
    ) -> Result<AuditReceipt, ApiError> {
        let now = app.clock.millis();
        let refusal = refusal.map(ErrorCode::as_str);
        let entry = NewAuditEntry {
            id: app.rng.id(now),
            at: now,
            operator: self.operator.as_deref(),
            agent_id: self.agent_id,
            action: self.action.as_str(),
            account_id: account,
            reason: reason.map(Reason::as_str),
            refusal,
        };
        let receipt = support_audit::insert(&mut self.tx, &entry).await?;
        let (action, agent) = (self.action.as_str(), self.agent_id);
        self.tx.on_commit(move || {
            let agent = agent.map(tracing::field::display);
            let account = account.map(tracing::field::display);
            tracing::info!(target: "security", event = "support", action, agent, account, refusal);
        });
        Ok(receipt)
    }
}

impl AuditedChange {
    /// Returns the cause of the events that the action records.
    pub(super) fn actor(&self) -> Actor<'static> {
        Actor::Support(self.receipt)
    }

    /// Records in the person's list of activity that support has viewed the account.
    pub(super) async fn record_view(&mut self, app: &App, account: Uuid) -> Result<(), ApiError> {
        let event = Event::by_actor(SecurityEvent::SupportViewed, account, self.actor());
        let event = event.details(json!({"action": self.action.as_str()}));
        Ok(event.record(app, &mut self.tx).await?)
    }

    /// Records the action of support in the person's list of activity.
    pub(super) async fn record_action(&mut self, app: &App, account: Uuid) -> Result<(), ApiError> {
        let event = Event::by_actor(SecurityEvent::SupportActed, account, self.actor());
        let event = event.details(json!({"action": self.action.as_str()}));
        Ok(event.record(app, &mut self.tx).await?)
    }

    pub(super) async fn commit(self) -> Result<(), ApiError> {
        Ok(self.tx.commit().await?)
    }
}
