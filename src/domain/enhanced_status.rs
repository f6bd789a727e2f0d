//! Enhanced status codes of mail systems, such as 5.1.1 (RFC 3463), in replies of SMTP servers and in bounces.

use std::fmt;

/// An enhanced status code: class, subject and detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EnhancedStatus([u16; 3]);

/// What an enhanced status code says about the mailbox of the recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MailboxState {
    /// The mailbox does not exist, will never exist, or has moved.
    Dead,
    /// The owner's mail server has disabled the mailbox, which may be temporary while a server is being changed.
    Disabled,
    /// The status is about the address of the sender, so every recipient gets it until the operator mends the sender.
    UnknownBecauseOfSender,
    Unknown,
}

impl EnhancedStatus {
    /// Parses a status of success, temporary failure or permanent failure (RFC 3463 section 2).
    pub(crate) fn parse(text: &str) -> Option<EnhancedStatus> {
        let number = |part: &str| {
            let is_number = part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok())?
        };
        let numbers: Option<Vec<u16>> = text.split('.').map(number).collect();
        let status: [u16; 3] = numbers?.try_into().ok()?;
        matches!(status[0], 2 | 4 | 5).then_some(EnhancedStatus(status))
    }

    pub(crate) fn is_failure(self) -> bool {
        self.0[0] != 2
    }

    /// Returns what the status says about the mailbox, by RFC 3463 section 3.2 and 3.3 and RFC 7505 section 4.2.
    pub(crate) fn mailbox_state(self) -> MailboxState {
        match self.0 {
            [5, 1, 1 | 2 | 3 | 6 | 10] => MailboxState::Dead,
            [5, 2, 1] => MailboxState::Disabled,
            [4 | 5, 1, 7 | 8] => MailboxState::UnknownBecauseOfSender,
            _ => MailboxState::Unknown,
        }
    }
}

impl fmt::Display for EnhancedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [class, subject, detail] = self.0;
        write!(f, "{class}.{subject}.{detail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_three_numbers_and_nothing_else() {
        for text in ["5.1.1", "5.7.26", "4.0.0", "2.1.5", "5.123.999"] {
            let status = EnhancedStatus::parse(text);
            assert_eq!(
                status.map(|status| status.to_string()).as_deref(),
                Some(text)
            );
        }
        for none in [
            "", "no mailbox", "5.1", "5.1.", "5.1.1.1", "1.2.3", "3.1.1", "5.1.x", "5.1.+1",
            "5.1.1234",
        ] {
            assert_eq!(EnhancedStatus::parse(none), None, "{none}");
        }
    }

    /// The codes of the registry "SMTP Enhanced Status Codes" that are about a mailbox; all others say nothing about it.
    #[test]
    fn every_code_of_every_class_has_one_meaning() {
        for class in [2, 4, 5] {
            for subject in 0..=9 {
                for detail in 0..=40 {
                    let expected = match (class, format!("X.{subject}.{detail}").as_str()) {
                        (5, "X.1.1" | "X.1.2" | "X.1.3" | "X.1.6" | "X.1.10") => MailboxState::Dead,
                        (5, "X.2.1") => MailboxState::Disabled,
                        (4 | 5, "X.1.7" | "X.1.8") => MailboxState::UnknownBecauseOfSender,
                        _ => MailboxState::Unknown,
                    };
                    let status = EnhancedStatus([class, subject, detail]);
                    assert_eq!(status.mailbox_state(), expected, "{status}");
                    assert_eq!(status.is_failure(), class != 2);
                }
            }
        }
    }
}
