//! Everything that speaks HTTP: the server, the routes, the API, the pages and what surrounds them.

pub mod router;

pub(crate) mod api;
pub(crate) mod middleware;
pub(crate) mod openapi;
pub(crate) mod ops;
pub(crate) mod pages;
pub(crate) mod server;
