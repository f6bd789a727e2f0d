//! A recent proof of identity (contract 2 section 0). Calls that add or remove a credential require a
//! [`RecentSession`], so that a stolen session alone cannot make permanent changes.

use serde_json::{Value, json};
use uuid::Uuid;

use super::client::Client;
use super::current_password;
use super::passkey;
use super::passkey::assertion::{self, AssertionOutcome, SubmittedAssertion};
use super::passkey::challenge::{Ceremony, ChallengeBinding};
use super::second_factor::code;
use super::session::{self, SignedIn, SignedInChange};
use crate::app::App;
use crate::config::{Profile, RelyingParty};
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::auth_method::{AuthMethod, AuthMethods};
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::Account;
use crate::store::sessions::Authentication;
use crate::store::{credentials, devices, support_roles, totp};

/// A session whose owner has proved the identity within `lifetimes.reauthentication`. Otherwise the response is 403
/// `reauthentication_required`.
pub(crate) struct RecentSession(SignedIn);

impl RecentSession {
    pub(crate) async fn check(
        app: &App,
        client: &Client,
        signed_in: SignedIn,
    ) -> Result<RecentSession, ApiError> {
        let session = signed_in.session();
        let mut tx = app.store.read().await?;
        match is_recent(app, &mut tx, session.account_id, &session.authenticated).await? {
            true => Ok(RecentSession(signed_in)),
            false => Err(required_error(app, &mut tx, client, &signed_in).await?),
        }
    }

    pub(crate) fn signed_in(&self) -> &SignedIn {
        &self.0
    }

    /// Like `SignedIn::begin_change`. Checks again that the proof is recent.
    pub(crate) async fn begin_change(
        &self,
        app: &App,
        client: &Client,
    ) -> Result<SignedInChange, ApiError> {
        let mut change = self.0.begin_change(app).await?;
        let (account, authenticated) = (change.account.id, change.session.authenticated());
        match is_recent(app, &mut change.tx, account, authenticated).await? {
            true => Ok(change),
            false => Err(required_error(app, &mut change.tx, client, &self.0).await?),
        }
    }
}

/// In profile `strict`, changes of password and address require a recent proof too (contract 2 section 2).
pub(crate) async fn require_in_strict_profile(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
) -> Result<(), ApiError> {
    if app.config.security.profile != Profile::Strict {
        return Ok(());
    }
    let session = signed_in.session();
    let mut tx = app.store.read().await?;
    match is_recent(app, &mut tx, session.account_id, &session.authenticated).await? {
        true => Ok(()),
        false => Err(required_error(app, &mut tx, client, signed_in).await?),
    }
}

/// Returns whether the last proof is recent and strong enough: for an account with a second factor, a password alone is
/// not.
async fn is_recent(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
    authenticated: &Authentication,
) -> Result<bool, ApiError> {
    let age = app.clock.millis().saturating_sub(authenticated.at);
    if age >= app.config.lifetimes.reauthentication.millis() {
        return Ok(false);
    }
    Ok(authenticated.methods.aal() >= 2 || !totp::is_on(tx, account).await?)
}

/// Returns whether the password of an account without an authenticator app renews the session. It does not renew that of
/// a support agent who signed in at level 2, with a passkey: a thief of the cookie who knows the password could open the
/// support view.
async fn is_password_enough(
    tx: &mut Tx,
    account: Uuid,
    authenticated: &Authentication,
) -> Result<bool, ApiError> {
    Ok(authenticated.methods.aal() < 2 || support_roles::find(tx, account).await?.is_none())
}

/// Returns the refusal, with the methods of this account on this site, best first.
pub(crate) async fn required_error(
    app: &App,
    tx: &mut Tx,
    client: &Client,
    signed_in: &SignedIn,
) -> Result<ApiError, ApiError> {
    let account = signed_in.session().account_id;
    let authenticated = &signed_in.session().authenticated;
    let mut methods = Vec::new();
    if totp::is_on(tx, account).await? {
        methods.extend([AuthMethod::Password.as_str(), AuthMethod::Totp.as_str()]);
    } else if is_password_enough(tx, account, authenticated).await? {
        methods.push(AuthMethod::Password.as_str());
    }
    if let Some(party) = passkey::relying_party(app, client) {
        let passkeys = credentials::list(tx, account).await?;
        if passkeys.iter().any(|passkey| passkey.rp_id == party.id) {
            methods.insert(0, AuthMethod::Passkey.as_str());
        }
    }
    let mut error = ApiError::from(ErrorCode::ReauthenticationRequired);
    error.extra.insert("methods".into(), json!(methods));
    Ok(error)
}

