//! Rate limits, which are checked only by `App::enforce_rate_limits` and the methods of `RateLimiter`. The table of
//! limits is in `config/limits.rs`.

use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use prometheus::IntCounterVec;
use sha2::Sha256;
use uuid::Uuid;

use crate::config::{Duration, Limit, Limits, limits_table};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::error::ApiError;
use crate::store::limits as table;

/// Generates the enum of limited actions from the table of limits in `config/limits.rs`.
macro_rules! actions {
    (<$a:lifetime>
    settings { $(
        $(#[$doc:meta])* $action:ident($($field:ident: $type:ty),*), $subject:ident($($by:ident),*),
            $name:ident = $default:literal;
    )* }
    without_setting { $(
        $(#[$more_doc:meta])* $more_action:ident($($more_field:ident: $more_type:ty),*), $more_subject:ident($($more_by:ident),*),
            $more_name:ident = $rate:expr;
    )* }) => {
        /// An action that a rate limit counts, with the account, mailbox, device or network that it is counted for.
        #[derive(Debug, Clone, Copy)]
        pub enum LimitedAction<$a> {
            $($(#[$doc])* $action($($type),*),)*
            $($(#[$more_doc])* $more_action($($more_type),*),)*
        }

        impl<$a> LimitedAction<$a> {
            fn limit_row(self, limits: &Limits) -> LimitRow<$a> {
                match self {
                    $(LimitedAction::$action($($field),*) => LimitRow {
                        name: stringify!($name),
                        limit: limits.$name,
                        subject: Subject::$subject($($by),*),
                    },)*
                    $(LimitedAction::$more_action($($more_field),*) => LimitRow {
                        name: stringify!($more_name),
                        limit: ($rate)(limits),
                        subject: Subject::$more_subject($($more_by),*),
                    },)*
                }
            }
        }

        /// Returns every counter of the account, its email address and its devices.
        fn counters_of<'c>(owner: &CounterOwner<'c>) -> Vec<(&'static str, Subject<'c>)> {
            let mut counters = Vec::new();
            $(counters.extend(subjects!($subject, owner).map(|subject| (stringify!($name), subject)));)*
            $(counters.extend(subjects!($more_subject, owner).map(|subject| (stringify!($more_name), subject)));)*
            counters
        }
    };
}

/// Returns the subjects of one kind that belong to an account. Each kind of subject needs an arm in this macro.
macro_rules! subjects {
    (Email, $owner:expr) => {
        std::iter::once(Subject::Email($owner.email_key))
    };
    (Account, $owner:expr) => {
        std::iter::once(Subject::Account($owner.account))
    };
    (Device, $owner:expr) => {
        $owner
            .devices
            .iter()
            .map(|device| Subject::Device($owner.account, device))
    };
    (Network, $owner:expr) => {
        std::iter::empty::<Subject<'_>>()
    };
    (NetworkFor, $owner:expr) => {
        std::iter::empty::<Subject<'_>>()
    };
    (Application, $owner:expr) => {
        std::iter::empty::<Subject<'_>>()
    };
    (SessionOfApplication, $owner:expr) => {
        std::iter::empty::<Subject<'_>>()
    };
}

limits_table!(actions);

/// The account, email address and devices whose counters are cleared when the account is deleted.
pub(crate) struct CounterOwner<'a> {
    pub(crate) account: Uuid,
    pub(crate) email_key: &'a str,
    pub(crate) devices: &'a [SecretHash],
}

/// The limits that count mails to one mailbox. Each limit has a separate counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailBudget {
    /// The limit of mails that anybody can cause, such as by a registration with the mailbox's address.
    CausedByAnybody,
    /// The limit of mails with links that give access to an account again.
    Recovery,
    /// The limit of device-approval mails. Only a sign-in with the right password sends such a mail.
    Approval,
}

impl MailBudget {
    /// Returns the limited action of sending a mail to the mailbox with this lookup key.
    pub(crate) fn mail_to(self, key: &str) -> LimitedAction<'_> {
        match self {
            MailBudget::CausedByAnybody => LimitedAction::OtherMailTo(key),
            MailBudget::Recovery => LimitedAction::RecoveryMailTo(key),
            MailBudget::Approval => LimitedAction::ApprovalMailTo(key),
        }
    }
}

pub struct RateLimiter {
    settings: Limits,
    key: Vec<u8>,
    /// The metric that counts refused actions by the name of the limit.
    refused: IntCounterVec,
}

const FAILURE_STREAK_LIMIT: Limit = limit(100, 30 * 24 * 3600);
const RUNNING_EXPORT_LIMIT: Limit = limit(1, 2 * 60);
const SESSION_TOKEN_LIMIT: Limit = limit(300, 3600);
const SIGN_IN_NOTICE_LIMIT: Limit = limit(60, 3600);

const fn limit(hits: i64, seconds: u64) -> Limit {
    let window = Duration(std::time::Duration::from_secs(seconds));
    Limit { hits, window }
}

impl RateLimiter {
    pub fn new(settings: Limits, key: Vec<u8>, refused: IntCounterVec) -> RateLimiter {
        RateLimiter {
            settings,
            key,
            refused,
        }
    }

    /// Returns a rate limiter with these limits that has the same counters as this limiter.
    pub fn with_settings(&self, settings: Limits) -> RateLimiter {
        RateLimiter::new(settings, self.key.clone(), self.refused.clone())
    }

    /// Counts the actions in order. Returns the transaction if all of them are within their limits. Otherwise commits
    /// the counts and fails with 429, so that no caller can roll back the count of a refused action.
    ///
    /// Actions are counted when they begin, so the limit also applies to concurrent actions.
    pub(crate) async fn admit(
        &self,
        mut tx: Tx,
        actions: &[LimitedAction<'_>],
        now: i64,
    ) -> std::result::Result<Tx, ApiError> {
        match self.count_actions(&mut tx, actions, now).await? {
            None => Ok(tx),
            Some(wait) => {
                tx.commit().await?;
                Err(ApiError::rate_limited(wait))
            }
        }
    }

    /// Fails with 429 if the limit of the action is reached. Does not count the action, because some actions count only
    /// after a failure.
    pub(crate) async fn check(
        &self,
        tx: &mut Tx,
        action: LimitedAction<'_>,
        now: i64,
    ) -> std::result::Result<(), ApiError> {
        if !self.settings.enabled {
            return Ok(());
        }
        let row = action.limit_row(&self.settings);
        match table::remaining_wait(tx, &self.key(row.name, row.subject), row.limit, now).await? {
            Some(wait) => {
                // The refusal is not reported in `on_commit`, because this error makes the caller drop the transaction.
                report_refusal(&self.refused, row.name);
                Err(ApiError::rate_limited(wait))
            }
            None => Ok(()),
        }
    }

    /// Counts the actions in order, and returns whether all of them are within their limits. Callers use this function
    /// for work that they silently omit if a limit is exceeded.
    pub async fn count_within_limits(
        &self,
        tx: &mut Tx,
        actions: &[LimitedAction<'_>],
        now: i64,
    ) -> Result<bool> {
        Ok(self.count_actions(tx, actions, now).await?.is_none())
    }

    /// Counts the actions. Returns the milliseconds until the first action over its limit is allowed again. The refusal
    /// is logged and counted after the commit, so a transaction that is repeated after a conflict reports it once.
    pub(crate) async fn count_actions(
        &self,
        tx: &mut Tx,
        actions: &[LimitedAction<'_>],
        now: i64,
    ) -> Result<Option<i64>> {
        if !self.settings.enabled {
            return Ok(None);
        }
        for action in actions {
            let row = action.limit_row(&self.settings);
            if let Some(wait) =
                table::count_hit(tx, &self.key(row.name, row.subject), row.limit, now).await?
            {
                let refused = self.refused.clone();
                tx.on_commit(move || report_refusal(&refused, row.name));
                return Ok(Some(wait));
            }
        }
        Ok(None)
    }

    /// Refunds the count of an action whose outcome the limit does not count, such as a right password.
    pub async fn refund(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for action in actions {
            table::remove_hit(tx, &self.action_key(*action)).await?;
        }
        Ok(())
    }

    /// Clears the counters of these actions after the owner has authenticated.
    pub async fn reset(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        if !self.settings.enabled {
            return Ok(());
        }
        for action in actions {
            table::clear(tx, &self.action_key(*action)).await?;
        }
        Ok(())
    }

    /// Reserves an action that runs only once at a time on all nodes, even if limits are off. Returns the time at which
    /// the reservation expires, or fails with 429 while another reservation lasts. If the process is killed before
    /// `release`, the reservation expires with the window of its limit.
    pub(crate) async fn reserve(
        &self,
        tx: &mut Tx,
        action: LimitedAction<'_>,
        now: i64,
    ) -> std::result::Result<i64, ApiError> {
        let row = action.limit_row(&self.settings);
        match table::count_hit(tx, &self.key(row.name, row.subject), row.limit, now).await? {
            Some(wait) => {
                // The refusal is not reported in `on_commit`, because this error makes the caller drop the transaction.
                report_refusal(&self.refused, row.name);
                Err(ApiError::rate_limited(wait))
            }
            None => Ok(now.saturating_add(row.limit.window.millis())),
        }
    }

    /// Ends the reservation that expires at `ends_at`, which `reserve` has returned. A later reservation stays.
    pub(crate) async fn release(
        &self,
        tx: &mut Tx,
        action: LimitedAction<'_>,
        ends_at: i64,
    ) -> Result<()> {
        table::clear_window(tx, &self.action_key(action), ends_at).await
    }

    /// Clears every counter of a deleted account, of its email address and of its devices.
    pub(crate) async fn clear_owner(&self, tx: &mut Tx, owner: &CounterOwner<'_>) -> Result<()> {
        for (name, subject) in counters_of(owner) {
            table::clear(tx, &self.key(name, subject)).await?;
        }
        Ok(())
    }

    fn action_key(&self, action: LimitedAction<'_>) -> [u8; 16] {
        let row = action.limit_row(&self.settings);
        self.key(row.name, row.subject)
    }

    /// Returns the key of a counter: a keyed hash, so that the table of counters reveals no email address and no IP
    /// address.
    fn key(&self, name: &str, subject: Subject<'_>) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        mac.update(name.as_bytes());
        mac.update(&[0]);
        match subject {
            Subject::Network(ip) => mac.update(&customer_network(ip)),
            Subject::NetworkFor(target, ip) => {
                mac.update(target.as_bytes());
                mac.update(&[0]);
                mac.update(&customer_network(ip));
            }
            Subject::Email(key) | Subject::Application(key) => mac.update(key.as_bytes()),
            Subject::SessionOfApplication(id, sid) => {
                mac.update(id.as_bytes());
                mac.update(&[0]);
                mac.update(sid.as_bytes());
            }
            Subject::Account(account) => mac.update(account.as_bytes()),
            Subject::Device(account, device) => {
                mac.update(account.as_bytes());
                mac.update(device.as_slice());
            }
        }
        let full = mac.finalize().into_bytes();
        full[..16].try_into().expect("half of 32 bytes")
    }
}

fn report_refusal(refused: &IntCounterVec, limit: &'static str) {
    tracing::warn!(target: "security", event = "limited", limit);
    refused.with_label_values(&[limit]).inc();
}

/// A limit: its name in metrics and logs, its rate, and the subject that it counts.
struct LimitRow<'a> {
    name: &'static str,
    limit: Limit,
    subject: Subject<'a>,
}

#[derive(Clone, Copy)]
enum Subject<'a> {
    Network(IpAddr),
    /// A network, counted separately for each route or each application.
    NetworkFor(&'a str, IpAddr),
    Email(&'a str),
    /// The application with this id.
    Application(&'a str),
    /// The session with this `sid` in an application.
    SessionOfApplication(&'a str, Uuid),
    Account(Uuid),
    Device(Uuid, &'a SecretHash),
}

/// Returns the network of one customer: an IPv4 address, or the /64 that a provider assigns to a single IPv6 customer.
fn customer_network(ip: IpAddr) -> Vec<u8> {
    match ip.to_canonical() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets()[..8].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CounterOwner, Subject, counters_of};
    use uuid::Uuid;

    #[test]
    fn an_account_is_counted_by_its_email_address_and_by_each_of_its_devices() {
        let devices = [[1; 32], [2; 32]];
        let owner = CounterOwner {
            account: Uuid::from_u128(7),
            email_key: "ada@example.org",
            devices: &devices,
        };
        let counters = counters_of(&owner);
        let times = |name: &str| counters.iter().filter(|(found, _)| *found == name).count();
        for name in [
            "login_failed_account", "login_failed_streak", "mail_recovery", "export_account",
        ] {
            assert_eq!(times(name), 1, "{name}");
        }
        for name in ["login_failed_device", "login_failed_device_streak"] {
            assert_eq!(times(name), 2, "{name}");
        }
        for name in [
            "login_ip", "confirm_ip", "oidc_token_client", "oidc_token_client_ip",
            "oidc_token_session", "oidc_client_failed",
        ] {
            assert_eq!(times(name), 0, "{name}");
        }
        assert!(counters.iter().all(|(_, subject)| match subject {
            Subject::Email(key) => *key == owner.email_key,
            Subject::Account(account) | Subject::Device(account, _) => *account == owner.account,
            _ => false,
        }));
    }
}
