//! Commands of the operator about legacy accounts: import, invitations, statistics, removal. `accounts/migration`
//! migrates the accounts.

pub(crate) mod import;
pub(crate) mod invite;
pub(crate) mod purge;
pub(crate) mod status;
