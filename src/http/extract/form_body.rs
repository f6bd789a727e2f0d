//! The form body of a request of an application, the only type in OAuth.

use std::time::Duration;

use axum::extract::{FromRef, FromRequest, Request};
use axum::http::header::CONTENT_TYPE;

use crate::app::SharedApp;
use crate::http::extract::json_body::is_too_large;
use crate::oidc::error::{OAuthCode, OAuthError};
use crate::oidc::parameters::Parameters;

/// The time limit for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The parameters of a body of type `application/x-www-form-urlencoded`; none for an empty body without a type.
pub(crate) struct FormBody(pub Parameters);

impl<S: Send + Sync> FromRequest<S> for FormBody
where
    SharedApp: FromRef<S>,
{
    type Rejection = OAuthError;

    async fn from_request(request: Request, state: &S) -> Result<Self, OAuthError> {
        let invalid = |why| OAuthError::new(OAuthCode::InvalidRequest, why);
        let kind = request.headers().get(CONTENT_TYPE).cloned();
        let limit = SharedApp::from_ref(state).config.server.body_limit.0;
        let read = axum::body::to_bytes(request.into_body(), limit);
        let bytes = match tokio::time::timeout(BODY_TIMEOUT, read).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) if is_too_large(&error) => return Err(invalid("the body is too large")),
            Ok(Err(_)) => return Err(invalid("the body is incomplete")),
            Err(_) => return Err(invalid("the body did not arrive in time")),
        };
        let is_form = kind
            .as_ref()
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| {
                let kind = kind.split(';').next().unwrap_or_default().trim();
                kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
            });
        let is_empty = kind.is_none() && bytes.is_empty();
        if !is_form && !is_empty {
            return Err(invalid(
                "the body must be application/x-www-form-urlencoded",
            ));
        }
        Ok(FormBody(Parameters::parse(&bytes)))
    }
}
