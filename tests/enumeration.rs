//! Account enumeration: the same requests for addresses with and without an account, over one kept-alive connection,
//! compared by everything that a client can observe.
//!
//! Classes: V and V2 have an account, U is unverified, L exists only in the legacy system, X is unknown.

mod limits;
mod measure;
mod oracles;
mod people;
mod responses;
mod routes;
mod timing;

pub use measure::observable_response;
