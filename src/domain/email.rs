//! Email addresses (contract 3, E-mail): one rule for every route.

use uuid::Uuid;

use crate::domain::rule::Rule;

/// An address as entered, trimmed, with the key for comparisons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    entered: String,
    key: String,
}

/// In characters. RFC 5321 section 4.5.3.1.3: a path of 256 octets without its angle brackets.
const MAX_CHARS: usize = 254;

/// RFC 6761 section 6.4: names below `invalid` never exist.
const PLACEHOLDER_DOMAIN: &str = "@no-address.invalid";

impl Email {
    pub fn parse(text: &str) -> Result<Email, Rule> {
        let entered = text.trim();
        if entered.is_empty() {
            return Err(Rule::EmailMissing);
        }
        if is_valid(entered) {
            Ok(Email {
                key: key(entered),
                entered: entered.to_owned(),
            })
        } else {
            Err(Rule::EmailInvalid)
        }
    }

    /// Returns the address of an account without one. `id` is random, so that a stranger cannot register with it
    /// before.
    pub(crate) fn placeholder(id: Uuid) -> Email {
        let entered = format!("{}{PLACEHOLDER_DOMAIN}", id.simple());
        Email {
            key: key(&entered),
            entered,
        }
    }

    pub fn as_entered(&self) -> &str {
        &self.entered
    }

    pub fn key(&self) -> &str {
        &self.key
    }
}

fn is_valid(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    text.chars().count() <= MAX_CHARS
        && !local.is_empty()
        && !domain.contains('@')
        && domain.contains('.')
        // An address literal (RFC 5321 section 4.1.3) names a machine, not a domain.
        && !domain.starts_with('[')
        && domain.split('.').all(|label| !label.is_empty())
        // The mail worker passes the address to lettre, so lettre must be able to parse it.
        && text.parse::<lettre::Address>().is_ok()
        && !text.chars().any(|c| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// Returns whether a character is invisible formatting, which an address must not contain.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Converts to lower case, except letters whose lower case is ASCII: the Kelvin sign does not become `k`, so that
/// addresses that only look alike stay different.
fn key(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else if c.to_lowercase().any(|l| l.is_ascii()) {
            out.push(c);
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Returns whether it is an address of [`Email::placeholder`], which has no mailbox.
pub(crate) fn is_placeholder(address: &str) -> bool {
    address.ends_with(PLACEHOLDER_DOMAIN)
}

/// Masks an address for another reader: `r…@e….org`.
pub(crate) fn mask(address: &str) -> String {
    let (local, domain) = address.split_once('@').unwrap_or((address, ""));
    let (name, rest) = domain.rsplit_once('.').unwrap_or((domain, ""));
    let first = |s: &str| s.chars().next().map(String::from).unwrap_or_default();
    format!("{}…@{}….{rest}", first(local), first(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookalikes_have_different_keys_and_case_is_ignored() {
        let key = |t: &str| Email::parse(t).unwrap().key().to_owned();
        assert_eq!(key(" Ann@Example.ORG "), "ann@example.org");
        assert_ne!(key("\u{212a}im@example.org"), key("kim@example.org"));
        assert_ne!(key("аnn@example.org"), key("ann@example.org"));
    }

    // finding: F20
    #[test]
    fn an_address_literal_is_no_address() {
        for text in [
            "a@[127.0.0.1]",
            "a@[IPv6:2001:db8::1.2.3.4]",
            "a@[192.0.2.1",
        ] {
            assert_eq!(Email::parse(text), Err(Rule::EmailInvalid), "{text}");
        }
    }

    #[test]
    fn a_placeholder_is_an_address_and_known_as_none() {
        let none = Email::placeholder(Uuid::from_u128(7));
        assert_eq!(Email::parse(none.as_entered()), Ok(none.clone()));
        assert!(is_placeholder(none.as_entered()));
        assert!(!is_placeholder("ann@example.org"));
    }

    #[test]
    fn a_mask_shows_initials_only() {
        assert_eq!(mask("robin@example.org"), "r…@e….org");
    }

    proptest::proptest! {
        #[test]
        fn parsing_never_panics_and_accepts_only_valid_addresses(text in "\\PC*") {
            if let Ok(email) = Email::parse(&text) {
                proptest::prop_assert!(email.as_entered().matches('@').count() == 1);
                proptest::prop_assert!(!email.as_entered().contains(char::is_whitespace));
            }
        }
    }
}
