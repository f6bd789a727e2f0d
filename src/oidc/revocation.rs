//! Revocation of tokens (RFC 7009).

use super::bound_session;
use super::error::{OAuthCode, OAuthError};
use super::parameters::Parameters;
use crate::app::App;
use crate::config::OidcClient;
use crate::db::conflict::retry_on_conflict;
use crate::domain::secret::{Secret, SecretHash};
use crate::store::oidc_tokens::{self, TokenKind};

/// Ends the token; a refresh token with all tokens of its grant. An unknown token, or one of another client, is not an
/// error (RFC 7009 section 2.2).
pub(crate) async fn revoke(
    app: &App,
    client: &OidcClient,
    parameters: &Parameters,
) -> Result<(), OAuthError> {
    let invalid = |why| OAuthError::new(OAuthCode::InvalidRequest, why);
    if parameters.is_repeated("token") {
        return Err(invalid("a parameter is repeated"));
    }
    let token = parameters
        .get("token")
        .ok_or_else(|| invalid("token is missing"))?;
    let Some(secret) = Secret::parse(token) else {
        return Ok(());
    };
    let hash = secret.hash();
    retry_on_conflict(&app.rng, || revoke_token(app, client, &hash)).await
}

async fn revoke_token(app: &App, client: &OidcClient, hash: &SecretHash) -> Result<(), OAuthError> {
    let mut tx = app.store.write().await?;
    let found = oidc_tokens::find(&mut tx, hash).await?;
    let Some(token) = found.filter(|token| token.client_id == client.id) else {
        return Ok(());
    };
    // A refresh that has locked the session may be about to add a token to the grant.
    bound_session::find_and_lock(app, &mut tx, token.sid).await?;
    match token.has_kind(TokenKind::Refresh) {
        true => oidc_tokens::end_grant(&mut tx, token.grant_id).await?,
        false => oidc_tokens::remove(&mut tx, hash).await?,
    }
    Ok(tx.commit().await?)
}
