//! The table of all mails. Each mail is one row in this table, and has its messages under `mail` in `locales/`.

use super::row::{
    Audience,
    Bound::{self, Action, Audited, Budget, PerLink, Schedule},
    LinkTarget::{self, Page, PrefilledPage, Token},
    MailDefinition,
    ShownDetail::{
        ChangedDetails, CodesLeft, DeletionAt, Device, EffectiveAt, NewAddress, Time, WayIn,
    },
    SignOff::{Cheerful, Plain},
    bulk_mail, notice, requested_mail,
};
use crate::domain::way_in_change::WayInChange;
use crate::rate_limit::LimitName;
use crate::rate_limit::MailBudget::{self, Approval, CausedByAnybody, Recovery};
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

const SIGN_IN_PAGE: LinkTarget = Page("/account/");
const RESET_PAGE: LinkTarget = Page("/account/request-password");
const SECURITY_PAGE: LinkTarget = Page("/account/settings/security");
const PASSWORD_CHANGE_FORM: LinkTarget = Page("/account/settings?change=password");
const MIGRATION_PAGE: LinkTarget = PrefilledPage("/account/migration");

/// A change of the ways to sign in, a request for a deletion or for a reset of strong factors, and the end of one.
const CREDENTIAL_CHANGE: Bound = Action(LimitName::CredentialChange);

