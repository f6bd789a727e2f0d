//! The reasons for rejecting a row.

use crate::named_enum::named_enum;

named_enum! {
    /// The code of a reason for rejecting a row. Reject codes are never renamed (docs/migrating.md).
    pub(super) enum RejectCode {
        TooLong = "too_long";
        NotReadable = "not_readable";
        EmailMissing = "email_missing";
        EmailInvalid = "email_invalid";
        DuplicateEmail = "duplicate_email";
        LegacyIdConflict = "legacy_id_conflict";
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RejectReason {
    pub code: RejectCode,
    pub text: String,
}

impl RejectReason {
    pub(super) fn new(code: RejectCode, text: impl Into<String>) -> RejectReason {
        let text = text.into();
        RejectReason { code, text }
    }

    pub(super) fn not_readable(text: impl Into<String>) -> RejectReason {
        RejectReason::new(RejectCode::NotReadable, text)
    }
}
