//! The actions of support on an account. Each action is in the audit and in the person's activity; none returns a
//! credential, a link, a token or a session.

use uuid::Uuid;

use super::audited::{AuditedChange, SupportAction, SupportActor};
use super::corrections::{self, Corrections};
use super::lookup::{self, AccountKey, AccountOrLegacy};
use super::refusals::SupportAttempt;
use crate::accounts::data_export::{self, Download};
use crate::accounts::{deletion as pending_deletion, disabling};
use crate::app::{App, SharedApp};
use crate::auth::deletion;
use crate::auth::security_log::Event;
use crate::clock::HOUR;
use crate::db::conflict::retry_on_conflict;
use crate::domain::email::Email;
use crate::domain::reason::Reason;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::legacy::{email_change, link, unsubscribe};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::store::accounts::Account;
use crate::store::legacy::LegacyAccount;
use crate::store::{outbox, support_roles};

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
pub(crate) enum SupportOperation<'a> {
    Resend(LinkKind),
    SignOut,
    Disable,
    /// Without a mail.
    DisableQuietly,
    Enable,
    /// Requests the deletion, which the mailed link can cancel.
    Delete,
    DeleteNow,
    CancelDeletion,
    SetEmail(&'a Email),
    SetDetails(&'a Corrections),
    /// Stops the invitations to a legacy account.
    Unsubscribe,
}

impl SupportOperation<'_> {
    fn action(self) -> SupportAction {
        match self {
            SupportOperation::Resend(LinkKind::Verify) => SupportAction::ResendVerify,
            SupportOperation::Resend(LinkKind::Reset) => SupportAction::ResendReset,
            SupportOperation::Resend(LinkKind::Migration) => SupportAction::ResendMigration,
            SupportOperation::SignOut => SupportAction::SignOut,
            SupportOperation::Disable | SupportOperation::DisableQuietly => SupportAction::Disable,
            SupportOperation::Enable => SupportAction::Enable,
            SupportOperation::Delete => SupportAction::Delete,
            SupportOperation::DeleteNow => SupportAction::DeleteNow,
            SupportOperation::CancelDeletion => SupportAction::CancelDeletion,
            SupportOperation::SetEmail(_) => SupportAction::SetEmail,
            SupportOperation::SetDetails(_) => SupportAction::SetDetails,
            SupportOperation::Unsubscribe => SupportAction::Unsubscribe,
        }
    }
}

/// Performs the action. 404 if there is no such account, 403 `not_allowed` for an agent if the account has a role, 409
/// `nothing_pending` if the action does not apply; the functions of `corrections.rs` name further ones. A refusal is in
/// the audit too.
pub(crate) async fn perform(
    app: &App,
    actor: SupportActor<'_>,
    key: &AccountKey,
    operation: SupportOperation<'_>,
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
    operation: SupportOperation<'_>,
    reason: Option<&Reason>,
) -> Result<(), ApiError> {
    let (mut change, subject) = lookup::begin(app, actor, operation.action(), key).await?;
    if actor.is_agent() && support_roles::has_any(change.tx(), subject.id()).await? {
        return Err(ErrorCode::NotAllowed.into());
    }
    let mut audited = change.audit(app, Some(subject.id()), reason).await?;
    match (&subject, operation) {
        (AccountOrLegacy::Legacy(old), operation) => {
            apply_to_legacy(app, &mut audited, old, operation).await?;
        }
        (AccountOrLegacy::Account(account), SupportOperation::DeleteNow) => {
            // Its list of recent activity is deleted with it.
            deletion::delete_now(app, &mut audited.tx, account).await?;
        }
        (AccountOrLegacy::Account(account), SupportOperation::SetDetails(changes)) => {
            corrections::set_details(app, &mut audited, account, changes).await?;
        }
        (AccountOrLegacy::Account(account), operation) => {
            apply(app, &mut audited, account, operation).await?;
            audited.record_action(app, account.id).await?;
        }
    }
    audited.commit().await
}

