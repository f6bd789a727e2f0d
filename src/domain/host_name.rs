//! Host names, normalized to the form in which the program compares, stores and sends them.

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use url::Host;

/// Converts a domain name to lower-case ASCII (UTS 46, non-transitional, as in the URL Standard). Returns `None` if the
/// text is no domain name. The labels of a domain name are letters, digits and hyphens (RFC 5890 section 2.3.1), and
/// the last label is no number, because the name would then be an IP address.
pub(crate) fn to_ascii(name: &str) -> Option<String> {
    // The parser would decode percent-encoded characters of a host name.
    if name.contains('%') {
        return None;
    }
    let Ok(Host::Domain(ascii)) = Host::parse(name) else {
        return None;
    };
    let is_name = ascii.len() <= MAX_BYTES && ascii.split('.').all(is_label);
    (is_name && !is_number(ascii.rsplit('.').next()?)).then_some(ascii)
}

/// The maximum length of a domain name. RFC 1035 section 2.3.4 permits 255 octets, including the lengths of the labels.
const MAX_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

fn is_label(label: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=MAX_LABEL_BYTES).contains(&label.len())
        && label.bytes().all(is_plain)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// The joiners that some languages need in a word. `to_ascii` accepts them only there (UTS 46, CheckJoiners).
pub(crate) const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
/// Further characters of labels, although they are no letters, marks or digits (RFC 5892 section 2.6).
const LABEL_SIGNS: &str = "-.\u{b7}\u{375}\u{5f3}\u{5f4}\u{6fd}\u{6fe}\u{f0b}\u{3007}\u{30fb}";

/// Returns whether the labels of a domain name in ASCII are letters, marks, digits and hyphens in Unicode too (RFC 5891).
/// UTS 46 also permits symbols, which registries do not register.
pub(crate) fn is_written_in_letters(ascii: &str) -> bool {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let letters = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Mark)
        .union(GeneralCategoryGroup::DecimalNumber);
    let is_allowed =
        |c| letters.contains(categories.get(c)) || LABEL_SIGNS.contains(c) || JOINERS.contains(&c);
    !ascii.contains("xn--")
        || url::quirks::domain_to_unicode(ascii)
            .chars()
            .all(is_allowed)
}

fn is_number(label: &str) -> bool {
    label.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits the authority of a URL into its host and its port. The port may be empty text.
pub(crate) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_has_one_ascii_form() {
        for (name, ascii) in [
            ("WWW.Example.ORG", "www.example.org"),
            ("localhost", "localhost"),
            ("münchen.de", "xn--mnchen-3ya.de"),
            ("MÜNCHEN.de", "xn--mnchen-3ya.de"),
            ("mu\u{308}nchen.de", "xn--mnchen-3ya.de"),
            ("XN--MNCHEN-3YA.de", "xn--mnchen-3ya.de"),
            // Non-transitional processing does not convert ß to ss.
            ("straße.de", "xn--strae-oqa.de"),
            ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
            ("ｅｘａｍｐｌｅ．com", "example.com"),
        ] {
            assert_eq!(to_ascii(name).as_deref(), Some(ascii), "{name}");
        }
    }

    #[test]
    fn symbols_are_no_letters_in_any_form() {
        for (name, is_plain) in [
            ("münchen.de", true),
            ("paral·lel.cat", true),
            ("レッド・ブル.jp", true),
            ("نامه\u{200c}ای.com", true),
            ("shop™.example", true),
            ("coffee☕.example", false),
            ("xn--53h.example", false),
            ("a❶.example", false),
        ] {
            let ascii = to_ascii(name).expect(name);
            assert_eq!(is_written_in_letters(&ascii), is_plain, "{name}");
        }
        // A joiner is accepted only where a language needs it.
        assert_eq!(to_ascii("a\u{200c}b.example"), None);
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in [
            "", " ", ".", "a.", ".a", "a..b", "*", "*.example.org", "a_b.example", "-a.example",
            "a-.example", "a/b", "a:80", "a%41.example", "127.0.0.1", "a.1", "[::1]",
            "xn--a.example", "xn--.example",
            // The label mixes left-to-right and right-to-left characters (RFC 5893).
            "a\u{5d0}.example",
        ] {
            assert_eq!(to_ascii(text), None, "{text}");
        }
        assert_eq!(to_ascii(&format!("{}.example", "a".repeat(64))), None);
        assert_eq!(to_ascii(&["a".repeat(63).as_str(); 4].join(".")), None);
    }
}
