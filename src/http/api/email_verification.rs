//! Mailed links that verify an address or approve a device, and requests for another link.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::answer::with_min_duration;
use super::body::{Body, TokenQuery};
use super::cookies::Setter;
use super::guard::require_same_origin_fetch;
use super::request_context::RequestContext;
use crate::app::{App, Shared};
use crate::db::conflict::repeated;
use crate::db::{Durability, Tx};
use crate::domain::email::Email;
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, Kind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::tokens::{self, Purpose, Redemption, Token};
use crate::store::{accounts, devices, sessions};

/// The result of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    EmailVerified,
    DeviceApproved,
    /// The link was opened in another browser: a button there approves or refuses.
    DevicePending,
    DeviceRefused,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Confirmed {
    message: String,
    code: Outcome,
    /// With `device_pending`: the browser that requested the approval, such as "Firefox · Windows".
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// With `device_pending`: when the approval was requested, milliseconds since 1970 UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_at: Option<i64>,
}

impl Confirmed {
    fn new(context: &RequestContext, code: Outcome) -> Confirmed {
        let word = match code {
            Outcome::EmailVerified => Message::AnswerEmailVerified,
            Outcome::DeviceApproved => Message::AnswerDeviceApproved,
            Outcome::DevicePending => Message::AnswerDevicePending,
            Outcome::DeviceRefused => Message::AnswerDeviceRefused,
        };
        Confirmed {
            message: word.text(context.language).to_owned(),
            code,
            device: None,
            requested_at: None,
        }
    }
}

/// Verifies an address, or approves a device. A repeated call gives the same response until the token
/// expires.
#[utoipa::path(get, path = "/confirm-email", operation_id = "confirm_email", tag = "email_verification",
    params(TokenQuery), responses((status = 200, description = "Confirmed, or pending (`device_pending`)", body = Confirmed)))]
