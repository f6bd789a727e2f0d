//! The public keys that verify the tokens of this provider (RFC 7517).

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::cross_origin_headers;
use crate::app::{App, SharedApp};
use crate::error::ApiError;
use crate::oidc::error::OAuthError;

pub(super) async fn jwks(State(app): State<SharedApp>) -> Response {
    match public_keys(&app).await {
        Ok(keys) => (cross_origin_headers(), Json(json!({"keys": keys}))).into_response(),
        Err(error) => OAuthError::from(error).into_response(),
    }
}

async fn public_keys(app: &App) -> Result<Vec<serde_json::Value>, ApiError> {
    let mut tx = app.store.read().await?;
    let keys = app
        .signing_keys
        .list_published(&mut tx, &app.config)
        .await?;
    Ok(keys.iter().map(|key| key.jwk()).collect())
}
