//! The table of all mails. A mail is one row here and its texts under `mail` in `locales/`.

use super::row::{
    Fact::{Device, NewAddress, Time},
    Link::{self, Page, PrefilledPage, Token},
    Row, bulk, notice, requested,
};
use crate::config::{Duration, Lifetimes};
use crate::rate_limit::MailBudget::{self, Approval, Others, Recovery};
use crate::store::outbox::Priority;
use crate::store::tokens::Purpose;

const SIGN_IN: Link = Page("/account/");
const RESET: Link = Page("/account/request-password");
const MIGRATION: Link = PrefilledPage("/account/migration");

macro_rules! mails {
    ($($(#[$comment:meta])* $kind:ident = $row:expr;)*) => {
        /// The kinds of mail.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind { $($(#[$comment])* $kind,)* }

        const ROWS: &[Row] = &[$($row,)*];

        impl Kind {
            pub const ALL: &'static [Kind] = &[$(Kind::$kind,)*];
        }
    };
}

mails! {
    /// After registration: verifies the address.
    VerifyEmail = requested("verify_email", Others).button(Token(Purpose::VerifyEmail));
    /// After a sign-in with the right password from an unknown device.
    ApproveDevice = requested("approve_device", Approval)
        .button(Token(Purpose::DeviceApproval)).facts(&[Device, Time]);
    /// After a sign-in from an unknown device that needed no approval (`security.new_device =
    /// "notify"`).
    NewDeviceNotice = notice("new_device_notice").facts(&[Device, Time]).second(RESET);
    /// Requested on the reset screen.
    ResetPassword = requested("reset_password", Recovery).button(Token(Purpose::Reset));
    /// After a reset by mail.
    PasswordResetDone = notice("password_reset_done").facts(&[Time]).second(RESET);
    /// After a change in the settings.
    PasswordChanged = notice("password_changed").facts(&[Time]).second(RESET);
    /// To the new address: verifies it.
    ConfirmNewEmail = requested("confirm_new_email", Others).button(Token(Purpose::EmailChange));
    /// To the old address once the new one is confirmed.
    EmailChanged = notice("email_changed").button(Token(Purpose::EmailUndo)).facts(&[NewAddress]);
    /// Profile `strict`: to the owner of an address to which another account wanted to change.
    EmailAddressTaken = requested("email_address_taken", Others).second(RESET);
    /// To the old address after its owner undid a change.
    EmailRestored = notice("email_restored").facts(&[Time]).button(RESET);
    /// To the address that loses the account by that undo. Without a link: this mailbox has no rights
    /// any more.
    EmailRemoved = notice("email_removed").facts(&[Time]);
    /// Profile `strict`: to the owner of an address that was used to register again.
    AccountExists = requested("account_exists", Others).button(SIGN_IN).second(RESET);
    /// Profile `strict`: to the owner of an account that is not migrated yet.
    LegacyAccountExists = requested("waits_in_old_system", Others)
        .button(MIGRATION).for_legacy_account();
    /// After a migration at sign-in (`security.legacy_sign_in = "silent"`).
    MigratedAtSignIn = notice("migrated_at_sign_in").facts(&[Time]).second(RESET);
    /// Requested on the migration screen; only a password is missing.
    Migrate = requested("migrate", Recovery).button(Token(Purpose::Migration)).for_legacy_account();
    /// Requested on the migration screen; the old account lacks details.
    CompleteMigration = requested("complete_migration", Recovery)
        .button(Token(Purpose::Completion)).for_legacy_account();
    /// Sent by the operator to accounts of the old site.
    Invitation = bulk("invitation")
        .button(MIGRATION).second(Token(Purpose::Unsubscribe)).for_legacy_account();
}

impl Kind {
    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    pub fn named(text: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// The name for metrics. A stored name may be of another version of this program.
    pub fn label(text: &str) -> &'static str {
        Kind::named(text).map_or("unknown", Kind::as_str)
    }

    /// The purpose of the one-time link behind the button, if it is one.
    pub fn purpose(self) -> Option<Purpose> {
        match self.row().button {
            Some(Token(purpose)) => Some(purpose),
            _ => None,
        }
    }

    pub fn budget(self) -> Option<MailBudget> {
        self.row().budget
    }

    pub fn priority(self) -> Priority {
        self.row().priority
    }

    /// The lifetime of the one-time link behind the button, from the time of sending.
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Option<Duration> {
        self.purpose().map(|purpose| purpose.lifetime(lifetimes))
    }

    /// Whether the mail's subject is a legacy account.
    pub fn is_for_legacy_account(self) -> bool {
        self.row().is_for_legacy_account
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

    #[test]
    fn each_link_has_a_label() {
        for kind in Kind::ALL {
            let row = kind.row();
            let labels = (row.texts.button.is_some(), row.texts.second.is_some());
            assert_eq!(
                labels,
                (row.button.is_some(), row.second.is_some()),
                "{kind:?}"
            );
        }
    }
}
