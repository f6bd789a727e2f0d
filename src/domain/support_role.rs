//! The roles of the support view.

use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The permissions of an agent of the support view. Only `account support grant` assigns a role.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum SupportRole {
        /// The agent may find accounts, mail links again, sign people out and cancel deletions.
        Support = "support";
        /// The agent may also disable and enable accounts, and read the audit.
        Admin = "admin";
    }
}

serialize_as_name!(SupportRole);