macro_rules! mails {
    ($($(#[$comment:meta])* $kind:ident = $row:expr;)*) => {
        /// The kinds of mail. The support view has a label for each kind (`support.mail_kind.<kind>` in `locales/`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum MailKind { $($(#[$comment])* $kind,)* }

        const MAIL_DEFINITIONS: &[MailDefinition] = &[$($row,)*];

        impl MailKind {
            pub const ALL: &'static [MailKind] = &[$(MailKind::$kind,)*];
        }
    };
}

mails! {
    /// A mail that the person gets after registration, with a link that verifies the email address.
    VerifyEmail = requested_mail("verify_email", CausedByAnybody, Cheerful).for_unconfirmed_address()
        .button(Token(Purpose::VerifyEmail));
    /// A mail that is sent after a sign-in with the correct password on an unknown device.
    ApproveDevice = requested_mail("approve_device", Approval, Cheerful)
        .button(Token(Purpose::DeviceApproval)).details(&[Device, Time]);
    /// A mail after a sign-in on an unknown device that needed no approval (`security.new_device = "notify"`).
    NewDeviceNotice = notice("new_device_notice", Cheerful, Action(LimitName::SignInNotice)).details(&[Device, Time]).second_link(RESET_PAGE);
    /// A mail that the person requested on the screen for a password reset.
    ResetPassword = requested_mail("reset_password", Recovery, Cheerful).button(Token(Purpose::Reset));
    /// A mail that is sent after an undo has ended the password, with a link that sets a new password.
    PasswordEnded = notice("password_ended", Plain, PerLink(Purpose::CredentialUndo)).button(Token(Purpose::Reset));
    /// A mail that confirms a password reset by mail.
    PasswordResetDone = notice("password_reset_done", Cheerful, PerLink(Purpose::Reset)).told_to_holders(WayInChange::PasswordReset).details(&[Time]).second_link(RESET_PAGE);
    /// A mail that confirms a password change in the settings.
    PasswordChanged = notice("password_changed", Cheerful, Action(LimitName::PasswordChange)).told_to_holders(WayInChange::PasswordChanged).details(&[Time]).second_link(RESET_PAGE);
    /// A mail to the new email address, with a link that verifies this address.
    ConfirmNewEmail = requested_mail("confirm_new_email", CausedByAnybody, Cheerful).for_unconfirmed_address()
        .button(Token(Purpose::EmailChange));
    /// A mail to the old email address after the new address was confirmed, or was set by support.
    EmailChanged = notice("email_changed", Cheerful, PerLink(Purpose::EmailChange)).button(Token(Purpose::EmailUndo)).details(&[NewAddress]);
    /// A mail to the new email address that support was asked to set, with a link that verifies this address.
    EmailSet = notice("email_set", Cheerful, Audited).for_unconfirmed_address().button(Token(Purpose::EmailChange));
    /// A mail that is sent after support has corrected details of the account.
    DetailsChanged = notice("details_changed", Cheerful, Audited).details(&[Time, ChangedDetails]);
    /// A mail that is sent after a passkey was added to the account.
    PasskeyAdded = notice("passkey_added", Cheerful, CREDENTIAL_CHANGE).told_to_holders(WayInChange::PasskeyAdded)
        .button(Token(Purpose::CredentialUndo)).details(&[Device, Time]);
    /// A mail that is sent after a passkey was removed in the settings or by the undo link.
    PasskeyRemoved = notice("passkey_removed", Plain, CREDENTIAL_CHANGE).told_to_holders(WayInChange::PasskeyRemoved).details(&[Time]).second_link(RESET_PAGE);
    /// A mail that is sent after a sign-in with a passkey whose signature counter did not grow.
    PasskeyRejected = notice("passkey_rejected", Plain, Action(LimitName::RejectedPasskey)).details(&[Time]).second_link(SECURITY_PAGE);
    /// A mail that is sent when an authenticator app is confirmed.
    SecondFactorEnabled = notice("second_factor_enabled", Cheerful, CREDENTIAL_CHANGE).told_to_holders(WayInChange::SecondFactorEnabled)
        .button(Token(Purpose::CredentialUndo)).details(&[Device, Time]);
    /// A mail that is sent when two-step verification is turned off, in the settings or by a reset.
    SecondFactorDisabled = notice("second_factor_disabled", Plain, CREDENTIAL_CHANGE).told_to_holders(WayInChange::SecondFactorDisabled).details(&[Time]).second_link(RESET_PAGE);
    /// A mail that is sent after a proof of identity with a recovery code, such as a sign-in.
    RecoveryCodeUsed = notice("recovery_code_used", Cheerful, Action(LimitName::RecoveryCode))
        .details(&[Device, Time, CodesLeft]).second_link(RESET_PAGE);
    /// A mail that is sent when new recovery codes replace the old recovery codes.
    RecoveryCodesRegenerated = notice("recovery_codes_regenerated", Cheerful, CREDENTIAL_CHANGE).told_to_holders(WayInChange::RecoveryCodesRegenerated)
        .button(Token(Purpose::CredentialUndo)).details(&[Device, Time]);
    /// A mail that is sent when a reset of a lost second factor is requested. The link in this mail stops the reset.
    SecondFactorResetRequested = notice("second_factor_reset_requested", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[Device, Time, EffectiveAt]);
    /// A mail that is sent after 3/7 of the waiting period of a second-factor reset.
    SecondFactorResetReminder = notice("second_factor_reset_reminder", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[EffectiveAt]);
    /// A mail at the end of the waiting period of a second-factor reset, with a link that completes the reset.
    SecondFactorResetReady = notice("second_factor_reset_ready", Cheerful, CREDENTIAL_CHANGE)
        .button(Token(Purpose::SecondFactorReset)).second_link(PASSWORD_CHANGE_FORM);
    /// A mail to each former mailbox with a valid undo link when a reset of lost strong factors is requested, after 3/7
    /// of the waiting period, and at its end.
    SecondFactorResetOfFormerAddress = notice("second_factor_reset_of_former_address", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[EffectiveAt]);
    /// A mail that is sent when a support agent's account has lost its last strong factor.
    SupportRoleEnded = notice("support_role_ended", Plain, Audited).details(&[Time]).second_link(SECURITY_PAGE);
    /// A mail that is sent when the operator disables the account.
    AccountDisabled = notice("account_disabled", Plain, Audited).details(&[Time]);
    /// A mail that is sent when the operator enables a disabled account.
    AccountEnabled = notice("account_enabled", Cheerful, Audited).details(&[Time]).button(SIGN_IN_PAGE);
    /// A mail that is sent when the deletion of the account is requested, with a link that cancels the deletion.
    DeletionRequested = notice("deletion_requested", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::AccountRestore)).details(&[Time, DeletionAt]);
    /// A reminder that is sent when 6/7 of the wait before the deletion have passed.
    DeletionReminder = notice("deletion_reminder", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::AccountRestore)).details(&[DeletionAt]);
    /// A mail to each former mailbox with a valid undo link when the deletion of the account is requested. The links of
    /// this mail and of its reminder undo the email change and cancel the deletion.
    DeletionOfFormerAddress = notice("deletion_of_former_address", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[Time, DeletionAt]);
    /// A reminder to each former mailbox with a valid undo link, sent when 6/7 of the wait before the deletion have
    /// passed.
    DeletionOfFormerAddressReminder = notice("deletion_of_former_address_reminder", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[DeletionAt]);
    /// A mail that the person requested on the screen for a password reset while a deletion is pending.
    DeletionPending = requested_mail("deletion_pending", Recovery, Plain)
        .button(Token(Purpose::AccountRestore)).details(&[DeletionAt]);
    /// A mail that is sent when the deletion of the account is cancelled.
    DeletionCancelled = notice("deletion_cancelled", Cheerful, CREDENTIAL_CHANGE).details(&[Time]).second_link(RESET_PAGE);
    /// A mail that is sent 60, 30 and 7 days before an inactive account is deleted (`lifetimes.inactive_account`).
    InactiveAccount = notice("inactive_account", Plain, Schedule).details(&[DeletionAt]).button(SIGN_IN_PAGE);
    /// A mail to each former mailbox with a valid undo link on the same days as `InactiveAccount`.
    InactivityOfFormerAddress = notice("inactivity_of_former_address", Plain, Schedule)
        .button(Token(Purpose::CredentialUndo)).details(&[DeletionAt]);
    /// A mail to each former mailbox with a valid undo link when a way to sign in was changed.
    WayInChangedOfFormerAddress = notice("way_in_changed_of_former_address", Plain, CREDENTIAL_CHANGE)
        .button(Token(Purpose::CredentialUndo)).details(&[WayIn, Time]);
    /// A mail that is sent after a download of the account's data.
    DataExported = notice("data_exported", Cheerful, Action(LimitName::Export)).details(&[Device, Time]).second_link(RESET_PAGE);
    /// A mail to the owner of an email address to which another account tried to change (only profile `strict`).
    EmailAddressTaken = requested_mail("email_address_taken", CausedByAnybody, Cheerful)
        .second_link(RESET_PAGE);
    /// A mail to the old email address after its owner or support has undone an email change.
    EmailRestored = notice("email_restored", Cheerful, PerLink(Purpose::EmailUndo)).details(&[Time]).button(RESET_PAGE);
    /// A mail to the email address that an undo has removed from the account. It has no link that would give access.
    EmailRemoved = notice("email_removed", Plain, PerLink(Purpose::EmailUndo)).details(&[Time]);
    /// A mail to the owner of an email address that was used to register again (only profile `strict`).
    AccountExists = requested_mail("account_exists", CausedByAnybody, Cheerful)
        .button(SIGN_IN_PAGE).second_link(RESET_PAGE);
    /// A mail to the owner of a legacy account whose email address was used to register (only profile `strict`).
    LegacyAccountExists = requested_mail("waits_in_old_system", CausedByAnybody, Cheerful)
        .button(MIGRATION_PAGE).for_legacy_account();
    /// A mail that is sent after a migration at sign-in (`security.legacy_sign_in = "silent"`).
    MigratedAtSignIn = notice("migrated_at_sign_in", Cheerful, PerLink(Purpose::Migration)).details(&[Time]).second_link(RESET_PAGE);
    /// A mail that the person requested on the migration screen, if the person only has to choose a new password.
    Migrate = requested_mail("migrate", Recovery, Cheerful).button(Token(Purpose::Migration)).for_legacy_account();
    /// A mail that the person requested on the migration screen, if the legacy account lacks details.
    CompleteMigration = requested_mail("complete_migration", Recovery, Cheerful)
        .button(Token(Purpose::Completion)).for_legacy_account();
    /// A mail that invites the owner of a legacy account, sent by the operator.
    Invitation = bulk_mail("invitation", Cheerful)
        .button(MIGRATION_PAGE).second_link(Token(Purpose::Unsubscribe)).for_legacy_account();
}

