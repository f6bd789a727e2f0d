//! Extracts the token of a mailed link from the query.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use url::form_urlencoded;

use crate::domain::secret::SecretInput;

/// The query of the routes that confirm a mailed link. A repeated token is rejected like a missing token, because
/// parsers disagree on which value counts.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TokenQuery {
    /// The token of the mailed link.
    #[param(value_type = Option<String>)]
    pub token: SecretInput,
}

impl<S: Sync> FromRequestParts<S> for TokenQuery {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "token");
        let token = match (found.next(), found.next()) {
            (Some((_, only)), None) => only.into_owned().into(),
            _ => SecretInput::default(),
        };
        Ok(TokenQuery { token })
    }
}
