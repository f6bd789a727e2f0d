//! Runs support actions. The audit log records a refused action like a performed action.

use super::audited::{SupportAction, SupportActor, SupportChange};
use super::lookup::{self, AccountKey};
use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::app::App;
use crate::db::conflict::Committed;
use crate::domain::reason::Reason;
use crate::error::{ApiResult, ErrorCode};

/// The action that an agent or an operator attempted.
#[derive(Clone, Copy)]
pub(crate) struct SupportAttempt<'a> {
    pub actor: SupportActor<'a>,
    pub action: SupportAction,
    pub key: Option<&'a AccountKey>,
    pub reason: Option<&'a Reason>,
}

impl<'a> SupportActor<'a> {
    pub(crate) fn attempt(
        self,
        action: SupportAction,
        key: Option<&'a AccountKey>,
        reason: Option<&'a Reason>,
    ) -> SupportAttempt<'a> {
        SupportAttempt {
            actor: self,
            action,
            key,
            reason,
        }
    }
}

impl<'a> SupportAttempt<'a> {
    /// Runs `flow`, which performs the attempt, in one transaction, and records its outcome.
    pub(super) async fn run<T, F>(
        self,
        app: &'a App,
        flow: impl Fn(SupportChange<'a>) -> F,
    ) -> ApiResult<T>
    where
        F: Future<Output = ApiResult<Committed<T>>>,
    {
        let flow = &flow;
        let outcome = change(app, Actor::System, |change| async move {
            flow(self.actor.begin(change, self.action).await?).await
        });
        self.record_outcome(app, outcome.await).await
    }

    /// Returns the outcome of the attempt. Adds a refused attempt to the audit log in a separate transaction, because
    /// the transaction of the attempt is rolled back. Returns the database error if the refusal cannot be recorded.
    pub(crate) async fn record_outcome<T>(self, app: &App, outcome: ApiResult<T>) -> ApiResult<T> {
        if let Err(error) = &outcome
            && !error.code.is_fault()
        {
            self.record_refusal(app, error.code).await?;
        }
        outcome
    }

    async fn record_refusal(self, app: &App, refusal: ErrorCode) -> ApiResult {
        change(app, Actor::System, |change| async move {
            let mut change = self.actor.begin_refused(change, self.action);
            let account = match self.key {
                None => None,
                Some(key) => match lookup::find_and_lock(app, change.tx(), key).await? {
                    Some(subject) => Some(subject.id()),
                    None => key.id(),
                },
            };
            change.audit_refusal(account, self.reason, refusal).await
        })
        .await
    }
}
