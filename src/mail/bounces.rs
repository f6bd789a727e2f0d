//! The command `account mail bounces` reads which email addresses bounced, and marks these addresses.
//!
//! The file has one of two formats: delivery status notifications (RFC 3464), one mail or many in a file (mbox), or
//! JSON lines `{"email": "…", "status": "5.1.1"}`. An address is marked only if its status says that the mailbox does
//! not exist (5.1.x) or is disabled (5.2.1), because a full mailbox or an error of this server says nothing about the
//! address. A marked address gets no invitations, but still gets the mails that its owner requests, so that the owner
//! of a working mailbox is not locked out.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::app::App;
use crate::db::Result;
use crate::domain::email::Email;
use crate::store::{accounts, legacy};

/// A delivery failure of an email address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounce {
    pub email: String,
    /// The enhanced status code (RFC 3463), such as 5.1.1.
    pub status: String,
}

impl Bounce {
    /// Returns whether the email address has no mailbox that accepts mails.
    fn is_dead_address(&self) -> bool {
        self.status.starts_with("5.1.") || self.status == "5.2.1"
    }
}

/// The number of accounts that were marked as bounced, and the bounces that marked no account.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BounceCounts {
    pub accounts: u64,
    pub legacy_accounts: u64,
    pub unknown: u64,
    /// The number of bounces that marked no email address, by their status.
    pub unmarked: BTreeMap<String, u64>,
}

/// Parses the text of a file and returns its bounces. The error names a line that has neither of the two formats.
pub(crate) fn parse(text: &str) -> std::result::Result<Vec<Bounce>, String> {
    match text.trim_start().starts_with('{') {
        true => parse_json_lines(text),
        false => parse_notifications(text),
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
        let (email, status) = (line.email, line.status);
        found.extend(find_status(&status).map(|status| Bounce { email, status }));
    }
    Ok(found)
}

/// The fields of one per-recipient group in a delivery status notification (RFC 3464 section 2.3).
#[derive(Default)]
struct RecipientFields {
    /// The email addresses that the mail was sent to. These original addresses take precedence over the final
    /// addresses, to which a server may have forwarded the mail.
    original: Vec<String>,
    final_: Vec<String>,
    action: String,
    status: String,
    diagnostic: String,
}

impl RecipientFields {
    /// Returns a bounce for each failed recipient, or `None` if the fields are not about a recipient.
    fn into_bounces(self) -> Option<Vec<Bounce>> {
        let recipients = match self.original.is_empty() {
            true => self.final_,
            false => self.original,
        };
        if recipients.is_empty() {
            return None;
        }
        if !self.action.eq_ignore_ascii_case("failed") {
            return Some(Vec::new());
        }
        // Exim reports 5.0.0 for every failure, and repeats the response of the recipient's server.
        let status = find_status(&self.status);
        let status = match status.as_deref() {
            Some("5.0.0") => find_status(&self.diagnostic).or(status),
            _ => status,
        };
        let all = recipients.into_iter().filter_map(|email| {
            let status = status.clone()?;
            Some(Bounce { email, status })
        });
        Some(all.collect())
    }
}

/// Finds the groups of fields about recipients anywhere in the text.
fn parse_notifications(text: &str) -> std::result::Result<Vec<Bounce>, String> {
    let (mut found, mut has_groups) = (Vec::new(), false);
    let mut group = RecipientFields::default();
    let mut end_group = |group: RecipientFields| {
        if let Some(bounces) = group.into_bounces() {
            has_groups = true;
            found.extend(bounces);
        }
    };
    for line in unfold_lines(text) {
        let Some((name, value)) = line.split_once(':') else {
            // An empty line ends the group of fields.
            if line.trim().is_empty() {
                end_group(std::mem::take(&mut group));
            }
            continue;
        };
        match name.trim().to_ascii_lowercase().as_str() {
            "final-recipient" => group.final_ = recipient_addresses(value),
            "original-recipient" => group.original = recipient_addresses(value),
            "action" => strip_comments(value).trim().clone_into(&mut group.action),
            "status" => group.status = strip_comments(value),
            "diagnostic-code" => value.clone_into(&mut group.diagnostic),
            _ => {}
        }
    }
    end_group(group);
    match has_groups {
        false => Err(
            "neither delivery status notifications (RFC 3464) nor JSON lines with email and status"
                .to_owned(),
        ),
        true => Ok(found),
    }
}

