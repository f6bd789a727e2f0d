//! The actions of support on an account. Each action is in the audit and in the person's activity; none returns a
//! credential, a link, a token or a session.

use serde_json::json;
use uuid::Uuid;

use super::audited::{AuditedChange, SupportAction, SupportActor};
use super::lookup::{self, AccountKey, AccountOrLegacy};
use super::refusals::SupportAttempt;
use crate::accounts::data_export::{self, Download};
use crate::accounts::{deletion as pending_deletion, disabling};
use crate::app::{App, SharedApp};
use crate::auth::security_log::Event;
use crate::auth::{access, deletion, session_end};
use crate::clock::HOUR;
use crate::db::conflict::retry_on_conflict;
use crate::domain::reason::Reason;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::legacy::link;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::Account;
use crate::store::{devices, outbox, support_roles};

/// A link that support can have mailed again, to the stored address only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkKind {
    Verify,
    Reset,
    Migration,
}

/// An action of support on an account.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SupportOperation {
    Resend(LinkKind),
    SignOut,
    Disable,
    Enable,
    /// Requests the deletion, which the mailed link can cancel.
    Delete,
    DeleteNow,
    CancelDeletion,
}

impl SupportOperation {
    fn action(self) -> SupportAction {
        match self {
            SupportOperation::Resend(LinkKind::Verify) => SupportAction::ResendVerify,
            SupportOperation::Resend(LinkKind::Reset) => SupportAction::ResendReset,
            SupportOperation::Resend(LinkKind::Migration) => SupportAction::ResendMigration,
            SupportOperation::SignOut => SupportAction::SignOut,
            SupportOperation::Disable => SupportAction::Disable,
            SupportOperation::Enable => SupportAction::Enable,
            SupportOperation::Delete => SupportAction::Delete,
            SupportOperation::DeleteNow => SupportAction::DeleteNow,
            SupportOperation::CancelDeletion => SupportAction::CancelDeletion,
        }
    }
}

/// Performs the action. 404 if there is no such account, 403 `not_allowed` for an agent if the account has a role, 409
/// `nothing_pending` if the action does not apply. A refusal is in the audit too.
pub(crate) async fn perform(
    app: &App,
    actor: SupportActor<'_>,
    key: &AccountKey,
    operation: SupportOperation,
    reason: Option<&Reason>,
) -> Result<(), ApiError> {
    let done = retry_on_conflict(&app.rng, || {
        perform_once(app, actor, key, operation, reason)
    })
    .await;
    let attempt = SupportAttempt {
        actor,
        action: operation.action(),
        key: Some(key),
        reason,
    };
    attempt.record_outcome(app, done).await?;
    if matches!(operation, SupportOperation::DeleteNow) {
        // The deletion is committed, so it succeeds without the purge. The files of the database may then contain
        // remains of the account until the next deletion, or the next start of the server.
        deletion::purge(app).await;
    }
    Ok(())
}

async fn perform_once(
    app: &App,
    actor: SupportActor<'_>,
    key: &AccountKey,
    operation: SupportOperation,
    reason: Option<&Reason>,
) -> Result<(), ApiError> {
    let (mut change, subject) = lookup::begin(app, actor, operation.action(), key).await?;
    if actor.is_agent() && support_roles::has_any(change.tx(), subject.id()).await? {
        return Err(ErrorCode::NotAllowed.into());
    }
    let mut audited = change.audit(app, Some(subject.id()), reason).await?;
    match (&subject, operation) {
        (AccountOrLegacy::Legacy(old), SupportOperation::Resend(LinkKind::Migration)) => {
            let kind = link::resend(app, &mut audited.tx, old).await?;
            confirm_queued(&mut audited, old.id, kind).await?;
        }
        (AccountOrLegacy::Legacy(_), _) => return Err(ErrorCode::NothingPending.into()),
        (AccountOrLegacy::Account(account), SupportOperation::DeleteNow) => {
            // Its list of recent activity is deleted with it.
            deletion::delete_now(app, &mut audited.tx, account).await?;
        }
        (AccountOrLegacy::Account(account), operation) => {
            apply(app, &mut audited, account, operation).await?;
            audited.record_action(app, account.id).await?;
        }
    }
    audited.commit().await
}

