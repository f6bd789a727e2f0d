//! Local paths, which are paths of this host to which a redirect may lead.

use serde::{Deserialize, Serialize};

/// The maximum length of a local path. Common proxies accept request lines of 8 KiB, into which the URL of the sign-in
/// page with this path must fit.
const MAX_BYTES: usize = 4096;

/// A path with its query that cannot lead to another host, so a `Location` header may contain it unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String")]
pub(crate) struct LocalPath(String);

/// Parses a text that was stored or signed, and checks it again.
impl From<String> for LocalPath {
    fn from(text: String) -> LocalPath {
        LocalPath::parse_or_start(&text)
    }
}

impl LocalPath {
    /// Parses a local path. Returns the start page of the host if browsers could read the text as another host (`//`,
    /// `\`), if the text could end a header, or if it is too long.
    pub(crate) fn parse_or_start(text: &str) -> LocalPath {
        let is_local = text.starts_with('/')
            && !text.starts_with("//")
            && text.len() <= MAX_BYTES
            && text
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        LocalPath(if is_local { text } else { "/" }.to_owned())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // security: FA-3
    #[test]
    fn a_text_that_is_no_path_of_this_host_is_the_start_page() {
        for path in [
            "/", "/wiki/A?b=c&d=%2F%2Fe", "/a//b", "/?next=//x", "/%5Cevil",
        ] {
            assert_eq!(LocalPath::parse_or_start(path).as_str(), path);
        }
        let long = format!("/{}", "x".repeat(MAX_BYTES));
        for text in [
            "", "//evil.example", "/\\evil.example", "\\evil.example", "/a\\b",
            "https://evil.example/", "evil.example", "/a\r\nSet-Cookie: x=y", "/\tevil", "/a b",
            "/ü", "*", &long,
        ] {
            assert_eq!(LocalPath::parse_or_start(text).as_str(), "/", "{text}");
            let json = serde_json::to_string(text).unwrap();
            let read: LocalPath = serde_json::from_str(&json).unwrap();
            assert_eq!(read.as_str(), "/", "{text}");
        }
    }
}
