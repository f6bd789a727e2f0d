//! HTTP: the server, the routes, and all code that depends on axum.

pub(crate) mod api;
pub(crate) mod continuation;
pub(crate) mod cookies;
mod dev;
pub(crate) mod error;
pub(crate) mod extract;
pub(crate) mod middleware;
pub(crate) mod oidc;
pub(crate) mod openapi;
mod operation;
pub(crate) mod ops;
pub(crate) mod pages;
mod prelude;
pub mod router;
pub mod server;
pub mod site;
pub(crate) mod well_known;