async fn apply(
    app: &App,
    audited: &mut AuditedChange,
    account: &Account,
    operation: SupportOperation,
) -> Result<(), ApiError> {
    let actor = audited.actor();
    let tx = &mut audited.tx;
    let details = json!({});
    let applies = match operation {
        SupportOperation::Resend(kind) => return resend(app, audited, account, kind).await,
        SupportOperation::SignOut => {
            access::revoke(app, tx, account).await?;
            // As after a sign-out everywhere, the next sign-in of each browser needs approval by mail.
            let ended = devices::remove_all(tx, account.id).await?;
            session_end::report(app, tx, ended).await?;
            let event = Event::by_actor(SecurityEvent::SignedOutEverywhere, account.id, actor);
            event.record(app, tx).await?;
            true
        }
        SupportOperation::Disable => {
            disabling::disable(app, tx, account, actor, details).await?;
            true
        }
        SupportOperation::Enable => {
            disabling::enable(app, tx, account, actor, details).await?;
            true
        }
        SupportOperation::Delete => {
            pending_deletion::request(app, tx, account, actor, details).await?;
            true
        }
        SupportOperation::CancelDeletion => {
            pending_deletion::cancel(app, tx, account, actor, details).await?
        }
        SupportOperation::DeleteNow => false,
    };
    match applies {
        true => Ok(()),
        false => Err(ErrorCode::NothingPending.into()),
    }
}

/// Mails a link of an account again. A disabled account gets none; an account that will be deleted gets the link that
/// cancels the deletion, as on the reset screen.
async fn resend(
    app: &App,
    audited: &mut AuditedChange,
    account: &Account,
    kind: LinkKind,
) -> Result<(), ApiError> {
    let kind = match (kind, account) {
        (
            _,
            Account {
                is_disabled: true, ..
            },
        ) => return Err(ErrorCode::NotAllowed.into()),
        (LinkKind::Verify, account) if !account.verified => MailKind::VerifyEmail,
        (LinkKind::Reset, account) => match account.deletion_due_at {
            Some(_) => MailKind::DeletionPending,
            None => MailKind::ResetPassword,
        },
        (LinkKind::Verify | LinkKind::Migration, _) => {
            return Err(ErrorCode::NothingPending.into());
        }
    };
    let mut outgoing = OutgoingMail::to(account, kind);
    outgoing.details.effective_at = account.deletion_due_at;
    mail::queue(app, &mut audited.tx, outgoing).await?;
    confirm_queued(audited, account.id, kind).await
}

/// Fails with 429 if the mailbox has used up its budget, so that the response never claims a mail that is not sent.
async fn confirm_queued(
    audited: &mut AuditedChange,
    subject: Uuid,
    kind: MailKind,
) -> Result<(), ApiError> {
    match outbox::is_queued(&mut audited.tx, subject, kind.as_str()).await? {
        true => Ok(()),
        false => Err(ApiError::rate_limited(HOUR)),
    }
}

/// Exports an account, in its language, for an operator.
pub(crate) async fn export(
    app: &SharedApp,
    operator: &str,
    key: &AccountKey,
) -> Result<Download, ApiError> {
    let actor = SupportActor::Operator(operator);
    let begun = retry_on_conflict(&app.rng, || async {
        let (change, subject) = lookup::begin(app, actor, SupportAction::Export, key).await?;
        let AccountOrLegacy::Account(account) = subject else {
            return Err(ErrorCode::NotFound.into());
        };
        let mut audited = change.audit(app, Some(account.id), None).await?;
        let begun = data_export::begin(app, &mut audited.tx, account.id).await?;
        let event = Event::by_actor(SecurityEvent::DataExported, account.id, audited.actor());
        event.record(app, &mut audited.tx).await?;
        audited.commit().await?;
        Ok::<_, ApiError>((begun, account.language))
    })
    .await;
    let attempt = SupportAttempt {
        actor,
        action: SupportAction::Export,
        key: Some(key),
        reason: None,
    };
    let (begun, language) = attempt.record_outcome(app, begun).await?;
    begun.run(app, language).await
}
