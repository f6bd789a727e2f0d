//! Change of the password while signed in.

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::current_password;
use crate::auth::new_password::{self, NewPassword, TypedPassword};
use crate::auth::reauthentication;
use crate::auth::security_log::Event;
use crate::auth::session::{self, SignedIn, SignedInChange};
use crate::auth::session_end;
use crate::db::conflict::retry_on_conflict;
use crate::domain::password::LengthPolicy;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode, Rule};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::devices;

/// The new password and the current one, as typed.
pub(crate) struct PasswordChange<'a> {
    pub current: &'a str,
    pub new: TypedPassword<'a>,
    pub removes_other_devices: bool,
}

/// Changes the password, ends all other sessions and rotates this one. Removes the other devices if the change requests
/// it. Returns the new session id.
pub(crate) async fn change(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    typed: &PasswordChange<'_>,
) -> Result<Secret, ApiError> {
    reauthentication::require_in_strict_profile(app, client, signed_in).await?;
    let (account, device) = retry_on_conflict(&app.rng, || begin(app, signed_in)).await?;
    if typed.current.is_empty() {
        return Err(ApiError::rule(Rule::CurrentPasswordMissing));
    }
    let password = new_password::check(app, &account, typed.new, LengthPolicy::Default)?;
    let wrong = ErrorCode::CurrentPasswordMismatch;
    current_password::verify(app, client, &device, &account, typed.current, wrong).await?;
    let new = new_password::hash(app, &account, password).await?;
    let change = CheckedChange {
        signed_in,
        checked: &account,
        new: &new,
        removes_other_devices: typed.removes_other_devices,
    };
    retry_on_conflict(&app.rng, || change.apply(app, client)).await
}

/// A checked new password, with the account as it was when the current one was verified.
struct CheckedChange<'a> {
    signed_in: &'a SignedIn,
    checked: &'a Account,
    new: &'a NewPassword,
    removes_other_devices: bool,
}

impl CheckedChange<'_> {
    /// Stores the new password, ends the other sessions and rotates this one. Returns the new session id. 401 if the
    /// session has ended while the passwords were hashed.
    async fn apply(&self, app: &App, client: &Client) -> Result<Secret, ApiError> {
        let now = app.clock.millis();
        let SignedInChange {
            mut tx, session, ..
        } = self.signed_in.begin_change(app).await?;
        let saved = new_password::save(app, &mut tx, self.checked, self.new).await?;
        let account = saved.ok_or(ErrorCode::CurrentPasswordMismatch)?;
        if self.removes_other_devices {
            let ended =
                devices::remove_all_except(&mut tx, account.id, session.device_id()).await?;
            session_end::report(app, &mut tx, ended).await?;
        }
        let id = session::rotate(app, &mut tx, &session).await?;
        let notice = OutgoingMail::to(&account, MailKind::PasswordChanged).at(now);
        mail::queue(app, &mut tx, notice).await?;
        let event = Event::new(SecurityEvent::PasswordChanged, account.id, client);
        event.record(app, &mut tx).await?;
        tx.commit().await?;
        Ok(id)
    }
}

/// Returns the current account, and the cookie hash of the session's device.
async fn begin(app: &App, signed_in: &SignedIn) -> Result<(Account, SecretHash), ApiError> {
    let SignedInChange {
        tx,
        account,
        session,
    } = signed_in.begin_counter_change(app).await?;
    let actions = [LimitedAction::PasswordChange(account.id)];
    let now = app.clock.millis();
    let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
    let device = devices::cookie_hash(&mut tx, session.device_id()).await?;
    tx.commit().await?;
    Ok((account, device.ok_or(ErrorCode::Unauthenticated)?))
}
