//! Change of the email address: requested while signed in, confirmed from the new mailbox, undone from
//! the old one.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::answer::with_min_duration;
use super::body::{Body, TokenQuery};
use super::cookies::Setter;
use super::email_verification::{Address, MessageBody, check_limits_and_parse};
use super::guard::require_same_origin_fetch;
use super::request_context::RequestContext;
use super::session::{SignedIn, SignedInChange};
use crate::app::{App, Shared};
use crate::config::Profile;
use crate::db::Tx;
use crate::db::conflict::repeated;
use crate::domain::email::Email;
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::mail::{self, Kind, MailDetails, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::tokens::{self, Purpose, Redemption, Token};
use crate::store::{devices, legacy, sessions};

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct EmailNow {
    message: String,
    /// The current address of the account.
    email: String,
}

/// Mails a link to the new address. Nothing changes until it is opened.
#[utoipa::path(post, path = "/change-email", operation_id = "change_email", tag = "settings",
    security(("session" = [])),
    request_body = Address,
    responses((status = 200, description = "The mail is queued", body = MessageBody)))]
pub(crate) async fn request(
    State(app): State<Shared>,
    context: RequestContext,
    signed_in: SignedIn,
    Body(form): Body<Address>,
) -> Result<Json<MessageBody>, ApiError> {
    let email = Email::parse(&form.email).map_err(ApiError::rule)?;
    let asked = repeated(&app.rng, || ask(&app, &context, &signed_in, &email));
    with_min_duration(asked).await.map_err(taken)?;
    let message = Message::AnswerEmailChangeSent
        .text(context.language)
        .to_owned();
    Ok(Json(MessageBody { message }))
}

async fn ask(
    app: &App,
    context: &RequestContext,
    signed_in: &SignedIn,
    email: &Email,
) -> Result<(), ApiError> {
    let SignedInChange {
        mut tx, account, ..
    } = signed_in.begin_change(app).await?;
    let id = account.id;
    if let Err(limited) = app
        .rate_limiter
        .check(
            &mut tx,
            &[LimitedAction::EmailChange(id)],
            app.clock.millis(),
        )
        .await?
    {
        tx.commit().await?;
        return Err(limited.into());
    }
    let answer = offer(app, &mut tx, &account, email).await;
    tx.commit().await?;
    app.mailer.wake_worker();
    tracing::info!(target: "security", event = "email_change_asked", account = %id, ip = %context.ip);
    answer
}

/// Mails the new address. If it is taken, profile `spec` returns an error and profile `strict` mails
/// its owner instead.
async fn offer(app: &App, tx: &mut Tx, account: &Account, email: &Email) -> Result<(), ApiError> {
    if Email::parse(&account.email).is_ok_and(|own| own.key() == email.key()) {
        return Err(ErrorCode::EmailUnchanged.into());
    }
    // Always, also if the address is taken: an earlier link that still works would reveal that it is.
    mail::end_link(tx, account.id, Kind::ConfirmNewEmail).await?;
    let owner = accounts::by_email(tx, email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(tx, email.key()).await?;
    let strict = app.config.security.profile == Profile::Strict;
    if !strict && (owner.is_some() || legacy_account.is_some()) {
        return Err(ErrorCode::AccountExists.into());
    }
    let outgoing = match (&owner, &legacy_account) {
        (Some(owner), _) => OutgoingMail::to(owner, Kind::EmailAddressTaken),
        (None, Some(old)) => OutgoingMail {
            kind: Kind::EmailAddressTaken,
            subject_id: old.id,
            recipient: &old.email,
            language: account.language,
            region: &account.region,
            details: MailDetails::default(),
        },
        (None, None) => OutgoingMail {
            recipient: email.written(),
            ..OutgoingMail::to(account, Kind::ConfirmNewEmail)
        },
    };
    mail::queue(app, tx, outgoing).await?;
    Ok(())
}

/// Changes the address: the new mailbox has confirmed it. Sessions go on; the old mailbox gets a link
/// that undoes the change.
#[utoipa::path(get, path = "/confirm-email-change", operation_id = "confirm_email_change", tag = "settings",
    params(TokenQuery), responses((status = 200, description = "The address is changed", body = EmailNow)))]
pub(crate) async fn confirm(
    State(app): State<Shared>,
    context: RequestContext,
    method: Method,
    headers: HeaderMap,
    query: TokenQuery,
) -> Result<impl IntoResponse, ApiError> {
    require_same_origin_fetch(&method, &headers)?;
    let tries = [LimitedAction::ConfirmFrom(
        "confirm-email-change",
        context.ip,
    )];
    let hash = check_limits_and_parse(&app, &tries, query.token.as_deref()).await?;
    let token = repeated(&app.rng, || redeem(&app, &context, &tries, &hash));
    let token = token.await.map_err(taken)?;
    app.mailer.wake_worker();
    Ok(Json(EmailNow {
        message: Message::AnswerEmailChanged
            .text(context.language)
            .to_owned(),
        email: token.email.unwrap_or_default(),
    }))
}

