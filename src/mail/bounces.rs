//! The command `account mail bounces` reads which email addresses bounced, and marks these addresses.
//!
//! The file has one of two formats: delivery status notifications (RFC 3464), one mail or many in a file (mbox), or
//! JSON lines `{"email": "…", "status": "5.1.1"}`. An address is marked only if its status says that the mailbox does
//! not exist or is disabled, because a full mailbox or an error of this server says nothing about the address. A marked
//! address gets no invitations, but still gets the mails that its owner requests, so that the owner of a working mailbox
//! is not locked out.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::app::App;
use crate::db::{Result, Tx};
use crate::domain::email::Email;
use crate::domain::enhanced_status::{EnhancedStatus, MailboxState};
use crate::store::{accounts, legacy};

mod report;

/// A delivery failure of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounce {
    /// The email addresses of the recipient: first the address that the mail was sent to, then the address to which a
    /// server forwarded the mail.
    pub emails: Vec<String>,
    /// The enhanced status code, if the report has one.
    pub status: Option<EnhancedStatus>,
}

impl Bounce {
    /// Returns the status if it says that the recipient has no mailbox that accepts mails.
    fn status_of_dead_mailbox(&self) -> Option<EnhancedStatus> {
        self.status.filter(|status| {
            let state = status.mailbox_state();
            matches!(state, MailboxState::Dead | MailboxState::Disabled)
        })
    }
}

/// The number of accounts that were marked as bounced, and the bounces that marked no account.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BounceCounts {
    pub accounts: u64,
    pub legacy_accounts: u64,
    pub unknown: u64,
    /// The number of bounces that marked no email address, by their status or "no status".
    pub unmarked: BTreeMap<String, u64>,
}

/// Parses the text of a file and returns its bounces. The error names a line that has neither of the two formats.
pub(crate) fn parse(text: &str) -> std::result::Result<Vec<Bounce>, String> {
    // Some programs begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().starts_with('{') {
        true => parse_json_lines(text),
        false => report::parse_notifications(text),
    }
}

#[derive(Deserialize)]
struct BounceLine {
    email: String,
    status: String,
}

fn parse_json_lines(text: &str) -> std::result::Result<Vec<Bounce>, String> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let line: BounceLine = serde_json::from_str(line)
            .map_err(|_| format!("line {}: must be {{\"email\": …, \"status\": …}}", at + 1))?;
        let status = report::find_status(&line.status);
        if status.is_none_or(EnhancedStatus::is_failure) {
            let emails = vec![line.email];
            found.push(Bounce { emails, status });
        }
    }
    Ok(found)
}

/// Marks the accounts and unmigrated legacy accounts with the bounced email addresses.
pub(crate) async fn mark_accounts(app: &App, bounces: &[Bounce]) -> Result<BounceCounts> {
    let now = app.clock.millis();
    let mut counts = BounceCounts::default();
    for bounce in bounces {
        let Some(status) = bounce.status_of_dead_mailbox() else {
            let status = bounce.status.map(|status| status.to_string());
            let status = status.unwrap_or_else(|| "no status".to_owned());
            *counts.unmarked.entry(status).or_default() += 1;
            continue;
        };
        let mut owner = (false, false);
        let mut tx = app.store.write().await?;
        let emails = bounce.emails.iter();
        for email in emails.filter_map(|email| Email::parse(email).ok()) {
            owner = mark_owner(&mut tx, &email, status, now).await?;
            if owner != (false, false) {
                break;
            }
        }
        tx.commit().await?;
        match owner {
            (true, _) => counts.accounts += 1,
            (false, true) => counts.legacy_accounts += 1,
            (false, false) => counts.unknown += 1,
        }
    }
    Ok(counts)
}

/// Marks the account and the unmigrated legacy account with this email address. Returns whether each of them exists.
async fn mark_owner(
    tx: &mut Tx,
    email: &Email,
    status: EnhancedStatus,
    now: i64,
) -> Result<(bool, bool)> {
    let status = status.to_string();
    let is_account = accounts::mark_bounced(tx, email.key(), &status, now).await?;
    let old = legacy::unmigrated_by_email(tx, email.key()).await?;
    if let Some(old) = &old {
        legacy::mark_bounced(tx, old.id, now).await?;
    }
    Ok((is_account, old.is_some()))
}

/// Removes the bounce marks of an email address. Returns false if no account or legacy account was marked.
pub(crate) async fn clear_marks(app: &App, email: &Email) -> Result<bool> {
    let mut tx = app.store.write().await?;
    let account = accounts::clear_bounced(&mut tx, email.key()).await?;
    let old = legacy::clear_bounced(&mut tx, email.key()).await?;
    tx.commit().await?;
    Ok(account || old)
}

#[cfg(test)]
mod tests;
