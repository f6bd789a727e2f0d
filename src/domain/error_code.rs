//! The codes of error responses, with their statuses and messages.

use serde::Serialize;

use crate::i18n::Message;

macro_rules! codes {
    ($($variant:ident $text:literal $status:literal $message:path,)*) => {
        /// The code of an error response. Stable; each has one status and one message in each language.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub enum ErrorCode {
            $(#[serde(rename = $text)] $variant,)*
        }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $text,)* }
            }

            /// The HTTP status of the response.
            pub fn status(self) -> u16 {
                match self { $(ErrorCode::$variant => $status,)* }
            }

            pub fn message(self) -> Message {
                match self { $(ErrorCode::$variant => $message,)* }
            }
        }
    };
}

codes! {
    BadRequest "bad_request" 400 Message::ErrorBadRequest,
    InvalidChallenge "invalid_challenge" 400 Message::ErrorInvalidChallenge,
    InvalidToken "invalid_token" 400 Message::ErrorInvalidToken,
    Unauthenticated "unauthenticated" 401 Message::ErrorUnauthenticated,
    InvalidCredentials "invalid_credentials" 401 Message::ErrorInvalidCredentials,
    ReauthenticationFailed "reauthentication_failed" 401 Message::ErrorReauthenticationFailed,
    CodeInvalid "code_invalid" 401 Message::ErrorCodeInvalid,
    CodeReused "code_reused" 401 Message::ErrorCodeReused,
    PasskeyUnknown "passkey_unknown" 401 Message::ErrorPasskeyUnknown,
    // At sign-in; a refused new passkey is 422.
    PasskeySignInRejected "passkey_rejected" 401 Message::ErrorPasskeyRejected,
    NeedsMigration "needs_migration" 403 Message::ErrorNeedsMigration,
    AccountDisabled "account_disabled" 403 Message::ErrorAccountDisabled,
    DeletionPending "deletion_pending" 403 Message::ErrorDeletionPending,
    EmailNotVerified "email_not_verified" 403 Message::ErrorEmailNotVerified,
    SecondFactorRequired "second_factor_required" 403 Message::ErrorSecondFactorRequired,
    NewDevice "new_device" 403 Message::ErrorNewDevice,
    TooManyDevices "too_many_devices" 403 Message::ErrorTooManyDevices,
    TooManyAttempts "too_many_attempts" 403 Message::ErrorTooManyAttempts,
    CurrentPasswordMismatch "current_password_mismatch" 403 Message::ErrorCurrentPasswordMismatch,
    ReauthenticationRequired "reauthentication_required" 403 Message::ErrorReauthenticationRequired,
    NotAllowed "not_allowed" 403 Message::ErrorNotAllowed,
    CrossSite "cross_site" 403 Message::ErrorCrossSite,
    NotFound "not_found" 404 Message::ErrorNotFound,
    MethodNotAllowed "method_not_allowed" 405 Message::ErrorMethodNotAllowed,
    AccountExists "account_exists" 409 Message::ErrorAccountExists,
    UsernameInUse "username_in_use" 409 Message::ErrorUsernameInUse,
    EmailInOldSystem "email_in_old_system" 409 Message::ErrorEmailInOldSystem,
    PasskeyExists "passkey_exists" 409 Message::ErrorPasskeyExists,
    SecondFactorEnabled "second_factor_enabled" 409 Message::ErrorSecondFactorEnabled,
    SecondFactorOff "second_factor_off" 409 Message::ErrorSecondFactorOff,
    TooManyPasskeys "too_many_passkeys" 409 Message::ErrorTooManyPasskeys,
    NothingPending "nothing_pending" 409 Message::ErrorNothingPending,
    PayloadTooLarge "payload_too_large" 413 Message::ErrorPayloadTooLarge,
    UnsupportedMediaType "unsupported_media_type" 415 Message::ErrorUnsupportedMediaType,
    ValidationFailed "validation_failed" 422 Message::ErrorValidationFailed,
    PasskeyRejected "passkey_rejected" 422 Message::ErrorPasskeyRejected,
    Underage "underage" 422 Message::ErrorUnderage,
    EmailUnchanged "email_unchanged" 422 Message::ErrorEmailUnchanged,
    PasswordEqualsCurrent "password_equals_current" 422 Message::ErrorPasswordEqualsCurrent,
    PasswordReused "password_reused" 422 Message::ErrorPasswordReused,
    RateLimited "rate_limited" 429 Message::ErrorRateLimited,
    Internal "internal" 500 Message::ErrorInternal,
    FragmentUnavailable "fragment_unavailable" 502 Message::ErrorFragmentUnavailable,
    Busy "busy" 503 Message::ErrorBusy,
    Unavailable "unavailable" 503 Message::ErrorUnavailable,
}

impl From<ErrorCode> for Message {
    fn from(code: ErrorCode) -> Message {
        code.message()
    }
}

/// Returns every code once; one may have two statuses.
fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

// Written by hand because the derive macro does not resolve names that come from `codes!`.
impl utoipa::PartialSchema for ErrorCode {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(names()))
            .build()
            .into()
    }
}

impl utoipa::ToSchema for ErrorCode {
    /// The name in the OpenAPI document.
    fn name() -> std::borrow::Cow<'static, str> {
        "Code".into()
    }
}
