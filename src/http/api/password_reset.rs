//! Password reset: the request for a link, and the choice of a new password with it.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::answer::with_min_duration;
use super::body::{Body, lenient_text};
use super::cookies::Setter;
use super::email_verification::{Address, check_limits_and_parse};
use super::new_password::{self, NewPassword};
use super::request_context::RequestContext;
use crate::app::{App, Shared};
use crate::config::Profile;
use crate::db::conflict::repeated;
use crate::domain::email::Email;
use crate::domain::password::LengthPolicy;
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, Kind, MailDetails, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::tokens::{self, Purpose, Redemption};
use crate::store::{devices, legacy, sessions};

/// The result of a request for a reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResetCode {
    ResetSent,
    /// Profile `spec` only: the account is still in the older system.
    NeedsMigration,
}

impl ResetCode {
    /// English in every language, because clients parse it: it contains the word "migration" exactly if
    /// the account needs one (contract 2).
    fn message(self) -> &'static str {
        match self {
            ResetCode::ResetSent => "If an account exists, a reset link has been sent.",
            ResetCode::NeedsMigration => "This account needs a migration first.",
        }
    }
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ResetAsked {
    success: bool,
    message: &'static str,
    code: ResetCode,
}

/// Mails a reset link if there is an account.
#[utoipa::path(post, path = "/reset-password", operation_id = "reset_password", tag = "password_reset",
    request_body = Address,
    responses((status = 200, description = "The same whether or not an account exists, except in profile `spec` for an unmigrated account", body = ResetAsked)))]
pub(crate) async fn request(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Address>,
) -> Result<Json<ResetAsked>, ApiError> {
    let email = Email::parse(&form.email).map_err(|code| match code {
        ErrorCode::EmailMissing => ApiError::rule(ErrorCode::MissingField),
        code => ApiError::rule(code),
    })?;
    let code = with_min_duration(repeated(&app.rng, || ask(&app, &context, &email))).await?;
    Ok(Json(ResetAsked {
        success: true,
        message: code.message(),
        code,
    }))
}

async fn ask(app: &App, context: &RequestContext, email: &Email) -> Result<ResetCode, ApiError> {
    let mut tx = app.store.write().await?;
    let tries = [
        LimitedAction::ResetFrom(context.ip),
        LimitedAction::ResetOf(email.key()),
    ];
    if let Err(limited) = app
        .rate_limiter
        .check(&mut tx, &tries, app.clock.millis())
        .await?
    {
        tx.commit().await?;
        return Err(limited.into());
    }
    let mut code = ResetCode::ResetSent;
    let account = accounts::by_email(&mut tx, email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(&mut tx, email.key()).await?;
    let is_verified = account.as_ref().is_some_and(|account| account.verified);
    match (&account, &legacy_account) {
        // An unverified registration yields to an old account with the same address.
        (_, Some(old)) if !is_verified => {
            if app.config.security.profile == Profile::Spec {
                code = ResetCode::NeedsMigration;
            } else {
                let outgoing = OutgoingMail {
                    kind: Kind::LegacyAccountExists,
                    subject_id: old.id,
                    recipient: &old.email,
                    language: context.language,
                    region: &context.region,
                    details: MailDetails::default(),
                };
                mail::queue(app, &mut tx, outgoing).await?;
            }
        }
        (Some(account), _) => {
            tracing::info!(target: "security", event = "reset_asked", account = %account.id, ip = %context.ip);
            mail::queue(app, &mut tx, OutgoingMail::to(account, Kind::ResetPassword)).await?;
        }
        (None, _) => {}
    }
    tx.commit().await?;
    app.mailer.wake_worker();
    Ok(code)
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct ResetForm {
    #[serde(default, deserialize_with = "lenient_text")]
    token: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    new_password: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    confirm_password: Option<String>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ResetDone {
    success: bool,
    message: &'static str,
}

/// Sets a new password. Ends every session and verifies the address; starts no session.
#[utoipa::path(post, path = "/reset-password/confirm", operation_id = "confirm_reset", tag = "password_reset",
    request_body = ResetForm,
    responses((status = 200, description = "The new password is in force", body = ResetDone)))]
pub(crate) async fn confirm(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<ResetForm>,
) -> Result<impl IntoResponse, ApiError> {
    let tries = [LimitedAction::ConfirmFrom("reset-password", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, form.token.as_deref())
        .await
        .map_err(|mut failure| {
            if failure.code == ErrorCode::InvalidToken
                && form.token.as_deref().unwrap_or_default().is_empty()
            {
                failure.sentence = Some(ErrorCode::ResetTokenMissing);
            }
            failure
        })?;
    let account = repeated(&app.rng, || account_of(&app, &hash)).await?;
    let new = form.new_password.as_deref().unwrap_or_default();
    let password = new_password::check(
        &app,
        &account,
        new,
        form.confirm_password.as_deref(),
        LengthPolicy::Default,
    )?;
    let new = new_password::hash(&app, &account, password).await?;
    let finished = || finish(&app, &context, &tries, &hash, &account, &new);
    let cookies = repeated(&app.rng, finished).await?;
    let message = Message::AnswerResetDone.text(context.language);
    Ok((
        cookies,
        Json(ResetDone {
            success: true,
            message,
        }),
    ))
}

/// The account of the token. Does not redeem it: a form with a mistake leaves the link usable.
async fn account_of(app: &App, hash: &SecretHash) -> Result<Account, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let token = tokens::live(&mut tx, hash, Purpose::Reset, now)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let account = accounts::locked(&mut tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    Ok(account)
}

async fn finish(
    app: &App,
    context: &RequestContext,
    tries: &[LimitedAction<'_>],
    hash: &SecretHash,
    checked: &Account,
    new: &NewPassword,
) -> Result<axum::http::HeaderMap, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let Redemption::Redeemed(token) = tokens::redeem(&mut tx, hash, Purpose::Reset, now).await?
    else {
        return Err(ErrorCode::InvalidToken.into());
    };
    let account = new_password::put(app, &mut tx, checked, new)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    if token.email.as_deref() != Some(account.email.as_str()) {
        return Err(ErrorCode::InvalidToken.into());
    }
    sessions::end_all(&mut tx, account.id).await?;
    let cookie = context
        .device
        .clone()
        .unwrap_or_else(|| Secret::generate(&app.rng));
    // A thief who knew the old password may have enrolled a browser, so only this one stays.
    devices::remove_others_than(&mut tx, account.id, &cookie.hash()).await?;
    if !account.verified {
        accounts::mark_verified(&mut tx, account.id, now).await?;
    }
    let name = &context.device_name();
    devices::enrol(
        &mut tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        name,
        now,
    )
    .await?;
    let key = Email::parse(&account.email).map_err(|_| ErrorCode::Internal)?;
    let device = cookie.hash();
    let failures = [
        LimitedAction::FailedSignIn(key.key()),
        LimitedAction::FailedSignInStreak(key.key()),
        LimitedAction::FailedSignInOn(account.id, &device),
        LimitedAction::FailedSignInStreakOn(account.id, &device),
    ];
    app.rate_limiter.reset(&mut tx, &failures).await?;
    app.rate_limiter.refund(&mut tx, tries).await?;
    mail::queue(
        app,
        &mut tx,
        OutgoingMail::to(&account, Kind::PasswordResetDone).at(now),
    )
    .await?;
    tx.commit().await?;
    app.mailer.wake_worker();
    tracing::info!(target: "security", event = "password_reset", account = %account.id, ip = %context.ip);
    Ok(Setter::new(&app.config)
        .end_session()
        .device(&cookie)
        .done())
}
