//! Signs in with a password: checks the rate limits, verifies the password, applies the policies, starts a session.

use uuid::Uuid;

use crate::accounts::change::change_with_durability;
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session::SignedInBrowser;
use crate::accounts::timing::{with_padded_duration, with_padded_duration_on_error};
use crate::accounts::{migration, unverified};
use crate::config::Profile;
use crate::crypto::hashing::legacy::LegacyHash;
use crate::crypto::hashing::{HashError, HashPermit};
use crate::db::{Durability, Tx};
use crate::domain::email::Email;
use crate::domain::password::Password;
use crate::domain::secret::Secret;
use crate::rate_limit::LimitedAction;
use crate::store::accounts;
use crate::store::devices;
use crate::store::legacy::{self, LegacyAccount};

mod finish;
pub(crate) mod ticket;

/// The sign-in screen refuses shorter passwords too.
const MIN_PASSWORD_CHARS: usize = 4;

enum EmailMatch {
    Account(Box<Account>),
    /// An unmigrated legacy account.
    Legacy(Box<LegacyAccount>),
    Unknown,
}

/// Pads the duration of an error, so that timing does not reveal whether an account exists.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    email: &str,
    password: &str,
) -> ApiResult<SignedInBrowser> {
    let wrong = || ApiError::broken_rule(ErrorCode::InvalidCredentials);
    if password.trim().is_empty() || password.chars().count() < MIN_PASSWORD_CHARS {
        return Err(wrong());
    }
    let email = Email::parse(email).map_err(|_| wrong())?;
    with_padded_duration_on_error(sign_in_unpadded(app, client, &email, password)).await
}

async fn sign_in_unpadded(
    app: &App,
    client: &Client,
    email: &Email,
    input: &str,
) -> ApiResult<SignedInBrowser> {
    let permit = app.hasher.reserve()?;
    let attempt = &PasswordAttempt::begin(app, client, email).await?;
    // No hash is computed for an input above the maximum length, because it cannot be the password.
    let Some(password) = Password::from_input(input) else {
        return Err(attempt.invalid_credentials());
    };
    match &attempt.identity {
        EmailMatch::Account(account) => {
            if !permit
                .verify(&password, Some(&account.password_hash))
                .await?
            {
                return Err(attempt.refuse(None).await);
            }
            if is_hidden_by_strict_profile(app, account) {
                return Err(attempt.refuse(Some(account)).await);
            }
            let rehashed = rehash(app, account, &password).await?;
            attempt.finish(account, rehashed.as_deref()).await
        }
        EmailMatch::Legacy(old) => attempt.sign_in_to_legacy_account(permit, old, input).await,
        EmailMatch::Unknown => {
            permit.verify(&password, None).await?;
            Err(attempt.refuse(None).await)
        }
    }
}

/// One attempt to sign in. The attempt is counted before the password is verified, so that parallel attempts cannot
/// exceed the limits.
struct PasswordAttempt<'a> {
    app: &'a App,
    client: &'a Client,
    email: &'a Email,
    identity: EmailMatch,
    /// The enrolled device of this browser, which has its own counters of failed sign-ins.
    device: Option<devices::Device>,
}

impl<'a> PasswordAttempt<'a> {
    async fn begin(app: &'a App, client: &'a Client, email: &'a Email) -> ApiResult<Self> {
        change_with_durability(
            app,
            client,
            Durability::ProcessCrash,
            |mut change| async move {
                let identity = match_email(&mut change, email).await?;
                // This query also runs for unknown email addresses, so that timing does not reveal whether an account
                // exists.
                let id = match &identity {
                    EmailMatch::Account(account) => account.id,
                    EmailMatch::Legacy(_) | EmailMatch::Unknown => Uuid::nil(),
                };
                let device = match &client.device_cookie {
                    Some(cookie) => devices::find(&mut change, id, &cookie.hash()).await?,
                    None => None,
                };
                // Profile `strict` hides an unverified account, and therefore the account's devices.
                let device = device.filter(|_| {
                    !matches!(&identity, EmailMatch::Account(account)
                        if is_hidden_by_strict_profile(app, account))
                });
                let attempt = PasswordAttempt {
                    app,
                    client,
                    email,
                    identity,
                    device,
                };
                let mut actions = vec![LimitName::SignInFrom.of(Subject::Network(client.ip))];
                let device_hash = client.device_cookie.as_ref().map(Secret::hash);
                actions.extend(attempt.failure_counters(device_hash.as_ref()));
                let change = change.admit(&actions).await?;
                change.commit(attempt).await
            },
        )
        .await
    }

    /// Returns the counters of failed sign-ins: first the counter of the client's network, then the counters of the
    /// known device or, in an unknown browser, of the email address.
    fn failure_counters<'b>(&'b self, device: Option<&'b [u8; 32]>) -> Vec<LimitedAction<'b>> {
        let mut actions = vec![LimitName::FailedSignInFrom.of(Subject::Network(self.client.ip))];
        match (&self.device, &self.identity, device) {
            (Some(_), EmailMatch::Account(account), Some(hash)) => {
                actions.push(LimitName::FailedSignInOn.of(Subject::Device(account.id, hash)));
                actions.push(LimitName::FailedSignInStreakOn.of(Subject::Device(account.id, hash)));
            }
            (_, EmailMatch::Account(_) | EmailMatch::Legacy(_) | EmailMatch::Unknown, _) => {
                actions.push(LimitName::FailedSignIn.of(Subject::Email(self.email.key())));
                actions.push(LimitName::FailedSignInStreak.of(Subject::Email(self.email.key())));
            }
        }
        actions
    }

