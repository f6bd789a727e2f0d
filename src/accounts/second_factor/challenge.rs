//! The challenge of a sign-in after the right password, which asks for the second factor.

use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::accounts::strong_factor;
use crate::clock::rfc3339;
use crate::db::Result;
use crate::domain::auth_method::AuthMethod;
use crate::domain::secret::Secret;
use crate::error::ErrorData;
use crate::i18n::Message;
use crate::store::pending_acts::{self, Act};
use crate::store::sign_in_challenges;

/// The maximum number of second-factor codes that may be tried for one challenge.
pub(crate) const MAX_CODE_ATTEMPTS: i64 = 5;

/// Begins a challenge. Returns the error `second_factor_required`, with the token that continues the sign-in.
pub(crate) async fn begin(
    change: &mut Change<'_>,
    client: &Client,
    account: Uuid,
) -> Result<ApiError> {
    let token = Secret::generate(&change.app.rng);
    let lifetime = change.app.config.lifetimes.second_factor_challenge.millis();
    let now = change.now;
    let expires_at = now.saturating_add(lifetime);
    sign_in_challenges::insert(change, &token.hash(), account, expires_at).await?;
    let passkey = strong_factor::has_passkey_here(change.app, change, client, account).await?;
    let reset = pending_acts::find(change, account, Act::FactorReset, now).await?;
    let waiting = reset.filter(|reset| reset.due_at > now);
    let refusal = ErrorData::SecondFactorRequired {
        second_factor_token: token,
        methods: vec![AuthMethod::Totp, AuthMethod::RecoveryCode],
        passkey,
        reset_at: waiting.map(|reset| rfc3339(reset.due_at)),
    };
    Ok(refusal.into())
}

/// Returns the error for a token that is unknown, expired or tried too often. The person must sign in again.
pub(crate) fn expired_error() -> ApiError {
    ApiError::with_message(ErrorCode::InvalidToken, Message::ErrorSignInExpired)
}
