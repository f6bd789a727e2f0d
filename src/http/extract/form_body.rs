//! The form body of an application's HTTP request, which is the only type of body in OAuth.

use axum::extract::FromRequest;

use super::body::{self, BodyError};
use crate::http::prelude::*;
use crate::oidc::error::{OAuthError, OAuthResult, invalid_request};
use crate::oidc::parameters::Parameters;

/// The parameters of a body of type `application/x-www-form-urlencoded`. An empty body without a content type has no
/// parameters.
pub(crate) struct FormBody(pub Parameters);

impl<S: Send + Sync> FromRequest<S> for FormBody {
    type Rejection = OAuthError;

    async fn from_request(request: Request, _: &S) -> OAuthResult<Self> {
        let kind = request.headers().get(CONTENT_TYPE).cloned();
        let bytes = body::read(request.into_body()).await.map_err(|error| {
            invalid_request(match error {
                BodyError::TooLarge => "the body is too large",
                BodyError::Incomplete => "the body is incomplete",
                BodyError::TimedOut => "the body did not arrive in time",
            })
        })?;
        let is_form = kind
            .as_ref()
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| {
                let kind = kind.split(';').next().unwrap_or_default().trim();
                kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
            });
        let is_empty = kind.is_none() && bytes.is_empty();
        if !is_form && !is_empty {
            return Err(invalid_request(
                "the body must be application/x-www-form-urlencoded",
            ));
        }
        Ok(FormBody(Parameters::parse(&bytes)))
    }
}
