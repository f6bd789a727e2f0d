//! Cross-origin requests (Fetch standard) from the pages of public clients. The allowed origins are those of the
//! clients' redirect URIs.

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ORIGIN,
};
use axum::middleware::Next;

use crate::http::prelude::*;

/// Permits the page that sent the request to read the response, if the origin of the page is allowed. Credentials are
/// not allowed, because these routes use no cookies.
pub(super) async fn allow_pages_of_clients(
    State(app): State<SharedApp>,
    request: Request,
    next: Next,
) -> Response {
    let origin = allowed_origin(&app, request.headers());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

/// Returns the origin of the page if it belongs to a public client.
fn allowed_origin(app: &App, request: &HeaderMap) -> Option<HeaderValue> {
    let origin = request.get(ORIGIN)?;
    let text = origin.to_str().ok()?;
    let mut clients = app.config.oidc.clients.iter();
    let is_known = clients.any(|client| client.browser_origins().any(|own| own == text));
    is_known.then(|| origin.clone())
}

pub(super) async fn preflight(
    State(app): State<SharedApp>,
    headers: HeaderMap,
) -> impl IntoResponse {
    let permissions = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
        // The wildcard `*` does not include the header Authorization (Fetch standard).
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, *"),
        (ACCESS_CONTROL_MAX_AGE, "3600"),
    ];
    let permissions = allowed_origin(&app, &headers).map(|_| permissions);
    (permissions, StatusCode::NO_CONTENT)
}

/// Responds to the preflight of a public document, which every page may read.
pub(super) async fn public_preflight() -> impl IntoResponse {
    let permissions = [
        (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "*"),
        (ACCESS_CONTROL_MAX_AGE, "3600"),
    ];
    (StatusCode::NO_CONTENT, permissions)
}