fn binding(signed_in: &SignedIn, party: &RelyingParty) -> ChallengeBinding {
    ChallengeBinding {
        ceremony: Ceremony::Reauthenticate,
        account: Some(signed_in.session().account_id),
        rp_id: party.id.clone(),
    }
}

/// Returns the options of a proof with one of the account's passkeys, and the state of the ceremony.
pub(crate) async fn passkey_options(
    app: &App,
    signed_in: &SignedIn,
    party: &RelyingParty,
) -> Result<(Value, String), ApiError> {
    let mut tx = app.store.read().await?;
    let passkeys = credentials::list(&mut tx, signed_in.session().account_id).await?;
    let here = passkeys.into_iter().filter(|one| one.rp_id == party.id);
    let ids: Vec<_> = here.map(|one| one.credential_id).collect();
    Ok(assertion::begin(
        app,
        party,
        binding(signed_in, party),
        &ids,
    ))
}

/// Proves the identity again with a passkey. Returns the new id of the session.
pub(crate) async fn confirm_with_passkey(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    party: &RelyingParty,
    answer: &SubmittedAssertion<'_>,
) -> Result<Secret, ApiError> {
    retry_on_conflict(&app.rng, || begin(app, signed_in)).await?;
    retry_on_conflict(&app.rng, || async {
        let mut change = signed_in.begin_change(app).await?;
        let binding = binding(signed_in, party);
        let tx = &mut change.tx;
        let outcome = assertion::verify(app, tx, client, party, &binding, answer).await?;
        let AssertionOutcome::Verified(_, method) = outcome else {
            change.tx.commit().await?;
            return Err(ErrorCode::ReauthenticationFailed.into());
        };
        finish(app, change, &[method]).await
    })
    .await
}

/// Refunds the attempt and renews the session.
async fn finish(
    app: &App,
    mut change: SignedInChange,
    methods: &[AuthMethod],
) -> Result<Secret, ApiError> {
    let actions = [LimitedAction::Reauthentication(change.account.id)];
    app.rate_limiter.refund(&mut change.tx, &actions).await?;
    let id = session::reauthenticate(app, &mut change, AuthMethods::of(methods)).await?;
    change.tx.commit().await?;
    Ok(id)
}

/// Proves the identity again with the password, and with a code if the account has a second factor. Returns the new id
/// of the session.
pub(crate) async fn confirm_with_password(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    input: &str,
    code: Option<&str>,
) -> Result<Secret, ApiError> {
    let (account, device) = retry_on_conflict(&app.rng, || begin(app, signed_in)).await?;
    let wrong = ErrorCode::ReauthenticationFailed;
    current_password::verify(app, client, &device, &account, input, wrong).await?;
    retry_on_conflict(&app.rng, || async {
        let mut change = signed_in.begin_change(app).await?;
        // A parallel request has changed the password during the hash.
        if change.account.password_hash != account.password_hash {
            return Err(wrong.into());
        }
        if !totp::is_on(&mut change.tx, account.id).await? {
            let authenticated = change.session.authenticated();
            if !is_password_enough(&mut change.tx, account.id, authenticated).await? {
                return Err(wrong.into());
            }
            return finish(app, change, &[AuthMethod::Password]).await;
        }
        let typed = code.ok_or(wrong)?;
        let (tx, checked) = code::verify(app, change.tx, client, &account, typed).await?;
        let Ok(code) = checked else {
            tx.commit().await?;
            return Err(wrong.into());
        };
        let change = SignedInChange { tx, ..change };
        finish(app, change, &[AuthMethod::Password, code.method()]).await
    })
    .await
}

/// Counts the attempt. Returns the account, and the cookie hash of the session's device.
async fn begin(app: &App, signed_in: &SignedIn) -> Result<(Account, SecretHash), ApiError> {
    let change = signed_in.begin_counter_change(app).await?;
    let actions = [LimitedAction::Reauthentication(change.account.id)];
    let now = app.clock.millis();
    let mut tx = app.rate_limiter.admit(change.tx, &actions, now).await?;
    let device = devices::cookie_hash(&mut tx, change.session.device_id()).await?;
    tx.commit().await?;
    Ok((change.account, device.ok_or(ErrorCode::Unauthenticated)?))
}
