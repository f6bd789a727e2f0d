//! Records refused attempts in the audit, like performed actions.

use super::audited::{SupportAction, SupportActor};
use super::lookup::{self, AccountKey};
use crate::accounts::change::change;
use crate::accounts::security_log::Actor;
use crate::app::App;
use crate::domain::reason::Reason;
use crate::error::{ApiError, ErrorCode};

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

impl SupportAttempt<'_> {
    /// Returns the outcome of the attempt. Adds a refused attempt to the audit, in a separate transaction because that
    /// of the attempt is rolled back. Returns the database error if the refusal cannot be recorded.
    pub(crate) async fn record_outcome<T>(
        self,
        app: &App,
        outcome: Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        if let Err(error) = &outcome
            && is_refusal(error.code)
        {
            self.record_refusal(app, error.code).await?;
        }
        outcome
    }

    async fn record_refusal(self, app: &App, refusal: ErrorCode) -> Result<(), ApiError> {
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

/// Returns whether the error code means that the action was refused. Returns false for a malformed request, a missing
/// session and a database error.
fn is_refusal(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NotFound
            | ErrorCode::NotAllowed
            | ErrorCode::NothingPending
            | ErrorCode::RateLimited
            | ErrorCode::AccountExists
            | ErrorCode::UsernameInUse
            | ErrorCode::Underage
    )
}
