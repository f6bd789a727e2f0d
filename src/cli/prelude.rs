//! The names that most commands use.

pub(super) use std::path::{Path, PathBuf};

pub(super) use clap::Subcommand;
pub(super) use serde_json::{Value, json};
pub(super) use uuid::Uuid;

pub(super) use super::{CommandError, CommandResult, ConfigArgument, open_app, output};
pub(super) use crate::app::App;
pub(super) use crate::clock::{Clock, rfc3339};
pub(super) use crate::config::Config;
pub(super) use crate::db::Store;
pub(super) use crate::domain::email::Email;
pub(super) use crate::error::{ApiError, ErrorCode};
pub(super) use crate::i18n::Language;
pub(super) use crate::rng::Rng;
pub(super) use crate::support::lookup::AccountKey;