pub(crate) async fn confirm_email(
    State(app): State<Shared>,
    context: RequestContext,
    method: Method,
    headers: HeaderMap,
    query: TokenQuery,
) -> Result<impl IntoResponse, ApiError> {
    require_same_origin_fetch(&method, &headers)?;
    let tries = [LimitedAction::ConfirmFrom("confirm-email", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, query.token.as_deref()).await?;
    let cookie = context
        .device
        .clone()
        .unwrap_or_else(|| Secret::generate(&app.rng));
    let confirmed = || confirm(&app, &context, &tries, &hash, &cookie);
    let answer = repeated(&app.rng, confirmed).await?;
    let cookies = Setter::new(&app.config).device(&cookie).done();
    Ok((cookies, Json(answer)))
}

/// Redeems the link in one transaction.
async fn confirm(
    app: &App,
    context: &RequestContext,
    tries: &[LimitedAction<'_>],
    hash: &SecretHash,
    cookie: &Secret,
) -> Result<Confirmed, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let answer = match tokens::redeem(&mut tx, hash, Purpose::VerifyEmail, now).await? {
        Redemption::Redeemed(token) => {
            verify(app, &mut tx, context, &token, cookie).await?;
            Confirmed::new(context, Outcome::EmailVerified)
        }
        Redemption::AlreadyRedeemed(_) => Confirmed::new(context, Outcome::EmailVerified),
        Redemption::Invalid => device(app, &mut tx, context, hash).await?,
    };
    app.rate_limiter.refund(&mut tx, tries).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Checks the rate limits, then parses the token. A malformed token is `invalid_token`, like an unknown
/// one.
pub(crate) async fn check_limits_and_parse(
    app: &App,
    tries: &[LimitedAction<'_>],
    token: Option<&str>,
) -> Result<SecretHash, ApiError> {
    repeated(&app.rng, || async {
        let mut tx = app.store.begin(Durability::ProcessCrash).await?;
        let asked = app
            .rate_limiter
            .check(&mut tx, tries, app.clock.millis())
            .await?;
        tx.commit().await?;
        Ok::<_, ApiError>(asked?)
    })
    .await?;
    match token.and_then(Secret::parse) {
        Some(token) => Ok(token.hash()),
        None => Err(ErrorCode::InvalidToken.into()),
    }
}

/// Marks the address as verified and enrols the browser that opened the link.
async fn verify(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    token: &Token,
    cookie: &Secret,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let account = accounts::locked(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    // The link verifies the address to which it was mailed and no other.
    if token.email.as_deref() != Some(account.email.as_str()) {
        return Err(ErrorCode::InvalidToken.into());
    }
    accounts::mark_verified(tx, account.id, now).await?;
    mail::end_link(tx, account.id, Kind::VerifyEmail).await?;
    devices::enrol(
        tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        &context.device_name(),
        now,
    )
    .await?;
    tracing::info!(target: "security", event = "email_verified", account = %account.id, ip = %context.ip);
    Ok(())
}

/// Approves a device: at once in the browser that requested it, by a button in any other.
async fn device(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    hash: &SecretHash,
) -> Result<Confirmed, ApiError> {
    let now = app.clock.millis();
    let own = context.device.as_ref().map(Secret::hash);
    if let Some(token) = tokens::live(tx, hash, Purpose::DeviceApproval, now).await?
        && token.device_hash != own
    {
        return Ok(Confirmed {
            device: token.device_name,
            requested_at: Some(token.requested_at),
            ..Confirmed::new(context, Outcome::DevicePending)
        });
    }
    match tokens::redeem(tx, hash, Purpose::DeviceApproval, now).await? {
        Redemption::Redeemed(token) => approve(app, tx, context, &token).await?,
        Redemption::AlreadyRedeemed(_) => {}
        Redemption::Invalid => return Err(unknown(tx, hash, now).await?),
    }
    Ok(Confirmed::new(context, Outcome::DeviceApproved))
}

/// The error for a link that does not work. It names the purpose of an expired device approval, because
/// the way on from there is another sign-in, not another verification mail.
async fn unknown(tx: &mut Tx, hash: &SecretHash, now: i64) -> Result<ApiError, ApiError> {
    let mut failure = ApiError::from(ErrorCode::InvalidToken);
    if tokens::is_expired(tx, hash, Purpose::DeviceApproval, now).await? {
        let purpose = Purpose::DeviceApproval.as_str();
        failure.extra.insert("purpose".into(), purpose.into());
    }
    Ok(failure)
}

async fn approve(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    token: &Token,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let asked = token.device_hash.as_ref().ok_or(ErrorCode::InvalidToken)?;
    let account = accounts::locked(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let name = token.device_name.as_deref().unwrap_or("Browser");
    devices::enrol(tx, app.rng.id(now), account.id, asked, name, now).await?;
    mail::end_approvals_of(tx, account.id, &mail::encode_hash(asked)).await?;
    tracing::info!(target: "security", event = "device_approved", account = %account.id, ip = %context.ip);
    Ok(())
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Decision {
    token: String,
    /// "Yes, this was me" or "No, it was not".
    approve: bool,
}

/// Approves the device that requested the link, or refuses it and ends all other sessions.
#[utoipa::path(post, path = "/confirm-device", operation_id = "confirm_device", tag = "email_verification",
    request_body = Decision, responses((status = 200, description = "Approved or refused", body = Confirmed)))]
pub(crate) async fn confirm_device(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Decision>,
) -> Result<impl IntoResponse, ApiError> {
    let tries = [LimitedAction::ConfirmFrom("confirm-device", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, Some(&form.token)).await?;
    let decided = || decide(&app, &context, &tries, &hash, form.approve);
    let outcome = repeated(&app.rng, decided).await?;
    Ok(Json(Confirmed::new(&context, outcome)))
}

/// Redeems the link and enrols or refuses the device, in one transaction.
async fn decide(
    app: &App,
    context: &RequestContext,
    tries: &[LimitedAction<'_>],
    hash: &SecretHash,
    approved: bool,
) -> Result<Outcome, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let Redemption::Redeemed(token) =
        tokens::redeem(&mut tx, hash, Purpose::DeviceApproval, now).await?
    else {
        return Err(ErrorCode::InvalidToken.into());
    };
    let outcome = if approved {
        approve(app, &mut tx, context, &token).await?;
        Outcome::DeviceApproved
    } else {
        refuse(&mut tx, context, &token).await?;
        Outcome::DeviceRefused
    };
    app.rate_limiter.refund(&mut tx, tries).await?;
    tx.commit().await?;
    Ok(outcome)
}

/// Refuses a device: another person knows the password. Forgets that browser and ends all other
/// sessions, links and pending changes. Links that undo an address change stay. The screen offers a
/// reset.
async fn refuse(tx: &mut Tx, context: &RequestContext, token: &Token) -> Result<(), ApiError> {
    let account = token.subject_id;
    accounts::locked(tx, account)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    if let Some(asked) = &token.device_hash {
        devices::remove_by_cookie(tx, account, asked).await?;
    }
    let own = context.session.as_ref().map(Secret::hash);
    sessions::end_others(tx, account, own.as_ref()).await?;
    mail::end_links(tx, account).await?;
    // A redeemed approval would still return "approved".
    tokens::forget(tx, account, Purpose::DeviceApproval).await?;
    tracing::warn!(target: "security", event = "device_refused", %account, ip = %context.ip);
    Ok(())
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Address {
    pub email: String,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageBody {
    pub message: String,
}

/// Mails another verification link. The response is the same for every address.
#[utoipa::path(post, path = "/resend-verification", operation_id = "resend_verification", tag = "email_verification",
    request_body = Address, responses((status = 200, description = "The same for every address", body = MessageBody)))]
pub(crate) async fn resend_verification(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Address>,
) -> Result<Json<MessageBody>, ApiError> {
    let email = Email::parse(&form.email).map_err(ApiError::rule)?;
    with_min_duration(repeated(&app.rng, || resend(&app, &context, &email))).await?;
    Ok(Json(MessageBody {
        message: Message::AnswerVerificationSent
            .text(context.language)
            .to_owned(),
    }))
}

async fn resend(app: &App, context: &RequestContext, email: &Email) -> Result<(), ApiError> {
    let mut tx = app.store.write().await?;
    let tries = [
        LimitedAction::ConfirmFrom("resend-verification", context.ip),
        LimitedAction::ResendTo(email.key()),
    ];
    let asked = app
        .rate_limiter
        .check(&mut tx, &tries, app.clock.millis())
        .await?;
    if asked.is_ok()
        && let Some(account) = accounts::by_email(&mut tx, email.key()).await?
        && !account.verified
    {
        mail::queue(app, &mut tx, OutgoingMail::to(&account, Kind::VerifyEmail)).await?;
    }
    tx.commit().await?;
    app.mailer.wake_worker();
    Ok(asked?)
}
