//! Changes the password of a signed-in person.

use serde::Deserialize;

use crate::accounts::change::notify_now;
use crate::accounts::prelude::*;
use crate::accounts::session::{self, LockedRows, SignedIn};
use crate::accounts::{current_password, new_password, reauthentication, security_log};
use crate::domain::form_field::deserialize_secret;
use crate::domain::secret::SecretInput;
use crate::domain::session_id::SessionId;
use crate::error::FieldRule;
use crate::store::devices;

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct PasswordForm {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    current_password: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    new_password: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    confirm_password: SecretInput,
    /// Whether all devices except this one are removed, so that their next sign-in needs approval by mail. Default:
    /// true.
    forget_other_devices: Option<bool>,
}

/// Changes the password, ends all sessions of the account and starts a new session in this browser. Removes all devices
/// except this one unless `forget_other_devices` is false. Returns the new session id.
pub(crate) async fn change_password(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    form: &PasswordForm,
) -> ApiResult<SessionId> {
    reauthentication::require_in_strict_profile(app, client, signed_in).await?;
    let permit = app.hasher.reserve()?;
    let limit = LimitName::PasswordChange;
    let counted = current_password::count_attempt(app, client, signed_in, limit);
    let (checked, device) = counted.await?;
    let current = form.current_password.expose();
    if current.is_empty() {
        return Err(ApiError::broken_rule(FieldRule::CurrentPasswordMissing));
    }
    let (typed, again) = (form.new_password.expose(), form.confirm_password.expose());
    let password = new_password::check(app, &checked, typed, again)?;
    let wrong = ErrorCode::CurrentPasswordMismatch;
    current_password::verify(app, client, permit, &device, &checked, current, wrong).await?;
    let new = new_password::hash(app, &checked, password).await?;
    let (checked, new) = (&checked, &new);
    change(app, client, |mut change| async move {
        // Locking returns 401 if the session has ended while the passwords were hashed.
        let LockedRows { session, .. } = signed_in.lock(&mut change).await?;
        let saved = new_password::save(&mut change, checked, new).await?;
        let account = saved.ok_or(wrong)?;
        if form.forget_other_devices.unwrap_or(true) {
            let own = session.device_id();
            let ended = devices::remove_all_except(&mut change, account.id, own).await?;
            change.report_ended(ended).await?;
        }
        let id = session::replace_all_sessions(&mut change, &session).await?;
        notify_now(&mut change, &account, MailKind::PasswordChanged).await?;
        security_log::record(&mut change, SecurityEvent::PasswordChanged, account.id).await?;
        change.commit(id).await
    })
    .await
}
