//! The second step of a sign-in: the second-factor code that follows the right password.

use crate::accounts::prelude::*;
use crate::accounts::second_factor::challenge::{self, MAX_CODE_ATTEMPTS};
use crate::accounts::session::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::accounts::session::session_proof::SessionProof;
use crate::accounts::strong_factor::code::{self, TypedCode};
use crate::domain::secret::{Secret, SecretHash};
use crate::store::accounts;
use crate::store::{devices, sign_in_challenges};

const ROUTE: &str = "login/second-factor";

/// The input of the second step of a sign-in.
#[derive(Clone, Copy)]
pub(crate) struct SecondStep<'a> {
    /// The token of the error `second_factor_required`.
    pub token: &'a str,
    pub code: &'a str,
    /// Whether sign-ins on this device need no second-factor code for the period `security.second_factor_trust`.
    pub trust_device: bool,
}

/// Signs in with a second-factor code. The device needs no approval by mail, because a second-factor code is as strong.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    step: &SecondStep<'_>,
) -> ApiResult<SignedInBrowser> {
    let tries = [LimitName::ConfirmFrom.of(Subject::NetworkFor(ROUTE, client.ip))];
    app.enforce_rate_limits(&tries).await?;
    let token = Secret::parse(step.token).ok_or_else(challenge::expired_error)?;
    let token = &token.hash();
    change(app, client, |mut change| async move {
        let (account, tries) = count_attempt(&mut change, token).await?;
        // The error rolls back the count, so a text that cannot be a second-factor code costs no attempt.
        let typed = TypedCode::parse(step.code).ok_or(ErrorCode::CodeInvalid)?;
        let (mut change, check) = code::verify(change, &account, &typed).await?;
        let code = match check {
            Ok(code) => code,
            Err(wrong) if tries == MAX_CODE_ATTEMPTS => {
                let browser = VerifiedBrowser::find(&mut change, client, &account).await?;
                return Err(browser.refuse(change, wrong.into()).await?);
            }
            Err(wrong) => return Err(change.commit_refusal(wrong).await),
        };
        sign_in_challenges::end_all(&mut change, account.id).await?;
        let counted = [LimitName::ConfirmFrom.of(Subject::NetworkFor(ROUTE, client.ip))];
        app.rate_limiter.refund(&mut change, &counted).await?;
        let browser = VerifiedBrowser::find(&mut change, client, &account).await?;
        let (change, usable) = browser.require_usable(change).await?;
        let proof = SessionProof::by_code(usable, &code);
        let (mut change, signed_in) = browser.start_session(change, proof).await?;
        let trust = app.config.security.second_factor_trust.millis();
        if step.trust_device && trust > 0 {
            let until = change.now.saturating_add(trust);
            let cookie = &signed_in.device.hash();
            devices::trust(&mut change, account.id, cookie, until).await?;
        }
        change.commit(signed_in).await
    })
    .await
}

/// Locks the row of the account, and counts an attempt. Returns the number of attempts including this attempt.
async fn count_attempt(change: &mut Change<'_>, token: &SecretHash) -> ApiResult<(Account, i64)> {
    let now = change.now;
    // The account's row is locked before its challenge, in the lock order of all transactions.
    let account = sign_in_challenges::account_of(change, token).await?;
    let account = accounts::lock(change, account.ok_or_else(challenge::expired_error)?).await?;
    let account = account.ok_or_else(challenge::expired_error)?;
    let tries = sign_in_challenges::count_attempt(change, token, MAX_CODE_ATTEMPTS, now).await?;
    Ok((account, tries.ok_or_else(challenge::expired_error)?))
}
