//! The purpose of a token: what ends it, its lifetime, its page and its effect on a blocked account.

use LinkEnd::{AccessRevoked, ActOver, DeviceDecided, Migrated, Replaced, Undone};
use Lives::{AsUndo, For};

use crate::config::{Duration, Lifetimes};
use crate::named_enum::named_enum;
use crate::store::pending_acts::Act;

named_enum! {
    pub enum Purpose(
        /// The reasons that end a link, besides its use and its expiry.
        ended_by: &'static [LinkEnd],
        lives: Lives,
        /// The path of the page that the link opens.
        path: &'static str,
        /// The query parameter from which the page reads the token.
        query_parameter: &'static str
    ) {
        VerifyEmail = "verify_email", &[Replaced, AccessRevoked], For(|all| all.verify),
            "/account/verify-email", "token";
        DeviceApproval = "device_approval", &[Replaced, AccessRevoked, DeviceDecided],
            For(|all| all.device_approval), "/account/verify-email", "token";
        Reset = "reset", &[Replaced, AccessRevoked], For(|all| all.reset), "/account/reset-password", "token";
        EmailChange = "email_change", &[Replaced, AccessRevoked, ActOver(Act::EmailChange)],
            For(|all| all.email_change), "/account/change-email", "verificationToken";
        EmailUndo = "email_undo", &[Undone], AsUndo(|all| all.email_undo), "/account/change-email", "undo";
        CredentialUndo = "credential_undo", &[Undone], AsUndo(|all| all.credential_undo.unwrap_or(all.email_undo)), "/account/undo", "token";
        /// The lifetime of this link equals the waiting period before the reset.
        SecondFactorReset = "second_factor_reset", &[Replaced, ActOver(Act::FactorReset)],
            For(|all| all.second_factor_reset), "/account/second-factor-reset", "token";
        /// A link that cancels the deletion of the account, and works until the account is deleted.
        AccountRestore = "account_restore", &[Replaced, ActOver(Act::Deletion)], For(|all| all.deletion_grace),
            "/account/restore", "token";
        Migration = "migration", &[Replaced, Migrated], For(|all| all.migration), "/account/migration", "token";
        Completion = "completion", &[Replaced, Migrated], For(|all| all.migration),
            "/account/migration-confirmation", "migration_token";
        /// A token for a browser whose password is right, but whose account has reached the device limit.
        DeviceChoice = "device_choice", &[AccessRevoked], For(|all| all.device_approval), "/account/", "token";
        Unsubscribe = "unsubscribe", &[], For(|_| UNSUBSCRIBE_LIFETIME), "/account/unsubscribe", "token";
    }
}

/// A reason that ends links. A link that undoes a change ends only by an undo, because an attacker can cause every
/// other reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkEnd {
    Replaced,
    AccessRevoked,
    Undone,
    ActOver(Act),
    DeviceDecided,
    Migrated,
}

/// How long a link lives, counted from the sending of its mail.
pub enum Lives {
    For(fn(&Lifetimes) -> Duration),
    /// The link undoes a change. It also lives until each harm that began later has ended (`Act::is_harm`).
    AsUndo(fn(&Lifetimes) -> Duration),
}

impl Purpose {
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Duration {
        let (For(lifetime) | AsUndo(lifetime)) = self.lives();
        lifetime(lifetimes)
    }

    /// Returns whether the link undoes a change that was reported by mail.
    pub fn is_undo(self) -> bool {
        matches!(self.lives(), AsUndo(_))
    }

    /// Returns whether the link works for an account that may be disabled or waiting for its deletion. `deletion` is
    /// the number of the request for the deletion, and `number` that of the change that the link reverts. No link
    /// enables a disabled account or starts a session. A link that does not work stays unredeemed, so it works when the
    /// block has ended. No other code decides which links work.
    pub(crate) fn works(self, is_disabled: bool, deletion: Option<i64>, number: i64) -> bool {
        match self {
            // The link undoes its change and the request for the deletion, which came later.
            Purpose::EmailUndo | Purpose::CredentialUndo => {
                deletion.is_none_or(|deletion| number <= deletion)
            }
            Purpose::AccountRestore => deletion.is_some(),
            _ => !is_disabled && deletion.is_none(),
        }
    }
}

/// The lifetime of an unsubscribe link is a year, because an invitation may stay unread for long, and its recipient
/// must still be able to unsubscribe.
const UNSUBSCRIBE_LIFETIME: Duration = Duration(std::time::Duration::from_secs(365 * 24 * 3600));
