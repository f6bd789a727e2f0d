//! Issues tokens for an authorization code or a refresh token. No other module issues tokens.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256, Sha512};
use uuid::Uuid;

use super::claims::claims_for_scope;
use super::error::{OAuthCode, OAuthError, OAuthResult, invalid_grant};
use crate::accounts::change::Change;
use crate::app::App;
use crate::config::{OidcClient, Scope, SigningAlgorithm};
use crate::crypto::signing::base64url;
use crate::domain::auth_method::Aal;
use crate::domain::secret::Secret;
use crate::store::oidc_grants::Grant;
use crate::store::oidc_tokens::{self, TokenKind};
use crate::store::{account_details, app_sessions};

/// The value of `typ` in the header of an ID token.
pub(crate) const ID_TOKEN_TYPE: &str = "JWT";

/// The tokens that a transaction has inserted but not yet committed.
pub(super) struct NewTokens {
    grant: Grant,
    account: Uuid,
    nonce: Option<String>,
    access_token: Secret,
    refresh_token: Option<Secret>,
    /// The claims about the person, for a client whose ID tokens contain them.
    claims: Map<String, Value>,
}

/// The response of the token endpoint.
pub(crate) struct IssuedTokens {
    pub access_token: Secret,
    pub refresh_token: Option<Secret>,
    pub id_token: String,
    pub scope: String,
    /// The lifetime of the access token, in seconds.
    pub expires_in: i64,
}

/// Returns the scope that the grant and the present configuration of the client have in common. Rejects a grant below
/// the authentication level that the client requires now.
pub(super) fn permitted_scope(client: &OidcClient, grant: &Grant) -> OAuthResult<String> {
    if Aal::from_name(&grant.acr).is_none_or(|level| level < client.aal) {
        return Err(invalid_grant(
            "the client requires a higher assurance level",
        ));
    }
    Ok(client.permitted_scope(&grant.scope))
}

/// Inserts an access token, and a refresh token if the permitted scope of the grant has `offline_access`. `requested`
/// is the scope of the access token, which a refresh may narrow. The refresh token keeps the whole scope of the grant
/// (RFC 6749 section 6). The caller commits the transaction and then calls `sign_id_token`.
pub(super) async fn issue(
    change: &mut Change<'_>,
    client: &OidcClient,
    account: Uuid,
    grant: Grant,
    requested: Option<&str>,
    nonce: Option<String>,
) -> OAuthResult<NewTokens> {
    let app = change.app;
    let (now, oidc) = (change.now, &app.config.oidc);
    let access_token = Secret::generate(&app.rng);
    let permitted = permitted_scope(client, &grant)?;
    let narrowed = Grant {
        scope: narrow_scope(&permitted, requested)?,
        ..grant.clone()
    };
    let end = now.saturating_add(oidc.access_token.millis());
    oidc_tokens::insert(
        change,
        &access_token.hash(),
        TokenKind::Access,
        &narrowed,
        end,
    )
    .await?;
    let mut refresh_token = None;
    if Scope::OfflineAccess.is_in(&permitted) {
        let token = Secret::generate(&app.rng);
        let end = now.saturating_add(oidc.refresh_token.millis());
        oidc_tokens::insert(change, &token.hash(), TokenKind::Refresh, &grant, end).await?;
        refresh_token = Some(token);
    }
    app_sessions::record_use(change, account, grant.sid, &grant.client_id, now).await?;
    let person = match client.id_token_claims {
        true => account_details::public_details(change, account).await?,
        false => None,
    };
    let claims = person.map(|person| claims_for_scope(app, account, &person, &narrowed.scope));
    Ok(NewTokens {
        claims: claims.unwrap_or_default(),
        grant: narrowed,
        account,
        nonce,
        access_token,
        refresh_token,
    })
}

/// Returns the scope of the new access token, which is the requested part of the permitted scope (RFC 6749 section 6),
/// or the whole permitted scope if `requested` is `None`.
fn narrow_scope(permitted: &str, requested: Option<&str>) -> OAuthResult<String> {
    let Some(requested) = requested else {
        return Ok(permitted.to_owned());
    };
    let is_permitted = |name: &str| permitted.split(' ').any(|own| own == name);
    match requested.split(' ').all(is_permitted) {
        true => Ok(requested.to_owned()),
        false => {
            let why = "the scope was not granted";
            Err(OAuthError::new(OAuthCode::InvalidScope, why))
        }
    }
}

/// Signs the ID token. The caller commits the transaction first, because a signature takes as long as many queries.
pub(super) async fn sign_id_token(
    app: &App,
    client: &OidcClient,
    tokens: NewTokens,
) -> OAuthResult<IssuedTokens> {
    let (now, oidc) = (app.clock.millis() / 1000, &app.config.oidc);
    let grant = &tokens.grant;
    let mut claims = json!({
        "iss": app.config.issuer(),
        "sub": tokens.account,
        "aud": client.id,
        "exp": now.saturating_add(oidc.id_token.millis() / 1000),
        "iat": now,
        "auth_time": grant.auth_time / 1000,
        "sid": grant.sid,
        "acr": grant.acr,
        "amr": grant.amr.split_whitespace().collect::<Vec<_>>(),
        "at_hash": at_hash(client.id_token_alg, tokens.access_token.expose()),
    });
    if let Some(nonce) = &tokens.nonce {
        claims["nonce"] = json!(nonce);
    }
    for (name, value) in tokens.claims {
        claims[name] = value;
    }
    let mut tx = app.store.read().await?;
    let algorithm = client.id_token_alg;
    let id_token = app
        .signing_keys
        .sign(&mut tx, algorithm, ID_TOKEN_TYPE, &claims)
        .await?;
    Ok(IssuedTokens {
        access_token: tokens.access_token,
        refresh_token: tokens.refresh_token,
        id_token,
        scope: tokens.grant.scope,
        expires_in: oidc.access_token.millis() / 1000,
    })
}

/// Returns the left half of the access token's hash by the algorithm of the ID token (OpenID Connect Core 1.0,
/// 3.1.3.6).
fn at_hash(algorithm: SigningAlgorithm, access_token: &str) -> String {
    match algorithm {
        SigningAlgorithm::RS256 | SigningAlgorithm::ES256 => {
            base64url(&Sha256::digest(access_token.as_bytes())[..16])
        }
        SigningAlgorithm::EdDSA => base64url(&Sha512::digest(access_token.as_bytes())[..32]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_an_access_token_is_half_of_the_algorithms_hash() {
        // The values are from OpenID Connect Core 1.0 appendix A.3.
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        let hash = at_hash(SigningAlgorithm::RS256, token);
        assert_eq!(hash, "77QmUPtjPfzWtF2AnpK9RQ");
        assert_eq!(at_hash(SigningAlgorithm::ES256, token), hash);
        assert_eq!(at_hash(SigningAlgorithm::EdDSA, token).len(), 43);
    }
}
