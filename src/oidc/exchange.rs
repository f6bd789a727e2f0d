//! The token endpoint (RFC 6749 section 3.2, OpenID Connect Core 1.0 section 3.1.3).

use sha2::{Digest, Sha256};

use super::error::{OAuthCode, OAuthError, OAuthResult, invalid_grant, invalid_request};
use super::issuance::{self, IssuedTokens, NewTokens};
use super::parameters::Parameters;
use super::revocation::revoke_reused_grant;
use super::{bound_session, refresh};
use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::app::App;
use crate::config::{OidcClient, Pkce};
use crate::crypto::signing::base64url;
use crate::domain::secret::Secret;
use crate::store::oidc_codes::{self, Code};

const PARAMETER_NAMES: [&str; 6] = [
    "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope",
];

/// Responds to the token request of an authenticated client.
pub(crate) async fn exchange(
    app: &App,
    client: &OidcClient,
    parameters: &Parameters,
) -> OAuthResult<IssuedTokens> {
    let issued = issue_tokens(app, client, parameters).await;
    if let Err(error) = &issued {
        log_refusal(client, error);
    }
    issued
}

/// Logs why a token request was refused, because applications seldom show the reason. The reason contains no value of
/// the request.
fn log_refusal(client: &OidcClient, error: &OAuthError) {
    match error.code {
        // These errors are not about the request, and other log lines report them.
        OAuthCode::ServerError | OAuthCode::TooMany | OAuthCode::Unavailable => {}
        _ => {
            let (client, reason) = (&client.id, error.description);
            tracing::warn!(target: "security", event = "token_refused", client, reason);
        }
    }
}

async fn issue_tokens(
    app: &App,
    client: &OidcClient,
    parameters: &Parameters,
) -> OAuthResult<IssuedTokens> {
    parameters.check(&PARAMETER_NAMES)?;
    let needed = |name, why| parameters.get(name).ok_or_else(|| invalid_request(why));
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
    issuance::sign_id_token(app, client, tokens).await
}

async fn redeem_code(
    app: &App,
    client: &OidcClient,
    code: &str,
    parameters: &Parameters,
) -> OAuthResult<NewTokens> {
    let secret = Secret::parse(code).ok_or_else(|| invalid_grant("unknown code"))?;
    let hash = &secret.hash();
    change(app, Actor::System, |mut change| async move {
        let unknown = || invalid_grant("unknown code");
        let found = oidc_codes::find(&mut change, hash).await?;
        let code = found
            .filter(|code| code.client_id == client.id)
            .ok_or_else(unknown)?;
        let bound = bound_session::find_and_lock(&mut change, code.sid).await?;
        let bound = bound.ok_or_else(|| invalid_grant("the session has ended"))?;
        let now = change.now;
        check_code(client, &code, parameters)?;
        if code.expires_at <= now && code.spent_at.is_none() {
            return Err(invalid_grant("the code has expired"));
        }
        if !oidc_codes::redeem(&mut change, hash, now).await? {
            let (account, grant) = (bound.account.id, code.grant_id);
            let reuse = ("code_reused", "the code was used before");
            let refused = revoke_reused_grant(change, client, account, grant, reuse);
            return Err(refused.await?);
        }
        let (account, grant, nonce) = (bound.account.id, code.grant(), code.nonce);
        let tokens = issuance::issue(&mut change, client, account, grant, None, nonce).await?;
        change.commit(tokens).await
    })
    .await
}

/// Checks redirect URI and PKCE against the authorization request and the client's present configuration. A failed
/// check does not redeem the code, because the request may come from an attacker, and the client must still be able to
/// redeem the code.
fn check_code(client: &OidcClient, code: &Code, parameters: &Parameters) -> OAuthResult {
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
        // An attacker may have removed the PKCE challenge from the request (RFC 9700 section 4.8.2).
        (None, Some(_)) => Err(invalid_grant(
            "the authorization request had no code_challenge",
        )),
    }
}

/// Returns whether the PKCE verifier has 43 to 128 unreserved characters (RFC 7636, 4.1) and matches the challenge.
fn verifier_matches(challenge: &str, verifier: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&verifier.len())
        && verifier.bytes().all(is_unreserved)
        && base64url(&Sha256::digest(verifier.as_bytes())) == challenge
}
