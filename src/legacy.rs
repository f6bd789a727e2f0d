//! The operator's commands for legacy accounts: import, invitations, statistics, removal. The module
//! `accounts/migration` migrates the accounts.

pub mod import;
pub mod invite;
pub mod purge;
pub mod status;
