//! Authenticates applications at the token and revocation endpoints: client_secret_basic, client_secret_post, or none
//! for a public client (OpenID Connect Core 1.0 section 9).

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::error::{OAuthCode, OAuthError, OAuthResult, invalid_request};
use super::parameters::Parameters;
use crate::accounts::actor::Actor;
use crate::accounts::change::{Change, change_with_durability};
use crate::app::App;
use crate::config::OidcClient;
use crate::db::Durability;
use crate::domain::secret::Secret;
use crate::rate_limit::{LimitName, Subject};
use crate::store::{oidc_codes, oidc_tokens};

struct ClientCredentials {
    id: String,
    secret: Option<Zeroizing<String>>,
}

/// The client id under which rate limits count unknown clients. No client has this id, because an id is never empty.
const UNKNOWN_CLIENT: &str = "";

/// Returns the authenticated client of the HTTP request. The limits of `config/limits.rs` for token requests and for
/// failed authentications apply, so neither a sender of wrong secrets nor a single user can lock out an application.
pub(crate) async fn authenticate<'a>(
    app: &'a App,
    ip: IpAddr,
    authorization: Option<&str>,
    parameters: &Parameters,
) -> OAuthResult<&'a OidcClient> {
    let credentials = read_credentials(authorization, parameters);
    let client = credentials.as_ref().ok();
    let client = client.and_then(|credentials| app.config.oidc_client(&credentials.id));
    let is_authenticated = credentials.as_ref().is_ok_and(|credentials| {
        client.is_some_and(|client| is_secret_correct(client, credentials.secret.as_ref()))
    });
    let durability = Durability::ProcessCrash;
    let counted: OAuthResult =
        change_with_durability(app, Actor::System, durability, |change| async move {
            let now = change.now;
            let id = client.map_or(UNKNOWN_CLIENT, |client| &client.id);
            let failure = LimitName::FailedClientAuthentication.of(Subject::NetworkFor(id, ip));
            let from = [LimitName::TokenRequestFrom.of(Subject::Network(ip))];
            let mut change = change.admit(&from).await?;
            let mut actions = Vec::new();
            match client {
                Some(client) if is_authenticated => {
                    let session = find_session(&mut change, client, parameters).await?;
                    actions.extend(session.map(|sid| {
                        LimitName::TokenRequestIn.of(Subject::SessionOfApplication(id, sid))
                    }));
                    if !client.is_public() {
                        app.rate_limiter.check(&mut change, failure, now).await?;
                        actions.push(LimitName::TokenRequestOf.of(Subject::Application(id)));
                    } else if session.is_none() {
                        actions
                            .push(LimitName::UnprovenTokenRequest.of(Subject::NetworkFor(id, ip)));
                    }
                }
                _ => actions.push(failure),
            }
            let change = change.admit(&actions).await?;
            change.commit(()).await
        })
        .await;
    counted?;
    credentials?;
    match client {
        Some(client) if is_authenticated => Ok(client),
        _ => {
            tracing::warn!(target: "security", event = "client_refused", client = client.map(|one| one.id.as_str()));
            let why = "unknown client, or wrong secret";
            Err(OAuthError::new(OAuthCode::InvalidClient, why))
        }
    }
}

/// Returns the `sid` (session id in tokens) of the client's authorization code or token in the request. Returns `None`
/// if the code or token is unknown, expired or used: anybody with a copy can send a used code, so it proves nothing. A
/// live code or token is the only proof that a request comes from a public client, which has no secret.
async fn find_session(
    change: &mut Change<'_>,
    client: &OidcClient,
    parameters: &Parameters,
) -> OAuthResult<Option<Uuid>> {
    let now = change.now;
    let grace = change.app.config.oidc.refresh_grace.millis();
    let hash_of = |name| Some(Secret::parse(parameters.get(name)?)?.hash());
    if let Some(hash) = hash_of("code") {
        let code = oidc_codes::find(change, &hash).await?;
        let code = code.filter(|code| {
            code.client_id == client.id && code.expires_at > now && code.spent_at.is_none()
        });
        if let Some(code) = code {
            return Ok(Some(code.sid));
        }
    }
    for hash in ["refresh_token", "token"].into_iter().filter_map(hash_of) {
        let token = oidc_tokens::find(change, &hash).await?;
        let token = token.filter(|token| {
            let is_usable = token
                .spent_at
                .is_none_or(|spent_at| now - spent_at <= grace);
            token.client_id == client.id && token.expires_at > now && is_usable
        });
        if let Some(token) = token {
            return Ok(Some(token.sid));
        }
    }
    Ok(None)
}

/// Compares secrets by digest in constant time. A public client has no secret: PKCE binds its authorization codes.
fn is_secret_correct(client: &OidcClient, secret: Option<&Zeroizing<String>>) -> bool {
    match (&client.secret_sha256, secret) {
        (None, None) => true,
        (Some(expected), Some(secret)) => {
            let digest = Sha256::digest(secret.as_bytes());
            bool::from(digest.as_slice().ct_eq(expected.bytes()))
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn read_credentials(
    authorization: Option<&str>,
    parameters: &Parameters,
) -> OAuthResult<ClientCredentials> {
    parameters.check(&["client_id", "client_secret"])?;
    let (id, secret) = (parameters.get("client_id"), parameters.get("client_secret"));
    let Some(header) = authorization else {
        let id = id.ok_or_else(|| {
            OAuthError::new(OAuthCode::InvalidClient, "client authentication is missing")
        })?;
        return Ok(ClientCredentials {
            id: id.to_owned(),
            secret: secret.map(|secret| Zeroizing::new(secret.to_owned())),
        });
    };
    if secret.is_some() {
        return Err(invalid_request("use one way of client authentication"));
    }
    let malformed = || OAuthError::new(OAuthCode::InvalidClient, "malformed Basic credentials");
    let basic = parse_basic(header).ok_or_else(malformed)?;
    if id.is_some_and(|id| id != basic.id) {
        return Err(invalid_request(
            "client_id is not the client of the Authorization header",
        ));
    }
    Ok(basic)
}

/// Parses the credentials of HTTP Basic, each of which is form-encoded (RFC 6749 section 2.3.1).
fn parse_basic(header: &str) -> Option<ClientCredentials> {
    let (scheme, encoded) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = Zeroizing::new(STANDARD.decode(encoded.trim()).ok()?);
    let (id, secret) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    let decode_form = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text)
            .decode_utf8()
            .ok()
            .map(|text| text.into_owned())
    };
    Some(ClientCredentials {
        id: decode_form(id)?,
        // An empty client secret counts as no secret (RFC 6749 section 2.3.1).
        secret: Some(Zeroizing::new(decode_form(secret)?)).filter(|secret| !secret.is_empty()),
    })
}
