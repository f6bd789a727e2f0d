//! Rate limits. `RateLimiter::check` is the one function that checks the named limits of the configuration.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use prometheus::IntCounterVec;
use sha2::Sha256;
use uuid::Uuid;

use crate::config::{Duration, Limit, Limits};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::error::Failure;
use crate::store::limits as table;

/// An action and its subject. Addresses are email keys; known and unknown ones count alike.
#[derive(Debug, Clone, Copy)]
pub enum LimitedAction<'a> {
    SignInFrom(IpAddr),
    FailedSignInFrom(IpAddr),
    FailedSignIn(&'a str),
    /// Failures in a row without the owner proving to be the owner (NIST SP 800-63B 3.2.2).
    FailedSignInStreak(&'a str),
    /// An enrolled device counts for itself, so that strangers cannot keep the owner out.
    FailedSignInOn(Uuid, &'a SecretHash),
    FailedSignInStreakOn(Uuid, &'a SecretHash),
    SignUpFrom(IpAddr),
    ResetFrom(IpAddr),
    ResetOf(&'a str),
    /// Mails to a mailbox, by the budget that they come from.
    MailTo(MailBudget, &'a str),
    PasswordChange(Uuid),
    EmailChange(Uuid),
    /// A confirmation, counted by route.
    ConfirmFrom(&'static str, IpAddr),
    ResendTo(&'a str),
}

/// Mails to one mailbox are counted by these; none uses up another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailBudget {
    /// Mails that strangers can cause.
    Others,
    /// Ways back into an account.
    Recovery,
    /// Approvals, which need a right password.
    Approval,
}

pub struct RateLimiter {
    settings: Limits,
    key: Vec<u8>,
    /// Refusals, by the limit's name.
    refused: IntCounterVec,
}

/// Over a limit; `wait` is the number of milliseconds until the next action is allowed.
#[derive(Debug, Clone, Copy)]
pub struct Limited {
    pub wait: i64,
}

impl From<Limited> for Failure {
    fn from(limited: Limited) -> Self {
        Failure::limited(limited.wait)
    }
}

const STREAK: Limit = Limit {
    hits: 100,
    window: Duration(std::time::Duration::from_secs(30 * 24 * 3600)),
};

impl RateLimiter {
    pub fn new(settings: Limits, key: Vec<u8>, refused: IntCounterVec) -> RateLimiter {
        RateLimiter {
            settings,
            key,
            refused,
        }
    }

    /// The same counters with other limits.
    pub fn with(&self, settings: Limits) -> RateLimiter {
        RateLimiter::new(settings, self.key.clone(), self.refused.clone())
    }

    /// Counts the actions in order and returns whether all of them are within their limits. Actions are counted when
    /// they begin, so of any number of parallel ones only as many pass as the limit allows.
    pub async fn check(
        &self,
        tx: &mut Tx,
        actions: &[LimitedAction<'_>],
        now: i64,
    ) -> Result<std::result::Result<(), Limited>> {
        if !self.settings.enabled {
            return Ok(Ok(()));
        }
        for action in actions {
            let limit = self.limit(action);
            if let Some(wait) = table::hit(tx, &self.key(action), limit, now).await? {
                tracing::warn!(target: "security", event = "limited", limit = name(action));
                self.refused.with_label_values(&[name(action)]).inc();
                return Ok(Err(Limited { wait }));
            }
        }
        Ok(Ok(()))
    }

    /// Takes back a count, for an action that turned out not to be limited (a right password).
    pub async fn refund(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for action in actions {
            table::refund(tx, &self.key(action)).await?;
        }
        Ok(())
    }

    /// Clears the counters after the owner has authenticated.
    pub async fn reset(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for action in actions {
            table::clear(tx, &self.key(action)).await?;
        }
        Ok(())
    }

    fn limit(&self, action: &LimitedAction<'_>) -> Limit {
        let s = &self.settings;
        match action {
            LimitedAction::SignInFrom(_) => s.login_ip,
            LimitedAction::FailedSignInFrom(_) => s.login_failed_ip,
            LimitedAction::FailedSignIn(_) | LimitedAction::FailedSignInOn(..) => {
                s.login_failed_account
            }
            LimitedAction::FailedSignInStreak(_) | LimitedAction::FailedSignInStreakOn(..) => {
                STREAK
            }
            LimitedAction::SignUpFrom(_) => s.signup_ip,
            LimitedAction::ResetFrom(_) => s.reset_ip,
            LimitedAction::ResetOf(_) => s.reset_address,
            LimitedAction::MailTo(MailBudget::Others, _) => s.mail_address,
            LimitedAction::MailTo(MailBudget::Recovery, _) => s.mail_recovery,
            LimitedAction::MailTo(MailBudget::Approval, _) => s.mail_approval,
            LimitedAction::PasswordChange(_) => s.change_password,
            LimitedAction::EmailChange(_) => s.change_email,
            LimitedAction::ConfirmFrom(..) => s.confirm_ip,
            LimitedAction::ResendTo(_) => s.resend_address,
        }
    }

    /// A keyed hash, so that the table of counters reveals no address.
    fn key(&self, action: &LimitedAction<'_>) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(name(action).as_bytes());
        mac.update(&[0]);
        match action {
            LimitedAction::SignInFrom(ip)
            | LimitedAction::FailedSignInFrom(ip)
            | LimitedAction::SignUpFrom(ip)
            | LimitedAction::ResetFrom(ip) => {
                mac.update(&network(*ip));
            }
            LimitedAction::ConfirmFrom(route, ip) => {
                mac.update(route.as_bytes());
                mac.update(&[0]);
                mac.update(&network(*ip));
            }
            LimitedAction::FailedSignIn(key)
            | LimitedAction::FailedSignInStreak(key)
            | LimitedAction::ResetOf(key)
            | LimitedAction::MailTo(_, key)
            | LimitedAction::ResendTo(key) => mac.update(key.as_bytes()),
            LimitedAction::FailedSignInOn(account, device)
            | LimitedAction::FailedSignInStreakOn(account, device) => {
                mac.update(account.as_bytes());
                mac.update(device.as_slice());
            }
            LimitedAction::PasswordChange(account) | LimitedAction::EmailChange(account) => {
                mac.update(account.as_bytes());
            }
        }
        let full = mac.finalize().into_bytes();
        full[..16].try_into().expect("half of 32 bytes")
    }
}

/// One customer: an IPv4 address, or a /64, which is what a single IPv6 customer is given.
fn network(ip: IpAddr) -> Vec<u8> {
    match ip.to_canonical() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets()[..8].to_vec(),
    }
}

fn name(action: &LimitedAction<'_>) -> &'static str {
    match action {
        LimitedAction::SignInFrom(_) => "login_ip",
        LimitedAction::FailedSignInFrom(_) => "login_failed_ip",
        LimitedAction::FailedSignIn(_) => "login_failed_account",
        LimitedAction::FailedSignInStreak(_) => "login_failed_streak",
        LimitedAction::FailedSignInOn(..) => "login_failed_device",
        LimitedAction::FailedSignInStreakOn(..) => "login_failed_device_streak",
        LimitedAction::SignUpFrom(_) => "signup_ip",
        LimitedAction::ResetFrom(_) => "reset_ip",
        LimitedAction::ResetOf(_) => "reset_address",
        LimitedAction::MailTo(MailBudget::Others, _) => "mail_address",
        LimitedAction::MailTo(MailBudget::Recovery, _) => "mail_recovery",
        LimitedAction::MailTo(MailBudget::Approval, _) => "mail_approval",
        LimitedAction::PasswordChange(_) => "change_password",
        LimitedAction::EmailChange(_) => "change_email",
        LimitedAction::ConfirmFrom(..) => "confirm_ip",
        LimitedAction::ResendTo(_) => "resend_address",
    }
}
