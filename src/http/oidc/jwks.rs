//! The public keys that verify the tokens of this provider (RFC 7517).

use serde_json::json;

use super::cross_origin_headers;
use crate::http::prelude::*;
use crate::oidc::error::OAuthResult;

pub(super) async fn jwks(State(app): State<SharedApp>) -> OAuthResult<impl IntoResponse> {
    let mut tx = app.store.read().await?;
    let keys = app
        .signing_keys
        .list_published(&mut tx, &app.config)
        .await?;
    let keys: Vec<_> = keys.iter().map(|key| key.jwk()).collect();
    Ok((cross_origin_headers(), Json(json!({"keys": keys}))))
}
