//! The second step of a sign-in: the code that follows the right password.

use crate::app::App;
use crate::auth::browser_session::{SignedInBrowser, VerifiedBrowser};
use crate::auth::client::Client;
use crate::auth::second_factor::challenge::{self, MAX_ATTEMPTS};
use crate::auth::second_factor::code::{self, TypedCode, VerifiedCode};
use crate::auth::session_proof::SessionProof;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, Account};
use crate::store::{devices, sign_in_challenges};

const ROUTE: &str = "login/second-factor";

/// The input of the second step.
#[derive(Clone, Copy)]
pub(crate) struct SecondStep<'a> {
    /// The token of the refusal `second_factor_required`.
    pub token: &'a str,
    pub code: &'a str,
    /// Whether sign-ins on this device need no code for `security.second_factor_trust`.
    pub trust_device: bool,
}

/// Signs in with a code. The device needs no approval by mail, because a code is as strong.
pub(crate) async fn sign_in(
    app: &App,
    client: &Client,
    step: &SecondStep<'_>,
) -> Result<SignedInBrowser, ApiError> {
    let tries = [LimitedAction::ConfirmFrom(ROUTE, client.ip)];
    app.charge(&tries).await?;
    let token = Secret::parse(step.token).ok_or_else(challenge::expired_error)?;
    let token = token.hash();
    retry_on_conflict(&app.rng, || sign_in_once(app, client, &token, step)).await
}

async fn sign_in_once(
    app: &App,
    client: &Client,
    token: &SecretHash,
    step: &SecondStep<'_>,
) -> Result<SignedInBrowser, ApiError> {
    let mut tx = app.store.write().await?;
    let (account, tries) = count_attempt(app, &mut tx, token).await?;
    // An error drops the transaction, so a text that cannot be a code costs no attempt.
    let typed = TypedCode::parse(step.code).ok_or(ErrorCode::CodeInvalid)?;
    let (mut tx, checked) = code::verify(app, tx, client, &account, &typed).await?;
    match checked {
        Ok(code) => {
            sign_in_challenges::end_all(&mut tx, account.id).await?;
            let counted = [LimitedAction::ConfirmFrom(ROUTE, client.ip)];
            app.rate_limiter.refund(&mut tx, &counted).await?;
            start_session(app, client, tx, &account, &code, step.trust_device).await
        }
        Err(wrong) if tries == MAX_ATTEMPTS => {
            let browser = VerifiedBrowser::find(app, &mut tx, client, &account).await?;
            Err(browser.refuse(app, tx, wrong.into()).await?)
        }
        Err(wrong) => {
            tx.commit().await?;
            Err(wrong.into())
        }
    }
}

/// Locks the account of the challenge and counts an attempt. Returns the number of attempts including this one.
async fn count_attempt(
    app: &App,
    tx: &mut Tx,
    token: &SecretHash,
) -> Result<(Account, i64), ApiError> {
    let now = app.clock.millis();
    // The account is locked before its challenge, in the lock order of all transactions.
    let account = sign_in_challenges::account_of(tx, token).await?;
    let account = accounts::lock(tx, account.ok_or_else(challenge::expired_error)?).await?;
    let account = account.ok_or_else(challenge::expired_error)?;
    let tries = sign_in_challenges::count_attempt(tx, token, MAX_ATTEMPTS, now).await?;
    Ok((account, tries.ok_or_else(challenge::expired_error)?))
}

async fn start_session(
    app: &App,
    client: &Client,
    mut tx: Tx,
    account: &Account,
    code: &VerifiedCode,
    trust_device: bool,
) -> Result<SignedInBrowser, ApiError> {
    let browser = VerifiedBrowser::find(app, &mut tx, client, account).await?;
    let usable = match browser.check_usable(app, &mut tx).await? {
        Ok(usable) => usable,
        Err(refusal) => return Err(browser.refuse(app, tx, refusal).await?),
    };
    let proof = SessionProof::by_code(usable, code);
    let (mut tx, signed_in) = browser.start_session(app, tx, proof).await?;
    let trust = app.config.security.second_factor_trust.millis();
    if trust_device && trust > 0 {
        let until = app.clock.millis().saturating_add(trust);
        devices::trust(&mut tx, account.id, &signed_in.device.hash(), until).await?;
    }
    tx.commit().await?;
    Ok(signed_in)
}
