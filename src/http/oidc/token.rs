//! The token endpoint.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::cross_origin;
use crate::accounts::client::Client;
use crate::app::{App, SharedApp};
use crate::http::extract::form_body::FormBody;
use crate::oidc::client_authentication::authenticate;
use crate::oidc::error::OAuthError;
use crate::oidc::exchange;
use crate::oidc::parameters::Parameters;

pub(super) async fn token(
    State(app): State<SharedApp>,
    client: Client,
    headers: HeaderMap,
    body: Result<FormBody, OAuthError>,
) -> Response {
    let answer = match body {
        Ok(FormBody(parameters)) => token_response(&app, &client, &headers, &parameters).await,
        Err(error) => Err(error),
    };
    cross_origin::add_cors_headers(&app, &headers, answer.into_response())
}

pub(super) fn authorization_header(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(AUTHORIZATION)
        .map(|value| value.to_str().unwrap_or_default())
}

async fn token_response(
    app: &App,
    client: &Client,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, OAuthError> {
    let application =
        authenticate(app, client.ip, authorization_header(headers), parameters).await?;
    let tokens = exchange::exchange(app, application, parameters).await?;
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
    Ok(([(CACHE_CONTROL, "no-store")], Json(body)).into_response())
}
