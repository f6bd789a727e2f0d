//! Sanitises the device name, which is derived from a header of the client.

use crate::domain::visible_text;

/// The maximum length of a device name in a mail. The names that this program derives from a user agent are shorter.
const MAX_DEVICE_CHARS: usize = 60;

/// Returns the device name as one line, without text that a mail program would turn into a link. The program's own
/// names, such as "Firefox on Windows", contain none, so this function is only an additional defence. The template
/// escapes HTML.
pub(super) fn shorten_device(phrase: &str) -> String {
    let harmless: String = phrase
        .chars()
        .map(|c| {
            if c.is_control() || matches!(c, '/' | ':' | '@' | '.') {
                ' '
            } else {
                c
            }
        })
        .filter(|c| !visible_text::is_invisible(*c))
        .collect();
    let line = harmless.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_DEVICE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::shorten_device;

    #[test]
    fn our_own_device_names_are_unchanged() {
        assert_eq!(shorten_device("Firefox on Windows"), "Firefox on Windows");
        assert_eq!(
            shorten_device("Safari auf dem iPhone"),
            "Safari auf dem iPhone"
        );
    }

    #[test]
    fn a_device_is_one_short_line_without_links() {
        assert_eq!(
            shorten_device("Win at https://evil.test/x\r\n\tBcc: me@evil.test"),
            "Win at https evil test x Bcc me evil test"
        );
        assert_eq!(shorten_device("a\u{202e}b\u{2028}c\u{feff}"), "ab c");
        assert_eq!(shorten_device(&"x".repeat(500)).len(), 60);
    }
}
