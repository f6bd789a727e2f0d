//! Checks the second-factor codes of sign-ins and of reauthentications.

use crate::accounts::change::notify;
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::accounts::strong_factor::totp::TotpSecret;
use crate::domain::auth_method::AuthMethod;
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::visible_text;
use crate::mail::MailDetails;
use crate::store::{recovery_codes, totp};

/// The outcome of a check: the code is right, or the error with which it is refused.
pub(crate) type CodeCheck = Result<VerifiedCode, ErrorCode>;

/// A right second-factor code. Only [`verify`] makes this type.
pub(crate) struct VerifiedCode {
    method: AuthMethod,
}

impl VerifiedCode {
    pub(crate) fn method(&self) -> AuthMethod {
        self.method
    }
}

/// A second-factor code as typed: six digits of the authenticator app, or a recovery code.
pub(crate) enum TypedCode {
    Totp(String),
    Recovery(RecoveryCode),
}

impl TypedCode {
    /// Parses a typed code. Returns `None` for a text that cannot be a code, so that a typing error costs no attempt.
    pub(crate) fn parse(typed: &str) -> Option<TypedCode> {
        match totp_digits(typed) {
            Some(digits) => Some(TypedCode::Totp(digits)),
            None => RecoveryCode::parse(typed).map(TypedCode::Recovery),
        }
    }
}

/// Returns the six digits of a code from an authenticator app, or `None` if the text is not such a code.
pub(crate) fn totp_digits(typed: &str) -> Option<String> {
    let bare = visible_text::normalize_code(typed);
    let are_digits = bare.len() == 6 && bare.bytes().all(|byte| byte.is_ascii_digit());
    are_digits.then_some(bare)
}

/// Counts the attempt, then checks and redeems the code. The caller has locked the account's row, and commits after a
/// wrong code too, so that the attempt stays counted. A right code cancels a pending reset of the second factor.
pub(crate) async fn verify<'c>(
    change: Change<'c>,
    account: &Account,
    code: &TypedCode,
) -> ApiResult<(Change<'c>, CodeCheck)> {
    let mut actions = vec![LimitName::SecondFactor.of(Subject::Account(account.id))];
    if let TypedCode::Recovery(_) = code {
        actions.push(LimitName::RecoveryCode.of(Subject::Account(account.id)));
    }
    let mut change = change.admit(&actions).await?;
    let check = match code {
        TypedCode::Totp(digits) => check_totp(&mut change, account, digits).await?,
        TypedCode::Recovery(code) => check_recovery(&mut change, account, code).await?,
    };
    if check.is_ok() {
        let limiter = &change.app.rate_limiter;
        limiter.refund(&mut change, &actions).await?;
        pending::stop_by(&mut change, account, Cause::StrongProof).await?;
    }
    Ok((change, check))
}

async fn check_totp(
    change: &mut Change<'_>,
    account: &Account,
    digits: &str,
) -> ApiResult<CodeCheck> {
    let stored = totp::find(change, account.id).await?;
    let Some(stored) = stored.filter(|stored| stored.confirmed_at.is_some()) else {
        return Ok(Err(ErrorCode::CodeInvalid));
    };
    let secret = TotpSecret::open(change.app, account.id, &stored)?;
    let Some(step) = secret.matching_step(digits, change.now) else {
        return Ok(Err(ErrorCode::CodeInvalid));
    };
    let method = AuthMethod::Totp;
    Ok(match totp::accept_step(change, account.id, step).await? {
        true => Ok(VerifiedCode { method }),
        false => Err(ErrorCode::CodeReused),
    })
}

async fn check_recovery(
    change: &mut Change<'_>,
    account: &Account,
    code: &RecoveryCode,
) -> ApiResult<CodeCheck> {
    if !recovery_codes::redeem(change, account.id, &code.hash()).await? {
        return Ok(Err(ErrorCode::CodeInvalid));
    }
    let left = recovery_codes::count(change, account.id).await?;
    let details = MailDetails {
        codes_left: Some(left),
        ..change.details()
    };
    notify(change, account, MailKind::RecoveryCodeUsed, details).await?;
    let event = Event::new(SecurityEvent::RecoveryCodeUsed, account.id);
    change.record(event.detail(EventDetail::Left(left))).await?;
    let method = AuthMethod::RecoveryCode;
    Ok(Ok(VerifiedCode { method }))
}
