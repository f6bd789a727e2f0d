//! The codes of all errors that a client may see, with their statuses and sentences.

use serde::Serialize;

use crate::i18n::Message;

macro_rules! codes {
    ($($variant:ident $text:literal $status:literal,)*) => {
        /// Stable error codes. Each needs a sentence under `error` in `locales/`, or the build fails.
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
        }
    };
}

codes! {
    BadRequest "bad_request" 400,
    InvalidToken "invalid_token" 400,
    Unauthenticated "unauthenticated" 401,
    InvalidCredentials "invalid_credentials" 401,
    NeedsMigration "needs_migration" 403,
    EmailNotVerified "email_not_verified" 403,
    NewDevice "new_device" 403,
    TooManyDevices "too_many_devices" 403,
    TooManyAttempts "too_many_attempts" 403,
    CurrentPasswordMismatch "current_password_mismatch" 403,
    CrossSite "cross_site" 403,
    NotFound "not_found" 404,
    MethodNotAllowed "method_not_allowed" 405,
    AccountExists "account_exists" 409,
    // `account_exists` with a sentence for a person who is signed in.
    EmailTaken "email_taken" 409,
    UsernameInUse "username_in_use" 409,
    // `username_in_use` with a sentence for a name that the site reserves.
    UsernameReserved "username_reserved" 409,
    EmailInOldSystem "email_in_old_system" 409,
    PayloadTooLarge "payload_too_large" 413,
    UnsupportedMediaType "unsupported_media_type" 415,
    ValidationFailed "validation_failed" 422,
    Underage "underage" 422,
    EmailUnchanged "email_unchanged" 422,
    PasswordEqualsCurrent "password_equals_current" 422,
    PasswordReused "password_reused" 422,
    // The rules of specification 5. They appear beside a field, or as the sentence of
    // `validation_failed`.
    MissingField "missing_field" 422,
    EmailMissing "email_missing" 422,
    EmailInvalid "email_invalid" 422,
    EmailInvalidMigration "email_invalid_migration" 422,
    UsernameCharacters "username_characters" 422,
    UsernameTooLong "username_too_long" 422,
    PasswordMissing "password_missing" 422,
    PasswordTooShort "password_too_short" 422,
    PasswordTooShortMigration "password_too_short_migration" 422,
    PasswordUppercase "password_uppercase" 422,
    PasswordLowercase "password_lowercase" 422,
    PasswordDigit "password_digit" 422,
    PasswordTooLong "password_too_long" 422,
    PasswordsDiffer "passwords_differ" 422,
    PasswordCriteria "password_criteria" 422,
    PasswordCommon "password_common" 422,
    CountryMissing "country_missing" 422,
    ZipcodeInvalid "zipcode_invalid" 422,
    BirthdayInvalid "birthday_invalid" 422,
    CurrentPasswordMissing "current_password_missing" 422,
    ResetTokenMissing "reset_token_missing" 400,
    MigrationLinkInvalid "migration_link_invalid" 400,
    RateLimited "rate_limited" 429,
    Internal "internal" 500,
    FragmentUnavailable "fragment_unavailable" 502,
    Busy "busy" 503,
    Unavailable "unavailable" 503,
}

// Written by hand because the derive macro does not resolve names that come from `codes!`.
impl utoipa::PartialSchema for ErrorCode {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(ErrorCode::ALL.iter().map(|code| code.as_str())))
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