    /// Clears the counters of failed sign-ins in a change of its own.
    async fn forget_failures(&self) -> ApiResult {
        let durability = Durability::ProcessCrash;
        change_with_durability(self.app, self.client, durability, |mut change| async move {
            self.reset_failures(&mut change).await?;
            change.commit(()).await
        })
        .await
    }

    /// Clears the counters of failed sign-ins after a right password. The counter of the client's network is only
    /// reduced by one, because it also counts failed sign-ins to other accounts.
    async fn reset_failures(&self, tx: &mut Tx) -> ApiResult {
        let hash = self.client.device_cookie.as_ref().map(Secret::hash);
        let counted = self.failure_counters(hash.as_ref());
        self.app.rate_limiter.refund(tx, &counted[..1]).await?;
        self.app.rate_limiter.reset(tx, &counted[1..]).await?;
        Ok(())
    }

    /// Returns the error for wrong credentials. Profile `strict` also returns it for the right password of the
    /// `unverified` account, mails that account another verification link, and pads the duration of both responses.
    async fn refuse(&self, unverified: Option<&Account>) -> ApiError {
        if self.app.config.security.profile != Profile::Strict {
            return self.invalid_credentials();
        }
        let mailed = with_padded_duration(async {
            match unverified {
                Some(account) => self.mail_link_to(account.id).await,
                None => Ok(()),
            }
        });
        match mailed.await {
            Ok(()) => self.invalid_credentials(),
            Err(error) => error,
        }
    }

    async fn mail_link_to(&self, account: Uuid) -> ApiResult {
        change(self.app, self.client, |mut change| async move {
            if let Some(account) = accounts::lock(&mut change, account).await? {
                self.resend_link(&mut change, &account).await?;
            }
            change.commit(()).await
        })
        .await
    }

    /// Mails another verification link, within the rate limit of the address. The caller has locked the account's row.
    async fn resend_link(&self, change: &mut Change<'_>, account: &Account) -> ApiResult {
        let (limiter, now) = (&change.app.rate_limiter, change.now);
        let resend = [LimitName::ResendTo.of(Subject::Email(self.email.key()))];
        if limiter.count_within_limits(change, &resend, now).await? {
            unverified::resend_link(change, account).await?;
        }
        Ok(())
    }

    fn invalid_credentials(&self) -> ApiError {
        tracing::info!(target: "security", event = "sign_in_failed", ip = %self.client.ip,
            account = self.account_id());
        ErrorCode::InvalidCredentials.into()
    }

    fn account_id(&self) -> Option<String> {
        match &self.identity {
            EmailMatch::Account(account) => Some(account.id.to_string()),
            EmailMatch::Legacy(_) | EmailMatch::Unknown => None,
        }
    }

    /// Signs in to an unmigrated account. The right old password migrates the account, or returns `needs_migration`.
    /// If the old password cannot be verified, every password returns `needs_migration`, except with profile `strict`.
    async fn sign_in_to_legacy_account(
        &self,
        permit: HashPermit<'_>,
        old: &LegacyAccount,
        input: &str,
    ) -> ApiResult<SignedInBrowser> {
        let (app, client) = (self.app, self.client);
        let hash = old
            .password_hash
            .as_deref()
            .and_then(|text| LegacyHash::parse(text).ok());
        let reveal = match hash {
            Some(hash) => {
                let right = permit.verify_legacy(input, hash).await?;
                let migrated = match right {
                    true => migration::on_sign_in::migrate(app, client, old, input).await,
                    false => Ok(None),
                };
                if let Ok(Some(account)) = &migrated {
                    return self.finish(account, None).await;
                }
                // A right password is no failed sign-in, also if the hashing queue is too full for the migration.
                if right {
                    self.forget_failures().await?;
                }
                migrated?;
                right
            }
            None => {
                // The old password cannot be verified. A decoy hash takes as long as a verification.
                let password = Password::from_input(input).ok_or(ErrorCode::InvalidCredentials)?;
                permit.verify(&password, None).await?;
                app.config.security.profile != Profile::Strict
            }
        };
        if !reveal {
            return Err(self.refuse(None).await);
        }
        tracing::info!(target: "security", event = "sign_in_needs_migration", legacy = %old.id, ip = %client.ip);
        Err(ErrorCode::NeedsMigration.into())
    }
}

/// Returns whether profile `strict` hides the account because its email address is not verified.
fn is_hidden_by_strict_profile(app: &App, account: &Account) -> bool {
    app.config.security.profile == Profile::Strict && !account.verified
}

/// Always queries both accounts and legacy accounts, so that timing does not reveal whether an account exists.
async fn match_email(tx: &mut Tx, email: &Email) -> ApiResult<EmailMatch> {
    let account = accounts::find_by_email(tx, email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(tx, email.key()).await?;
    Ok(match (account, legacy_account) {
        // A legacy account with the same email address takes precedence over an unverified registration.
        (Some(account), Some(old)) if !account.verified => EmailMatch::Legacy(Box::new(old)),
        (Some(account), _) => EmailMatch::Account(Box::new(account)),
        (None, Some(old)) => EmailMatch::Legacy(Box::new(old)),
        (None, None) => EmailMatch::Unknown,
    })
}

/// Returns a new hash of the password if the stored hash has other parameters than the configuration, otherwise `None`.
async fn rehash(app: &App, account: &Account, password: &Password) -> ApiResult<Option<String>> {
    if !app.hasher.is_outdated(&account.password_hash) {
        return Ok(None);
    }
    match app.hasher.hash(password, &app.rng).await {
        Ok(hash) => Ok(Some(hash)),
        // An overloaded hasher must not refuse a right password; the next sign-in will rehash it.
        Err(HashError::Busy) => Ok(None),
        Err(error @ HashError::Engine(_)) => Err(error.into()),
    }
}
