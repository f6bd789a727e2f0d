//! Verifies `id_token_hint`, an ID token of this provider that names a person and a session.

use serde::Deserialize;
use uuid::Uuid;

use crate::app::App;
use crate::crypto::signing::UnverifiedToken;
use crate::db::{Result, Tx};
use crate::oidc::issuance::ID_TOKEN_TYPE;

/// The claims of an ID token of this provider, which may have expired, because the hint only identifies the person.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct IdTokenHint {
    iss: String,
    pub sub: Uuid,
    pub sid: Uuid,
    /// The client id.
    pub aud: String,
}

/// Verifies a hint. Returns `None` for text that no key of this provider signed, or that is not an ID token.
pub(crate) async fn verify(app: &App, tx: &mut Tx, token: &str) -> Result<Option<IdTokenHint>> {
    let unverified = UnverifiedToken::parse(token).filter(|token| token.kind == ID_TOKEN_TYPE);
    let Some(unverified) = unverified else {
        return Ok(None);
    };
    let key = app
        .signing_keys
        .find_public_key(tx, &app.config, &unverified.kid)
        .await?;
    let hint = key.and_then(|key| unverified.verify::<IdTokenHint>(&key));
    Ok(hint.filter(|hint| Some(&hint.iss) == app.config.issuer().as_ref()))
}
