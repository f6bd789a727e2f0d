//! The userinfo endpoint (OpenID Connect Core 1.0 section 5.3).

use serde_json::Value;

use super::claims;
use super::error::{OAuthCode, OAuthError, OAuthResult};
use crate::app::App;
use crate::domain::secret::Secret;
use crate::store::oidc_tokens::{self, TokenKind};
use crate::store::{account_details, sessions};

/// Returns the claims about the access token's owner. The end of the token's session invalidates it on every node.
pub(crate) async fn read_claims(app: &App, token: &str) -> OAuthResult<Value> {
    let invalid = || {
        let why = "the access token has expired or was revoked";
        OAuthError::new(OAuthCode::InvalidToken, why)
    };
    let secret = Secret::parse(token).ok_or_else(invalid)?;
    let now = app.clock.millis();
    let mut tx = app.store.read().await?;
    let found = oidc_tokens::find(&mut tx, &secret.hash()).await?;
    let found = found.filter(|token| token.has_kind(TokenKind::Access) && token.expires_at > now);
    let token = found.ok_or_else(invalid)?;
    let client = app.config.oidc_client(&token.client_id);
    let client = client.ok_or_else(invalid)?;
    let session = sessions::find_by_sid(&mut tx, token.sid, now).await?;
    let account = session.ok_or_else(invalid)?.account_id;
    let person = account_details::public_details(&mut tx, account).await?;
    let person = person.ok_or_else(invalid)?;
    let scope = client.permitted_scope(&token.scope);
    let claims = claims::claims_for_scope(app, account, &person, &scope);
    Ok(Value::Object(claims))
}
