//! Mail headers for which lettre has no types.

use lettre::message::header::{HeaderName, HeaderValue};

/// Returns a header whose value is ASCII and is not folded.
fn header(name: &'static str, value: String) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::dangerous_new_pre_encoded(name, value.clone(), value)
}

/// Returns the header that prevents out-of-office replies (RFC 3834).
pub(super) fn auto_submitted() -> HeaderValue {
    header("Auto-Submitted", "auto-generated".to_owned())
}

/// Returns the header with the unsubscribe link (RFC 2369 section 3.2), which must not be folded.
pub(super) fn list_unsubscribe(link: &str) -> HeaderValue {
    header("List-Unsubscribe", format!("<{link}>"))
}

/// Returns the header that allows the mail program to post to the unsubscribe link when the reader unsubscribes
/// (RFC 8058).
pub(super) fn list_unsubscribe_post() -> HeaderValue {
    header(
        "List-Unsubscribe-Post",
        "List-Unsubscribe=One-Click".to_owned(),
    )
}
