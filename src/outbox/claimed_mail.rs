//! A queued mail that a node has claimed: its kind and details, and the locks before the mail is composed.

use super::attempt::AttemptOutcome;
use super::schedule;
use crate::db::{Result, Tx};
use crate::mail::{MailDetails, MailKind};
use crate::store::outbox::{self, DelayCause, OutboxTable, QueuedMail};

/// Returns the kind and the details of a queued mail, or the outcome to record if the program cannot parse the mail.
pub(super) fn parse(
    mail: &QueuedMail,
    now: i64,
) -> std::result::Result<(MailKind, MailDetails), AttemptOutcome> {
    let Some(kind) = MailKind::from_name(&mail.kind) else {
        let pause = schedule::pause_for_newer_version(mail, now);
        let reason = "a kind of mail that this version does not know".to_owned();
        return Err(AttemptOutcome::failed(
            DelayCause::NewerVersion,
            pause,
            reason,
        ));
    };
    match serde_json::from_str(&mail.details) {
        Ok(details) => Ok((kind, details)),
        Err(_) => Err(AttemptOutcome::GivenUp {
            reason: "the details of the mail are damaged".to_owned(),
        }),
    }
}

/// Locks the account of a mail before the mail, because all transactions lock in this order. Returns false if the mail
/// is no longer queued. If the account no longer exists, removes the mail and returns false.
pub(super) async fn lock_queued(tx: &mut Tx, mail: &QueuedMail) -> Result<bool> {
    let has_subject = outbox::lock_account_of_mail(tx, mail.subject_id).await?;
    if !outbox::lock_queued(tx, mail.id).await? {
        return Ok(false);
    }
    if !has_subject {
        // A request that ran in parallel with the deletion of the account has queued this mail.
        outbox::remove(tx, (OutboxTable::Mails, mail.id)).await?;
    }
    Ok(has_subject)
}
