//! The actions of support on an account. The audit log and the person's list of activity record each action. No action
//! returns a credential, a link, a token or a session.

use uuid::Uuid;

use super::audited::{self, SupportAction, SupportActor};
use super::corrections::{self, Corrections, EmailCorrection};
use super::lookup::{self, AccountKey, AccountOrLegacy};
use crate::accounts::change::Change;
use crate::accounts::data_export::{self, ArchiveDownload};
use crate::accounts::deletion;
use crate::accounts::deletion::disabling;
use crate::accounts::migration::{link, unsubscribe};
use crate::accounts::pending;
use crate::accounts::security_log;
use crate::app::{App, SharedApp};
use crate::clock::HOUR;
use crate::domain::email::Email;
use crate::domain::reason::Reason;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ApiResult, ErrorCode};
use crate::mail::{MailKind, OutgoingMail};
use crate::named_enum::named_enum;
use crate::store::accounts::Account;
use crate::store::legacy::LegacyAccount;
use crate::store::pending_acts::Act;
use crate::store::{outbox, support_roles};

named_enum! {
    /// The kind of a link that support can have mailed again. The mail goes only to the stored email address.
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum LinkKind {
        Verify = "verify";
        Reset = "reset";
        Migration = "migration";
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum SupportOperation<'a> {
    Resend(LinkKind),
    SignOut,
    /// Disables the account, and mails its owner unless `quiet`.
    Disable {
        quiet: bool,
    },
    Enable,
    /// Requests the deletion of the account, which the mailed link can cancel.
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
            SupportOperation::Disable { .. } => SupportAction::Disable,
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

/// Fails with 404 if there is no such account, 403 `not_allowed` if an agent acts on an account with a support role,
/// 409 `nothing_pending` if the operation does not apply, and the errors that `corrections.rs` documents. The audit log
/// also records a refused operation. Returns what became of the email address if the operation sets it.
pub(crate) async fn perform(
    app: &App,
    actor: SupportActor<'_>,
    key: &AccountKey,
    operation: SupportOperation<'_>,
    reason: Option<&Reason>,
) -> ApiResult<Option<EmailCorrection>> {
    let attempt = actor.attempt(operation.action(), Some(key), reason);
    let run = attempt.run(app, |mut change| async move {
        let subject = lookup::lock_subject(app, &mut change, key).await?;
        if actor.is_agent() && support_roles::has_any(change.tx(), subject.id()).await? {
            return Err(ErrorCode::NotAllowed.into());
        }
        let mut change = change.audit(Some(subject.id()), reason).await?;
        let correction = match (&subject, operation) {
            (_, SupportOperation::SetEmail(new)) => {
                Some(set_email(&mut change, &subject, new).await?)
            }
            (AccountOrLegacy::Legacy(old), _) => {
                apply_to_legacy(&mut change, old, operation).await?;
                None
            }
            (AccountOrLegacy::Account(account), _) => {
                apply_to_account(&mut change, account, operation).await?;
                None
            }
        };
        change.commit(correction).await
    });
    let correction = run.await?;
    if matches!(operation, SupportOperation::DeleteNow) {
        // The deletion is committed, so the action succeeds even if the purge fails. After a failed purge, the database
        // files may contain data of the account until the next deletion or the next start of the server.
        deletion::erasure::purge(app).await;
    }
    Ok(correction)
}

async fn set_email(
    change: &mut Change<'_>,
    subject: &AccountOrLegacy,
    new: &Email,
) -> ApiResult<EmailCorrection> {
    let (correction, mailed) = match subject {
        AccountOrLegacy::Legacy(old) => {
            let (correction, mailed) = corrections::set_email_of_legacy(change, old, new).await?;
            (correction, Some(mailed))
        }
        AccountOrLegacy::Account(account) => {
            let corrected = corrections::set_email(change, account, new).await?;
            let (event, action) = (SecurityEvent::SupportActed, SupportAction::SetEmail);
            audited::record_event(change, event, account.id, action).await?;
            corrected
        }
    };
    if let Some(kind) = mailed {
        check_mail_queued(change, subject.id(), kind).await?;
    }
    Ok(correction)
}

async fn apply_to_legacy(
    change: &mut Change<'_>,
    old: &LegacyAccount,
    operation: SupportOperation<'_>,
) -> ApiResult {
    match operation {
        SupportOperation::Resend(LinkKind::Migration) => {
            let kind = link::resend(change, old).await?;
            check_mail_queued(change, old.id, kind).await
        }
        SupportOperation::Unsubscribe => Ok(unsubscribe::stop_invitations(change, old.id).await?),
        SupportOperation::DeleteNow => Ok(deletion::erasure::delete_legacy(change, old).await?),
        SupportOperation::Resend(LinkKind::Verify | LinkKind::Reset)
        | SupportOperation::SignOut
        | SupportOperation::Disable { .. }
        | SupportOperation::Enable
        | SupportOperation::Delete
        | SupportOperation::CancelDeletion
        | SupportOperation::SetEmail(_)
        | SupportOperation::SetDetails(_) => Err(ErrorCode::NothingPending.into()),
    }
}

async fn apply_to_account(
    change: &mut Change<'_>,
    account: &Account,
    operation: SupportOperation<'_>,
) -> ApiResult {
    match operation {
        // No event is recorded, because the person's list of activity is deleted with the account.
        SupportOperation::DeleteNow => {
            return Ok(deletion::erasure::delete_now(change, account).await?);
        }
        SupportOperation::SetDetails(corrections) => {
            return corrections::set_details(change, account, corrections).await;
        }
        SupportOperation::Resend(kind) => resend(change, account, kind).await?,
        SupportOperation::SignOut => {
            corrections::sign_out_everywhere(change, account).await?;
            security_log::record(change, SecurityEvent::SignedOutEverywhere, account.id).await?;
        }
        SupportOperation::Disable { quiet } => {
            disabling::disable(change, account, quiet).await?;
        }
        SupportOperation::Enable => {
            disabling::enable(change, account).await?;
        }
        SupportOperation::Delete => {
            deletion::request_deletion(change, account).await?;
        }
        SupportOperation::CancelDeletion
            if pending::stop(change, account, Act::Deletion).await? => {}
        SupportOperation::CancelDeletion
        | SupportOperation::SetEmail(_)
        | SupportOperation::Unsubscribe => {
            return Err(ErrorCode::NothingPending.into());
        }
    }
    let event = SecurityEvent::SupportActed;
    audited::record_event(change, event, account.id, operation.action()).await
}

/// Mails a link of an account again. A disabled account gets no mail. An account with a pending deletion gets the link
/// that cancels the deletion, as after a request for a password reset.
async fn resend(change: &mut Change<'_>, account: &Account, kind: LinkKind) -> ApiResult {
    let kind = match kind {
        _ if account.is_disabled => return Err(ErrorCode::NotAllowed.into()),
        LinkKind::Verify if !account.verified => MailKind::VerifyEmail,
        LinkKind::Reset if account.deletion_due_at.is_some() => MailKind::DeletionPending,
        LinkKind::Reset => MailKind::ResetPassword,
        LinkKind::Verify | LinkKind::Migration => return Err(ErrorCode::NothingPending.into()),
    };
    let mut outgoing = OutgoingMail::to(account, kind);
    outgoing.details.effective_at = account.deletion_due_at;
    change.queue_mail(outgoing).await?;
    check_mail_queued(change, account.id, kind).await
}

/// Returns 429 if the mailbox has reached its rate limit, so that the response does not report a mail that is not sent.
async fn check_mail_queued(change: &mut Change<'_>, subject: Uuid, kind: MailKind) -> ApiResult {
    match outbox::is_queued(change, subject, kind.as_str()).await? {
        true => Ok(()),
        false => Err(ApiError::rate_limited(HOUR)),
    }
}

/// Exports the data of an account or a legacy account for an operator, in the language of the account.
pub(crate) async fn export(
    app: &SharedApp,
    operator: &str,
    key: &AccountKey,
) -> ApiResult<ArchiveDownload> {
    let attempt = SupportActor::Operator(operator).attempt(SupportAction::Export, Some(key), None);
    let run = attempt.run(app, |mut change| async move {
        let subject = lookup::lock_subject(app, &mut change, key).await?;
        let mut change = change.audit(Some(subject.id()), None).await?;
        let begun = data_export::reserve_export(&mut change, subject.id()).await?;
        if let AccountOrLegacy::Account(account) = &subject {
            security_log::record(&mut change, SecurityEvent::DataExported, account.id).await?;
        }
        change.commit((begun, subject)).await
    });
    let (begun, subject) = run.await?;
    match subject {
        AccountOrLegacy::Account(account) => begun.run(app, account.language).await,
        AccountOrLegacy::Legacy(old) => begun.run_for_legacy(app, &old).await,
    }
}
