//! The visible and invisible characters of a text. All texts that people type are checked and cleaned here.

use icu_properties::props::{BidiControl, DefaultIgnorableCodePoint, GeneralCategory};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;

/// Returns whether a character is invisible: a control character, a control of the text direction, or a character that
/// Unicode displays as nothing (Default_Ignorable_Code_Point).
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_control() || is_bidi_control(c) || is_ignorable(c)
}

/// Returns whether a character would break or reorder a line of text. Other invisible characters are permitted, because
/// they belong to words of some languages (the zero width joiners) and to emoji.
pub(crate) fn is_disruptive(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') || is_bidi_control(c)
}

/// Returns the trimmed name of a person or a thing. Returns `None` if the name has no visible character, more than
/// `max` visible characters, or a character that would break or reorder a line.
pub(crate) fn parse_name(text: &str, max: usize) -> Option<&str> {
    let name = text.trim();
    let visible: Vec<char> = name.chars().filter(|c| !is_invisible(*c)).collect();
    let is_blank = visible.iter().all(|c| c.is_whitespace());
    // Invisible characters are not counted, so the length in bytes limits their number.
    let fits = !is_blank && visible.len() <= max && name.len() <= max * MAX_NAME_BYTES_PER_CHAR;
    (fits && !name.chars().any(is_disruptive)).then_some(name)
}

const MAX_NAME_BYTES_PER_CHAR: usize = 16;

/// Trims white space, and the invisible characters with which a pasted text may begin or end.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_bidi_control(c) || is_ignorable(c))
}

/// Converts a typed or pasted code to NFKC with one kind of hyphen and one kind of space, because keyboards and programs
/// insert full-width characters, dashes and blanks of other kinds.
pub(crate) fn unify_separators(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().map(|c| {
        match CodePointMapData::<GeneralCategory>::new().get(c) {
            GeneralCategory::DashPunctuation => '-',
            GeneralCategory::SpaceSeparator => ' ',
            // Unicode does not class the minus sign as a dash, but some keyboards type it as one.
            _ if c == '\u{2212}' => '-',
            _ => c,
        }
    })
}

/// Returns the digits and letters of a typed or pasted second-factor code, without separators, invisible characters and
/// the number of the code in a list, such as `2)`.
pub(crate) fn normalize_code(typed: &str) -> String {
    let is_part = |c: &char| !c.is_whitespace() && *c != '-' && !is_invisible(*c);
    let mut code: String = unify_separators(typed).filter(is_part).collect();
    let digits = code.bytes().take_while(u8::is_ascii_digit).count();
    if matches!(digits, 1 | 2) && code[digits..].starts_with(['.', ')', ':']) {
        code.drain(..=digits);
    }
    code
}

fn is_bidi_control(c: char) -> bool {
    CodePointSetData::new::<BidiControl>().contains(c)
}

fn is_ignorable(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::email::Email;
    use crate::domain::zipcode;

    #[test]
    fn characters_without_a_shape_are_invisible() {
        for c in [
            '\0', '\u{85}', '\u{ad}', '\u{34f}', '\u{61c}', '\u{115f}', '\u{200b}', '\u{200e}',
            '\u{202e}', '\u{2060}', '\u{2066}', '\u{3164}', '\u{fe0f}', '\u{feff}', '\u{ffa0}',
            '\u{e0041}',
        ] {
            assert!(is_invisible(c), "{c:?}");
        }
        for c in ['a', ' ', 'ü', '\u{301}', '\u{3000}', '上', '😀'] {
            assert!(!is_invisible(c), "{c:?}");
        }
    }

    #[test]
    fn only_characters_that_change_a_line_are_disruptive() {
        for c in ['\n', '\u{2028}', '\u{200f}', '\u{202e}', '\u{2067}'] {
            assert!(is_disruptive(c), "{c:?}");
        }
        // Persian words and emoji need these invisible characters.
        for c in ['\u{200c}', '\u{200d}', '\u{fe0f}', 'a'] {
            assert!(!is_disruptive(c), "{c:?}");
        }
    }

    #[test]
    fn only_visible_characters_of_a_name_are_counted() {
        assert_eq!(parse_name(" A b\u{200b}", 3), Some("A b\u{200b}"));
        assert_eq!(
            parse_name("👨\u{200d}👩\u{200d}👧", 3),
            Some("👨\u{200d}👩\u{200d}👧")
        );
        let joined = format!("a{}b", "\u{200d}".repeat(16));
        for refused in [
            "", "\u{200b}\u{3164} \u{feff}", "abcd", "a\nb", "\u{202e}evil", "a\u{202e}b", &joined,
        ] {
            assert_eq!(parse_name(refused, 3), None, "{refused:?}");
        }
    }

    #[test]
    fn the_ends_of_a_text_are_trimmed() {
        assert_eq!(trim("\u{feff} a\u{200b}b\u{200b}\t"), "a\u{200b}b");
        assert_eq!(trim("a\0"), "a\0");
    }

    /// A character of each kind, and where it may stand: in a local part, a domain, a zip code, a code and a name, and at
    /// the ends of an address and of a zip code.
    #[test]
    fn every_kind_of_character_stands_where_it_has_a_meaning() {
        for (c, expected) in [
            ('\0', "---+---"),
            ('\t', "---+-++"),
            (' ', "--+++++"),
            ('\u{a0}', "--+++++"),
            ('\u{1680}', "--+++++"),
            ('\u{2028}', "---+-++"),
            ('-', "+++++-+"),
            ('–', "--+++-+"),
            ('−', "--+++-+"),
            ('\u{200b}', "---++++"),
            ('\u{200c}', "---++++"),
            ('\u{ad}', "---++++"),
            ('\u{200f}', "---+-++"),
            ('\u{301}', "++--+--"),
            ('é', "++--++-"),
            ('上', "++--++-"),
            ('７', "+++-+++"),
            ('٣', "+---+--"),
            ('½', "+---+--"),
            ('☕', "----+--"),
            ('≠', "----+--"),
            ('\u{e000}', "----+--"),
        ] {
            let is_allowed = [
                Email::parse(&format!("a{c}b@example.org")).is_ok(),
                Email::parse(&format!("a@x{c}y.example.org")).is_ok(),
                zipcode::parse(&format!("12{c}34")).is_ok(),
                normalize_code(&format!("12{c}34")) == "1234",
                parse_name(&format!("A{c}b"), 3).is_some(),
                Email::parse(&format!("{c}a@example.org{c}")).is_ok(),
                zipcode::parse(&format!("{c}1234{c}")).is_ok(),
            ];
            let found = is_allowed.map(|is_allowed| if is_allowed { '+' } else { '-' });
            assert_eq!(String::from_iter(found), expected, "{c:?}");
        }
    }

    #[test]
    fn a_code_is_read_without_separators() {
        for typed in [
            "560292", " 560-292\t", "560\u{a0}292", "560–292", "560−292", "５６０２９２",
            "\u{200b}560\u{2060}292\u{202c}", "2) 560292", "10.560292", "1： 560 292",
        ] {
            assert_eq!(normalize_code(typed), "560292", "{typed}");
        }
        for kept in [")560292", "100.560292", "a.560292", "1;560292"] {
            assert_eq!(normalize_code(kept), kept);
        }
        assert_eq!(normalize_code("7K3M‑Q2XW"), "7K3MQ2XW");
    }
}
