//! The kinds of security events that appear in a person's list of activity, in the log and in the audit log.

use crate::domain::webhook_event::EventType;
use crate::named_enum::{named_enum, serialize_as_name};

use EventType::{
    Created, DeletionCancelled, DeletionRequested, Disabled, Enabled, Updated, Verified,
};
use Severity::{Alarming, Ordinary};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Ordinary,
    /// An attack was stopped or undone. The log contains such an event as a warning.
    Alarming,
}

named_enum! {
    /// The kind of a security event, whose name never changes. The screens have a sentence for each kind in every
    /// language (`activity.<kind>` in `locales/`).
    #[derive(Hash)]
    pub(crate) enum SecurityEvent(
        severity: Severity,
        /// Whether the event is a sign-in, for which the list of activity offers "That wasn't me".
        is_sign_in: bool,
        /// The webhook events that report the event, each with the names of changed fields. `session_end.rs` reports
        /// `sessions.ended`, because every action that ends sessions causes it. The deletion of an account, which
        /// leaves no security event, reports `account.deleted`.
        webhooks: &'static [(EventType, &'static [&'static str])]
    ) {
        Registered = "registered", Ordinary, false, &[(Created, &[])];
        EmailVerified = "email_verified", Ordinary, false, &[(Verified, &[])];
        Migrated = "migrated", Ordinary, false, &[(Created, &[]), (Verified, &[])];
        SignedIn = "signed_in", Ordinary, true, &[];
        SignInBlocked = "sign_in_blocked", Alarming, true, &[];
        SignedOut = "signed_out", Ordinary, false, &[];
        SignedOutEverywhere = "signed_out_everywhere", Ordinary, false, &[];
        DeviceApproved = "device_approved", Ordinary, false, &[];
        DeviceRefused = "device_refused", Alarming, false, &[];
        DeviceSignedOut = "device_signed_out", Ordinary, false, &[];
        PasswordChanged = "password_changed", Ordinary, false, &[];
        PasswordReset = "password_reset", Ordinary, false, &[];
        EmailChangeRequested = "email_change_requested", Ordinary, false, &[];
        EmailChanged = "email_changed", Ordinary, false, &[(Updated, &["email"])];
        EmailChangeUndone = "email_change_undone", Alarming, false, &[(Updated, &["email"])];
        PasskeyAdded = "passkey_added", Ordinary, false, &[];
        PasskeyRenamed = "passkey_renamed", Ordinary, false, &[];
        PasskeyRemoved = "passkey_removed", Ordinary, false, &[];
        PasskeyRejected = "passkey_rejected", Alarming, false, &[];
        SecondFactorEnabled = "second_factor_enabled", Ordinary, false, &[];
        SecondFactorDisabled = "second_factor_disabled", Ordinary, false, &[];
        RecoveryCodeUsed = "recovery_code_used", Ordinary, false, &[];
        RecoveryCodesRegenerated = "recovery_codes_regenerated", Ordinary, false, &[];
        SecondFactorResetRequested = "second_factor_reset_requested", Alarming, false, &[];
        SecondFactorResetCancelled = "second_factor_reset_cancelled", Ordinary, false, &[];
        SecondFactorReset = "second_factor_reset", Ordinary, false, &[];
        AppSignedIn = "app_signed_in", Ordinary, true, &[];
        AppSignedOut = "app_signed_out", Ordinary, false, &[];
        DataExported = "data_exported", Ordinary, false, &[];
        DeletionRequested = "deletion_requested", Ordinary, false, &[(DeletionRequested, &[])];
        DeletionCancelled = "deletion_cancelled", Ordinary, false, &[(DeletionCancelled, &[])];
        MarketingConsentChanged = "marketing_consent_changed", Ordinary, false, &[(Updated, &["marketing_consent"])];
        Disabled = "disabled", Ordinary, false, &[(Disabled, &[])];
        Enabled = "enabled", Ordinary, false, &[(Enabled, &[])];
        SupportViewed = "support_viewed", Ordinary, false, &[];
        SupportActed = "support_acted", Ordinary, false, &[];
    }
}

serialize_as_name!(SecurityEvent);
