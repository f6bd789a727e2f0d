//! Mail headers for which lettre has no types. The program only writes these headers, so parsing is not implemented.

use std::error::Error;

use lettre::message::header::{Header, HeaderName, HeaderValue};

type Parsed<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A header that prevents out-of-office replies (RFC 3834).
#[derive(Clone)]
pub(super) struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Parsed<Self> {
        Ok(AutoSubmitted)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

/// A header with the unsubscribe link (RFC 2369 section 3.2). The link is ASCII and must not be folded.
#[derive(Clone)]
pub(super) struct ListUnsubscribe(pub String);

impl Header for ListUnsubscribe {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe")
    }

    fn parse(text: &str) -> Parsed<Self> {
        let link = text.trim().trim_start_matches('<').trim_end_matches('>');
        Ok(ListUnsubscribe(link.to_owned()))
    }

    fn display(&self) -> HeaderValue {
        let value = format!("<{}>", self.0);
        HeaderValue::dangerous_new_pre_encoded(Self::name(), value.clone(), value)
    }
}

/// A header that allows the mail program to post to the unsubscribe link when the reader unsubscribes (RFC 8058).
#[derive(Clone)]
pub(super) struct ListUnsubscribePost;

impl Header for ListUnsubscribePost {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("List-Unsubscribe-Post")
    }

    fn parse(_: &str) -> Parsed<Self> {
        Ok(ListUnsubscribePost)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "List-Unsubscribe=One-Click".to_owned())
    }
}
