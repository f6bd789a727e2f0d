//! Whether an address tells that somebody has an account: the same requests for people who do and
//! for people who do not, over one kept-alive connection, compared by everything a stranger sees.
//!
//! Words: V, V2 have an account, U has not proved the address yet, L waits in the older system,
//! X is nobody.

mod answers;
mod limits;
mod measure;
mod oracles;
mod people;
mod routes;
mod timing;

pub use measure::face;
