//! Change of the password while signed in.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::body::{Body, lenient_text};
use super::cookies::Setter;
use super::email_verification::MessageBody;
use super::new_password::{self, NewPassword};
use super::request_context::RequestContext;
use super::session::{self, SignedIn, SignedInChange};
use crate::app::{App, Shared};
use crate::db::Durability;
use crate::db::conflict::repeated;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, Kind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::devices;

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct PasswordForm {
    #[serde(default, deserialize_with = "lenient_text")]
    current_password: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    new_password: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    confirm_password: Option<String>,
    /// Whether every other device needs a mailed approval at its next sign-in. Default: true.
    forget_other_devices: Option<bool>,
}

/// Changes the password, ends all other sessions and rotates this one. Forgets the other devices unless
/// told otherwise.
#[utoipa::path(post, path = "/change-password", operation_id = "change_password", tag = "settings",
    security(("session" = [])),
    request_body = PasswordForm,
    responses((status = 200, description = "The new password is in force", body = MessageBody)))]
pub(crate) async fn change(
    State(app): State<Shared>,
    context: RequestContext,
    signed_in: SignedIn,
    Body(form): Body<PasswordForm>,
) -> Result<impl IntoResponse, ApiError> {
    let (account, device) = repeated(&app.rng, || begin(&app, &signed_in)).await?;
    let current = form.current_password.unwrap_or_default();
    if current.is_empty() {
        return Err(ApiError::rule(ErrorCode::CurrentPasswordMissing));
    }
    let new = form.new_password.as_deref().unwrap_or_default();
    let password = new_password::check(
        &app,
        &account,
        new,
        form.confirm_password.as_deref(),
        LengthPolicy::Default,
    )?;
    check_current(&app, &context, &device, &account, &current).await?;
    let new = new_password::hash(&app, &account, password).await?;
    let change = Change {
        signed_in: &signed_in,
        checked: &account,
        new: &new,
        forgets_others: form.forget_other_devices.unwrap_or(true),
    };
    let id = repeated(&app.rng, || change.put(&app)).await?;
    app.mailer.wake_worker();
    tracing::info!(target: "security", event = "password_changed", account = %account.id, ip = %context.ip);
    let cookies = Setter::new(&app.config).session(&id).done();
    let message = Message::AnswerPasswordChanged
        .text(context.language)
        .to_owned();
    Ok((cookies, Json(MessageBody { message })))
}

/// A checked new password, with the account as it was when the current one was verified.
struct Change<'a> {
    signed_in: &'a SignedIn,
    checked: &'a Account,
    new: &'a NewPassword,
    forgets_others: bool,
}

impl Change<'_> {
    /// Stores the new password, ends the other sessions and rotates this one. Returns the new session
    /// id. 401 if the session has ended while the passwords were hashed.
    async fn put(&self, app: &App) -> Result<Secret, ApiError> {
        let now = app.clock.millis();
        let SignedInChange {
            mut tx, session, ..
        } = self.signed_in.begin_change(app).await?;
        let put = new_password::put(app, &mut tx, self.checked, self.new).await?;
        let account = put.ok_or(ErrorCode::CurrentPasswordMismatch)?;
        if self.forgets_others {
            devices::remove_others(&mut tx, account.id, session.device_id()).await?;
        }
        let id = session::rotate(app, &mut tx, &session).await?;
        let notice = OutgoingMail::to(&account, Kind::PasswordChanged).at(now);
        mail::queue(app, &mut tx, notice).await?;
        tx.commit().await?;
        Ok(id)
    }
}

/// The current account, and the cookie hash of the session's device.
async fn begin(app: &App, signed_in: &SignedIn) -> Result<(Account, SecretHash), ApiError> {
    let SignedInChange {
        mut tx,
        account,
        session,
    } = signed_in.begin_light_change(app).await?;
    let asked = app
        .rate_limiter
        .check(
            &mut tx,
            &[LimitedAction::PasswordChange(account.id)],
            app.clock.millis(),
        )
        .await?;
    let device = devices::cookie_hash(&mut tx, session.device_id()).await?;
    tx.commit().await?;
    asked?;
    Ok((account, device.ok_or(ErrorCode::Unauthenticated)?))
}

/// A wrong current password counts as a failed sign-in on the session's device. So a stolen session
/// cannot guess more often, and failed sign-ins of strangers do not lock the owner out of this change.
async fn check_current(
    app: &App,
    context: &RequestContext,
    device: &SecretHash,
    account: &Account,
    input: &str,
) -> Result<(), ApiError> {
    let tries = [
        LimitedAction::FailedSignInOn(account.id, device),
        LimitedAction::FailedSignInStreakOn(account.id, device),
    ];
    repeated(&app.rng, || async {
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let asked = app
            .rate_limiter
            .check(&mut tx, &tries, app.clock.millis())
            .await?;
        tx.commit().await?;
        Ok::<_, ApiError>(asked?)
    })
    .await?;
    let password = Password::from_input(input).ok_or(ErrorCode::CurrentPasswordMismatch)?;
    if !app
        .hasher
        .verify(&password, Some(&account.password_hash))
        .await?
    {
        tracing::warn!(target: "security", event = "current_password_wrong", account = %account.id, ip = %context.ip);
        return Err(ErrorCode::CurrentPasswordMismatch.into());
    }
    repeated(&app.rng, || async {
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        app.rate_limiter.refund(&mut tx, &tries).await?;
        Ok::<_, ApiError>(tx.commit().await?)
    })
    .await
}
