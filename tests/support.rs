//! Support for the tests: sites, browsers, databases, mails and programs.

#[macro_use]
pub(crate) mod response;

pub(crate) mod actors;
pub(crate) mod address;
pub(crate) mod authenticator;
pub(crate) mod authenticator_app;
pub(crate) mod browser;
pub(crate) mod cluster;
#[macro_use]
pub(crate) mod database;
pub(crate) mod delayed_request;
pub(crate) mod eventually;
pub(crate) mod mails;
pub(crate) mod patroni;
pub(crate) mod process;
pub(crate) mod receiver;
pub(crate) mod routes;
pub(crate) mod schema;
pub(crate) mod site;
pub(crate) mod smtp;
pub(crate) mod tls_front;

pub(crate) use actors::{Person, form};
pub(crate) use address::free_address;
pub(crate) use browser::Browser;
pub(crate) use database::{Database, allow_new_devices};
pub(crate) use delayed_request::DelayedRequest;
pub(crate) use eventually::{eventually, eventually_some, within};
pub(crate) use response::Response;
pub(crate) use site::Site;