impl MailKind {
    pub(super) fn definition(self) -> &'static MailDefinition {
        &MAIL_DEFINITIONS[self as usize]
    }

    pub fn from_name(text: &str) -> Option<MailKind> {
        MailKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        self.definition().name
    }

    /// Returns the kind's name for metrics, or `unknown` if another version of this program has stored the name.
    pub fn label(text: &str) -> &'static str {
        MailKind::from_name(text).map_or("unknown", MailKind::as_str)
    }

    /// Returns the purpose of the one-time link behind the button, or `None` if the button has no such link.
    pub fn purpose(self) -> Option<Purpose> {
        match self.definition().button {
            Some(Token(purpose)) => Some(purpose),
            _ => None,
        }
    }

    pub(super) fn audience(self) -> Audience {
        self.definition().audience
    }

    pub fn budget(self) -> Option<MailBudget> {
        match self.definition().bound {
            Budget(budget) => Some(budget),
            Action(_) | PerLink(_) | Audited | Schedule => None,
        }
    }

    pub fn priority(self) -> Priority {
        self.definition().priority
    }

    pub(super) fn is_to_unconfirmed_address(self) -> bool {
        self.definition().is_to_unconfirmed_address
    }

    /// Returns whether the mail is about a legacy account.
    pub fn is_for_legacy_account(self) -> bool {
        self.definition().is_for_legacy_account
    }
}

crate::named_enum::serialize_as_name!(MailKind);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::SubjectKind;

    #[test]
    fn every_kind_reads_back_from_its_name() {
        for kind in MailKind::ALL {
            assert_eq!(MailKind::from_name(kind.as_str()), Some(*kind));
        }
    }

    /// Returns whether something other than a link bounds the mails, or the mails with the link.
    fn is_bounded(kind: MailKind) -> bool {
        match kind.definition().bound {
            Budget(_) | Audited | Schedule => true,
            Action(limit) => matches!(
                limit.subject(),
                SubjectKind::Account | SubjectKind::Device | SubjectKind::Passkey
            ),
            PerLink(purpose) => {
                let mut mails = MailKind::ALL.iter().copied();
                mails.any(|mail| mail.purpose() == Some(purpose) && is_bounded(mail))
            }
        }
    }

    #[test]
    fn every_kind_is_bounded_for_its_mailbox() {
        for kind in MailKind::ALL.iter().copied() {
            assert!(is_bounded(kind), "{kind:?}");
        }
    }

    #[test]
    fn each_link_has_a_label() {
        for kind in MailKind::ALL {
            let row = kind.definition();
            let labels = (row.texts.button.is_some(), row.texts.second.is_some());
            assert_eq!(
                labels,
                (row.button.is_some(), row.second_link.is_some()),
                "{kind:?}"
            );
        }
    }
}