impl ErrorCode {
    /// The sentence of this code. The build fails if a code has none, or a language lacks it.
    pub fn message(self) -> Message {
        match self {
            ErrorCode::BadRequest => Message::ErrorBadRequest,
            ErrorCode::InvalidToken => Message::ErrorInvalidToken,
            ErrorCode::Unauthenticated => Message::ErrorUnauthenticated,
            ErrorCode::InvalidCredentials => Message::ErrorInvalidCredentials,
            ErrorCode::NeedsMigration => Message::ErrorNeedsMigration,
            ErrorCode::EmailNotVerified => Message::ErrorEmailNotVerified,
            ErrorCode::NewDevice => Message::ErrorNewDevice,
            ErrorCode::TooManyDevices => Message::ErrorTooManyDevices,
            ErrorCode::TooManyAttempts => Message::ErrorTooManyAttempts,
            ErrorCode::CurrentPasswordMismatch => Message::ErrorCurrentPasswordMismatch,
            ErrorCode::CrossSite => Message::ErrorCrossSite,
            ErrorCode::NotFound => Message::ErrorNotFound,
            ErrorCode::MethodNotAllowed => Message::ErrorMethodNotAllowed,
            ErrorCode::AccountExists => Message::ErrorAccountExists,
            ErrorCode::EmailTaken => Message::ErrorEmailTaken,
            ErrorCode::UsernameInUse => Message::ErrorUsernameInUse,
            ErrorCode::UsernameReserved => Message::ErrorUsernameReserved,
            ErrorCode::EmailInOldSystem => Message::ErrorEmailInOldSystem,
            ErrorCode::PayloadTooLarge => Message::ErrorPayloadTooLarge,
            ErrorCode::UnsupportedMediaType => Message::ErrorUnsupportedMediaType,
            ErrorCode::ValidationFailed => Message::ErrorValidationFailed,
            ErrorCode::Underage => Message::ErrorUnderage,
            ErrorCode::EmailUnchanged => Message::ErrorEmailUnchanged,
            ErrorCode::PasswordEqualsCurrent => Message::ErrorPasswordEqualsCurrent,
            ErrorCode::PasswordReused => Message::ErrorPasswordReused,
            ErrorCode::MissingField => Message::ErrorMissingField,
            ErrorCode::EmailMissing => Message::ErrorEmailMissing,
            ErrorCode::EmailInvalid => Message::ErrorEmailInvalid,
            ErrorCode::EmailInvalidMigration => Message::ErrorEmailInvalidMigration,
            ErrorCode::UsernameCharacters => Message::ErrorUsernameCharacters,
            ErrorCode::UsernameTooLong => Message::ErrorUsernameTooLong,
            ErrorCode::PasswordMissing => Message::ErrorPasswordMissing,
            ErrorCode::PasswordTooShort => Message::ErrorPasswordTooShort,
            ErrorCode::PasswordTooShortMigration => Message::ErrorPasswordTooShortMigration,
            ErrorCode::PasswordUppercase => Message::ErrorPasswordUppercase,
            ErrorCode::PasswordLowercase => Message::ErrorPasswordLowercase,
            ErrorCode::PasswordDigit => Message::ErrorPasswordDigit,
            ErrorCode::PasswordTooLong => Message::ErrorPasswordTooLong,
            ErrorCode::PasswordsDiffer => Message::ErrorPasswordsDiffer,
            ErrorCode::PasswordCriteria => Message::ErrorPasswordCriteria,
            ErrorCode::PasswordCommon => Message::ErrorPasswordCommon,
            ErrorCode::CountryMissing => Message::ErrorCountryMissing,
            ErrorCode::ZipcodeInvalid => Message::ErrorZipcodeInvalid,
            ErrorCode::BirthdayInvalid => Message::ErrorBirthdayInvalid,
            ErrorCode::CurrentPasswordMissing => Message::ErrorCurrentPasswordMissing,
            ErrorCode::ResetTokenMissing => Message::ErrorResetTokenMissing,
            ErrorCode::MigrationLinkInvalid => Message::ErrorMigrationLinkInvalid,
            ErrorCode::RateLimited => Message::ErrorRateLimited,
            ErrorCode::Internal => Message::ErrorInternal,
            ErrorCode::FragmentUnavailable => Message::ErrorFragmentUnavailable,
            ErrorCode::Busy => Message::ErrorBusy,
            ErrorCode::Unavailable => Message::ErrorUnavailable,
        }
    }
}
