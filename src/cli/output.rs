//! Output of commands: data on stdout, messages on stderr. All output is escaped here, because names, reasons, files
//! and responses of servers contain untrusted text.

use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::domain::visible_text::is_disruptive;

/// Writes text to stdout. Its line breaks and tabs are kept, so the caller must not pass untrusted text that contains
/// them. Returns false if the reader has closed the pipe, as `head` does after its last line. A closed pipe is no
/// error, and does not change the exit code. Writing to a closed pipe fails with `EPIPE`, because Rust programs ignore
/// SIGPIPE and can restore its default action only with `unsafe`.
pub(super) fn print(text: impl Display) -> io::Result<bool> {
    let escaped = escape(&text.to_string(), |c| c != '\n' && c != '\t');
    write_to(&mut io::stdout().lock(), &escaped)
}

/// Writes one line to stdout; a line break in the text is escaped. See [`print()`].
pub(super) fn print_line(text: impl Display) -> io::Result<bool> {
    let escaped = escape(&text.to_string(), |_| true);
    write_to(&mut io::stdout().lock(), &format_args!("{escaped}\n"))
}

/// Writes a value as JSON in one line to stdout.
pub(super) fn print_json(value: &impl Serialize) -> io::Result<bool> {
    print_line(serde_json::to_string(value)?)
}

/// Writes one line to stderr, like `eprintln!`; a line break in the text is escaped.
macro_rules! print_message {
    ($($text:tt)*) => {{ $crate::cli::output::write_message(&format!($($text)*)); }};
}

pub(super) fn write_message(text: &str) {
    // A failure is ignored, because there is no place to report it.
    let _ = writeln!(io::stderr().lock(), "{}", escape(text, |_| true));
}

/// Replaces control characters and other invisible characters by `\u` and four digits, which is also valid in JSON.
fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_disruptive(c) && is_escaped(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn write_to(out: &mut impl Write, text: &impl Display) -> io::Result<bool> {
    // Rust's stdout buffers the text after the last line break, and an error of the flush at the end of the process
    // would be lost.
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn only_a_closed_pipe_is_no_error() {
        let mut out = Vec::new();
        assert!(write_to(&mut out, &"a text").unwrap());
        assert_eq!(out, b"a text");
        assert!(!write_to(&mut Failing(ErrorKind::BrokenPipe), &"a text").unwrap());
        let full = write_to(&mut Failing(ErrorKind::StorageFull), &"a text");
        assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
    }

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_stays_json() {
        let text = "a\nb\tc\u{1b}[2K\u{9b}d\u{7f}\u{202e}é\\";
        let escaped = "a\\u000ab\\u0009c\\u001b[2K\\u009bd\\u007f\\u202eé\\";
        assert_eq!(escape(text, |_| true), escaped);
        let json = serde_json::json!({"name": text}).to_string();
        let read: serde_json::Value = serde_json::from_str(&escape(&json, |_| true)).unwrap();
        assert_eq!(read["name"], text);
    }
}
