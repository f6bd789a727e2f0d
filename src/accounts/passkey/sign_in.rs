//! Signs in with a passkey. A passkey proves possession and includes user verification, so no other factor is required.

use serde_json::Value;

use crate::accounts::passkey::challenge::{Ceremony, ChallengeBinding};
use crate::accounts::passkey::{Assertion, assertion};
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::accounts::session::session_proof::SessionProof;
use crate::config::RelyingParty;

/// Returns the passkey options of a sign-in, which are equal for all callers and so reveal nothing about an account.
pub(crate) async fn begin(
    app: &App,
    client: &Client,
    party: &RelyingParty,
) -> ApiResult<(Value, String)> {
    app.enforce_rate_limits(&[LimitName::PasskeyFrom.of(Subject::Network(client.ip))])
        .await?;
    let binding = ChallengeBinding::new(Ceremony::SignIn, None, party);
    Ok(assertion::begin(app, party, binding, &[]))
}

/// Signs in, and enrols the browser without an approval by mail, because a passkey is at least as strong.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    party: &RelyingParty,
    state: &str,
    credential: &Assertion,
) -> ApiResult<SignedInBrowser> {
    app.enforce_rate_limits(&[LimitName::PasskeyFrom.of(Subject::Network(client.ip))])
        .await?;
    change(app, client, |mut change| async move {
        let binding = ChallengeBinding::new(Ceremony::SignIn, None, party);
        let outcome = assertion::verify(&mut change, party, &binding, state, credential).await?;
        let (account, method) = match outcome {
            Ok(verified) => verified,
            Err(refusal) => return Err(change.commit_refusal(refusal).await),
        };
        let browser = VerifiedBrowser::find(&mut change, client, &account).await?;
        let (change, usable) = browser.require_usable(change).await?;
        let proof = SessionProof::by_passkey(usable, method);
        let (change, signed_in) = browser.start_session(change, proof).await?;
        change.commit(signed_in).await
    })
    .await
}
