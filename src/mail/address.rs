//! The address to which a mail is sent.

use lettre::Address;

use crate::domain::email::Email;

/// Returns the address in the form for mail servers, with the domain in ASCII. None: the text cannot be mailed to.
pub(super) fn parse(text: &str) -> Option<Address> {
    let stored = Email::from_stored(text);
    let (local, domain) = stored.mailbox();
    match Email::parse(text) {
        // lettre would refuse letters with combining marks, which `Email` accepts.
        Ok(_) => Some(Address::new_dangerous(local, domain)),
        // Accepted by an earlier version.
        Err(_) => Address::new(local, domain).ok(),
    }
}
