//! Revocation of tokens (RFC 7009).

use uuid::Uuid;

use super::bound_session;
use super::error::{OAuthError, OAuthResult, invalid_grant, invalid_request};
use super::parameters::Parameters;
use crate::accounts::actor::Actor;
use crate::accounts::change::{Change, change};
use crate::accounts::security_log::{Event, EventDetail};
use crate::app::App;
use crate::config::OidcClient;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::store::oidc_tokens::{self, TokenKind};

/// Revokes the token. If it is a refresh token, all tokens of its grant are revoked. An unknown token, or a token of
/// another client, is not an error (RFC 7009 section 2.2).
pub(crate) async fn revoke(app: &App, client: &OidcClient, parameters: &Parameters) -> OAuthResult {
    parameters.check(&["token"])?;
    let token = parameters
        .get("token")
        .ok_or_else(|| invalid_request("token is missing"))?;
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
            true => {
                oidc_tokens::end_grant(&mut change, token.grant_id).await?;
            }
            false => oidc_tokens::remove(&mut change, hash).await?,
        }
        change.commit(()).await
    })
    .await
}

/// Revokes all tokens of a grant whose authorization code or refresh token was used again, because another party may
/// have a copy (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2). Commits. `reason` is for
/// the log. Returns the error for the client, whose description is `refusal`.
pub(super) async fn revoke_reused_grant(
    mut change: Change<'_>,
    client: &OidcClient,
    account: Uuid,
    grant: Uuid,
    (reason, refusal): (&'static str, &'static str),
) -> OAuthResult<OAuthError> {
    // An authorization code may be sent many times. Only the first reuse finds tokens, so only that one is listed.
    if oidc_tokens::end_grant(&mut change, grant).await? {
        let app = &client.name;
        let event = Event::new(SecurityEvent::AppSignedOut, account);
        let detail = EventDetail::RevokedApp { app, reason };
        change.record(event.detail(detail)).await?;
    }
    let client = client.id.clone();
    change.on_commit(move || tracing::warn!(target: "security", event = reason, client, %account));
    Ok(change.commit_refusal(invalid_grant(refusal)).await)
}
