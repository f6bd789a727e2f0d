//! Wraps the lines of the text part of a mail.

/// The maximum line length. Quoting with "> " keeps such a line below 78 characters, where some mail programs begin to
/// break lines (RFC 5322 section 2.1.1).
const MAX_LINE_CHARS: usize = 70;

/// Wraps a paragraph at 70 characters, between words. A longer word, such as a link, gets a separate line.
pub(super) fn wrap(paragraph: &str) -> String {
    let mut wrapped = String::new();
    let mut width = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > MAX_LINE_CHARS {
            wrapped.push('\n');
            width = 0;
        } else if width > 0 {
            wrapped.push(' ');
            width += 1;
        }
        wrapped.push_str(word);
        width += length;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_line_has_at_most_seventy_characters() {
        let wrapped = wrap(&"größer ".repeat(30));
        let widths: Vec<usize> = wrapped.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [69, 69, 69]);
    }

    #[test]
    fn a_long_link_stays_whole() {
        let link = format!("https://example.test/{}", "x".repeat(90));
        assert_eq!(
            wrap(&format!("see {link} there")),
            format!("see\n{link}\nthere")
        );
    }
}
