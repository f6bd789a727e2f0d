//! Email addresses. All routes apply the same rule, and each mailbox has one lookup key.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::domain::field_rule::FieldRule;
use crate::domain::{host_name, visible_text};

/// An email address as entered but trimmed, with its lookup key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    entered: String,
    key: String,
}

/// The maximum length of an email address: a path of 256 octets (RFC 5321 section 4.5.3.1.3) without `<` and `>`.
const MAX_BYTES: usize = 254;
/// The maximum length of the part before the `@` (RFC 5321 section 4.5.3.1.1).
const MAX_LOCAL_BYTES: usize = 64;

/// The characters of an atom that are not letters or digits (RFC 5322 section 3.2.3).
const ATOM_SIGNS: &str = "!#$%&'*+-/=?^_`{|}~";

/// The domain of placeholder addresses. Names below `invalid` never exist (RFC 6761 section 6.4).
const PLACEHOLDER_DOMAIN: &str = "@no-address.invalid";

/// Domains in which people have no public mailboxes: special-use names (RFC 6761, RFC 6762, RFC 7686, RFC 8375), the
/// private-use name of ICANN, and those of default host names. A mail relay may connect to itself for such a domain.
const LOCAL_DOMAINS: [&str; 8] = [
    "invalid", "local", "localhost", "localdomain", "localdomain6", "internal", "onion",
    "home.arpa",
];

impl Email {
    pub fn parse(text: &str) -> Result<Email, FieldRule> {
        let entered = visible_text::trim(text);
        if entered.is_empty() {
            return Err(FieldRule::EmailMissing);
        }
        let composed: String = entered.nfc().collect();
        let parts = composed.split_once('@').and_then(|(local, domain)| {
            let ascii = host_name::to_ascii(domain)?;
            is_valid(&composed, local, &ascii).then_some((local, ascii))
        });
        let (local, ascii) = parts.ok_or(FieldRule::EmailInvalid)?;
        Ok(Email {
            key: format!("{}@{ascii}", fold_case(local)),
            entered: entered.to_owned(),
        })
    }

    /// Returns an email address of the database unchecked, because earlier versions of the program accepted addresses
    /// that [`Email::parse`] refuses.
    pub fn from_stored(text: &str) -> Email {
        Email {
            key: lookup_key(text),
            entered: text.to_owned(),
        }
    }

    /// Returns the placeholder for an account without an email address. `id` is random, so that a stranger cannot
    /// register with the placeholder beforehand.
    pub(crate) fn placeholder(id: Uuid) -> Email {
        Email::from_stored(&format!("{}{PLACEHOLDER_DOMAIN}", id.simple()))
    }

    pub fn as_entered(&self) -> &str {
        &self.entered
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the mailbox to which mail is sent: the local part as entered, in NFC (RFC 6532 section 3.1), and the
    /// domain in ASCII.
    pub fn mailbox(&self) -> (String, &str) {
        let local = self.entered.rsplit_once('@').map_or("", |(local, _)| local);
        let domain = self.key.rsplit_once('@').map_or("", |(_, domain)| domain);
        (local.nfc().collect(), domain)
    }
}

fn is_valid(text: &str, local: &str, ascii_domain: &str) -> bool {
    let is_local = LOCAL_DOMAINS.iter().any(|local| {
        let parent = ascii_domain.strip_suffix(local);
        parent.is_some_and(|parent| parent.is_empty() || parent.ends_with('.'))
    });
    local.split('.').all(is_atom)
        && local.len() <= MAX_LOCAL_BYTES
        && local.len() + 1 + ascii_domain.len() <= MAX_BYTES
        && ascii_domain.contains('.')
        && !is_local
        && host_name::is_written_in_letters(ascii_domain)
        && !text
            .chars()
            .any(|c| visible_text::is_invisible(c) && !host_name::JOINERS.contains(&c))
}

/// Returns whether the text is an atom (RFC 5322 section 3.2.3). An atom may contain letters of any language and their
/// combining marks (RFC 6531 section 3.3).
fn is_atom(text: &str) -> bool {
    let is_of = |c: char, group: GeneralCategoryGroup| {
        group.contains(CodePointMapData::<GeneralCategory>::new().get(c))
    };
    let letters = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Mark)
        .union(GeneralCategoryGroup::Number);
    let is_allowed = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || ATOM_SIGNS.contains(c),
        false => is_of(c, letters),
    };
    let first = text.chars().next();
    first.is_some_and(|c| !is_of(c, GeneralCategoryGroup::Mark)) && text.chars().all(is_allowed)
}

