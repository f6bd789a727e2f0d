//! Errors for clients. `ApiError` has an error code and its data, and reveals no more than a client may know.
//!
//! Only `http::error` writes the body of an error, in the language of the HTTP request.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::crypto::hashing::HashError;
use crate::db::StoreError;
use crate::db::conflict::MayConflict;
use crate::domain::age::AgeForm;
use crate::domain::auth_method::AuthMethod;
pub(crate) use crate::domain::error_code::ErrorCode;
pub(crate) use crate::domain::field_rule::FieldRule;
use crate::domain::secret::Secret;
use crate::i18n::Message;
use crate::observability::causes::with_causes;
use crate::store::credentials;
use crate::store::devices::Device;
use crate::store::names::NameKind;
use crate::store::sealed::SealingError;

pub(crate) type ApiResult<T = ()> = Result<T, ApiError>;

#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    pub code: ErrorCode,
    pub detail: ErrorDetail,
    pub data: Option<ErrorData>,
    pub headers: ErrorHeaders,
    pub database: Option<DatabaseRefusal>,
}

/// The message of an error response.
#[derive(Debug, Clone, Default)]
pub(crate) enum ErrorDetail {
    #[default]
    MessageOfCode,
    OtherMessage(Message),
    /// The invalid fields, each with the rule that it breaks.
    Fields(Vec<(&'static str, FieldRule)>),
}

/// The data of an error response, for the error codes that have data.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub(crate) enum ErrorData {
    InvalidToken {
        /// The purpose of the expired link, if a link of another kind replaces it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        purpose: Option<ReplaceableLink>,
    },
    NewDevice {
        /// The signed text with which this browser asks whether its device was approved.
        approval: String,
    },
    DeletionPending {
        /// The time of the account's deletion, RFC 3339.
        delete_at: String,
        /// The token that cancels the deletion.
        #[serde(serialize_with = "expose")]
        #[schema(value_type = String)]
        restore_token: Secret,
    },
    SecondFactorRequired {
        /// The token that replaces the password when the browser sends the second factor.
        #[serde(serialize_with = "expose")]
        #[schema(value_type = String)]
        second_factor_token: Secret,
        /// The authentication methods of the account for the second factor.
        methods: Vec<AuthMethod>,
        /// Whether the account has a passkey for this site, which signs in without a code. Absent if false.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        #[schema(required = false)]
        passkey: bool,
        /// The time from which the requested reset of the second factor can be carried out, RFC 3339. Absent without a
        /// request, and after this time.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        reset_at: Option<String>,
    },
    ReauthenticationRequired {
        /// The authentication methods of the account on this site, the best first.
        methods: Vec<AuthMethod>,
    },
    TooManyDevices {
        /// The devices on which the account is signed in, except the device of this HTTP request.
        devices: Vec<Device>,
        /// The token that signs one of the devices out.
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

fn expose<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.expose())
}

/// The headers of an error response that its error code does not determine.
#[derive(Debug, Clone, Default)]
pub(crate) struct ErrorHeaders {
    /// The number of seconds to wait before a retry (`Retry-After`).
    pub retry_after: Option<u64>,
    /// The URL of the sign-in page, to which a forward-auth proxy redirects its visitor (`X-Account-Location`).
    pub sign_in_url: Option<Box<str>>,
    pub device_cookie: Option<Secret>,
    /// The new count of under-age attempts, for the cookie of the browser.
    pub age_refusals: Option<AgeRefusalsCookie>,
}

/// The content and the lifetime of the cookie that counts under-age attempts (`sign_up::age_refusals`).
#[derive(Debug, Clone)]
pub(crate) struct AgeRefusalsCookie {
    pub form: AgeForm,
    pub text: String,
    pub seconds: i64,
}

/// A reason why the database did not commit a transaction, if callers treat this reason specially.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DatabaseRefusal {
    /// The transaction conflicts with another transaction, and may be repeated.
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
    /// Returns an error with another message than the default message of its error code.
    pub(crate) fn with_message(code: ErrorCode, message: impl Into<Message>) -> ApiError {
        ApiError {
            detail: ErrorDetail::OtherMessage(message.into()),
            ..code.into()
        }
    }

    /// Returns the error for a broken rule of a field: `validation_failed` with the message of the rule.
    pub(crate) fn broken_rule(rule: impl Into<Message>) -> ApiError {
        ApiError::with_message(ErrorCode::ValidationFailed, rule)
    }

    pub(crate) fn fields(code: ErrorCode, fields: Vec<(&'static str, FieldRule)>) -> ApiError {
        ApiError {
            detail: ErrorDetail::Fields(fields),
            ..code.into()
        }
    }

    /// Returns the error for a reached rate limit. `wait` is the time until the window ends, in milliseconds. The
    /// response contains the time in whole seconds, rounded up.
    pub(crate) fn rate_limited(wait: i64) -> ApiError {
        let mut error = ApiError::from(ErrorCode::RateLimited);
        error.headers.retry_after = Some(wait.max(1).unsigned_abs().div_ceil(1000));
        error
    }

    /// Replaces the message of the error if the error has this error code.
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
            ErrorData::NewDevice { .. } => ErrorCode::NewDevice,
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
                if constraint.has_name(NameKind::Email.constraint()) =>
            {
                ErrorCode::AccountExists.into()
            }
            StoreError::UniqueViolation(constraint)
                if constraint.has_name(NameKind::Username.constraint()) =>
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
                // `Store::transaction` repeats the transaction, and logs a warning after the last attempt.
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