/// Changes the address in one transaction. Returns the token that confirmed it.
async fn redeem(
    app: &App,
    context: &RequestContext,
    tries: &[LimitedAction<'_>],
    hash: &SecretHash,
) -> Result<Token, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let token = match tokens::redeem(&mut tx, hash, Purpose::EmailChange, now).await? {
        Redemption::Redeemed(token) => {
            change(app, &mut tx, context, &token).await?;
            token
        }
        Redemption::AlreadyRedeemed(token) if is_in_force(&mut tx, &token).await? => token,
        Redemption::AlreadyRedeemed(_) | Redemption::Invalid => {
            return Err(ErrorCode::InvalidToken.into());
        }
    };
    app.rate_limiter.refund(&mut tx, tries).await?;
    tx.commit().await?;
    Ok(token)
}

/// Replaces the sentence of `account_exists`, which points to the sign-in form: the person is signed in
/// already.
fn taken(mut failure: ApiError) -> ApiError {
    if failure.code == ErrorCode::AccountExists {
        failure.sentence = Some(ErrorCode::EmailTaken);
    }
    failure
}

/// Whether the change of this token is still in force. After an undo or a further change the answer
/// "changed" would be wrong.
async fn is_in_force(tx: &mut Tx, token: &Token) -> Result<bool, ApiError> {
    let account = accounts::locked(tx, token.subject_id).await?;
    Ok(account.is_some_and(|account| Some(account.email) == token.email))
}

async fn change(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    token: &Token,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let account = accounts::locked(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let new = Email::parse(token.email.as_deref().unwrap_or_default())
        .map_err(|_| ErrorCode::InvalidToken)?;
    if legacy::unmigrated_by_email(tx, new.key()).await?.is_some() {
        return Err(ErrorCode::AccountExists.into());
    }
    accounts::drop_unverified(tx, new.key()).await?;
    let number = accounts::change_email(tx, account.id, &new, now).await?;
    mail::end_links(tx, account.id).await?;
    let mut notice = OutgoingMail::to(&account, Kind::EmailChanged).at(now);
    notice.details.change_number = Some(number);
    notice.details.new_email = Some(new.written().to_owned());
    mail::queue(app, tx, notice).await?;
    tracing::info!(target: "security", event = "email_changed", account = %account.id, ip = %context.ip);
    Ok(())
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct UndoForm {
    token: String,
}

/// Restores the old address, ends all sessions and forgets all devices but this one.
#[utoipa::path(post, path = "/undo-email-change", operation_id = "undo_email_change", tag = "settings",
    request_body = UndoForm, responses((status = 200, description = "The old address is restored", body = EmailNow)))]
pub(crate) async fn undo(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<UndoForm>,
) -> Result<impl IntoResponse, ApiError> {
    let tries = [LimitedAction::ConfirmFrom("undo-email-change", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, Some(&form.token)).await?;
    let cookie = context
        .device
        .clone()
        .unwrap_or_else(|| Secret::generate(&app.rng));
    let redeemed = || redeem_undo(&app, &context, &tries, &hash, &cookie);
    let email = repeated(&app.rng, redeemed).await?;
    app.mailer.wake_worker();
    let cookies = Setter::new(&app.config)
        .end_session()
        .device(&cookie)
        .done();
    let message = Message::AnswerEmailRestored
        .text(context.language)
        .to_owned();
    Ok((cookies, Json(EmailNow { message, email })))
}

/// Redeems the link and restores the old address in one transaction. Returns that address.
async fn redeem_undo(
    app: &App,
    context: &RequestContext,
    tries: &[LimitedAction<'_>],
    hash: &SecretHash,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let Redemption::Redeemed(token) =
        tokens::redeem(&mut tx, hash, Purpose::EmailUndo, now).await?
    else {
        return Err(ErrorCode::InvalidToken.into());
    };
    let email = restore(app, &mut tx, context, &token, cookie).await?;
    app.rate_limiter.refund(&mut tx, tries).await?;
    tx.commit().await?;
    Ok(email)
}

async fn restore(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    token: &Token,
    cookie: &Secret,
) -> Result<String, ApiError> {
    let now = app.clock.millis();
    let account = accounts::locked(tx, token.subject_id)
        .await?
        .ok_or(ErrorCode::InvalidToken)?;
    let old = Email::parse(token.email.as_deref().unwrap_or_default())
        .map_err(|_| ErrorCode::InvalidToken)?;
    accounts::drop_unverified(tx, old.key()).await?;
    accounts::restore_email(tx, account.id, &old).await?;
    mail::end_links(tx, account.id).await?;
    // This undo also reverts all later changes, so their links end. Links of earlier changes stay.
    mail::end_undo_links_from(tx, account.id, token.change_number).await?;
    sessions::end_all(tx, account.id).await?;
    devices::remove_all(tx, account.id).await?;
    devices::enrol(
        tx,
        app.rng.id(now),
        account.id,
        &cookie.hash(),
        &context.device_name(),
        now,
    )
    .await?;
    if account.email != old.written() {
        mail::queue(
            app,
            tx,
            OutgoingMail::to(&account, Kind::EmailRemoved).at(now),
        )
        .await?;
    }
    let restored = Account {
        email: old.written().to_owned(),
        ..account
    };
    mail::queue(
        app,
        tx,
        OutgoingMail::to(&restored, Kind::EmailRestored).at(now),
    )
    .await?;
    tracing::warn!(target: "security", event = "email_change_undone", account = %restored.id, ip = %context.ip);
    Ok(restored.email)
}
