//! Refresh token rotation: each use of a refresh token issues a new one (RFC 9700 section 4.14.2).

use super::bound_session;
use super::error::{OAuthError, OAuthResult, invalid_grant};
use super::issuance::{self, NewTokens};
use super::revocation::revoke_reused_grant;
use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::app::App;
use crate::config::{OidcClient, Scope};
use crate::db::Tx;
use crate::domain::secret::{Secret, SecretHash};
use crate::store::oidc_tokens::{self, AppToken, TokenKind};

pub(super) async fn refresh(
    app: &App,
    client: &OidcClient,
    token: &str,
    scope: Option<&str>,
) -> OAuthResult<NewTokens> {
    let secret = Secret::parse(token).ok_or_else(unknown_token)?;
    let hash = &secret.hash();
    change(app, Actor::System, |mut change| async move {
        let found = find_token(&mut change, client, hash).await?;
        let bound = bound_session::find_and_lock(&mut change, found.sid).await?;
        let bound = bound.ok_or_else(|| invalid_grant("the session has ended"))?;
        // The refresh token is read again, because it may have been exchanged or revoked before the session was locked.
        let token = find_token(&mut change, client, hash).await?;
        let now = change.now;
        if token.expires_at <= now {
            return Err(unknown_token());
        }
        let grace = app.config.oidc.refresh_grace.millis();
        match token.spent_at {
            None => {
                oidc_tokens::mark_exchanged(&mut change, hash, now).await?;
            }
            Some(spent_at) if now - spent_at <= grace => {}
            Some(_) => {
                let (account, grant) = (bound.account.id, token.grant_id);
                let reuse = ("refresh_token_reused", "the refresh token was used before");
                let refused = revoke_reused_grant(change, client, account, grant, reuse);
                return Err(refused.await?);
            }
        }
        let (account, grant) = (bound.account.id, token.grant());
        if !Scope::OfflineAccess.is_in(&issuance::permitted_scope(client, &grant)?) {
            return Err(invalid_grant("the client may not refresh tokens"));
        }
        bound_session::touch(&mut change, &bound.session).await?;
        let tokens = issuance::issue(&mut change, client, account, grant, scope, None).await?;
        change.commit(tokens).await
    })
    .await
}

fn unknown_token() -> OAuthError {
    invalid_grant("the refresh token has expired or was revoked")
}

async fn find_token(tx: &mut Tx, client: &OidcClient, hash: &SecretHash) -> OAuthResult<AppToken> {
    let found = oidc_tokens::find(tx, hash).await?;
    let is_own =
        |token: &AppToken| token.has_kind(TokenKind::Refresh) && token.client_id == client.id;
    found.filter(is_own).ok_or_else(unknown_token)
}
