//! The purpose of a token: its lifetime, its page and its effect on a blocked account.

use crate::config::{Duration, Lifetimes};
use crate::named_enum::named_enum;

named_enum! {
    pub enum Purpose(
        /// Whether the link undoes a change that was reported by mail.
        is_undo: bool
    ) {
        VerifyEmail = "verify_email", false;
        DeviceApproval = "device_approval", false;
        Reset = "reset", false;
        EmailChange = "email_change", false;
        EmailUndo = "email_undo", true;
        CredentialUndo = "credential_undo", true;
        SecondFactorReset = "second_factor_reset", false;
        /// A link that cancels the deletion of the account.
        AccountRestore = "account_restore", false;
        Migration = "migration", false;
        Completion = "completion", false;
        /// A token for a browser whose password is right, but whose account has reached the device limit.
        DeviceChoice = "device_choice", false;
        Unsubscribe = "unsubscribe", false;
    }
}

impl Purpose {
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Duration {
        match self {
            Purpose::VerifyEmail => lifetimes.verify,
            Purpose::DeviceApproval | Purpose::DeviceChoice => lifetimes.device_approval,
            Purpose::Reset => lifetimes.reset,
            Purpose::EmailChange => lifetimes.email_change,
            Purpose::EmailUndo => lifetimes.email_undo,
            Purpose::CredentialUndo => lifetimes.credential_undo,
            // The lifetime of this link equals the waiting period before the reset.
            Purpose::SecondFactorReset => lifetimes.second_factor_reset,
            // The link that cancels a deletion works until the account is deleted.
            Purpose::AccountRestore => lifetimes.deletion_grace,
            Purpose::Migration | Purpose::Completion => lifetimes.migration,
            Purpose::Unsubscribe => UNSUBSCRIBE_LIFETIME,
        }
    }

    pub fn path(self) -> &'static str {
        match self {
            Purpose::VerifyEmail | Purpose::DeviceApproval => "/account/verify-email",
            Purpose::Reset => "/account/reset-password",
            Purpose::EmailChange | Purpose::EmailUndo => "/account/change-email",
            Purpose::CredentialUndo => "/account/undo",
            Purpose::SecondFactorReset => "/account/second-factor-reset",
            Purpose::AccountRestore => "/account/restore",
            Purpose::Migration => "/account/migration",
            Purpose::Completion => "/account/migration-confirmation",
            Purpose::Unsubscribe => "/account/unsubscribe",
            Purpose::DeviceChoice => "/account/",
        }
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

    /// Returns the query parameter from which the page reads the token.
    pub fn query_parameter(self) -> &'static str {
        match self {
            Purpose::EmailChange => "verificationToken",
            Purpose::EmailUndo => "undo",
            Purpose::Completion => "migration_token",
            Purpose::VerifyEmail
            | Purpose::DeviceApproval
            | Purpose::Reset
            | Purpose::CredentialUndo
            | Purpose::SecondFactorReset
            | Purpose::AccountRestore
            | Purpose::Migration
            | Purpose::DeviceChoice
            | Purpose::Unsubscribe => "token",
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
