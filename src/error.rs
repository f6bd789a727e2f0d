//! The reason why an operation failed, as far as a client may know it: `ApiError` is a code and its data.
//!
//! Only `http::error` writes the body, in the language of the request.

pub(crate) use crate::domain::error_code::ErrorCode;
pub(crate) use crate::domain::rule::Rule;

use crate::causes::with_causes;
use crate::db::StoreError;
use crate::db::conflict::MayConflict;
use crate::domain::age::AgeForm;
use crate::domain::secret::Secret;
use crate::hashing::HashError;
use crate::i18n::Message;
use crate::store::sealed::SealingError;
use crate::store::{accounts, credentials};

/// The reason why an operation failed, as far as the client may know it: a code and its data.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub code: ErrorCode,
    /// The message, if it is not the message of `code`.
    pub message: Option<Message>,
    /// The invalid fields, each with its rule (registration and completion).
    pub fields: Vec<(&'static str, Rule)>,
    /// The seconds after which a retry makes sense (`Retry-After`).
    pub retry_after: Option<u64>,
    /// Further keys of the body, documented at the route.
    pub extra: serde_json::Map<String, serde_json::Value>,
    /// The sign-in page for the visitor of a proxy (`X-Account-Location`).
    pub sign_in_url: Option<Box<str>>,
    /// The device cookie that the response sets.
    pub device_cookie: Option<Secret>,
    /// The count of under-age attempts that the response sets in the browser's cookie.
    pub age_refusals: Option<SignedCount>,
    /// The database aborted the transaction because of a conflict. It may be run again.
    pub is_conflict: bool,
    /// The database accepts reads but no writes.
    pub is_read_only: bool,
}

/// The content and the lifetime of the cookie that counts under-age attempts (`accounts::age_refusals`).
#[derive(Debug, Clone)]
pub(crate) struct SignedCount {
    pub form: AgeForm,
    pub text: String,
    pub seconds: i64,
}

impl MayConflict for ApiError {
    fn is_conflict(&self) -> bool {
        self.is_conflict
    }
}

impl ApiError {
    /// A broken rule of a field: the code `validation_failed` with the message of the rule.
    pub(crate) fn rule(rule: impl Into<Message>) -> ApiError {
        ApiError {
            message: Some(rule.into()),
            ..ErrorCode::ValidationFailed.into()
        }
    }

    pub(crate) fn fields(code: ErrorCode, fields: Vec<(&'static str, Rule)>) -> ApiError {
        ApiError {
            fields,
            ..code.into()
        }
    }

    /// A rate limit was reached. `wait` is the time until the window ends, in milliseconds; the response states it in
    /// whole seconds, rounded up.
    pub(crate) fn rate_limited(wait: i64) -> ApiError {
        ApiError {
            retry_after: Some(wait.max(1).unsigned_abs().div_ceil(1000)),
            ..ErrorCode::RateLimited.into()
        }
    }
}

impl From<ErrorCode> for ApiError {
    fn from(code: ErrorCode) -> Self {
        let retry_after = match code {
            ErrorCode::Busy | ErrorCode::Unavailable => Some(2),
            _ => None,
        };
        ApiError {
            code,
            message: None,
            fields: Vec::new(),
            retry_after,
            extra: serde_json::Map::new(),
            sign_in_url: None,
            device_cookie: None,
            age_refusals: None,
            is_conflict: false,
            is_read_only: false,
        }
    }
}

impl From<HashError> for ApiError {
    fn from(error: HashError) -> Self {
        match &error {
            HashError::Busy => {}
            HashError::Engine(_) => tracing::error!(error = %with_causes(&error)),
        }
        ErrorCode::Busy.into()
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::UniqueViolation(constraint) if constraint.has_name(accounts::EMAIL_KEY) => {
                ErrorCode::AccountExists.into()
            }
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(accounts::USERNAME_KEY) =>
            {
                ErrorCode::UsernameInUse.into()
            }
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(credentials::CREDENTIAL_KEY) =>
            {
                ErrorCode::PasskeyExists.into()
            }
            StoreError::Unavailable(reason) => {
                tracing::warn!(%reason, "database unavailable");
                ErrorCode::Unavailable.into()
            }
            StoreError::NotWritable(reason) => {
                tracing::warn!(%reason, "the database accepts no writes");
                ApiError {
                    is_read_only: true,
                    ..ErrorCode::Unavailable.into()
                }
            }
            StoreError::Conflict(reason) => {
                // No warning: `Store::transaction` runs it again, and warns after the last run.
                tracing::debug!(%reason, "transaction conflict");
                ApiError {
                    is_conflict: true,
                    ..ErrorCode::Unavailable.into()
                }
            }
            StoreError::UniqueViolation(_)
            | StoreError::Other(_)
            | StoreError::NewerSchema(_)
            | StoreError::InvalidSetting(_) => {
                tracing::error!(%error, "database error");
                ErrorCode::Internal.into()
            }
        }
    }
}

impl From<SealingError> for ApiError {
    fn from(error: SealingError) -> Self {
        match error {
            SealingError::Store(error) => error.into(),
            error => {
                tracing::error!(
                    error = with_causes(&error),
                    "a value cannot be encrypted or decrypted"
                );
                ErrorCode::Internal.into()
            }
        }
    }
}
