//! The purpose of a token: its lifetime, its page and its effect on a blocked account.

use crate::config::{Duration, Lifetimes};
use crate::named_enum::named_enum;

named_enum! {
    pub enum Purpose(
        /// Whether the link undoes a change that was reported by mail.
        is_undo: bool,
        /// The path of the page that the link opens.
        path: &'static str,
        /// The query parameter from which the page reads the token.
        query_parameter: &'static str,
        lifetime_of: fn(&Lifetimes) -> Duration
    ) {
        VerifyEmail = "verify_email", false, "/account/verify-email", "token", |all| all.verify;
        DeviceApproval = "device_approval", false, "/account/verify-email", "token", |all| all.device_approval;
        Reset = "reset", false, "/account/reset-password", "token", |all| all.reset;
        EmailChange = "email_change", false, "/account/change-email", "verificationToken", |all| all.email_change;
        EmailUndo = "email_undo", true, "/account/change-email", "undo", |all| all.email_undo;
        CredentialUndo = "credential_undo", true, "/account/undo", "token", |all| all.credential_undo;
        /// The lifetime of this link equals the waiting period before the reset.
        SecondFactorReset = "second_factor_reset", false, "/account/second-factor-reset", "token",
            |all| all.second_factor_reset;
        /// A link that cancels the deletion of the account, and works until the account is deleted.
        AccountRestore = "account_restore", false, "/account/restore", "token", |all| all.deletion_grace;
        Migration = "migration", false, "/account/migration", "token", |all| all.migration;
        Completion = "completion", false, "/account/migration-confirmation", "migration_token", |all| all.migration;
        /// A token for a browser whose password is right, but whose account has reached the device limit.
        DeviceChoice = "device_choice", false, "/account/", "token", |all| all.device_approval;
        Unsubscribe = "unsubscribe", false, "/account/unsubscribe", "token", |_| UNSUBSCRIBE_LIFETIME;
    }
}

impl Purpose {
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Duration {
        self.lifetime_of()(lifetimes)
    }

    /// Returns the effect of the link on its account, which may be disabled or waiting for its deletion. No other code
    /// decides which links work.
    pub(crate) fn link_effect(self, block: AccountBlock) -> LinkEffect {
        use AccountBlock::{DeletionPending, Disabled, DisabledAndDeletionPending, Usable};
        match self {
            Purpose::EmailUndo | Purpose::CredentialUndo => match block {
                Usable | Disabled => LinkEffect::Full,
                DeletionPending | DisabledAndDeletionPending => LinkEffect::UndoesDeletionToo,
            },
            Purpose::AccountRestore => match block {
                Usable | Disabled => LinkEffect::Refused,
                DeletionPending | DisabledAndDeletionPending => LinkEffect::Full,
            },
            Purpose::VerifyEmail
            | Purpose::DeviceApproval
            | Purpose::Reset
            | Purpose::EmailChange
            | Purpose::SecondFactorReset
            | Purpose::Migration
            | Purpose::Completion
            | Purpose::DeviceChoice
            | Purpose::Unsubscribe => match block {
                Usable => LinkEffect::Full,
                DeletionPending | Disabled | DisabledAndDeletionPending => LinkEffect::Refused,
            },
        }
    }
}

/// Whether an account may be used, or the reasons why it may not be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountBlock {
    Usable,
    DeletionPending,
    Disabled,
    DisabledAndDeletionPending,
}

impl AccountBlock {
    pub(crate) fn of(is_disabled: bool, is_deletion_pending: bool) -> AccountBlock {
        match (is_disabled, is_deletion_pending) {
            (false, false) => AccountBlock::Usable,
            (false, true) => AccountBlock::DeletionPending,
            (true, false) => AccountBlock::Disabled,
            (true, true) => AccountBlock::DisabledAndDeletionPending,
        }
    }
}

/// The effect of a link. No effect enables a disabled account or starts a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkEffect {
    /// The link does everything that its purpose allows.
    Full,
    /// The link undoes its change and the deletion request, which came later. A link whose change came after the
    /// deletion request is refused.
    UndoesDeletionToo,
    /// The link does nothing and stays unredeemed, so it works when the block has ended.
    Refused,
}

/// The lifetime of an unsubscribe link is a year, because an invitation may stay unread for long, and its recipient
/// must still be able to unsubscribe.
const UNSUBSCRIBE_LIFETIME: Duration = Duration(std::time::Duration::from_secs(365 * 24 * 3600));
