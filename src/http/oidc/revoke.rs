//! The revocation endpoint (RFC 7009).

use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::cross_origin;
use super::token::authorization_header;
use crate::accounts::client::Client;
use crate::app::{App, SharedApp};
use crate::http::extract::form_body::FormBody;
use crate::oidc::client_authentication::authenticate;
use crate::oidc::error::OAuthError;
use crate::oidc::parameters::Parameters;
use crate::oidc::revocation;

pub(super) async fn revoke(
    State(app): State<SharedApp>,
    client: Client,
    headers: HeaderMap,
    body: Result<FormBody, OAuthError>,
) -> Response {
    let answer = match body {
        Ok(FormBody(parameters)) => revocation_response(&app, &client, &headers, &parameters).await,
        Err(error) => Err(error),
    };
    cross_origin::add_cors_headers(&app, &headers, answer.into_response())
}

async fn revocation_response(
    app: &App,
    client: &Client,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, OAuthError> {
    let application =
        authenticate(app, client.ip, authorization_header(headers), parameters).await?;
    revocation::revoke(app, application, parameters).await?;
    Ok((StatusCode::OK, [(CACHE_CONTROL, "no-store")]).into_response())
}