/// Returns the lookup key of an email address in the database. A domain that cannot be converted to ASCII is folded
/// like a local part.
pub(crate) fn lookup_key(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((local, domain)) => {
            let ascii = host_name::to_ascii(domain).unwrap_or_else(|| fold_case(domain));
            format!("{}@{ascii}", fold_case(local))
        }
        None => fold_case(text),
    }
}

/// Converts an email address to NFC and to lower case, and a final sigma (ς) to σ, because both have the same upper
/// case. Keeps letters whose lower case is only partly ASCII (`İ`), so that addresses that only look alike stay
/// different.
fn fold_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfc() {
        if !c.is_ascii() && c.to_lowercase().any(|l| l.is_ascii()) {
            out.push(c);
        } else {
            out.extend(c.to_lowercase().map(|l| if l == 'ς' { 'σ' } else { l }));
        }
    }
    out.nfc().collect()
}

/// Returns whether the email address comes from [`Email::placeholder`] and therefore has no mailbox.
pub(crate) fn is_placeholder(address: &str) -> bool {
    address.ends_with(PLACEHOLDER_DOMAIN)
}

/// Masks an email address for readers other than its owner: `r…@e….org`.
pub(crate) fn mask(address: &str) -> String {
    let (local, domain) = address.split_once('@').unwrap_or((address, ""));
    let (name, rest) = domain.rsplit_once('.').unwrap_or((domain, ""));
    let first = |s: &str| s.chars().next().map(String::from).unwrap_or_default();
    format!("{}…@{}….{rest}", first(local), first(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> String {
        Email::parse(text).expect(text).key().to_owned()
    }

    #[test]
    fn lookalikes_have_different_keys_and_case_is_ignored() {
        assert_eq!(key(" Ann@Example.ORG "), "ann@example.org");
        assert_ne!(key("\u{130}lk@example.org"), key("ilk@example.org"));
        assert_ne!(key("аnn@example.org"), key("ann@example.org"));
    }

    #[test]
    fn every_spelling_of_a_mailbox_has_one_key() {
        for (one, other) in [
            ("anna@münchen.example", "Anna@XN--MNCHEN-3YA.example"),
            ("anna@straße.example", "anna@xn--strae-oqa.example"),
            ("anna@ｅｘａｍｐｌｅ。org", "anna@example.org"),
            ("jose\u{301}@example.org", "JOS\u{c9}@example.org"),
            ("\u{212a}im@example.org", "kim@example.org"),
            ("νίκος@example.gr", "ΝΊΚΟΣ@example.gr"),
            ("ann@example.org\u{200b}", "\u{feff}ann@example.org"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        assert_ne!(key("anna@strasse.example"), key("anna@straße.example"));
    }

    #[test]
    fn mail_goes_to_the_domain_in_ascii() {
        let email = Email::parse("Jose\u{301}@MÜNCHEN.de").unwrap();
        assert_eq!(
            email.mailbox(),
            ("Jos\u{e9}".to_owned(), "xn--mnchen-3ya.de")
        );
        assert_eq!(email.as_entered(), "Jose\u{301}@MÜNCHEN.de");
    }

    #[test]
    fn a_stored_address_has_a_key_even_if_the_rule_refuses_it_now() {
        for (text, key) in [
            ("Ann@Host.LOCAL", "ann@host.local"),
            ("\"A@b\"@münchen.de", "\"a@b\"@xn--mnchen-3ya.de"),
            ("a@Ex_ample.org", "a@ex_ample.org"),
            ("", ""),
        ] {
            assert_eq!(Email::from_stored(text).key(), key, "{text}");
        }
    }

    #[test]
    fn a_placeholder_is_no_address_that_anyone_can_enter() {
        let none = Email::placeholder(Uuid::from_u128(7));
        assert_eq!(
            Email::parse(none.as_entered()),
            Err(FieldRule::EmailInvalid)
        );
        assert!(is_placeholder(none.as_entered()));
        assert!(!is_placeholder("ann@example.org"));
    }

    #[test]
    fn a_mask_shows_initials_only() {
        assert_eq!(mask("robin@example.org"), "r…@e….org");
    }

    proptest::proptest! {
        #[test]
        fn parsing_never_panics_and_accepts_only_valid_addresses(text in "(\\PC{1,9}@\\PC{1,9}\\.\\PC{2}|\\PC*)") {
            if let Ok(email) = Email::parse(&text) {
                proptest::prop_assert!(email.as_entered().matches('@').count() == 1);
                proptest::prop_assert!(!email.as_entered().contains(char::is_whitespace));
                proptest::prop_assert_eq!(Email::from_stored(email.as_entered()), email.clone());
                let (local, domain) = email.mailbox();
                proptest::prop_assert!(domain.is_ascii());
                let again = Email::parse(&format!("{local}@{domain}")).unwrap();
                proptest::prop_assert_eq!(again.key(), email.key());
            }
        }
    }
}
