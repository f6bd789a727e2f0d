//! Data of commands on stdout.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Writes text to stdout. Returns false if the reader has closed the pipe, as `head` does after its last line. That is
/// no error: the reader has enough, and the exit code is that of the command's work. Without `unsafe` the process
/// cannot restore the default action of SIGPIPE, which Rust programs ignore, so writing fails with `EPIPE` instead.
pub(super) fn print(text: impl Display) -> io::Result<bool> {
    write_to(&mut io::stdout().lock(), &text)
}

/// Writes text and a line break to stdout; see [`print()`].
pub(super) fn print_line(text: impl Display) -> io::Result<bool> {
    print(format_args!("{text}\n"))
}

fn write_to(out: &mut impl Write, text: &impl Display) -> io::Result<bool> {
    // stdout buffers the text after the last line break, and errors of the flush at the end of the process are lost.
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
}
