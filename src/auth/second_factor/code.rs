//! The check of a code, for all calls that accept one: sign-in and reauthentication.

use serde_json::json;

use super::reset;
use super::totp::TotpSecret;
use crate::app::App;
use crate::auth::client::Client;
use crate::auth::security_log::Event;
use crate::db::Tx;
use crate::domain::auth_method::AuthMethod;
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::security_event::SecurityEvent;
use crate::domain::visible_text;
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, MailKind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::{recovery_codes, totp};

/// A right code. Only [`verify`] makes one.
pub(crate) struct VerifiedCode {
    method: AuthMethod,
}

impl VerifiedCode {
    pub(crate) fn method(&self) -> AuthMethod {
        self.method
    }
}

/// A code as typed: six digits of the app, or a recovery code.
pub(crate) enum TypedCode {
    Totp(String),
    Recovery(RecoveryCode),
}

impl TypedCode {
    /// None: the text cannot be a code. It is a typing error and no guess, so it must cost no attempt.
    pub(crate) fn parse(typed: &str) -> Option<TypedCode> {
        match totp_digits(typed) {
            Some(digits) => Some(TypedCode::Totp(digits)),
            None => RecoveryCode::parse(typed).map(TypedCode::Recovery),
        }
    }
}

/// Returns the six digits of a code of an authenticator app.
pub(crate) fn totp_digits(typed: &str) -> Option<String> {
    let bare = visible_text::bare_code(typed);
    let are_digits = bare.len() == 6 && bare.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then_some(bare)
}

/// Counts the attempt, then checks the code and redeems it. Returns the transaction, which the caller commits also for
/// a wrong code, so that the attempt stays counted. The transaction has locked the account. A right code cancels a
/// pending reset of the second factor.
pub(crate) async fn verify(
    app: &App,
    tx: Tx,
    client: &Client,
    account: &Account,
    code: &TypedCode,
) -> Result<(Tx, Result<VerifiedCode, ErrorCode>), ApiError> {
    let mut actions = vec![LimitedAction::SecondFactor(account.id)];
    if let TypedCode::Recovery(_) = code {
        actions.push(LimitedAction::RecoveryCode(account.id));
    }
    let now = app.clock.millis();
    let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
    let checked = match code {
        TypedCode::Totp(digits) => check_totp(app, &mut tx, account, digits).await?,
        TypedCode::Recovery(code) => check_recovery(app, &mut tx, client, account, code).await?,
    };
    if checked.is_ok() {
        app.rate_limiter.refund(&mut tx, &actions).await?;
        reset::cancel(app, &mut tx, client, account).await?;
    }
    Ok((tx, checked.map(|method| VerifiedCode { method })))
}

async fn check_totp(
    app: &App,
    tx: &mut Tx,
    account: &Account,
    digits: &str,
) -> Result<Result<AuthMethod, ErrorCode>, ApiError> {
    let stored = totp::find(tx, account.id).await?;
    let Some(stored) = stored.filter(|stored| stored.confirmed_at.is_some()) else {
        return Ok(Err(ErrorCode::CodeInvalid));
    };
    let secret = TotpSecret::open(app, account.id, &stored)?;
    let Some(step) = secret.matching_step(digits, app.clock.millis()) else {
        return Ok(Err(ErrorCode::CodeInvalid));
    };
    Ok(match totp::accept(tx, account.id, step).await? {
        true => Ok(AuthMethod::Totp),
        false => Err(ErrorCode::CodeReused),
    })
}

async fn check_recovery(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    account: &Account,
    code: &RecoveryCode,
) -> Result<Result<AuthMethod, ErrorCode>, ApiError> {
    if !recovery_codes::redeem(tx, account.id, &code.hash()).await? {
        return Ok(Err(ErrorCode::CodeInvalid));
    }
    let left = recovery_codes::count(tx, account.id).await?;
    let mut notice = OutgoingMail::to(account, MailKind::RecoveryCodeUsed).at(app.clock.millis());
    notice.details.device = Some(client.device_name());
    notice.details.codes_left = Some(left);
    mail::queue(app, tx, notice).await?;
    let event = Event::new(SecurityEvent::RecoveryCodeUsed, account.id, client);
    event.details(json!({"left": left})).record(app, tx).await?;
    Ok(Ok(AuthMethod::RecoveryCode))
}
