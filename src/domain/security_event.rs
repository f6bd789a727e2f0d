//! The kinds of security events that appear in a person's list of activity, in the log and in the audit log.

use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// The kind of a security event, whose name never changes. The screens have a sentence for each kind in every
    /// language (`activity.<kind>` in `locales/`).
    #[derive(Hash)]
    pub(crate) enum SecurityEvent {
        Registered = "registered";
        EmailVerified = "email_verified";
        Migrated = "migrated";
        SignedIn = "signed_in";
        SignInBlocked = "sign_in_blocked";
        SignedOut = "signed_out";
        SignedOutEverywhere = "signed_out_everywhere";
        DeviceApproved = "device_approved";
        DeviceRefused = "device_refused";
        DeviceSignedOut = "device_signed_out";
        PasswordChanged = "password_changed";
        PasswordReset = "password_reset";
        EmailChangeRequested = "email_change_requested";
        EmailChanged = "email_changed";
        EmailChangeUndone = "email_change_undone";
        PasskeyAdded = "passkey_added";
        PasskeyRenamed = "passkey_renamed";
        PasskeyRemoved = "passkey_removed";
        PasskeyRejected = "passkey_rejected";
        SecondFactorEnabled = "second_factor_enabled";
        SecondFactorDisabled = "second_factor_disabled";
        RecoveryCodeUsed = "recovery_code_used";
        RecoveryCodesRegenerated = "recovery_codes_regenerated";
        SecondFactorResetRequested = "second_factor_reset_requested";
        SecondFactorResetCancelled = "second_factor_reset_cancelled";
        SecondFactorReset = "second_factor_reset";
        AppSignedIn = "app_signed_in";
        AppSignedOut = "app_signed_out";
        DataExported = "data_exported";
        DeletionRequested = "deletion_requested";
        DeletionCancelled = "deletion_cancelled";
        MarketingConsentChanged = "marketing_consent_changed";
        Disabled = "disabled";
        Enabled = "enabled";
        SupportViewed = "support_viewed";
        SupportActed = "support_acted";
    }
}

impl SecurityEvent {
    /// Returns whether the event is an attack that was stopped or undone. The log contains such an event as a warning.
    pub(crate) fn is_alarming(self) -> bool {
        matches!(
            self,
            SecurityEvent::SignInBlocked
                | SecurityEvent::DeviceRefused
                | SecurityEvent::EmailChangeUndone
                | SecurityEvent::PasskeyRejected
                | SecurityEvent::SecondFactorResetRequested
        )
    }

    /// Returns whether the event is a sign-in, for which the list of activity offers "That wasn't me".
    pub(crate) fn is_sign_in(self) -> bool {
        matches!(
            self,
            SecurityEvent::SignedIn | SecurityEvent::SignInBlocked | SecurityEvent::AppSignedIn
        )
    }
}

serialize_as_name!(SecurityEvent);
