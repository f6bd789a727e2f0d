//! The token endpoint.

use axum::http::header::AUTHORIZATION;
use serde_json::json;

use crate::http::extract::form_body::FormBody;
use crate::http::prelude::*;
use crate::oidc::client_authentication::authenticate;
use crate::oidc::error::OAuthResult;
use crate::oidc::exchange;

pub(super) fn authorization_header(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(AUTHORIZATION)
        .map(|value| value.to_str().unwrap_or_default())
}

pub(super) async fn token(
    State(app): State<SharedApp>,
    client: Client,
    headers: HeaderMap,
    FormBody(parameters): FormBody,
) -> OAuthResult<impl IntoResponse> {
    let header = authorization_header(&headers);
    let application = authenticate(&app, client.ip, header, &parameters).await?;
    let tokens = exchange::exchange(&app, application, &parameters).await?;
    let mut body = json!({
        "access_token": tokens.access_token.expose(),
        "token_type": "Bearer",
        "expires_in": tokens.expires_in,
        "id_token": tokens.id_token,
        "scope": tokens.scope,
    });
    if let Some(token) = &tokens.refresh_token {
        body["refresh_token"] = json!(token.expose());
    }
    Ok((NO_STORE, Json(body)))
}
