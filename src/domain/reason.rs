//! The reason that an agent or operator gives for an action on an account. The audit log records the reason.

use super::visible_text::is_disruptive;

const MAX_CHARS: usize = 500;

/// A reason of 1 to 500 characters, none of which would break or reorder a line of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReasonProblem {
    #[error("must not be empty")]
    Empty,
    #[error("must have at most {MAX_CHARS} characters")]
    TooLong,
    #[error("must not contain control characters, line breaks or marks of the writing direction")]
    LayoutControl,
}

impl Reason {
    /// Parses a reason as typed. White space around the reason is removed.
    pub(crate) fn parse(text: &str) -> Result<Reason, ReasonProblem> {
        let text = text.trim();
        if text.is_empty() {
            Err(ReasonProblem::Empty)
        } else if text.chars().count() > MAX_CHARS {
            Err(ReasonProblem::TooLong)
        } else if text.chars().any(is_disruptive) {
            Err(ReasonProblem::LayoutControl)
        } else {
            Ok(Reason(text.to_owned()))
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_of_visible_text() {
        for text in [
            "ticket 17",
            " ticket 17\n",
            "Grüße, señor ❤\u{fe0f}",
            "שלום",
            &"x".repeat(500),
        ] {
            assert_eq!(Reason::parse(text).unwrap().as_str(), text.trim());
        }
        for (text, problem) in [
            ("", ReasonProblem::Empty),
            (" \n", ReasonProblem::Empty),
            (&"x".repeat(501), ReasonProblem::TooLong),
            ("a\nb", ReasonProblem::LayoutControl),
            ("a\rb", ReasonProblem::LayoutControl),
            ("a\tb", ReasonProblem::LayoutControl),
            ("a\0b", ReasonProblem::LayoutControl),
            ("a\u{1b}[2K", ReasonProblem::LayoutControl),
            ("a\u{7f}", ReasonProblem::LayoutControl),
            ("a\u{9b}2K", ReasonProblem::LayoutControl),
            ("a\u{2028}b", ReasonProblem::LayoutControl),
            ("a\u{202e}b", ReasonProblem::LayoutControl),
            ("a\u{2066}b", ReasonProblem::LayoutControl),
            ("a\u{200f}b", ReasonProblem::LayoutControl),
            ("a\u{61c}b", ReasonProblem::LayoutControl),
        ] {
            assert_eq!(Reason::parse(text), Err(problem), "{text:?}");
        }
    }
}
