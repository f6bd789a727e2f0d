//! Changes that legacy systems made to a typed password before they hashed it.

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

use super::Scheme;

/// The change of a typed password that is tried if the unchanged password does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// The system converted passwords to Unicode normalization form C.
    Nfc,
    /// PhpBB calls `trim`, then `htmlspecialchars` with `ENT_COMPAT`, and then converts the password to NFC
    /// (phpbb/request/type_cast_helper.php).
    PhpBb,
    /// WordPress adds a backslash before quotes, backslashes and NULs (`wp_magic_quotes`), and then calls `trim`.
    WordPress,
}

impl Transform {
    /// Returns the change that the systems with this hash format make. PhpBB writes `$H$`, since 3.1 PHP's bcrypt, and
    /// since 3.3 PHP's Argon2. WordPress writes `$P$`, and `$wp$2y$` since 6.8.
    pub(super) fn of(scheme: Scheme, text: &str) -> Transform {
        match scheme {
            Scheme::Phpass if text.starts_with("$H$") => Transform::PhpBb,
            Scheme::Bcrypt | Scheme::Argon2i | Scheme::Argon2id if text.starts_with('$') => {
                Transform::PhpBb
            }
            scheme => scheme.transform(),
        }
    }

    /// Returns the password that the legacy system hashed for the typed one, or `None` if the two are equal. A password
    /// that WordPress would not change is converted to NFC, because other systems than WordPress wrote `$P$` too.
    pub(super) fn apply(self, typed: &str) -> Option<Zeroizing<String>> {
        let changed = match self {
            Transform::Nfc => Zeroizing::new(typed.to_owned()),
            Transform::PhpBb => escape(trim_like_php(typed), html_entity),
            Transform::WordPress => {
                Zeroizing::new(trim_like_php(&escape(typed, add_backslash)).into())
            }
        };
        let changed = match self {
            Transform::WordPress if *changed != typed => changed,
            _ => Zeroizing::new(changed.nfc().collect()),
        };
        (*changed != typed).then_some(changed)
    }
}

fn escape(text: &str, escaped: impl Fn(char) -> Option<&'static str>) -> Zeroizing<String> {
    let mut all = Zeroizing::new(String::with_capacity(2 * text.len()));
    for character in text.chars() {
        match escaped(character) {
            Some(escaped) => all.push_str(escaped),
            None => all.push(character),
        }
    }
    all
}

fn html_entity(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => return None,
    })
}

fn add_backslash(character: char) -> Option<&'static str> {
    Some(match character {
        '\'' => "\\'",
        '"' => "\\\"",
        '\\' => "\\\\",
        '\0' => "\\0",
        _ => return None,
    })
}

/// Trims the same characters as PHP's function `trim`.
fn trim_like_php(text: &str) -> &str {
    text.trim_matches([' ', '\n', '\r', '\t', '\x0b', '\0'])
}

#[cfg(test)]
mod tests {
    use super::Transform;

    #[test]
    fn a_typed_password_becomes_what_its_system_hashed() {
        for (transform, typed, changed) in [
            (Transform::Nfc, "u\u{308}ber ", Some("\u{fc}ber ")),
            (Transform::Nfc, "O'Brian & \"<x>\"", None),
            (Transform::PhpBb, "Salt&Pepper9", Some("Salt&amp;Pepper9")),
            (Transform::PhpBb, "\t<a>\"'\\ ", Some("&lt;a&gt;&quot;'\\")),
            (Transform::PhpBb, "u\u{308}ber", Some("\u{fc}ber")),
            (Transform::PhpBb, "Lantern-42", None),
            (Transform::WordPress, "O'Brian-2024", Some("O\\'Brian-2024")),
            (Transform::WordPress, " \"\\<&>\0 ", Some("\\\"\\\\<&>\\0")),
            (Transform::WordPress, "u\u{308}ber", Some("\u{fc}ber")),
            (Transform::WordPress, "Lantern-42", None),
        ] {
            let found = transform.apply(typed);
            assert_eq!(
                found.as_ref().map(|text| text.as_str()),
                changed,
                "{typed:?}"
            );
        }
    }
}
