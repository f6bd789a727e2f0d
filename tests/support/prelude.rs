//! What most tests use.

pub use account::params;
pub use account::testing::clock::rfc3339;
pub use account::testing::error::{ErrorCode, FieldRule};
pub use account::testing::i18n::Message;
pub use axum::http::{Method, Request};
pub use futures_util::future::join_all;
pub use serde_json::{Value, json};

pub use super::actors::{PASSWORD, form, form_with};
pub use super::authenticator::Authenticator;
pub use super::browser::API;
pub use super::process::{Process, folder, run_to_exit, run_to_failure, run_to_success, write};
pub use super::{
    Browser, Database, Member, Person, Response, Site, Unlimited, UnreadMails, allow_new_devices,
    eventually, eventually_some, free_address, within,
};
pub use crate::second_factor::PersonWithSecondFactor;
pub use crate::wire::LiveSite;

/// JSON that has the expected type.
pub trait Json {
    fn text(&self) -> &str;
    fn list(&self) -> &Vec<Value>;
    fn members(&self) -> &serde_json::Map<String, Value>;
}

impl Json for Value {
    #[track_caller]
    fn text(&self) -> &str {
        self.as_str().unwrap()
    }

    #[track_caller]
    fn list(&self) -> &Vec<Value> {
        self.as_array().unwrap()
    }

    #[track_caller]
    fn members(&self) -> &serde_json::Map<String, Value> {
        self.as_object().unwrap()
    }
}