/// Joins the lines of folded fields (RFC 5322 section 2.2.3). A line with only white space ends a group of fields,
/// because some servers write such lines.
fn unfold_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let is_continuation = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match lines.last_mut() {
            Some(field) if is_continuation && !field.trim().is_empty() => field.push_str(line),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

/// Returns the email addresses in a recipient field such as `rfc822; ann@example.org` or `rfc822;<ann@example.org>`.
fn recipient_addresses(value: &str) -> Vec<String> {
    let value = strip_comments(value);
    let list = value.split_once(';').map_or(&*value, |(_, list)| list);
    let all = list.split(',').map(|address| {
        // A display name may precede an email address in angle brackets.
        let address = address.rsplit_once('<').map_or(address, |(_, rest)| rest);
        address.split('>').next().unwrap_or_default().trim()
    });
    all.filter(|address| !address.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Removes comments, which may be nested (RFC 5322 section 3.2.2). Text in quotes contains no comments.
fn strip_comments(value: &str) -> String {
    let (mut kept, mut depth, mut is_quoted) = (String::new(), 0_usize, false);
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        let escaped = if char == '\\' { chars.next() } else { None };
        match char {
            '"' if depth == 0 => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(char);
            kept.extend(escaped);
        }
    }
    kept
}

/// Returns the earliest enhanced status code of a permanent or temporary failure (RFC 3463 section 2) in a text.
fn find_status(text: &str) -> Option<String> {
    let is_status = |word: &&str| {
        let parts: Vec<&str> = word.split('.').collect();
        let is_number = |part: &&str| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        parts.len() == 3 && matches!(parts[0], "4" | "5") && parts.iter().all(is_number)
    };
    let mut words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.find(is_status).map(str::to_owned)
}

/// Marks the accounts and unmigrated legacy accounts with the bounced email addresses.
pub(crate) async fn mark_accounts(app: &App, bounces: &[Bounce]) -> Result<BounceCounts> {
    let now = app.clock.millis();
    let mut counts = BounceCounts::default();
    for bounce in bounces {
        if !bounce.is_dead_address() {
            *counts.unmarked.entry(bounce.status.clone()).or_default() += 1;
            continue;
        }
        let Ok(email) = Email::parse(&bounce.email) else {
            counts.unknown += 1;
            continue;
        };
        let mut tx = app.store.write().await?;
        let is_account = accounts::mark_bounced(&mut tx, email.key(), &bounce.status, now).await?;
        let old = legacy::unmigrated_by_email(&mut tx, email.key()).await?;
        if let Some(old) = &old {
            legacy::mark_bounced(&mut tx, old.id, now).await?;
        }
        tx.commit().await?;
        match (is_account, old.is_some()) {
            (true, _) => counts.accounts += 1,
            (false, true) => counts.legacy_accounts += 1,
            (false, false) => counts.unknown += 1,
        }
    }
    Ok(counts)
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
mod tests {
    use super::*;

    fn bounce(email: &str, status: &str) -> Bounce {
        Bounce {
            email: email.to_owned(),
            status: status.to_owned(),
        }
    }

    const NOTIFICATION: &str = "From: MAILER-DAEMON@mx.example.org\r\n\
        Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n--b\r\n\
        Content-Type: text/plain\r\n\r\nYour mail was not delivered.\r\n\r\n--b\r\n\
        Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.org\r\n\r\n\
        Final-Recipient: rfc822; ada@example.org\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
        Original-Recipient: rfc822;Bob@Example.org\r\nFinal-Recipient: rfc822; b@other.example\r\n\
        Action: Failed\r\nStatus: 5.2.1 (mailbox disabled)\r\n\r\n\
        Final-Recipient: rfc822; later@example.org\r\nAction: delayed\r\nStatus: 4.4.1\r\n\r\n--b--\r\n";

    #[test]
    fn failures_of_a_notification_are_found() {
        assert_eq!(
            parse(NOTIFICATION).unwrap(),
            [
                bounce("ada@example.org", "5.1.1"),
                bounce("Bob@Example.org", "5.2.1"),
            ]
        );
    }

    #[test]
    fn fields_are_read_as_mail_servers_write_them() {
        let one = |email: &str, status: &str| vec![bounce(email, status)];
        for (fields, expected) in [
            // Angle brackets.
            (
                "Final-Recipient: rfc822; <ann@b.example.com>\nAction: failed\nStatus: 5.1.1",
                one("ann@b.example.com", "5.1.1"),
            ),
            // Folded fields.
            (
                "Final-Recipient: rfc822;\n  ann@b.example.com\nAction:\n\tfailed\nStatus:\n 5.1.1",
                one("ann@b.example.com", "5.1.1"),
            ),
            // The fields contain nested comments (RFC 5322, section 3.2.2), or a comment before the value.
            (
                "Final-Recipient: (a (nested) one) rfc822 (type); ann@b.example.com (Ann)\nAction: failed (for good)\nStatus: (bad) 5.1.1 (no; such, user)",
                one("ann@b.example.com", "5.1.1"),
            ),
            // A field has several recipients, one of them with a display name.
            (
                "Final-Recipient: rfc822; a@b.example.com, Bob <b@b.example.com>\nAction: failed\nStatus: 5.1.1",
                vec![
                    bounce("a@b.example.com", "5.1.1"),
                    bounce("b@b.example.com", "5.1.1"),
                ],
            ),
            // Postfix.
            (
                "Final-Recipient: rfc822; ann@b.example.com\nOriginal-Recipient: rfc822;ann@b.example.com\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; mx.b.example.com\nDiagnostic-Code: smtp; 550 5.1.1 <ann@b.example.com>: Recipient address\n    rejected: User unknown in virtual mailbox table",
                one("ann@b.example.com", "5.1.1"),
            ),
            // Exim.
            (
                "Action: failed\nFinal-Recipient: rfc822;ann@b.example.com\nStatus: 5.0.0\nRemote-MTA: dns; mx.b.example.com\nDiagnostic-Code: smtp; 550-5.1.1 The account\n 550 5.1.1 does not exist",
                one("ann@b.example.com", "5.1.1"),
            ),
            (
                "Action: failed\nFinal-Recipient: rfc822;ann@b.example.com\nStatus: 5.0.0",
                one("ann@b.example.com", "5.0.0"),
            ),
            // Exchange.
            (
                "Final-Recipient: rfc822;ann@b.example.com\nAction: failed\nStatus: 5.1.10\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup\nX-Display-Name: Ann",
                one("ann@b.example.com", "5.1.10"),
            ),
            // A mail service.
            (
                "Original-Recipient: rfc822;ann@b.example.com\nFinal-Recipient: rfc822;ann@b.example.com\nAction: failed\nDiagnostic-Code: smtp; 550 5.7.1 blocked\nStatus: 5.7.1",
                one("ann@b.example.com", "5.7.1"),
            ),
            // A delayed delivery is no failure.
            (
                "Final-Recipient: rfc822; ann@b.example.com\nAction: delivered\nStatus: 2.0.0",
                vec![],
            ),
            (
                "Final-Recipient: rfc822; ann@b.example.com\nAction: delayed\nStatus: 4.4.1",
                vec![],
            ),
        ] {
            for line_end in ["\n", "\r\n"] {
                let mail = format!("Reporting-MTA: dns; mx.example.org\n\n{fields}\n\n--b--\n");
                let mail = mail.replace('\n', line_end);
                assert_eq!(parse(&mail).as_ref(), Ok(&expected), "{mail}");
            }
        }
    }

    #[test]
    fn only_a_dead_mailbox_marks_its_address() {
        for (status, is_dead) in [
            ("5.1.1", true),
            ("5.1.10", true),
            ("5.2.1", true),
            ("5.2.2", false),
            ("5.2.10", false),
            ("5.7.1", false),
            ("5.7.26", false),
            ("5.0.0", false),
            ("4.1.1", false),
        ] {
            assert_eq!(
                bounce("a@b.c", status).is_dead_address(),
                is_dead,
                "{status}"
            );
        }
    }

    #[test]
    fn json_lines_are_read() {
        let text = "{\"email\":\"ada@example.org\",\"status\":\"5.1.1\",\"at\":\"2026\"}\n\n\
            {\"email\":\"bob@example.org\",\"status\":\"2.0.0\"}\n";
        assert_eq!(parse(text).unwrap(), [bounce("ada@example.org", "5.1.1")]);
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "Dear all,\n\nhello: world\n", "{\"email\": 5}"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
