//! The kinds of security events, as in a person's activity list, the log and the audit.

use serde::Serialize;

macro_rules! kinds {
    ($($variant:ident $text:literal,)*) => {
        /// The kind of a security event. Stable. The screens have a sentence for each in every language
        /// (`activity.<kind>` in `locales/`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        pub(crate) enum SecurityEvent {
            $(#[serde(rename = $text)] $variant,)*
        }

        impl SecurityEvent {
            pub(crate) const ALL: &'static [SecurityEvent] = &[$(SecurityEvent::$variant,)*];

            pub(crate) fn as_str(self) -> &'static str {
                match self { $(SecurityEvent::$variant => $text,)* }
            }

            /// Returns the kind with this name. None for one that only a later version knows.
            pub(crate) fn from_name(name: &str) -> Option<SecurityEvent> {
                match name {
                    $($text => Some(SecurityEvent::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    Registered "registered",
    EmailVerified "email_verified",
    Migrated "migrated",
    SignedIn "signed_in",
    SignInBlocked "sign_in_blocked",
    SignedOut "signed_out",
    SignedOutEverywhere "signed_out_everywhere",
    DeviceApproved "device_approved",
    DeviceRefused "device_refused",
    DeviceSignedOut "device_signed_out",
    PasswordChanged "password_changed",
    PasswordReset "password_reset",
    EmailChangeRequested "email_change_requested",
    EmailChanged "email_changed",
    EmailChangeUndone "email_change_undone",
    PasskeyAdded "passkey_added",
    PasskeyRenamed "passkey_renamed",
    PasskeyRemoved "passkey_removed",
    PasskeyRejected "passkey_rejected",
    SecondFactorEnabled "second_factor_enabled",
    SecondFactorDisabled "second_factor_disabled",
    RecoveryCodeUsed "recovery_code_used",
    RecoveryCodesRegenerated "recovery_codes_regenerated",
    SecondFactorResetRequested "second_factor_reset_requested",
    SecondFactorResetCancelled "second_factor_reset_cancelled",
    SecondFactorReset "second_factor_reset",
    AppSignedIn "app_signed_in",
    AppSignedOut "app_signed_out",
    DataExported "data_exported",
    DeletionRequested "deletion_requested",
    DeletionCancelled "deletion_cancelled",
    MarketingConsentChanged "marketing_consent_changed",
    Disabled "disabled",
    Enabled "enabled",
    SupportViewed "support_viewed",
    SupportActed "support_acted",
}

impl SecurityEvent {
    /// Returns whether the event is an attack that was stopped or undone. The log line is then a warning.
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

    /// Returns whether the event is a sign-in, for which the list offers "That wasn't me".
    pub(crate) fn is_sign_in(self) -> bool {
        matches!(
            self,
            SecurityEvent::SignedIn | SecurityEvent::SignInBlocked | SecurityEvent::AppSignedIn
        )
    }
}

// Written by hand because the derive macro does not resolve names that come from `kinds!`.
impl utoipa::PartialSchema for SecurityEvent {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .enum_values(Some(SecurityEvent::ALL.iter().map(|kind| kind.as_str())))
            .build()
            .into()
    }
}

impl utoipa::ToSchema for SecurityEvent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for kind in SecurityEvent::ALL {
            assert_eq!(SecurityEvent::from_name(kind.as_str()), Some(*kind));
        }
        assert_eq!(SecurityEvent::from_name("of a later version"), None);
    }
}
