//! The types of webhook events.

use crate::named_enum::named_enum;

named_enum! {
    /// The type of a webhook event. The name of the type never changes. At most one event of a type waits for an account
    /// and an endpoint, because a receiver reads the current state of the account anyway.
    pub(crate) enum EventType(
        /// A full queue first drops the events with the lowest number. Strangers and sessions can cause the events with
        /// the number 1 at will, and the events with the number 3 end access.
        drop_order: u8
    ) {
        Created = "account.created", 1;
        Verified = "account.verified", 2;
        Updated = "account.updated", 1;
        Disabled = "account.disabled", 3;
        Enabled = "account.enabled", 2;
        DeletionRequested = "account.deletion_requested", 2;
        DeletionCancelled = "account.deletion_cancelled", 2;
        Deleted = "account.deleted", 3;
        SessionsEnded = "sessions.ended", 1;
    }
}

impl EventType {
    /// Returns the key of the one request of this type that waits for the account at an endpoint.
    pub(crate) fn merge_key(self, account: uuid::Uuid) -> String {
        format!("{}:{account}", self.as_str())
    }
}
