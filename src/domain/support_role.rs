//! The roles of the support view.

use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The permissions of an agent of the support view. Only `account support grant` assigns a role.
    #[derive(PartialOrd, Ord)]
    pub(crate) enum SupportRole {
        /// Finds accounts, mails links again, signs out, cancels deletions.
        Support = "support";
        /// Also disables and enables accounts, and reads the audit.
        Admin = "admin";
    }
}

serialize_as_name!(SupportRole);
