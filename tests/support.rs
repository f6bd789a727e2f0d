//! Support for the tests: sites, browsers, databases, mails and programs.

#[macro_use]
pub mod response;

pub mod actors;
pub mod address;
pub mod authenticator;
pub mod authenticator_app;
pub mod browser;
pub mod cluster;
#[macro_use]
pub mod database;
pub mod delayed_request;
pub mod eventually;
pub mod fixture;
pub mod mails;
pub mod patroni;
pub mod prelude;
pub mod process;
pub mod receiver;
pub mod routes;
pub mod schema;
pub mod site;
pub mod smtp;
pub mod tls_front;

pub use actors::{Person, form};
pub use address::free_address;
pub use browser::Browser;
pub use database::{Database, allow_new_devices};
pub use delayed_request::DelayedRequest;
pub use eventually::{eventually, eventually_some, within};
pub use fixture::{Member, Unlimited, UnreadMails};
pub use response::Response;
pub use site::Site;
