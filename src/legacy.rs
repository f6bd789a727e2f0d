//! The operator's commands for legacy accounts: import, invitations, statistics, removal. The module
//! `accounts/migration` migrates the accounts.

pub(crate) mod import;
pub(crate) mod invite;
pub(crate) mod purge;
pub(crate) mod status;
