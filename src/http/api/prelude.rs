//! The names that most handlers use.

pub(super) use serde::{Deserialize, Serialize};
pub(super) use utoipa::{IntoParams, ToSchema};

pub(super) use super::bodies::{EmailAddressBody, MailedToken, MessageBody, Nothing};
pub(super) use crate::accounts::mailed_link::MailedLink;
pub(super) use crate::accounts::session::SignedIn;
pub(super) use crate::domain::secret::SecretInput;
pub(super) use crate::http::cookies::CookieSetter;
pub(super) use crate::http::extract::json_body::JsonBody;
pub(super) use crate::http::prelude::*;
