//! Revocation of tokens (RFC 7009).

use super::bound_session;
use super::error::{OAuthCode, OAuthError};
use super::parameters::Parameters;
use crate::accounts::change::change;
use crate::accounts::security_log::Actor;
use crate::app::App;
use crate::config::OidcClient;
use crate::domain::secret::Secret;
use crate::store::oidc_tokens::{self, TokenKind};

/// Revokes the token. If it is a refresh token, all tokens of its grant are revoked. An unknown token, or a token of
/// another client, is not an error (RFC 7009 section 2.2).
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
    let hash = &secret.hash();
    change(app, Actor::System, |mut change| async move {
        let found = oidc_tokens::find(&mut change, hash).await?;
        let Some(token) = found.filter(|token| token.client_id == client.id) else {
            return change.commit(()).await;
        };
        // The session is locked, because a concurrent refresh may be about to add a token to the grant.
        bound_session::find_and_lock(&mut change, token.sid).await?;
        match token.has_kind(TokenKind::Refresh) {
            true => oidc_tokens::end_grant(&mut change, token.grant_id).await?,
            false => oidc_tokens::remove(&mut change, hash).await?,
        }
        change.commit(()).await
    })
    .await
}
