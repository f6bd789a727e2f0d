//! The kinds of mail: the purpose of the link, its lifetime and its address.

use crate::config::{Duration, Lifetimes};
use crate::rate_limit::MailBudget;
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

macro_rules! kinds {
    ($($variant:ident $text:literal,)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind { $($variant,)* }

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$variant,)*];

            pub fn as_str(self) -> &'static str {
                match self { $(Kind::$variant => $text,)* }
            }
        }
    };
}

kinds! {
    VerifyEmail "verify_email",
    ApproveDevice "approve_device",
    NewDeviceNotice "new_device_notice",
    ResetPassword "reset_password",
    PasswordResetDone "password_reset_done",
    PasswordChanged "password_changed",
    ConfirmNewEmail "confirm_new_email",
    EmailChanged "email_changed",
    EmailAddressTaken "email_address_taken",
    EmailRestored "email_restored",
    EmailRemoved "email_removed",
    AccountExists "account_exists",
    LegacyAccountExists "waits_in_old_system",
    MigratedAtSignIn "migrated_at_sign_in",
    Migrate "migrate",
    CompleteMigration "complete_migration",
    Invitation "invitation",
}

impl Kind {
    pub fn named(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }

    /// The name for metrics. A stored name may be of another version of this program.
    pub fn label(text: &str) -> &'static str {
        Kind::named(text).map_or("unknown", Kind::as_str)
    }

    /// The purpose of the one-time link in the mail, if it has one.
    pub fn purpose(self) -> Option<Purpose> {
        Some(match self {
            Kind::VerifyEmail => Purpose::VerifyEmail,
            Kind::ApproveDevice => Purpose::DeviceApproval,
            Kind::ResetPassword => Purpose::Reset,
            Kind::ConfirmNewEmail => Purpose::EmailChange,
            Kind::EmailChanged => Purpose::EmailUndo,
            Kind::Migrate => Purpose::Migration,
            Kind::CompleteMigration => Purpose::Completion,
            _ => return None,
        })
    }

    /// The budget of the mailbox that the mail counts against. None: the mail reports an action that
    /// only the owner or a thief can cause, or is sent once by the operator. It must arrive however
    /// many mails strangers have caused.
    pub fn budget(self) -> Option<MailBudget> {
        Some(match self {
            Kind::NewDeviceNotice
            | Kind::PasswordResetDone
            | Kind::PasswordChanged
            | Kind::EmailChanged
            | Kind::EmailRestored
            | Kind::EmailRemoved
            | Kind::MigratedAtSignIn
            | Kind::Invitation => return None,
            Kind::ResetPassword | Kind::Migrate | Kind::CompleteMigration => MailBudget::Recovery,
            Kind::ApproveDevice => MailBudget::Approval,
            Kind::VerifyEmail
            | Kind::ConfirmNewEmail
            | Kind::EmailAddressTaken
            | Kind::AccountExists
            | Kind::LegacyAccountExists => MailBudget::Others,
        })
    }

    pub fn priority(self) -> Priority {
        match self {
            Kind::Invitation => Priority::Bulk,
            kind if kind.budget().is_none() => Priority::Notice,
            _ => Priority::Awaited,
        }
    }

    /// The lifetime of the link, from the time of sending.
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Duration {
        self.purpose()
            .unwrap_or(Purpose::VerifyEmail)
            .lifetime(lifetimes)
    }

    /// Whether the mail's subject is a legacy account.
    pub fn is_for_legacy_account(self) -> bool {
        matches!(
            self,
            Kind::LegacyAccountExists | Kind::Migrate | Kind::CompleteMigration | Kind::Invitation
        )
    }

    /// The path that the button opens if it carries no token.
    pub fn path(self) -> &'static str {
        match self {
            Kind::LegacyAccountExists | Kind::Invitation => "/account/migration",
            Kind::AccountExists => "/account/",
            _ => "/account/request-password",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_from_its_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.as_str()), Some(*kind));
        }
    }
}
