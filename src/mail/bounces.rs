//! `account mail bounces`: reads which addresses returned mails, and marks them.
//!
//! Two formats: delivery status notifications (RFC 3464), one mail or many in a file (mbox), and JSON lines `{"email":
//! "…", "status": "5.1.1"}`. Only permanent failures (status 5.x.x) count. A mark stops invitations to the address;
//! mails that their recipient requested are still sent, so that the owner of a working mailbox is not locked out.

use serde::Deserialize;

use crate::app::App;
use crate::db::Result;
use crate::domain::email::Email;
use crate::store::{accounts, legacy};

/// A permanent failure of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bounce {
    pub email: String,
    /// The enhanced status code (RFC 3463), such as 5.1.1.
    pub status: String,
}

/// The accounts that a file of bounces marked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BounceCounts {
    pub accounts: u64,
    pub legacy_accounts: u64,
    pub unknown: u64,
}

/// Returns the permanent failures in a file. The error names the line that is in neither format.
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
        add_permanent(&mut found, line.email, &line.status);
    }
    Ok(found)
}

/// Finds the groups of fields about one recipient each (RFC 3464 section 2.3), anywhere in the file.
fn parse_notifications(text: &str) -> std::result::Result<Vec<Bounce>, String> {
    let (mut found, mut groups) = (Vec::new(), 0);
    let (mut recipient, mut action, mut status) = (None, String::new(), String::new());
    for line in text.lines().chain([""]) {
        let Some((name, value)) = line.split_once(':') else {
            // An empty line ends the group.
            if line.trim().is_empty() {
                if let Some(email) = recipient.take() {
                    groups += 1;
                    if action.eq_ignore_ascii_case("failed") {
                        add_permanent(&mut found, email, &status);
                    }
                }
                (action, status) = (String::new(), String::new());
            }
            continue;
        };
        let value = value.split('(').next().unwrap_or_default().trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "final-recipient" | "original-recipient" => {
                let address = value.rsplit_once(';').map_or(value, |(_, address)| address);
                // The original recipient is the address that the mail was sent to, so it takes precedence.
                let is_original = name.trim().eq_ignore_ascii_case("original-recipient");
                if is_original || recipient.is_none() {
                    recipient = Some(address.trim().to_owned());
                }
            }
            "action" => value.clone_into(&mut action),
            "status" => value.clone_into(&mut status),
            _ => {}
        }
    }
    match groups {
        0 => Err(
            "neither delivery status notifications (RFC 3464) nor JSON lines with email and status"
                .to_owned(),
        ),
        _ => Ok(found),
    }
}

fn add_permanent(found: &mut Vec<Bounce>, email: String, status: &str) {
    let is_status = |text: &str| {
        let parts: Vec<&str> = text.split('.').collect();
        let is_number = |part: &&str| {
            (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        parts.len() == 3 && parts.iter().all(is_number)
    };
    if status.starts_with("5.") && is_status(status) {
        let status = status.to_owned();
        found.push(Bounce { email, status });
    }
}

/// Marks the accounts and unmigrated legacy accounts with these addresses.
pub(crate) async fn mark(app: &App, bounces: &[Bounce]) -> Result<BounceCounts> {
    let now = app.clock.millis();
    let mut counts = BounceCounts::default();
    for bounce in bounces {
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
    fn permanent_failures_of_a_notification_are_found() {
        assert_eq!(
            parse(NOTIFICATION).unwrap(),
            [
                bounce("ada@example.org", "5.1.1"),
                bounce("Bob@Example.org", "5.2.1"),
            ]
        );
    }

    #[test]
    fn json_lines_are_read_and_temporary_failures_ignored() {
        let text = "{\"email\":\"ada@example.org\",\"status\":\"5.1.1\",\"at\":\"2026\"}\n\n\
            {\"email\":\"bob@example.org\",\"status\":\"4.2.2\"}\n";
        assert_eq!(parse(text).unwrap(), [bounce("ada@example.org", "5.1.1")]);
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "Dear all,\n\nhello: world\n", "{\"email\": 5}"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
