//! The names that most files of this folder use.

pub(super) use axum::extract::{Request, State};
pub(super) use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
pub(super) use axum::http::request::Parts;
pub(super) use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
pub(super) use axum::response::{IntoResponse, Redirect, Response};
pub(super) use axum::routing::get;
pub(super) use axum::{Json, Router};

pub(super) use crate::accounts::client::Client;
pub(super) use crate::app::{App, SharedApp};
pub(super) use crate::config::{Config, Region};
pub(super) use crate::error::{ApiError, ApiResult, ErrorCode};
pub(super) use crate::i18n::{Language, Message};

/// The header of a response that no cache may store.
pub(super) const NO_STORE: [(HeaderName, &str); 1] = [(CACHE_CONTROL, "no-store")];
