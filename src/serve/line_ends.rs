//! A line of a request's head ends with CR LF. The parser also takes a lone LF (RFC 9112 2.2 allows
//! it); a proxy that does not would see one header where we see two, and so another request.

use std::mem::take;

/// Longer lines are more than the parser takes.
const LINE_MOST: usize = 64 << 10;

/// Follows a connection's requests far enough to know which bytes are heads.
#[derive(Default)]
pub struct LineEnds {
    place: Place,
    /// The line so far.
    line: Vec<u8>,
    head: Head,
}

#[derive(Default)]
enum Place {
    #[default]
    Head,
    /// In a body: so many bytes are still to come.
    Body(u64),
    /// After a head whose body has no length in advance, or one that is refused: the connection
    /// takes no further request (`serve::connection`).
    End,
}

#[derive(Default)]
struct Head {
    begun: bool,
    length: u64,
    has_encoding: bool,
}

impl LineEnds {
    /// Makes a lone LF in a head a byte that no head may have, so that the parser answers 400.
    pub fn enforce(&mut self, bytes: &mut [u8]) {
        let mut at = 0;
        while at < bytes.len() {
            match &mut self.place {
                Place::End => return,
                Place::Body(left) => {
                    let here = (*left).min((bytes.len() - at) as u64);
                    *left -= here;
                    at += here as usize;
                    if *left == 0 {
                        self.place = Place::Head;
                    }
                }
                Place::Head => {
                    let rest = &bytes[at..];
                    let Some(end) = memchr::memchr(b'\n', rest) else {
                        self.keep(rest);
                        return;
                    };
                    let part = &rest[..end];
                    at += end;
                    let is_right = if self.line.is_empty() {
                        self.ends_line(part)
                    } else {
                        self.keep(part);
                        let mut line = take(&mut self.line);
                        let is_right = self.ends_line(&line);
                        line.clear();
                        self.line = line;
                        is_right
                    };
                    if !is_right {
                        bytes[at] = 0;
                        self.place = Place::End;
                    }
                    at += 1;
                }
            }
        }
    }

    fn keep(&mut self, part: &[u8]) {
        let room = LINE_MOST.saturating_sub(self.line.len());
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// At a line feed, with all that came before it: whether it ends a line as it should.
    fn ends_line(&mut self, line: &[u8]) -> bool {
        let Some(line) = line.strip_suffix(b"\r") else {
            return false;
        };
        match (line, self.head.begun) {
            // Empty lines before a request are skipped, by the parser too.
            (b"", false) => {}
            (b"", true) => self.place = take(&mut self.head).body(),
            (line, _) => self.head.read(line),
        }
        true
    }
}

impl Head {
    fn read(&mut self, line: &[u8]) {
        self.begun = true;
        let name_end = memchr::memchr(b':', line).unwrap_or(line.len());
        let (name, value) = (&line[..name_end], line.get(name_end + 1..));
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            self.has_encoding = true;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            // What is no number here is refused by the parser.
            let text = value.and_then(|value| std::str::from_utf8(value).ok());
            self.length = text.and_then(|t| t.trim().parse().ok()).unwrap_or(0);
        }
    }

    fn body(self) -> Place {
        match (self.has_encoding, self.length) {
            (true, _) => Place::End,
            (false, 0) => Place::Head,
            (false, bytes) => Place::Body(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the parser gets to see, however the bytes come in.
    fn enforced(text: &str, at_once: usize) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let mut line_ends = LineEnds::default();
        for part in bytes.chunks_mut(at_once) {
            line_ends.enforce(part);
        }
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn requests_with_right_line_ends_are_left_alone() {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        let post = "POST / HTTP/1.1\r\ncontent-LENGTH: 8\r\n\r\n{\n\n\n\n\n\n}";
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n0\r\n\r\n";
        let all = format!("\r\n{get}{post}{get}{post}\r\n{post}{chunked}");
        for at_once in [1, 2, 3, 7, 1000] {
            assert_eq!(enforced(&all, at_once), all);
        }
    }

    #[test]
    fn a_lone_line_feed_in_any_head_is_refused() {
        let post = "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n\n\n";
        for head in [
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "\nGET / HTTP/1.1\r\n\r\n",
        ] {
            for at_once in [1, 2, 5, 1000] {
                let seen = enforced(&format!("{post}{head}"), at_once);
                assert_eq!(seen.find('\0'), Some(post.len() + lone(head)), "{head:?}");
            }
        }
    }

    fn lone(head: &str) -> usize {
        let is_lone = |(at, _): &(usize, &str)| *at == 0 || head.as_bytes()[at - 1] != b'\r';
        head.match_indices('\n').find(is_lone).expect("one").0
    }
}
