//! Support for the tests: sites, browsers, databases, mails and programs.

pub mod actors;
pub mod address;
pub mod answer;
pub mod browser;
pub mod cluster;
#[macro_use]
pub mod database;
pub mod eventually;
pub mod held;
pub mod mails;
pub mod process;
pub mod routes;
pub mod site;
pub mod smtp;
pub mod tls_front;

pub use actors::{Person, form};
pub use address::free_address;
pub use answer::Answer;
pub use browser::Browser;
pub use database::Database;
pub use eventually::{eventually, eventually_some};
pub use held::Held;
pub use site::Site;
