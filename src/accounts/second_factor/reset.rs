//! Resets lost strong factors: removes the authenticator app and every passkey. A person who knows the password
//! requests the reset, and a mailed link carries it out after a waiting period (`lifetimes.second_factor_reset`). Until
//! then, a link in each mail, a right second-factor code, a passkey or the report of a foreign sign-in cancels the
//! reset.

use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::pending::{self, Wait};
use crate::accounts::prelude::*;
use crate::accounts::second_factor::challenge;
use crate::accounts::session::SignedIn;
use crate::accounts::strong_factor::{self, removal};
use crate::accounts::{reauthentication, security_log};
use crate::domain::secret::Secret;
use crate::store::accounts;
use crate::store::pending_acts::{self, Act};
use crate::store::sign_in_challenges;
use crate::store::tokens::Purpose;

const ROUTE: &str = "second-factor/reset";

/// The proof that the person has entered the right password before requesting a reset.
pub(crate) enum PasswordProof<'a> {
    /// The token of a sign-in that still requires the second factor.
    SignIn(Secret),
    Session(&'a SignedIn),
}

impl<'a> PasswordProof<'a> {
    pub(crate) fn by_token(token: &str) -> ApiResult<PasswordProof<'a>> {
        let token = Secret::parse(token).ok_or_else(challenge::expired_error)?;
        Ok(PasswordProof::SignIn(token))
    }

    /// Locks the row of the account, and checks that the proof has not expired.
    async fn lock(&self, change: &mut Change<'_>, client: &Client) -> ApiResult<Account> {
        let token = match self {
            PasswordProof::Session(session) => {
                let locked = reauthentication::lock_at_any_level(change, client, session);
                return Ok(locked.await?.account);
            }
            PasswordProof::SignIn(token) => token.hash(),
        };
        let account = sign_in_challenges::account_of(change, &token).await?;
        let account = accounts::lock(change, account.ok_or_else(challenge::expired_error)?).await?;
        let account = account.ok_or_else(challenge::expired_error)?;
        let now = change.now;
        match sign_in_challenges::is_live(change, &token, now).await? {
            true => Ok(account),
            false => Err(challenge::expired_error()),
        }
    }
}

/// Requests a reset. Returns the time from which the reset can be carried out, in milliseconds since 1970 UTC. A
/// pending reset stays unchanged. Returns 409 `second_factor_off` if the account has no strong factor.
pub(crate) async fn request(
    app: &App,
    client: &Client,
    proof: &PasswordProof<'_>,
) -> ApiResult<i64> {
    let actions = [LimitName::ConfirmFrom.of(Subject::NetworkFor(ROUTE, client.ip))];
    app.enforce_rate_limits(&actions).await?;
    change(app, client, |mut change| async move {
        let now = change.now;
        let account = proof.lock(&mut change, client).await?;
        if !strong_factor::exists(app, &mut change, account.id).await? {
            return Err(ErrorCode::SecondFactorOff.into());
        }
        let pending = pending_acts::find(&mut change, account.id, Act::FactorReset, now).await?;
        if let Some(pending) = pending {
            return change.commit(pending.due_at).await;
        }
        // Requests are limited, because each one mails notices and a sign-in can cancel the reset immediately.
        let actions = [LimitName::CredentialChange.of(Subject::Account(account.id))];
        let mut change = change.admit(&actions).await?;
        let wait = app.config.lifetimes.second_factor_reset.millis();
        let wait = Wait {
            due_at: now.saturating_add(wait),
            // The three periods are the wait for the last mail, a possible delay of that mail, and the lifetime of its
            // link.
            ends_at: Some(now.saturating_add(wait.saturating_mul(3))),
            email: None,
        };
        let begun = pending::begin(&mut change, &account, Act::FactorReset, wait).await?;
        change.commit(begun.due_at).await
    })
    .await
}

/// Removes all strong factors with the link in the last mail, and ends all sessions.
pub(crate) async fn confirm(app: &App, client: &Client, link: &MailedLink) -> ApiResult {
    change(app, client, |mut change| async move {
        let now = change.now;
        let token = link.redeem(&mut change, Purpose::SecondFactorReset).await?;
        let account = mailed_link::lock_account(&mut change, &token).await?;
        let pending = pending_acts::find(&mut change, account.id, Act::FactorReset, now).await?;
        let is_due = pending.is_some_and(|reset| reset.due_at <= now);
        if !is_due || token.email.as_deref() != Some(account.email.as_str()) {
            return Err(ErrorCode::InvalidToken.into());
        }
        pending::finish(&mut change, &account, Act::FactorReset).await?;
        removal::remove_all(&mut change, &account).await?;
        change.end_sessions(account.id).await?;
        security_log::record(&mut change, SecurityEvent::SecondFactorReset, account.id).await?;
        link.commit(change, ()).await
    })
    .await
}
