//! The relying party of the host that an HTTP request was sent to.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;

use super::client::client_of;
use crate::accounts::passkey;
use crate::app::SharedApp;
use crate::config::RelyingParty;
use crate::error::{ApiError, ErrorCode};

/// The relying party of this site. If passkeys are off, the response is `not_found`.
pub(crate) struct SitePasskeys(pub RelyingParty);

impl<S: Send + Sync> FromRequestParts<S> for SitePasskeys
where
    SharedApp: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let app = SharedApp::from_ref(state);
        let party = passkey::relying_party(&app, &client_of(parts, &app));
        Ok(SitePasskeys(party.ok_or(ErrorCode::NotFound)?))
    }
}
