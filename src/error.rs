//! The reason why an operation failed, as far as a client may know it: `ApiError` is a code and its data.
//!
//! Only `http::error` writes the body, in the language of the request.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::crypto::hashing::HashError;
use crate::db::StoreError;
use crate::db::conflict::MayConflict;
use crate::domain::age::AgeForm;
use crate::domain::auth_method::AuthMethod;
pub(crate) use crate::domain::error_code::ErrorCode;
pub(crate) use crate::domain::rule::Rule;
use crate::domain::secret::Secret;
use crate::i18n::Message;
use crate::observability::causes::with_causes;
use crate::store::sealed::SealingError;
use crate::store::{accounts, credentials};

/// The reason why an operation failed, as far as the client may know it: a code and its data.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub code: ErrorCode,
    pub detail: ErrorDetail,
    pub data: Option<ErrorData>,
    pub headers: ErrorHeaders,
    pub database: Option<DatabaseRefusal>,
}

/// The message of an error.
#[derive(Debug, Clone, Default)]
pub(crate) enum ErrorDetail {
    #[default]
    MessageOfCode,
    OtherMessage(Message),
    /// The invalid fields, each with its rule.
    Fields(Vec<(&'static str, Rule)>),
}

/// What the body says beside the code and the message, for the codes that have data.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub(crate) enum ErrorData {
    InvalidToken {
        /// The purpose of an expired link that another kind of link replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        purpose: Option<ReplaceableLink>,
    },
    DeletionPending {
        /// The time of the deletion, RFC 3339.
        delete_at: String,
        /// Cancels the deletion.
        #[serde(serialize_with = "expose")]
        #[schema(value_type = String)]
        restore_token: Secret,
    },
    SecondFactorRequired {
        /// Proves the password in the second step.
        #[serde(serialize_with = "expose")]
        #[schema(value_type = String)]
        second_factor_token: Secret,
        /// The kinds of code that the account has.
        methods: Vec<AuthMethod>,
    },
    ReauthenticationRequired {
        /// The proofs that the account has on this site, best first.
        methods: Vec<AuthMethod>,
    },
    TooManyDevices {
        /// The devices on which the account is signed in, without the device of this request.
        devices: Vec<OtherDevice>,
        /// Signs one of the devices out.
        #[serde(serialize_with = "expose")]
        #[schema(value_type = String)]
        device_token: Secret,
    },
}

#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReplaceableLink {
    DeviceApproval,
}

#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct OtherDevice {
    pub id: Uuid,
    pub name: String,
    /// Milliseconds since 1970 UTC.
    pub first_seen_at: i64,
    /// Milliseconds since 1970 UTC.
    pub last_used_at: i64,
}

fn expose<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

/// The headers of an error response that its code does not determine.
#[derive(Debug, Clone, Default)]
pub(crate) struct ErrorHeaders {
    /// The seconds after which a retry makes sense (`Retry-After`).
    pub retry_after: Option<u64>,
    /// The sign-in page for the visitor of a proxy (`X-Account-Location`).
    pub sign_in_url: Option<Box<str>>,
    pub device_cookie: Option<Secret>,
    /// The count of under-age attempts, for the browser's cookie.
    pub age_refusals: Option<SignedCount>,
}

/// The content and the lifetime of the cookie that counts under-age attempts (`auth::age_refusals`).
#[derive(Debug, Clone)]
pub(crate) struct SignedCount {
    pub form: AgeForm,
    pub text: String,
    pub seconds: i64,
}

/// Why the database did not run a transaction, if somebody acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseRefusal {
    /// A conflict with another transaction. It may be run again.
    Conflict,
    /// The database accepts reads but no writes.
    ReadOnly,
}

impl MayConflict for ApiError {
    fn is_conflict(&self) -> bool {
        self.database == Some(DatabaseRefusal::Conflict)
    }
}

impl ApiError {
    /// A code whose own message does not fit the caller.
    pub(crate) fn with_message(code: ErrorCode, message: impl Into<Message>) -> ApiError {
        ApiError {
            detail: ErrorDetail::OtherMessage(message.into()),
            ..code.into()
        }
    }

    /// A broken rule of a field: the code `validation_failed` with the message of the rule.
    pub(crate) fn rule(rule: impl Into<Message>) -> ApiError {
        ApiError::with_message(ErrorCode::ValidationFailed, rule)
    }

    pub(crate) fn fields(code: ErrorCode, fields: Vec<(&'static str, Rule)>) -> ApiError {
        ApiError {
            detail: ErrorDetail::Fields(fields),
            ..code.into()
        }
    }

    /// A rate limit was reached. `wait` is the time until the window ends, in milliseconds; the response states it in
    /// whole seconds, rounded up.
    pub(crate) fn rate_limited(wait: i64) -> ApiError {
        let mut error = ApiError::from(ErrorCode::RateLimited);
        error.headers.retry_after = Some(wait.max(1).unsigned_abs().div_ceil(1000));
        error
    }

    /// Replaces the message if the error has this code.
    pub(crate) fn reword(self, code: ErrorCode, message: Message) -> ApiError {
        match self.code == code {
            true => ApiError::with_message(code, message),
            false => self,
        }
    }

    fn refused_by_database(database: DatabaseRefusal) -> ApiError {
        ApiError {
            database: Some(database),
            ..ErrorCode::Unavailable.into()
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
            detail: ErrorDetail::default(),
            data: None,
            headers: ErrorHeaders {
                retry_after,
                ..ErrorHeaders::default()
            },
            database: None,
        }
    }
}

impl From<ErrorData> for ApiError {
    fn from(data: ErrorData) -> Self {
        let code = match &data {
            ErrorData::InvalidToken { .. } => ErrorCode::InvalidToken,
            ErrorData::DeletionPending { .. } => ErrorCode::DeletionPending,
            ErrorData::SecondFactorRequired { .. } => ErrorCode::SecondFactorRequired,
            ErrorData::ReauthenticationRequired { .. } => ErrorCode::ReauthenticationRequired,
            ErrorData::TooManyDevices { .. } => ErrorCode::TooManyDevices,
        };
        ApiError {
            data: Some(data),
            ..code.into()
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
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(accounts::EMAIL_CONSTRAINT) =>
            {
                ErrorCode::AccountExists.into()
            }
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(accounts::USERNAME_CONSTRAINT) =>
            {
                ErrorCode::UsernameInUse.into()
            }
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(credentials::CREDENTIAL_CONSTRAINT) =>
            {
                ErrorCode::PasskeyExists.into()
            }
            StoreError::Unavailable(reason) => {
                tracing::warn!(%reason, "database unavailable");
                ErrorCode::Unavailable.into()
            }
            StoreError::NotWritable(reason) => {
                tracing::warn!(%reason, "the database accepts no writes");
                ApiError::refused_by_database(DatabaseRefusal::ReadOnly)
            }
            StoreError::Conflict(reason) => {
                // No warning: `Store::transaction` runs it again, and warns after the last run.
                tracing::debug!(%reason, "transaction conflict");
                ApiError::refused_by_database(DatabaseRefusal::Conflict)
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
