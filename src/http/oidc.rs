//! The OpenID Connect provider. The provider's routes follow the rules of OAuth instead of those of the API: form
//! bodies, the errors of OAuth, and no cross-site check where no cookie is used.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, IntoResponseParts, Redirect, Response};
use axum::routing::{get, post};

use super::operation::operation;
use super::site::Site;
use crate::app::SharedApp;

mod authorization;
mod authorize;
mod cross_origin;
mod discovery;
mod error;
mod jwks;
mod logout;
mod revoke;
mod token;
mod userinfo;

pub(crate) fn router(site: &Site) -> Router<Site> {
    let require_provider = from_fn_with_state(site.clone(), require_provider);
    Router::new()
        .route(
            "/account/.well-known/openid-configuration",
            get(operation!(discovery::discovery))
                .options(operation!(cross_origin::public_preflight)),
        )
        .route(
            "/.well-known/oauth-authorization-server/account",
            get(operation!(discovery::discovery))
                .options(operation!(cross_origin::public_preflight)),
        )
        .route(
            "/account/oidc/jwks",
            get(operation!(jwks::jwks)).options(operation!(cross_origin::public_preflight)),
        )
        .route(
            "/account/oidc/authorize",
            post(operation!(authorization::redirect_to_get)),
        )
        .route(
            "/account/oidc/token",
            post(operation!(token::token)).options(operation!(cross_origin::preflight)),
        )
        .route(
            "/account/oidc/userinfo",
            get(operation!(userinfo::userinfo))
                .post(operation!(userinfo::userinfo))
                .options(operation!(cross_origin::preflight)),
        )
        .route(
            "/account/oidc/revoke",
            post(operation!(revoke::revoke)).options(operation!(cross_origin::preflight)),
        )
        .route(
            "/account/oidc/logout",
            get(operation!(logout::logout)).post(operation!(logout::redirect_to_get)),
        )
        .route_layer(require_provider)
        // Tickets of forward authentication and of own pages are resumed here without the provider too.
        .route("/account/oidc/authorize", get(operation!(authorize::authorize)))
}

fn redirect_to(address: &str, headers: impl IntoResponseParts) -> Response {
    let no_store = [(CACHE_CONTROL, "no-store")];
    (no_store, headers, Redirect::to(address)).into_response()
}

/// Returns the headers of a public document, which every origin may read and every cache may store for an hour.
fn cross_origin_headers() -> [(HeaderName, HeaderValue); 2] {
    [
        (
            CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    ]
}

/// Responds with 404 to requests of applications while `oidc.enabled` is false.
async fn require_provider(State(app): State<SharedApp>, request: Request, next: Next) -> Response {
    match app.config.oidc.enabled {
        true => next.run(request).await,
        false => StatusCode::NOT_FOUND.into_response(),
    }
}
