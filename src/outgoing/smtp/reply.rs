//! Replies of an SMTP server (RFC 5321 section 4.2).

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use crate::domain::enhanced_status::EnhancedStatus;

/// The maximum size of a reply, which is many times the size of the longest list of extensions.
const MAX_REPLY_BYTES: u64 = 64 << 10;

/// A reply of one or several lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) code: u16,
    /// The text of each line without the code, which may be empty.
    pub(super) lines: Vec<String>,
}

impl Reply {
    /// Reads a reply up to its last line. Fails if the connection ends before, or if the server breaks the protocol.
    pub(super) async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Reply> {
        let mut reader = reader.take(MAX_REPLY_BYTES);
        let mut lines = Vec::new();
        loop {
            let mut line = Vec::new();
            reader.read_until(b'\n', &mut line).await?;
            if reader.limit() == 0 {
                return Err(protocol_error("the reply is too long"));
            }
            if line.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            // The text may have any encoding.
            let line = String::from_utf8_lossy(&line);
            let (code, is_last, text) = parse_line(line.trim_end_matches(['\r', '\n']))
                .ok_or_else(|| protocol_error("this is no SMTP server"))?;
            lines.push(text.to_owned());
            if is_last {
                return Ok(Reply { code, lines });
            }
        }
    }

    /// Returns the enhanced status code, which begins the text of a line (RFC 2034 section 4).
    pub(super) fn enhanced_status(&self) -> Option<EnhancedStatus> {
        let mut lines = self.lines.iter();
        lines.find_map(|line| EnhancedStatus::parse(line.split_whitespace().next()?))
    }
}

pub(super) fn protocol_error(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// Returns the code and the text of a line of a reply, and whether the line is the last one. The last line of a reply
/// without text may consist of the code alone.
fn parse_line(line: &str) -> Option<(u16, bool, &str)> {
    let (code, rest) = line.split_at_checked(3)?;
    let is_code =
        code.bytes().all(|byte| byte.is_ascii_digit()) && code.starts_with(['2', '3', '4', '5']);
    let is_last = !rest.starts_with('-');
    let text = rest.strip_prefix([' ', '-']);
    let text = if rest.is_empty() { Some(rest) } else { text };
    Some((code.parse().ok().filter(|_| is_code)?, is_last, text?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    async fn read(mut bytes: &[u8]) -> io::Result<(Reply, usize)> {
        let reply = Reply::read(&mut bytes).await?;
        Ok((reply, bytes.len()))
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(work)
    }

    proptest! {
        #[test]
        fn every_reply_of_the_grammar_is_read(
            code in "[2-5][0-5][0-9]",
            lines in prop::collection::vec("[\\t -~]{0,80}", 1..6),
            has_blank_before_empty_text: bool,
            next in "([2-5][0-9]{2}( ok)?\r\n)?",
        ) {
            let mut wire = String::new();
            for (at, text) in lines.iter().enumerate() {
                let is_last = at + 1 == lines.len();
                let separator = match (is_last, text.is_empty() && !has_blank_before_empty_text) {
                    (false, _) => "-",
                    (true, false) => " ",
                    (true, true) => "",
                };
                wire += &format!("{code}{separator}{text}\r\n");
            }
            wire += &next;
            let (reply, unread) = block_on(read(wire.as_bytes())).unwrap();
            prop_assert_eq!(reply, Reply { code: code.parse().unwrap(), lines });
            prop_assert_eq!(unread, next.len());
        }

        #[test]
        fn other_bytes_are_an_error_or_a_reply_but_never_a_panic(bytes: Vec<u8>) {
            let _ = block_on(read(&bytes));
        }
    }

    #[tokio::test]
    async fn replies_beyond_the_grammar_are_read_if_they_are_unambiguous() {
        for (wire, code, lines) in [
            ("250\n", 250, vec![""]),
            ("250 ok", 250, vec!["ok"]),
            ("250-\r\n250\r\n", 250, vec!["", ""]),
            (
                "550-5.1.1 no\r\n550 5.1.1 user\r\n",
                550,
                vec!["5.1.1 no", "5.1.1 user"],
            ),
        ] {
            let (reply, _) = read(wire.as_bytes()).await.unwrap();
            let lines = lines.into_iter().map(str::to_owned).collect();
            assert_eq!(reply, Reply { code, lines }, "{wire:?}");
        }
        let (reply, _) = read(b"550 Benutzer ung\xfcltig\r\n").await.unwrap();
        assert_eq!(reply.lines, ["Benutzer ung\u{fffd}ltig"]);
        let endless = "250-x\r\n".repeat(20_000);
        for wrong in [
            "", "\r\n", "25\r\n", "hello\r\n", "2500\r\n", "250_ok\r\n", "150 ok\r\n",
            "250-ok\r\n", "2ü0 ok\r\n", &endless,
        ] {
            assert!(read(wrong.as_bytes()).await.is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_enhanced_status_begins_the_text_of_a_line() {
        let status = |lines: &[&str]| {
            let lines = lines.iter().map(ToString::to_string).collect();
            let status = Reply { code: 550, lines }.enhanced_status();
            status.map(|status| status.to_string())
        };
        assert_eq!(status(&["5.1.1 no such user"]).as_deref(), Some("5.1.1"));
        assert_eq!(status(&["no", "5.7.26 policy"]).as_deref(), Some("5.7.26"));
        for none in ["", "no 5.1.1", "5.1.1: no", "5.1 x"] {
            assert_eq!(status(&[none]), None, "{none}");
        }
    }
}
