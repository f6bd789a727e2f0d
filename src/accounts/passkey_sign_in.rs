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
    app.charge(&[LimitedAction::PasskeyFrom(client.ip)]).await?;
    Ok(assertion::begin(app, party, binding(party), &[]))
}

/// Signs in with a passkey. Enrols the browser, because a passkey is as strong as an approval by mail.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    party: &RelyingParty,
    state: &str,
    credential: &Assertion,
) -> Result<SignedInBrowser, ApiError> {
    app.charge(&[LimitedAction::PasskeyFrom(client.ip)]).await?;
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
                    Rejection::Malformed => ErrorCode::PasskeyDataRejected.into(),
                    Rejection::CounterNotIncreased | Rejection::Mismatch(_) => {
                        ErrorCode::PasskeyProofRejected.into()
                    }
                });
            }
        };
    let browser = VerifiedBrowser::find(app, &mut tx, client, &account).await?;
    let usable = match browser.check_usable(app, &mut tx).await? {
        Ok(usable) => usable,
        Err(refusal) => return Err(browser.refuse(app, tx, refusal).await?),
    };
    let proof = SessionProof::by_passkey(usable, method);
    let (tx, signed_in) = browser.start_session(app, tx, proof).await?;
    tx.commit().await?;
    Ok(signed_in)
}
