//! The kinds of failures of mails, for `/metrics`.

use super::{CERTIFICATE_REFUSED, EnhancedStatus, Stage};

/// The reason why a mail was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Trouble {
    /// The mail server is unreachable, sends no reply, or ended the session (421).
    Connection,
    /// The server's certificate is refused.
    Certificate,
    Authentication,
    /// The server refuses MAIL FROM.
    Sender,
    Recipient,
    NoSuchAddress,
    /// The server refuses the content, or the connection broke after it.
    Message,
    Other,
}

impl Trouble {
    pub(crate) const ALL: [Trouble; 8] = [
        Trouble::Connection,
        Trouble::Certificate,
        Trouble::Authentication,
        Trouble::Sender,
        Trouble::Recipient,
        Trouble::NoSuchAddress,
        Trouble::Message,
        Trouble::Other,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Trouble::Connection => "connection",
            Trouble::Certificate => "certificate",
            Trouble::Authentication => "authentication",
            Trouble::Sender => "sender",
            Trouble::Recipient => "recipient",
            Trouble::NoSuchAddress => "no_such_address",
            Trouble::Message => "message",
            Trouble::Other => "other",
        }
    }

    /// Returns the kind of a failure by the reason that the outbox stores (`SendError::reason`).
    pub(crate) fn of(reason: &str) -> Trouble {
        let stage = Stage::ALL.into_iter().find_map(|stage| {
            let rest = reason.strip_prefix(stage.name())?.strip_prefix(": ")?;
            Some((stage, rest))
        });
        let Some((stage, rest)) = stage else {
            return Trouble::Other;
        };
        let (code, status) = rest.split_once(' ').unwrap_or((rest, ""));
        let status = EnhancedStatus::parse(status);
        match (stage, code) {
            (_, "421") => Trouble::Connection,
            (Stage::Auth, _) | (_, "530") => Trouble::Authentication,
            (Stage::Connect, _) if rest.starts_with(CERTIFICATE_REFUSED) => Trouble::Certificate,
            (Stage::Connect, _) => Trouble::Connection,
            (Stage::MailFrom, _) => Trouble::Sender,
            (Stage::RcptTo, _) if status.is_some_and(|status| status.is_bad_address()) => {
                Trouble::NoSuchAddress
            }
            (Stage::RcptTo, _) => Trouble::Recipient,
            (Stage::Data | Stage::Content, _) => Trouble::Message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Trouble;

    #[test]
    fn a_reason_of_the_outbox_has_one_kind() {
        for (reason, expected) in [
            ("connection: timed out", Trouble::Connection),
            (
                "connection: Connection refused (os error 111)",
                Trouble::Connection,
            ),
            (
                "connection: the server's certificate is refused: it is expired",
                Trouble::Certificate,
            ),
            ("connection: 554", Trouble::Connection),
            ("RCPT TO: 421 4.3.2", Trouble::Connection),
            ("AUTH: 535 5.7.8", Trouble::Authentication),
            ("MAIL FROM: 530 5.7.0", Trouble::Authentication),
            ("MAIL FROM: 550 5.7.1", Trouble::Sender),
            ("RCPT TO: 550 5.1.1", Trouble::NoSuchAddress),
            ("RCPT TO: 550", Trouble::Recipient),
            ("RCPT TO: 450 4.2.1", Trouble::Recipient),
            ("DATA: 554", Trouble::Message),
            ("message: the connection broke", Trouble::Message),
            (
                "a kind of mail that this version does not know",
                Trouble::Other,
            ),
        ] {
            assert_eq!(Trouble::of(reason), expected, "{reason}");
        }
    }
}
