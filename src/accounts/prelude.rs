//! The names that most flows use.

pub(super) use super::change::{Change, change};
pub(super) use super::client::Client;
pub(super) use super::security_log::Event;
pub(super) use crate::app::App;
pub(super) use crate::domain::security_event::SecurityEvent;
pub(super) use crate::error::{ApiError, ApiResult, ErrorCode};
pub(super) use crate::mail::MailKind;
pub(super) use crate::rate_limit::{LimitName, Subject};
pub(super) use crate::store::accounts::Account;
