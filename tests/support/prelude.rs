//! What most tests use.

pub use axum::http::Request;
pub use serde_json::{Value, json};

pub use super::actors::{PASSWORD, form, form_with};
pub use super::browser::API;
pub use super::database::UnreadMails;
pub use super::process::{Process, folder, run_to_exit, run_to_failure, run_to_success, write};
pub use super::{
    Browser, Database, Person, Response, Site, allow_new_devices, eventually, eventually_some,
    free_address, within,
};

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
