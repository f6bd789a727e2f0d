//! The email address to which a mail is sent.

use lettre::Address;

use crate::domain::email::Email;

/// Returns the email address for mail servers, with the domain in ASCII, or `None` if no mail can be sent to it.
pub(super) fn parse(text: &str) -> Option<Address> {
    let stored = Email::from_stored(text);
    let (local, domain) = stored.mailbox();
    match Email::parse(text) {
        // The check of lettre would reject letters with combining marks, which `Email` accepts.
        Ok(_) => Some(Address::new_dangerous(local, domain)),
        // An earlier version of this program may have stored an address that `Email` refuses now.
        Err(_) => Address::new(local, domain).ok(),
    }
}
