//! Parses the senders of mails: `mail.from` and `regions[].mail_from`.

use lettre::Address;
use lettre::message::Mailbox;

use crate::domain::email::Email;
use crate::domain::host_name;

/// Parses a sender and converts its domain to ASCII, so that every mail server accepts it. Returns `None` if the text
/// is no mailbox, or if the mailbox cannot be written in ASCII.
pub(crate) fn parse_sender(text: &str) -> Option<Mailbox> {
    let Mailbox { name, email } = text.parse().ok()?;
    let domain = match host_name::to_ascii(email.domain()) {
        Some(ascii) => ascii,
        None => email.domain().to_owned(),
    };
    let is_ascii = email.user().is_ascii() && domain.is_ascii();
    let is_mailbox = Email::parse(&format!("{}@{domain}", email.user())).is_ok();
    let is_allowed = is_ascii && (is_mailbox || domain == "localhost");
    let address = Address::new(email.user(), domain).ok()?;
    is_allowed.then(|| Mailbox::new(name, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_ascii_or_refused() {
        let shown = |text| parse_sender(text).map(|sender| sender.to_string());
        for (text, sender) in [
            ("a@example.org", Some("a@example.org")),
            ("Fan <a@MÜNCHEN.de>", Some("Fan <a@xn--mnchen-3ya.de>")),
            ("Fän <a@example.org>", Some("Fän <a@example.org>")),
            ("a@localhost", Some("a@localhost")),
            ("ä@example.org", None),
            ("a@127.0.0.1", None),
            ("a@example.invalid", None),
            ("\"a b\"@example.org", None),
            ("nobody", None),
        ] {
            assert_eq!(shown(text).as_deref(), sender, "{text}");
        }
    }
}
