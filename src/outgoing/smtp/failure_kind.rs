//! The kinds of failures of mails in the metrics.

use super::{CERTIFICATE_REFUSED, Stage};
use crate::domain::enhanced_status::{EnhancedStatus, MailboxState};
use crate::named_enum::named_enum;

named_enum! {
    #[derive(Hash)]
    pub(crate) enum MailFailureKind {
        /// The mail server is unreachable, sends no reply, or ended the SMTP session (421).
        Connection = "connection";
        /// This program does not accept the server's certificate.
        Certificate = "certificate";
        Authentication = "authentication";
        /// The server refuses the sender.
        Sender = "sender";
        Recipient = "recipient";
        NoSuchAddress = "no_such_address";
        /// The server refused the message, or the connection broke after its first byte.
        Message = "message";
        Other = "other";
    }
}

impl MailFailureKind {
    /// Returns the kind of a failure from the reason that the outbox stores (`SendError::reason`).
    pub(crate) fn from_reason(reason: &str) -> MailFailureKind {
        let stage = Stage::ALL.iter().find_map(|&stage| {
            let rest = reason.strip_prefix(stage.as_str())?.strip_prefix(": ")?;
            Some((stage, rest))
        });
        let Some((stage, rest)) = stage else {
            return MailFailureKind::Other;
        };
        let (code, status) = rest.split_once(' ').unwrap_or((rest, ""));
        let state = EnhancedStatus::parse(status).map(EnhancedStatus::mailbox_state);
        match (stage, code) {
            (_, "421") => MailFailureKind::Connection,
            (Stage::Auth, _) | (_, "530") => MailFailureKind::Authentication,
            (Stage::Connect, _) if rest.starts_with(CERTIFICATE_REFUSED) => {
                MailFailureKind::Certificate
            }
            (Stage::Connect, _) => MailFailureKind::Connection,
            (Stage::MailFrom, _) => MailFailureKind::Sender,
            _ if state == Some(MailboxState::UnknownBecauseOfSender) => MailFailureKind::Sender,
            (Stage::RcptTo, _) if state == Some(MailboxState::Dead) => {
                MailFailureKind::NoSuchAddress
            }
            (Stage::RcptTo, _) => MailFailureKind::Recipient,
            (Stage::Data | Stage::Content, _) => MailFailureKind::Message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MailFailureKind;

    #[test]
    fn a_reason_of_the_outbox_has_one_kind() {
        for (reason, expected) in [
            ("connection: timed out", MailFailureKind::Connection),
            (
                "connection: Connection refused (os error 111)",
                MailFailureKind::Connection,
            ),
            (
                "connection: the server's certificate is refused: it is expired",
                MailFailureKind::Certificate,
            ),
            ("connection: 554", MailFailureKind::Connection),
            ("RCPT TO: 421 4.3.2", MailFailureKind::Connection),
            ("AUTH: 535 5.7.8", MailFailureKind::Authentication),
            ("MAIL FROM: 530 5.7.0", MailFailureKind::Authentication),
            ("MAIL FROM: 550 5.7.1", MailFailureKind::Sender),
            ("RCPT TO: 550 5.1.1", MailFailureKind::NoSuchAddress),
            ("RCPT TO: 550 5.1.8", MailFailureKind::Sender),
            ("RCPT TO: 550 5.1.0", MailFailureKind::Recipient),
            ("RCPT TO: 550", MailFailureKind::Recipient),
            ("RCPT TO: 450 4.2.1", MailFailureKind::Recipient),
            ("DATA: 554", MailFailureKind::Message),
            ("message: the connection broke", MailFailureKind::Message),
            (
                "a kind of mail that this version does not know",
                MailFailureKind::Other,
            ),
        ] {
            assert_eq!(MailFailureKind::from_reason(reason), expected, "{reason}");
        }
    }
}
