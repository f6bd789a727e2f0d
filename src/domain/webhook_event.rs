//! The types of webhook events.

use crate::named_enum::named_enum;

named_enum! {
    /// The type of a webhook event. The name of the type never changes.
    pub(crate) enum EventType(
        /// Whether a later event of the account replaces a queued event of this type. A person can cause any number of
        /// such events, and a receiver reads the current state of the account anyway.
        is_replaced_by_later: bool
    ) {
        Created = "account.created", false;
        Verified = "account.verified", false;
        Updated = "account.updated", true;
        Disabled = "account.disabled", false;
        Enabled = "account.enabled", false;
        DeletionRequested = "account.deletion_requested", false;
        DeletionCancelled = "account.deletion_cancelled", false;
        Deleted = "account.deleted", false;
        SessionsEnded = "sessions.ended", true;
    }
}
