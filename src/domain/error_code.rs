//! The codes of error responses, each with its message.

use crate::i18n::Message;
use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The code of an error response, which never changes. Each code has one message in each language.
    #[derive(Hash)]
    pub enum ErrorCode(message: Message) {
        BadRequest = "bad_request", Message::ErrorBadRequest;
        InvalidChallenge = "invalid_challenge", Message::ErrorInvalidChallenge;
        InvalidToken = "invalid_token", Message::ErrorInvalidToken;
        Unauthenticated = "unauthenticated", Message::ErrorUnauthenticated;
        InvalidCredentials = "invalid_credentials", Message::ErrorInvalidCredentials;
        ReauthenticationFailed = "reauthentication_failed", Message::ErrorReauthenticationFailed;
        CodeInvalid = "code_invalid", Message::ErrorCodeInvalid;
        CodeReused = "code_reused", Message::ErrorCodeReused;
        PasskeyUnknown = "passkey_unknown", Message::ErrorPasskeyUnknown;
        // Two variants share the public code `passkey_rejected` and differ in the HTTP status: a passkey proves no
        // identity, or the data of a passkey are invalid.
        PasskeyProofRejected = "passkey_rejected", Message::ErrorPasskeyRejected;
        PasskeyDataRejected = "passkey_rejected", Message::ErrorPasskeyRejected;
        NeedsMigration = "needs_migration", Message::ErrorNeedsMigration;
        AccountDisabled = "account_disabled", Message::ErrorAccountDisabled;
        DeletionPending = "deletion_pending", Message::ErrorDeletionPending;
        EmailNotVerified = "email_not_verified", Message::ErrorEmailNotVerified;
        SecondFactorRequired = "second_factor_required", Message::ErrorSecondFactorRequired;
        NewDevice = "new_device", Message::ErrorNewDevice;
        TooManyDevices = "too_many_devices", Message::ErrorTooManyDevices;
        TooManyAttempts = "too_many_attempts", Message::ErrorTooManyAttempts;
        CurrentPasswordMismatch = "current_password_mismatch", Message::ErrorCurrentPasswordMismatch;
        ReauthenticationRequired = "reauthentication_required", Message::ErrorReauthenticationRequired;
        NotAllowed = "not_allowed", Message::ErrorNotAllowed;
        CrossSite = "cross_site", Message::ErrorCrossSite;
        NotFound = "not_found", Message::ErrorNotFound;
        MethodNotAllowed = "method_not_allowed", Message::ErrorMethodNotAllowed;
        AccountExists = "account_exists", Message::ErrorAccountExists;
        UsernameInUse = "username_in_use", Message::ErrorUsernameInUse;
        EmailInOldSystem = "email_in_old_system", Message::ErrorEmailInOldSystem;
        PasskeyExists = "passkey_exists", Message::ErrorPasskeyExists;
        SecondFactorEnabled = "second_factor_enabled", Message::ErrorSecondFactorEnabled;
        SecondFactorOff = "second_factor_off", Message::ErrorSecondFactorOff;
        TooManyPasskeys = "too_many_passkeys", Message::ErrorTooManyPasskeys;
        NothingPending = "nothing_pending", Message::ErrorNothingPending;
        PayloadTooLarge = "payload_too_large", Message::ErrorPayloadTooLarge;
        UnsupportedMediaType = "unsupported_media_type", Message::ErrorUnsupportedMediaType;
        ValidationFailed = "validation_failed", Message::ErrorValidationFailed;
        Underage = "underage", Message::ErrorUnderage;
        EmailUnchanged = "email_unchanged", Message::ErrorEmailUnchanged;
        PasswordEqualsCurrent = "password_equals_current", Message::ErrorPasswordEqualsCurrent;
        PasswordReused = "password_reused", Message::ErrorPasswordReused;
        RateLimited = "rate_limited", Message::ErrorRateLimited;
        Internal = "internal", Message::ErrorInternal;
        FragmentUnavailable = "fragment_unavailable", Message::ErrorFragmentUnavailable;
        Busy = "busy", Message::ErrorBusy;
        Unavailable = "unavailable", Message::ErrorUnavailable;
    }
}

serialize_as_name!(ErrorCode);

impl ErrorCode {
    /// Returns whether the server failed. With every other code, the server refused the request.
    pub(crate) fn is_fault(self) -> bool {
        matches!(
            self,
            ErrorCode::Internal
                | ErrorCode::FragmentUnavailable
                | ErrorCode::Busy
                | ErrorCode::Unavailable
        )
    }
}

impl From<ErrorCode> for Message {
    fn from(code: ErrorCode) -> Message {
        code.message()
    }
}
