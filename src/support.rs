//! The actions of support on single accounts: the flows of the support view and of `account users`, without HTTP.
//!
//! Every flow begins with an [`audited::SupportChange`]. It becomes a `Change`, which can be committed, only after it
//! has inserted its audit row. A security event that support causes needs `Actor::Support`, which only this insertion
//! creates.

pub(crate) mod actions;
pub(crate) mod agent;
pub(crate) mod audited;
pub(crate) mod corrections;
pub(crate) mod lookup;
pub(crate) mod refusals;
pub(crate) mod roles;
pub(crate) mod views;
