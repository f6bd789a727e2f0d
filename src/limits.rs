//! May this try happen? One function asks, for every named limit of the configuration.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use prometheus::IntCounterVec;
use sha2::Sha256;
use uuid::Uuid;

use crate::config::{Duration, Limit, Limits};
use crate::domain::secret::SecretHash;
use crate::error::ApiError;
use crate::store::{Result, Tx, limits as table};

/// What is limited, and for whom. Addresses are e-mail keys: known and unknown ones count alike.
#[derive(Debug, Clone, Copy)]
pub enum Try<'a> {
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

pub struct Limiter {
    settings: Limits,
    key: Vec<u8>,
    /// Refusals, by the limit's name.
    refused: IntCounterVec,
}

/// Over a limit: milliseconds until the next try is let through.
#[derive(Debug, Clone, Copy)]
pub struct Limited {
    pub wait: i64,
}

impl From<Limited> for ApiError {
    fn from(limited: Limited) -> Self {
        ApiError::limited(limited.wait)
    }
}

const STREAK: Limit = Limit {
    hits: 100,
    window: Duration(std::time::Duration::from_secs(30 * 24 * 3600)),
};

impl Limiter {
    pub fn new(settings: Limits, key: Vec<u8>, refused: IntCounterVec) -> Limiter {
        Limiter {
            settings,
            key,
            refused,
        }
    }

    /// The same counters with other limits.
    pub fn with(&self, settings: Limits) -> Limiter {
        Limiter::new(settings, self.key.clone(), self.refused.clone())
    }

    /// Counts the tries, in order, and says whether all of them are within their limits. The count
    /// is of tries begun: of any number of parallel ones only as many pass as the limit allows.
    pub async fn ask(
        &self,
        tx: &mut Tx,
        tries: &[Try<'_>],
        now: i64,
    ) -> Result<std::result::Result<(), Limited>> {
        if !self.settings.enabled {
            return Ok(Ok(()));
        }
        for wanted in tries {
            let limit = self.limit(wanted);
            if let Some(wait) = table::hit(tx, &self.key(wanted), limit, now).await? {
                tracing::warn!(target: "security", event = "limited", limit = name(wanted));
                self.refused.with_label_values(&[name(wanted)]).inc();
                return Ok(Err(Limited { wait }));
            }
        }
        Ok(Ok(()))
    }

    /// The try turned out to be none of those that are counted (a right password).
    pub async fn give_back(&self, tx: &mut Tx, tries: &[Try<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for done in tries {
            table::give_back(tx, &self.key(done)).await?;
        }
        Ok(())
    }

    /// The owner proved to be the owner: earlier failures say nothing any more.
    pub async fn forget(&self, tx: &mut Tx, tries: &[Try<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for done in tries {
            table::clear(tx, &self.key(done)).await?;
        }
        Ok(())
    }

    fn limit(&self, wanted: &Try<'_>) -> Limit {
        let s = &self.settings;
        match wanted {
            Try::SignInFrom(_) => s.login_ip,
            Try::FailedSignInFrom(_) => s.login_failed_ip,
            Try::FailedSignIn(_) | Try::FailedSignInOn(..) => s.login_failed_account,
            Try::FailedSignInStreak(_) | Try::FailedSignInStreakOn(..) => STREAK,
            Try::SignUpFrom(_) => s.signup_ip,
            Try::ResetFrom(_) => s.reset_ip,
            Try::ResetOf(_) => s.reset_address,
            Try::MailTo(MailBudget::Others, _) => s.mail_address,
            Try::MailTo(MailBudget::Recovery, _) => s.mail_recovery,
            Try::MailTo(MailBudget::Approval, _) => s.mail_approval,
            Try::PasswordChange(_) => s.change_password,
            Try::EmailChange(_) => s.change_email,
            Try::ConfirmFrom(..) => s.confirm_ip,
            Try::ResendTo(_) => s.resend_address,
        }
    }

    /// A keyed hash: the table of counters tells nobody's address.
    fn key(&self, wanted: &Try<'_>) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(name(wanted).as_bytes());
        mac.update(&[0]);
        match wanted {
            Try::SignInFrom(ip)
            | Try::FailedSignInFrom(ip)
            | Try::SignUpFrom(ip)
            | Try::ResetFrom(ip) => {
                mac.update(&network(*ip));
            }
            Try::ConfirmFrom(route, ip) => {
                mac.update(route.as_bytes());
                mac.update(&[0]);
                mac.update(&network(*ip));
            }
            Try::FailedSignIn(key)
            | Try::FailedSignInStreak(key)
            | Try::ResetOf(key)
            | Try::MailTo(_, key)
            | Try::ResendTo(key) => mac.update(key.as_bytes()),
            Try::FailedSignInOn(account, device) | Try::FailedSignInStreakOn(account, device) => {
                mac.update(account.as_bytes());
                mac.update(device.as_slice());
            }
            Try::PasswordChange(account) | Try::EmailChange(account) => {
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

fn name(wanted: &Try<'_>) -> &'static str {
    match wanted {
        Try::SignInFrom(_) => "login_ip",
        Try::FailedSignInFrom(_) => "login_failed_ip",
        Try::FailedSignIn(_) => "login_failed_account",
        Try::FailedSignInStreak(_) => "login_failed_streak",
        Try::FailedSignInOn(..) => "login_failed_device",
        Try::FailedSignInStreakOn(..) => "login_failed_device_streak",
        Try::SignUpFrom(_) => "signup_ip",
        Try::ResetFrom(_) => "reset_ip",
        Try::ResetOf(_) => "reset_address",
        Try::MailTo(MailBudget::Others, _) => "mail_address",
        Try::MailTo(MailBudget::Recovery, _) => "mail_recovery",
        Try::MailTo(MailBudget::Approval, _) => "mail_approval",
        Try::PasswordChange(_) => "change_password",
        Try::EmailChange(_) => "change_email",
        Try::ConfirmFrom(..) => "confirm_ip",
        Try::ResendTo(_) => "resend_address",
    }
}
