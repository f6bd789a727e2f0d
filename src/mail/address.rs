//! The email address to which a mail is sent.

use lettre::Address;

use crate::domain::email::Email;

/// Returns the email address in the format of mail servers, with the domain in ASCII. Returns `None` if the text cannot
/// be mailed to.
pub(super) fn parse(text: &str) -> Option<Address> {
    let stored = Email::from_stored(text);
    let (local, domain) = stored.mailbox();
    match Email::parse(text) {
        // lettre would reject letters with combining marks, which `Email` accepts.
        Ok(_) => Some(Address::new_dangerous(local, domain)),
        // An earlier program version accepted the address.
        Err(_) => Address::new(local, domain).ok(),
    }
}
