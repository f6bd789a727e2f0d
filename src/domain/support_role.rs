//! The roles of the support view.

use serde::Serialize;

/// The permissions of an agent of the support view. Only `account support grant` assigns a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SupportRole {
    /// Finds accounts, mails links again, signs out, cancels deletions.
    Support,
    /// Also disables and enables accounts, and reads the audit.
    Admin,
}

impl SupportRole {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            SupportRole::Support => "support",
            SupportRole::Admin => "admin",
        }
    }

    /// Returns the role. None for one that only a later version knows, which permits nothing here.
    pub(crate) fn from_name(name: &str) -> Option<SupportRole> {
        match name {
            "support" => Some(SupportRole::Support),
            "admin" => Some(SupportRole::Admin),
            _ => None,
        }
    }
}