async fn apply_to_legacy(
    app: &App,
    audited: &mut AuditedChange,
    old: &LegacyAccount,
    operation: SupportOperation<'_>,
) -> Result<(), ApiError> {
    let tx = &mut audited.tx;
    match operation {
        SupportOperation::Resend(LinkKind::Migration) => {
            let kind = link::resend(app, tx, old).await?;
            confirm_queued(audited, old.id, kind).await
        }
        SupportOperation::SetEmail(new) if new.as_entered() == old.email => {
            Err(ErrorCode::EmailUnchanged.into())
        }
        SupportOperation::SetEmail(new) => {
            let kind = email_change::change(app, tx, old, new).await?;
            confirm_queued(audited, old.id, kind).await
        }
        SupportOperation::Unsubscribe => Ok(unsubscribe::stop_invitations(app, tx, old.id).await?),
        SupportOperation::DeleteNow => Ok(deletion::delete_legacy(app, tx, old).await?),
        _ => Err(ErrorCode::NothingPending.into()),
    }
}

async fn apply(
    app: &App,
    audited: &mut AuditedChange,
    account: &Account,
    operation: SupportOperation<'_>,
) -> Result<(), ApiError> {
    let actor = audited.actor();
    let tx = &mut audited.tx;
    let applies = match operation {
        SupportOperation::Resend(kind) => return resend(app, audited, account, kind).await,
        SupportOperation::SetEmail(new) => {
            let mailed = corrections::set_email(app, tx, account, new, actor).await?;
            return confirm_queued(audited, account.id, mailed).await;
        }
        SupportOperation::SignOut => {
            corrections::sign_out_everywhere(app, tx, account).await?;
            let event = Event::by_actor(SecurityEvent::SignedOutEverywhere, account.id, actor);
            event.record(app, tx).await?;
            true
        }
        SupportOperation::Disable => {
            disabling::disable(app, tx, account, actor).await?;
            true
        }
        SupportOperation::DisableQuietly => {
            disabling::disable_quietly(app, tx, account, actor).await?;
            true
        }
        SupportOperation::Enable => {
            disabling::enable(app, tx, account, actor).await?;
            true
        }
        SupportOperation::Delete => {
            pending_deletion::request(app, tx, account, actor).await?;
            true
        }
        SupportOperation::CancelDeletion => {
            pending_deletion::cancel(app, tx, account, actor).await?
        }
        SupportOperation::DeleteNow
        | SupportOperation::SetDetails(_)
        | SupportOperation::Unsubscribe => false,
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

/// Exports an account or a legacy account, in its language, for an operator.
pub(crate) async fn export(
    app: &SharedApp,
    operator: &str,
    key: &AccountKey,
) -> Result<Download, ApiError> {
    let actor = SupportActor::Operator(operator);
    let begun = retry_on_conflict(&app.rng, || async {
        let (change, subject) = lookup::begin(app, actor, SupportAction::Export, key).await?;
        let mut audited = change.audit(app, Some(subject.id()), None).await?;
        let begun = data_export::begin(app, &mut audited.tx, subject.id()).await?;
        let actor = audited.actor();
        if let AccountOrLegacy::Account(account) = &subject {
            let event = Event::by_actor(SecurityEvent::DataExported, account.id, actor);
            event.record(app, &mut audited.tx).await?;
        }
        audited.commit().await?;
        Ok::<_, ApiError>((begun, subject))
    })
    .await;
    let attempt = SupportAttempt {
        actor,
        action: SupportAction::Export,
        key: Some(key),
        reason: None,
    };
    let (begun, subject) = attempt.record_outcome(app, begun).await?;
    match subject {
        AccountOrLegacy::Account(account) => begun.run(app, account.language).await,
        AccountOrLegacy::Legacy(old) => begun.run_for_legacy(app, &old).await,
    }
}
