//! The errors of OAuth (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core 1.0 section 3.1.2.6).

use crate::db::conflict::MayConflict;
use crate::error::{ApiError, DatabaseRefusal, ErrorCode};
use crate::named_enum::named_enum;

named_enum! {
    /// An OAuth error code, and its HTTP status if the error is not sent by a redirect.
    pub(crate) enum OAuthCode(status: u16) {
        InvalidRequest = "invalid_request", 400;
        InvalidClient = "invalid_client", 401;
        InvalidGrant = "invalid_grant", 400;
        InvalidScope = "invalid_scope", 400;
        InvalidToken = "invalid_token", 401;
        UnsupportedGrantType = "unsupported_grant_type", 400;
        UnsupportedResponseType = "unsupported_response_type", 400;
        RequestNotSupported = "request_not_supported", 400;
        RequestUriNotSupported = "request_uri_not_supported", 400;
        LoginRequired = "login_required", 400;
        InteractionRequired = "interaction_required", 400;
        ServerError = "server_error", 500;
        TooMany = "temporarily_unavailable", 429;
        Unavailable = "temporarily_unavailable", 503;
    }
}

pub(crate) type OAuthResult<T = ()> = Result<T, OAuthError>;

/// The reason why a request of an application failed.
#[derive(Debug, Clone)]
pub(crate) struct OAuthError {
    pub code: OAuthCode,
    /// The description for the developer of the application, in ASCII and without data of the HTTP request.
    pub description: &'static str,
    /// The time after which the application may retry, in seconds.
    pub retry_after: Option<u64>,
    pub database: Option<DatabaseRefusal>,
}

impl OAuthError {
    pub(crate) fn new(code: OAuthCode, description: &'static str) -> OAuthError {
        OAuthError {
            code,
            description,
            retry_after: None,
            database: None,
        }
    }
}

pub(crate) fn invalid_request(why: &'static str) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidRequest, why)
}

pub(super) fn invalid_grant(why: &'static str) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidGrant, why)
}

impl MayConflict for OAuthError {
    fn is_conflict(&self) -> bool {
        self.database == Some(DatabaseRefusal::Conflict)
    }
}

impl<E: Into<ApiError>> From<E> for OAuthError {
    fn from(error: E) -> OAuthError {
        let error = error.into();
        let (code, description) = match error.code {
            ErrorCode::RateLimited => (OAuthCode::TooMany, "too many requests"),
            ErrorCode::Busy | ErrorCode::Unavailable => {
                (OAuthCode::Unavailable, "try again in a moment")
            }
            _ => (OAuthCode::ServerError, "internal error"),
        };
        OAuthError {
            retry_after: error.headers.retry_after,
            database: error.database,
            ..OAuthError::new(code, description)
        }
    }
}
