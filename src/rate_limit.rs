//! Rate limits, which are checked only by `App::enforce_rate_limits` and the methods of `RateLimiter`.

mod limit_name;

use std::net::IpAddr;

use hmac::{Hmac, KeyInit, Mac};
use prometheus::IntCounterVec;
use sha2::Sha256;
use uuid::Uuid;

use crate::config::{Limit, Limits};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::error::{ApiError, ApiResult};
use crate::store::limits as table;

pub use limit_name::{LimitName, Spender, SubjectKind};

/// An action that a rate limit counts, with the account, mailbox, device or network that it is counted for.
#[derive(Debug, Clone, Copy)]
pub struct LimitedAction<'a> {
    limit: LimitName,
    subject: Subject<'a>,
}

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
        let subject = Subject::Email(key);
        match self {
            MailBudget::CausedByAnybody => LimitName::OtherMailTo.of(subject),
            MailBudget::Recovery => LimitName::RecoveryMailTo.of(subject),
            MailBudget::Approval => LimitName::ApprovalMailTo.of(subject),
        }
    }
}

pub struct RateLimiter {
    settings: Limits,
    key: Vec<u8>,
    /// The metric that counts refused actions by the name of the limit.
    refused: IntCounterVec,
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
    ) -> ApiResult<Tx> {
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
    ) -> ApiResult {
        for (name, key, limit) in self.counters(&[action]) {
            if let Some(wait) = table::remaining_wait(tx, &key, limit, now).await? {
                // The refusal is not reported in `on_commit`, because this error makes the caller drop the transaction.
                report_refusal(&self.refused, name);
                return Err(ApiError::rate_limited(wait));
            }
        }
        Ok(())
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
        for (name, key, limit) in self.counters(actions) {
            if let Some(wait) = table::count_hit(tx, &key, limit, now).await? {
                let refused = self.refused.clone();
                tx.on_commit(move || report_refusal(&refused, name));
                return Ok(Some(wait));
            }
        }
        Ok(None)
    }

    /// Refunds the count of an action whose outcome the limit does not count, such as a right password.
    pub async fn refund(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        for (_, key, _) in self.counters(actions) {
            table::remove_hit(tx, &key).await?;
        }
        Ok(())
    }

    /// Clears the counters of these actions after the owner has authenticated.
    pub async fn reset(&self, tx: &mut Tx, actions: &[LimitedAction<'_>]) -> Result<()> {
        for (_, key, _) in self.counters(actions) {
            table::clear(tx, &key).await?;
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
    ) -> ApiResult<i64> {
        let (key, limit) = (self.key(action), self.limit_of(action));
        match table::count_hit(tx, &key, limit, now).await? {
            Some(wait) => {
                // The refusal is not reported in `on_commit`, because this error makes the caller drop the transaction.
                report_refusal(&self.refused, action.limit);
                Err(ApiError::rate_limited(wait))
            }
            None => Ok(now.saturating_add(limit.window.millis())),
        }
    }

    /// Ends the reservation that expires at `ends_at`, which `reserve` has returned. A later reservation stays.
    pub(crate) async fn release(
        &self,
        tx: &mut Tx,
        action: LimitedAction<'_>,
        ends_at: i64,
    ) -> Result<()> {
        table::clear_window(tx, &self.key(action), ends_at).await
    }

    /// Clears every counter of a deleted account, of its email address and of its devices.
    pub(crate) async fn clear_owner(&self, tx: &mut Tx, owner: &CounterOwner<'_>) -> Result<()> {
        for counter in counters_of(owner) {
            table::clear(tx, &self.key(counter)).await?;
        }
        Ok(())
    }

    fn limit_of(&self, action: LimitedAction<'_>) -> Limit {
        action.limit.limit()(&self.settings)
    }

    /// Returns the counters of the actions in order, each with its limit, or none if limits are off. An IPv6 network
    /// counts for its /48 too.
    fn counters(&self, actions: &[LimitedAction<'_>]) -> Vec<(LimitName, [u8; 16], Limit)> {
        let mut counters = Vec::new();
        for &action in actions.iter().filter(|_| self.settings.enabled) {
            let limit = self.limit_of(action);
            counters.push((action.limit, self.key(action), limit));
            if let Subject::Network(ip) | Subject::NetworkFor(_, ip) = action.subject
                && let IpAddr::V6(v6) = ip.to_canonical()
            {
                let hits = limit.hits.saturating_mul(CUSTOMERS_PER_SITE);
                let key = self.key_with_network(action, &v6.octets()[..6]);
                counters.push((action.limit, key, Limit { hits, ..limit }));
            }
        }
        counters
    }

    fn key(&self, action: LimitedAction<'_>) -> [u8; 16] {
        match action.subject {
            Subject::Network(ip) | Subject::NetworkFor(_, ip) => {
                self.key_with_network(action, &customer_network(ip))
            }
            _ => self.key_with_network(action, &[]),
        }
    }

    /// Returns the key of a counter: a keyed hash, so that the table of counters reveals no email address and no IP
    /// address. `network` replaces the IP address of the subject.
    fn key_with_network(&self, action: LimitedAction<'_>, network: &[u8]) -> [u8; 16] {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length will do");
        let none: &[u8] = &[];
        let parts: [&[u8]; 3] = match &action.subject {
            Subject::Network(_) => [network, none, none],
            Subject::NetworkFor(target, _) => [target.as_bytes(), &[0], network],
            Subject::Email(key) | Subject::Application(key) => [key.as_bytes(), none, none],
            Subject::SessionOfApplication(id, sid) => [id.as_bytes(), &[0], sid.as_bytes()],
            Subject::Account(id) | Subject::Passkey(id) => [id.as_bytes(), none, none],
            Subject::Device(account, device) => [account.as_bytes(), *device, none],
        };
        let name: [&[u8]; 2] = [action.limit.as_str().as_bytes(), &[0]];
        for part in name.into_iter().chain(parts) {
            mac.update(part);
        }
        let full = mac.finalize().into_bytes();
        full[..16].try_into().expect("half of 32 bytes")
    }
}

fn report_refusal(refused: &IntCounterVec, limit: LimitName) {
    let limit = limit.as_str();
    tracing::warn!(target: "security", event = "limited", limit);
    refused.with_label_values(&[limit]).inc();
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    Network(IpAddr),
    /// A network, counted separately for each route or each application.
    NetworkFor(&'a str, IpAddr),
    /// The lookup key of an email address.
    Email(&'a str),
    /// The application with this id.
    Application(&'a str),
    /// The session with this `sid` in an application.
    SessionOfApplication(&'a str, Uuid),
    Account(Uuid),
    /// The hash of the cookie of one of the account's devices.
    Device(Uuid, &'a SecretHash),
    Passkey(Uuid),
}

impl Subject<'_> {
    fn kind(self) -> SubjectKind {
        match self {
            Subject::Network(_) => SubjectKind::Network,
            Subject::NetworkFor(..) => SubjectKind::NetworkFor,
            Subject::Email(_) => SubjectKind::Email,
            Subject::Application(_) => SubjectKind::Application,
            Subject::SessionOfApplication(..) => SubjectKind::SessionOfApplication,
            Subject::Account(_) => SubjectKind::Account,
            Subject::Device(..) => SubjectKind::Device,
            Subject::Passkey(_) => SubjectKind::Passkey,
        }
    }
}

/// Returns every counter of the account, its email address and its devices.
fn counters_of<'a>(owner: &CounterOwner<'a>) -> Vec<LimitedAction<'a>> {
    let mut own = vec![
        Subject::Email(owner.email_key),
        Subject::Account(owner.account),
    ];
    let devices = owner.devices.iter();
    own.extend(devices.map(|device| Subject::Device(owner.account, device)));
    let mut counters = Vec::new();
    for limit in LimitName::ALL {
        let counted = own.iter().filter(|one| one.kind() == limit.subject());
        counters.extend(counted.map(|subject| limit.of(*subject)));
    }
    counters
}

/// The number of customers for whose limits a /48 of IPv6 counts at most. A home line may have a /56 with 256 networks,
/// and a carrier may give each phone a /64 of one /48.
const CUSTOMERS_PER_SITE: i64 = 16;

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
        let names = counters.iter().map(|counter| counter.limit.as_str());
        let times = |name: &str| names.clone().filter(|found| *found == name).count();
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
        assert!(counters.iter().all(|counter| match counter.subject {
            Subject::Email(key) => key == owner.email_key,
            Subject::Account(account) | Subject::Device(account, _) => account == owner.account,
            _ => false,
        }));
    }
}
