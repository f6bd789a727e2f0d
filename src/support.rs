//! The actions of support on single accounts: the flows of the support view and of `account users`, without HTTP.
//!
//! Every flow begins with an [`audited::SupportChange`], which becomes a `Change` only with its audit row. An action
//! that support causes needs `Actor::Support`, which only a written audit row yields.

pub(crate) mod actions;
pub(crate) mod agent;
pub(crate) mod audited;
pub(crate) mod corrections;
pub(crate) mod lookup;
pub(crate) mod refusals;
pub(crate) mod roles;
pub(crate) mod views;
