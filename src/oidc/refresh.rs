//! Refresh tokens: each is exchanged for its successor (RFC 9700 section 4.14.2).

use serde_json::json;

use super::bound_session::{self, BoundSession};
use super::error::OAuthError;
use super::exchange::invalid_grant;
use super::issuance::{self, NewTokens, has_scope};
use crate::app::App;
use crate::auth::security_log::{Actor, Event};
use crate::config::{OidcClient, Scope};
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::secret::{Secret, SecretHash};
use crate::domain::security_event::SecurityEvent;
use crate::store::oidc_tokens::{self, Token, TokenKind};

pub(super) async fn refresh(
    app: &App,
    client: &OidcClient,
    token: &str,
    scope: Option<&str>,
) -> Result<NewTokens, OAuthError> {
    let secret = Secret::parse(token).ok_or_else(unknown_token)?;
    let hash = secret.hash();
    retry_on_conflict(&app.rng, || rotate(app, client, &hash, scope)).await
}

fn unknown_token() -> OAuthError {
    invalid_grant("the refresh token has expired or was revoked")
}

/// Exchanges the token, in one transaction that locks account and session. Within `oidc.refresh_grace` the same token
/// yields a sibling, because the response may have been lost; later its family ends.
async fn rotate(
    app: &App,
    client: &OidcClient,
    hash: &SecretHash,
    scope: Option<&str>,
) -> Result<NewTokens, OAuthError> {
    let mut tx = app.store.write().await?;
    let found = find_token(&mut tx, client, hash).await?;
    let bound = bound_session::find_and_lock(app, &mut tx, found.sid).await?;
    let bound = bound.ok_or_else(|| invalid_grant("the session has ended"))?;
    // Read again, because it may have been exchanged or revoked before the session was locked.
    let token = find_token(&mut tx, client, hash).await?;
    let now = app.clock.millis();
    if token.expires_at <= now {
        return Err(unknown_token());
    }
    let grace = app.config.oidc.refresh_grace.millis();
    match token.spent_at {
        None => {
            oidc_tokens::consume(&mut tx, hash, now).await?;
        }
        Some(spent_at) if now - spent_at <= grace => {}
        Some(_) => return Err(end_family(app, tx, client, &bound, &token).await?),
    }
    let (account, grant) = (bound.account.id, token.grant());
    if !has_scope(
        &issuance::permitted_scope(client, &grant)?,
        Scope::OfflineAccess,
    ) {
        return Err(invalid_grant("the client may not refresh tokens"));
    }
    bound_session::touch(app, &mut tx, &bound.session).await?;
    let tokens = issuance::issue(app, &mut tx, client, account, grant, scope, None).await?;
    tx.commit().await?;
    Ok(tokens)
}

async fn find_token(
    tx: &mut Tx,
    client: &OidcClient,
    hash: &SecretHash,
) -> Result<Token, OAuthError> {
    let found = oidc_tokens::find(tx, hash).await?;
    let is_own = |token: &Token| token.has_kind(TokenKind::Refresh) && token.client_id == client.id;
    found.filter(is_own).ok_or_else(unknown_token)
}

/// Ends the family of a token that is used again long after its exchange: another party has a copy. Returns the
/// refusal.
async fn end_family(
    app: &App,
    mut tx: Tx,
    client: &OidcClient,
    bound: &BoundSession,
    token: &Token,
) -> Result<OAuthError, OAuthError> {
    oidc_tokens::end_grant(&mut tx, token.grant_id).await?;
    let details = json!({"app": client.name, "reason": "refresh_token_reused"});
    let event = Event::by_actor(SecurityEvent::AppSignedOut, bound.account.id, Actor::System);
    event.details(details).record(app, &mut tx).await?;
    tx.commit().await?;
    tracing::warn!(target: "security", event = "refresh_token_reused", client = client.id, account = %bound.account.id);
    Ok(invalid_grant("the refresh token was used before"))
}
