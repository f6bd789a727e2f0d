//! Old accounts for the operator: import, invitations, statistics, removal. `accounts/migration` has their migration.

pub(crate) mod import;
pub(crate) mod invite;
pub(crate) mod purge;
pub(crate) mod status;
