//! Headers that lettre has no types for. They are written, never read.

use std::error::Error;

use lettre::message::header::{Header, HeaderName, HeaderValue};

type Parsed<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// RFC 3834: keeps out-of-office answers from coming back.
#[derive(Clone)]
pub struct AutoSubmitted;

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

/// RFC 2369 3.2: the link that ends a series of mails. It is ours, ASCII from end to end, and must
/// stay in one piece.
#[derive(Clone)]
pub struct ListUnsubscribe(pub String);

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

/// RFC 8058: a mail program may post to that link by itself, when its reader says so.
#[derive(Clone)]
pub struct ListUnsubscribePost;

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
