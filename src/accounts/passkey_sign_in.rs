//! Sign-in with a passkey. A passkey proves possession and includes user verification, so no other factor is required.

use serde_json::Value;

use crate::app::App;
use crate::auth::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::auth::client::Client;
use crate::auth::passkey::assertion::{self, AssertionOutcome, SubmittedAssertion};
use crate::auth::passkey::challenge::{Ceremony, ChallengeBinding};
use crate::auth::passkey::{Assertion, Rejection};
use crate::auth::session_proof::SessionProof;
use crate::config::RelyingParty;
use crate::db::conflict::retry_on_conflict;
use crate::error::{ApiError, ErrorCode};
use crate::mail::MailKind;
use crate::rate_limit::LimitedAction;

fn binding(party: &RelyingParty) -> ChallengeBinding {
    ChallengeBinding {
        ceremony: Ceremony::SignIn,
        account: None,
        rp_id: party.id.clone(),
    }
}

/// Returns the options of a sign-in. They are equal for all callers, so they reveal nothing about an address.
pub(crate) async fn begin(
    app: &App,
    client: &Client,
    party: &RelyingParty,
) -> Result<(Value, String), ApiError> {
    charge_rate_limit(app, client).await?;
    Ok(assertion::begin(app, party, binding(party), &[]))
}

async fn charge_rate_limit(app: &App, client: &Client) -> Result<(), ApiError> {
    let actions = [LimitedAction::PasskeyFrom(client.ip)];
    retry_on_conflict(&app.rng, || {
        let now = app.clock.millis();
        app.rate_limiter.charge(&app.store, &actions, now)
    })
    .await
}

/// Signs in with a passkey. Enrols the browser, because a passkey is as strong as an approval by mail.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    party: &RelyingParty,
    state: &str,
    credential: &Assertion,
) -> Result<SignedInBrowser, ApiError> {
    charge_rate_limit(app, client).await?;
    let answer = SubmittedAssertion { state, credential };
    retry_on_conflict(&app.rng, || sign_in_once(app, client, party, &answer)).await
}

async fn sign_in_once(
    app: &App,
    client: &Client,
    party: &RelyingParty,
    answer: &SubmittedAssertion<'_>,
) -> Result<SignedInBrowser, ApiError> {
    let mut tx = app.store.write().await?;
    let binding = binding(party);
    let (account, method) =
        match assertion::verify(app, &mut tx, client, party, &binding, answer).await? {
            AssertionOutcome::Verified(account, method) => (account, method),
            AssertionOutcome::Unknown => {
                tx.commit().await?;
                return Err(ErrorCode::PasskeyUnknown.into());
            }
            AssertionOutcome::Rejected(reason) => {
                tx.commit().await?;
                return Err(match reason {
                    Rejection::Malformed => ErrorCode::PasskeyRejected.into(),
                    _ => ErrorCode::PasskeySignInRejected.into(),
                });
            }
        };
    let browser = VerifiedBrowser::find(app, &mut tx, client, &account).await?;
    let usable = match browser.check_usable(app, &mut tx).await? {
        Ok(usable) => usable,
        Err(refusal) => return Err(browser.refuse(app, tx, refusal).await?),
    };
    if let Some(refusal) = browser.check_device_limit(app, &mut tx).await? {
        return Err(browser.refuse(app, tx, refusal).await?);
    }
    if browser.is_new() {
        browser
            .queue_mail(app, &mut tx, MailKind::NewDeviceNotice)
            .await?;
    }
    let proof = SessionProof::by_passkey(usable, method);
    let signed_in = browser.start_session(app, &mut tx, proof).await?;
    tx.commit().await?;
    Ok(signed_in)
}
