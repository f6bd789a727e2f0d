//! Changes the password of a signed-in person.

use crate::accounts::change::{change, notify_now};
use crate::accounts::client::Client;
use crate::accounts::password::current_password;
use crate::accounts::password::new_password::{self, TypedPassword};
use crate::accounts::security_log;
use crate::accounts::session::reauthentication;
use crate::accounts::session::{self, LockedSignIn, SignedIn};
use crate::app::App;
use crate::domain::password::LengthPolicy;
use crate::domain::security_event::SecurityEvent;
use crate::domain::session_id::SessionId;
use crate::error::{ApiError, ErrorCode, Rule};
use crate::mail::MailKind;
use crate::rate_limit::LimitedAction;
use crate::store::devices;

/// The new and the current password as typed.
pub(crate) struct PasswordChange<'a> {
    pub current: &'a str,
    pub new: TypedPassword<'a>,
    pub removes_other_devices: bool,
}

/// Changes the password, ends all sessions of the account and starts a new session in this browser. Removes all devices
/// except this one if `typed` requests it. Returns the new session id.
pub(crate) async fn change_password(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    typed: &PasswordChange<'_>,
) -> Result<SessionId, ApiError> {
    reauthentication::require_in_strict_profile(app, client, signed_in).await?;
    let action = LimitedAction::PasswordChange;
    let counted = current_password::count_attempt(app, client, signed_in, action);
    let (checked, device) = counted.await?;
    if typed.current.is_empty() {
        return Err(ApiError::rule(Rule::CurrentPasswordMissing));
    }
    let password = new_password::check(app, &checked, typed.new, LengthPolicy::Default)?;
    let wrong = ErrorCode::CurrentPasswordMismatch;
    current_password::verify(app, client, &device, &checked, typed.current, wrong).await?;
    let new = new_password::hash(app, &checked, password).await?;
    let (checked, new) = (&checked, &new);
    change(app, client, |mut change| async move {
        // Locking returns 401 if the session has ended while the passwords were hashed.
        let LockedSignIn { session, .. } = signed_in.lock(&mut change).await?;
        let saved = new_password::save(&mut change, checked, new).await?;
        let account = saved.ok_or(wrong)?;
        if typed.removes_other_devices {
            let own = session.device_id();
            let ended = devices::remove_all_except(&mut change, account.id, own).await?;
            change.report_ended(ended).await?;
        }
        let id = session::rotate(&mut change, &session).await?;
        notify_now(&mut change, &account, MailKind::PasswordChanged).await?;
        security_log::record(&mut change, SecurityEvent::PasswordChanged, account.id).await?;
        change.commit(id).await
    })
    .await
}
