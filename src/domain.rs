//! Rules of the domain, which need no I/O.

pub(crate) mod account_detail;
pub(crate) mod age;
pub(crate) mod auth_method;
pub(crate) mod common_passwords;
pub(crate) mod consent;
pub(crate) mod country;
pub(crate) mod device;
pub mod email;
pub(crate) mod error_code;
pub(crate) mod field_errors;
pub(crate) mod form_field;
pub(crate) mod host_name;
pub(crate) mod list_page;
pub(crate) mod local_path;
pub(crate) mod network;
pub mod password;
pub(crate) mod reason;
pub(crate) mod recovery_code;
pub(crate) mod rule;
pub mod secret;
pub(crate) mod security_event;
pub mod session_id;
pub(crate) mod support_role;
pub(crate) mod username;
pub(crate) mod visible_text;
pub mod zipcode;
