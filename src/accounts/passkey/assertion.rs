//! Verifies an identity: the server sends a challenge, and the authenticator of a passkey signs it.

use serde_json::Value;
use uuid::Uuid;

use crate::accounts::change::notify_now;
use crate::accounts::passkey::challenge::{self, ChallengeBinding};
use crate::accounts::passkey::{
    Assertion, Challenge, Passkey, Rejection, request_options, user_handle,
};
use crate::accounts::pending::{self, Cause};
use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::config::RelyingParty;
use crate::domain::auth_method::AuthMethod;
use crate::store::accounts;
use crate::store::credentials::{self, StoredPasskey};

/// Returns the options of `navigator.credentials.get`, and the signed state of the ceremony. If `allowed` is empty, any
/// passkey of the site is accepted.
pub(crate) fn begin(
    app: &App,
    party: &RelyingParty,
    binding: ChallengeBinding,
    allowed: &[Vec<u8>],
) -> (Value, String) {
    let (options, challenge) = request_options(app, party, allowed);
    (options, challenge::sign(app, binding, &challenge))
}

/// Redeems the challenge in the signed state of the ceremony, and verifies the response. Returns the account that has
/// the passkey, whose row is locked, and the authentication method, or the error with which the response is refused.
/// The caller commits after every outcome, so that the challenge stays redeemed. A verified response cancels a pending
/// reset of the second factor.
pub(crate) async fn verify(
    change: &mut Change<'_>,
    party: &RelyingParty,
    binding: &ChallengeBinding,
    state: &str,
    credential: &Assertion,
) -> ApiResult<Result<(Account, AuthMethod), ErrorCode>> {
    let unknown = Ok(Err(ErrorCode::PasskeyUnknown));
    let challenge = challenge::open(change, state, binding).await?;
    let id = credential.raw_id();
    let Some(found) = credentials::find_by_credential_id(change, &party.id, id).await? else {
        return unknown;
    };
    if binding
        .account
        .is_some_and(|account| account != found.account_id)
    {
        return unknown;
    }
    let Some(account) = accounts::lock(change, found.account_id).await? else {
        return unknown;
    };
    // The passkey is read again, because it may have changed before the account's row was locked.
    let Some(found) = credentials::find_by_credential_id(change, &party.id, id).await? else {
        return unknown;
    };
    match verify_response(change.app, party, &challenge, credential, &found) {
        Ok(passkey) => {
            let data = serde_json::to_string(&passkey).expect("plain data");
            let (synced, now) = (passkey.backed_up, change.now);
            credentials::record_use(change, &found, &data, synced, now).await?;
            pending::stop_by(change, &account, Cause::StrongProof).await?;
            Ok(Ok((account, passkey.method())))
        }
        Err(reason) => {
            tracing::info!(%reason, account = %account.id, "a passkey was refused");
            report_counter_rejection(change, &account, found.id, &reason).await?;
            Ok(Err(match reason {
                Rejection::Malformed => ErrorCode::PasskeyDataRejected,
                Rejection::CounterNotIncreased | Rejection::Mismatch(_) => {
                    ErrorCode::PasskeyProofRejected
                }
            }))
        }
    }
}

/// Mails the owner if the signature counter did not grow, because only this rejection suggests that the authenticator
/// was copied. An attacker can repeat the rejection, so a passkey causes one mail and one event in an hour.
async fn report_counter_rejection(
    change: &mut Change<'_>,
    account: &Account,
    passkey: Uuid,
    reason: &Rejection,
) -> ApiResult {
    if !matches!(reason, Rejection::CounterNotIncreased) {
        return Ok(());
    }
    let report = [LimitName::RejectedPasskey.of(Subject::Passkey(passkey))];
    let (limiter, now) = (&change.app.rate_limiter, change.now);
    if !limiter.count_within_limits(change, &report, now).await? {
        return Ok(());
    }
    notify_now(change, account, MailKind::PasskeyRejected).await?;
    let event = Event::new(SecurityEvent::PasskeyRejected, account.id);
    let event = event.detail(EventDetail::Reason("counter"));
    Ok(change.record(event).await?)
}

/// Returns the passkey with its new signature counter.
fn verify_response(
    app: &App,
    party: &RelyingParty,
    challenge: &Challenge,
    answer: &Assertion,
    found: &StoredPasskey,
) -> Result<Passkey, Rejection> {
    let owner = user_handle::derive(app, found.account_id);
    if answer.user_handle().is_some_and(|handle| handle != owner) {
        return Err(Rejection::Mismatch("the user handle of another account"));
    }
    let stored: Passkey = serde_json::from_str(&found.data).map_err(|error| {
        tracing::error!(%error, passkey = %found.id, "a stored passkey cannot be read");
        Rejection::Mismatch("it cannot be read")
    })?;
    answer.verify(party, challenge, &stored)
}
