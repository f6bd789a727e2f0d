//! The token endpoint (RFC 6749 section 3.2, OpenID Connect Core 1.0 section 3.1.3).

use sha2::{Digest, Sha256};

use super::error::{OAuthCode, OAuthError};
use super::issuance::{self, IssuedTokens, NewTokens};
use super::parameters::Parameters;
use super::{bound_session, refresh};
use crate::app::App;
use crate::config::{OidcClient, Pkce};
use crate::db::conflict::retry_on_conflict;
use crate::domain::secret::{Secret, SecretHash};
use crate::signing::base64url;
use crate::store::oidc_codes::{self, Code};
use crate::store::oidc_tokens;

const PARAMETER_NAMES: [&str; 6] = [
    "grant_type",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "scope",
];

pub(super) fn invalid_grant(why: &'static str) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidGrant, why)
}

pub(crate) async fn exchange(
    app: &App,
    client: &OidcClient,
    parameters: &Parameters,
) -> Result<IssuedTokens, OAuthError> {
    if parameters.has_repeated(&PARAMETER_NAMES) {
        return Err(OAuthError::new(
            OAuthCode::InvalidRequest,
            "a parameter is repeated",
        ));
    }
    let needed = |name, why| {
        let missing = || OAuthError::new(OAuthCode::InvalidRequest, why);
        parameters.get(name).ok_or_else(missing)
    };
    let tokens = match needed("grant_type", "grant_type is missing")? {
        "authorization_code" => {
            let code = needed("code", "code is missing")?;
            redeem_code(app, client, code, parameters).await?
        }
        "refresh_token" => {
            let token = needed("refresh_token", "refresh_token is missing")?;
            refresh::refresh(app, client, token, parameters.get("scope")).await?
        }
        _ => {
            let why = "grant_type is authorization_code or refresh_token";
            return Err(OAuthError::new(OAuthCode::UnsupportedGrantType, why));
        }
    };
    issuance::sign(app, client, tokens).await
}

async fn redeem_code(
    app: &App,
    client: &OidcClient,
    code: &str,
    parameters: &Parameters,
) -> Result<NewTokens, OAuthError> {
    let secret = Secret::parse(code).ok_or_else(|| invalid_grant("unknown code"))?;
    let hash = secret.hash();
    retry_on_conflict(&app.rng, || {
        redeem_code_once(app, client, &hash, parameters)
    })
    .await
}

/// Exchanges the code, in one transaction that locks account and session: of several parallel calls one succeeds.
async fn redeem_code_once(
    app: &App,
    client: &OidcClient,
    hash: &SecretHash,
    parameters: &Parameters,
) -> Result<NewTokens, OAuthError> {
    let mut tx = app.store.write().await?;
    let unknown = || invalid_grant("unknown code");
    let found = oidc_codes::find(&mut tx, hash).await?;
    let code = found
        .filter(|code| code.client_id == client.id)
        .ok_or_else(unknown)?;
    let bound = bound_session::find_and_lock(app, &mut tx, code.sid).await?;
    let bound = bound.ok_or_else(|| invalid_grant("the session has ended"))?;
    let now = app.clock.millis();
    check_code(client, &code, parameters)?;
    if code.expires_at <= now && code.spent_at.is_none() {
        return Err(invalid_grant("the code has expired"));
    }
    if !oidc_codes::consume(&mut tx, hash, now).await? {
        // A second use: either of the two may be by a thief (RFC 6749 section 4.1.2).
        oidc_tokens::end_grant(&mut tx, code.grant_id).await?;
        tx.commit().await?;
        tracing::warn!(target: "security", event = "code_reused", client = client.id, account = %bound.account.id);
        return Err(invalid_grant("the code was used before"));
    }
    let (account, grant, nonce) = (bound.account.id, code.grant(), code.nonce);
    let tokens = issuance::issue(app, &mut tx, client, account, grant, None, nonce).await?;
    tx.commit().await?;
    Ok(tokens)
}

/// Checks redirect URI and PKCE, also by the present configuration of the client. A failed check does not redeem the
/// code: the request may be an attacker's, and the client can still send the right values.
fn check_code(client: &OidcClient, code: &Code, parameters: &Parameters) -> Result<(), OAuthError> {
    if parameters.get("redirect_uri") != Some(&code.redirect_uri) {
        return Err(invalid_grant(
            "redirect_uri is not the one of the authorization request",
        ));
    }
    if !client.has_redirect_uri(&code.redirect_uri) {
        return Err(invalid_grant("redirect_uri is no longer registered"));
    }
    let verifier = parameters.get("code_verifier");
    match (&code.challenge, verifier) {
        (None, None) if client.pkce == Pkce::Required => Err(invalid_grant("PKCE is required")),
        (None, None) => Ok(()),
        (Some(challenge), Some(verifier)) if verifier_matches(challenge, verifier) => Ok(()),
        (Some(_), Some(_)) => Err(invalid_grant("wrong code_verifier")),
        (Some(_), None) => Err(invalid_grant("code_verifier is missing")),
        // An attacker may have removed the challenge from the request (RFC 9700 section 4.8.2).
        (None, Some(_)) => Err(invalid_grant(
            "the authorization request had no code_challenge",
        )),
    }
}

/// A verifier has 43 to 128 unreserved characters (RFC 7636 section 4.1).
fn verifier_matches(challenge: &str, verifier: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&verifier.len())
        && verifier.bytes().all(is_unreserved)
        && base64url(&Sha256::digest(verifier.as_bytes())) == challenge
}
