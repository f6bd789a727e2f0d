//! Acts that wait (`store/pending_acts.rs`). Only this file begins, stops and ends them, by the rules of
//! `pending/rules.rs`.

mod rules;

pub(crate) use rules::Cause;

use crate::accounts::change::{Change, notify_now};
use crate::accounts::security_log;
use crate::db::Result;
use crate::mail::OutgoingMail;
use crate::mail::links::{self, Ending};
use crate::store::accounts::Account;
use crate::store::pending_acts::{self, Act, PendingAct};
use crate::store::{account_states, legacy, tokens};

use rules::{Notice, Share, rules};

/// The times of a new act, in milliseconds since 1970 UTC, and the new email address of an email change.
pub(crate) struct Wait<'a> {
    pub due_at: i64,
    /// The time at which the act ends if it has not happened, or `None` if it ends only by happening.
    pub ends_at: Option<i64>,
    pub email: Option<&'a str>,
}

/// Begins an act for an account whose row is locked, in place of an earlier act of the kind, whose mails and links end.
/// Queues its notices, and extends the undo links of earlier changes until a harm has ended.
pub(crate) async fn begin(
    change: &mut Change<'_>,
    account: &Account,
    act: Act,
    wait: Wait<'_>,
) -> Result<PendingAct> {
    let pending = PendingAct {
        number: change.next_number(account).await?,
        requested_at: change.now,
        due_at: wait.due_at,
        ends_at: wait.ends_at,
        email: wait.email.map(str::to_owned),
    };
    finish(change, account, act).await?;
    pending_acts::insert(change, account.id, act, &pending).await?;
    if act.is_harm() {
        // Undo links that were mailed before the migration belong to the id of the legacy account.
        legacy::move_undo_links(change, account.id).await?;
        let end = pending.ends_at.unwrap_or(pending.due_at);
        let now = change.now;
        tokens::keep_undo_links_until(change, account.id, pending.number, end, now).await?;
    }
    queue_notices(change, account, act, &pending).await?;
    if let Some(event) = rules(act).requested {
        security_log::record(change, event, account.id).await?;
    }
    Ok(pending)
}

/// Queues the mails to the account, and to each other mailbox with an undo link.
async fn queue_notices(
    change: &mut Change<'_>,
    account: &Account,
    act: Act,
    pending: &PendingAct,
) -> Result<()> {
    let (notices, now) = (rules(act).notices, change.now);
    let holders = match notices.iter().any(|notice| notice.holders.is_some()) {
        true => links::holders(change.app, change, account.id, &account.email).await?,
        false => Vec::new(),
    };
    for notice in notices {
        let send_at = send_time(notice.at, pending);
        let mut mail = OutgoingMail::to(account, notice.kind).at(now);
        mail.details.device = change.device_name();
        mail.details.effective_at = Some(pending.due_at);
        mail.details.change_number = Some(pending.number);
        change.schedule_mail(mail.clone(), send_at).await?;
        let Some(kind) = notice.holders else { continue };
        for holder in &holders {
            let mut mail = OutgoingMail {
                kind,
                recipient: &holder.mailbox,
                ..mail.clone()
            };
            mail.details.change_number = Some(holder.change_number);
            change.schedule_mail(mail, send_at).await?;
        }
    }
    Ok(())
}

fn send_time(Share(part, whole): Share, pending: &PendingAct) -> i64 {
    let wait = pending.due_at.saturating_sub(pending.requested_at);
    pending
        .requested_at
        .saturating_add(wait.saturating_mul(part) / whole)
}

/// Stops an act of an account whose row is locked. Returns false if no such act waits.
pub(crate) async fn stop(change: &mut Change<'_>, account: &Account, act: Act) -> Result<bool> {
    if !finish(change, account, act).await? {
        return Ok(false);
    }
    // Without a new time of use, the job would announce the deletion again.
    if act == Act::Inactivity {
        let now = change.now;
        account_states::set_active(change, account.id, now).await?;
    }
    let rules = rules(act);
    if let Some(event) = rules.stopped {
        security_log::record(change, event, account.id).await?;
    }
    if let Some(kind) = rules.stopped_mail {
        notify_now(change, account, kind).await?;
    }
    Ok(true)
}

/// Stops each act that the cause stops. `account` contains the email address to which the mails about it go.
pub(crate) async fn stop_by(
    change: &mut Change<'_>,
    account: &Account,
    cause: Cause,
) -> Result<()> {
    for act in Act::ALL {
        if rules(*act).stopped_by.contains(&cause) {
            stop(change, account, *act).await?;
        }
    }
    Ok(())
}

/// Ends an act that happens in this change: withdraws its queued mails and ends its links. The undo links in sent mails
/// work until they expire. Returns false if no such act waits.
pub(crate) async fn finish(change: &mut Change<'_>, account: &Account, act: Act) -> Result<bool> {
    let waited = pending_acts::remove(change, account.id, act).await?;
    // The link in a delayed mail about a change of the email address works after the change has ceased to wait.
    if !waited && act != Act::EmailChange {
        return Ok(false);
    }
    for Notice { kind, holders, .. } in rules(act).notices {
        for kind in [Some(*kind), *holders].into_iter().flatten() {
            links::withdraw(change, account.id, kind).await?;
        }
    }
    links::end(change, account.id, Ending::ActOver(act)).await?;
    Ok(waited)
}

/// Ends the mailed links of an account, except the links that undo a change or stop an act, and stops the acts that
/// only a person with access may begin: after a new password or email address, a refused device, or the end of all
/// access.
pub(crate) async fn revoke_links(change: &mut Change<'_>, account: &Account) -> Result<()> {
    links::end(change, account.id, Ending::AccessRevoked).await?;
    stop_by(change, account, Cause::AccessRevoked).await
}
