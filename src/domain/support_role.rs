//! The roles that a support agent can have.

use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The permissions of an agent in the support view. Only `account support grant` assigns a role.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum SupportRole {
        /// The agent may find accounts, resend links by mail, sign people out and cancel deletions.
        Support = "support";
        /// The agent may also disable and enable accounts, and read the audit log.
        Admin = "admin";
    }
}

serialize_as_name!(SupportRole);
