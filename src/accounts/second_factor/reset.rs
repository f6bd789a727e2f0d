//! Resets lost strong factors: removes the authenticator app and every passkey. A person who knows the password
//! requests the reset, and a mailed link carries it out after a waiting period (`lifetimes.second_factor_reset`). Until
//! then, a link in each mail, a right second-factor code, a passkey or the report of a foreign sign-in cancels the
//! reset.

use crate::accounts::change::{Change, change};
use crate::accounts::client::Client;
use crate::accounts::mailed_link::{self, MailedLink};
use crate::accounts::reauthentication;
use crate::accounts::second_factor::challenge;
use crate::accounts::security_log;
use crate::accounts::session::SignedIn;
use crate::accounts::strong_factor;
use crate::accounts::strong_factor::removal::Removal;
use crate::app::App;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::mail::{MailKind, OutgoingMail};
use crate::rate_limit::{LimitName, Subject};
use crate::store::accounts::{self, Account};
use crate::store::second_factor_resets::{self, SecondFactorReset};
use crate::store::tokens::Purpose;
use crate::store::{sessions, sign_in_challenges};

const ROUTE: &str = "second-factor/reset";

/// The proof that the person has entered the right password before requesting a reset.
pub(crate) enum PasswordProof<'a> {
    /// The token of a sign-in that still requires the second factor.
    SignIn(Secret),
    Session(&'a SignedIn),
}

impl<'a> PasswordProof<'a> {
    pub(crate) fn by_token(token: &str) -> Result<PasswordProof<'a>, ApiError> {
        let token = Secret::parse(token).ok_or_else(challenge::expired_error)?;
        Ok(PasswordProof::SignIn(token))
    }

    /// Locks the row of the account, and checks that the proof has not expired.
    async fn lock(&self, change: &mut Change<'_>, client: &Client) -> Result<Account, ApiError> {
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
) -> Result<i64, ApiError> {
    let actions = [LimitName::ConfirmFrom.of(Subject::NetworkFor(ROUTE, client.ip))];
    app.enforce_rate_limits(&actions).await?;
    change(app, client, |mut change| async move {
        let now = change.now;
        let account = proof.lock(&mut change, client).await?;
        if !strong_factor::exists(app, &mut change, account.id).await? {
            return Err(ErrorCode::SecondFactorOff.into());
        }
        if let Some(pending) =
            second_factor_resets::find_pending(&mut change, account.id, now).await?
        {
            return change.commit(pending.due_at).await;
        }
        // Requests are limited, because each one mails notices and a sign-in can cancel the reset immediately.
        let actions = [LimitName::CredentialChange.of(Subject::Account(account.id))];
        let mut change = change.admit(&actions).await?;
        second_factor_resets::remove(&mut change, account.id).await?;
        let wait = app.config.lifetimes.second_factor_reset.millis();
        let new = SecondFactorReset {
            account_id: account.id,
            requested_at: change.next_number(&account).await?,
            due_at: now.saturating_add(wait),
            // The three periods are the wait for the last mail, a possible delay of that mail, and the lifetime of its
            // link.
            expires_at: now.saturating_add(wait.saturating_mul(3)),
        };
        second_factor_resets::insert(&mut change, &new).await?;
        queue_mails(&mut change, client, &account, &new).await?;
        let kind = SecurityEvent::SecondFactorResetRequested;
        security_log::record(&mut change, kind, account.id).await?;
        change.commit(new.due_at).await
    })
    .await
}

/// Queues three mails: now, after 3/7 of the waiting period, and at the end of the period.
async fn queue_mails(
    change: &mut Change<'_>,
    client: &Client,
    account: &Account,
    reset: &SecondFactorReset,
) -> Result<(), ApiError> {
    let now = change.now;
    let reminder_at = now.saturating_add((reset.due_at - now).saturating_mul(3) / 7);
    for (kind, send_at) in [
        (MailKind::SecondFactorResetRequested, now),
        (MailKind::SecondFactorResetReminder, reminder_at),
        (MailKind::SecondFactorResetReady, reset.due_at),
    ] {
        let mut notice = OutgoingMail::to(account, kind).at(now);
        notice.details.device = Some(client.device_name());
        notice.details.effective_at = Some(reset.due_at);
        notice.details.change_number = Some(reset.requested_at);
        change.schedule_mail(notice, send_at).await?;
    }
    Ok(())
}

/// Removes all strong factors with the link in the last mail, and ends all sessions.
pub(crate) async fn confirm(app: &App, client: &Client, link: &MailedLink) -> Result<(), ApiError> {
    change(app, client, |mut change| async move {
        let now = change.now;
        let token = link.redeem(&mut change, Purpose::SecondFactorReset).await?;
        let account = mailed_link::lock_account(&mut change, &token).await?;
        let pending = second_factor_resets::find_pending(&mut change, account.id, now).await?;
        let is_due = pending.is_some_and(|reset| reset.due_at <= now);
        if !is_due || token.email.as_deref() != Some(account.email.as_str()) {
            return Err(ErrorCode::InvalidToken.into());
        }
        second_factor_resets::remove(&mut change, account.id).await?;
        Removal::of(&account).remove_all(&mut change).await?;
        let ended = sessions::end_all(&mut change, account.id).await?;
        change.report_ended(ended).await?;
        security_log::record(&mut change, SecurityEvent::SecondFactorReset, account.id).await?;
        link.commit(change, ()).await
    })
    .await
}
