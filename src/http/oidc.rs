//! The OpenID Connect provider. The provider's routes follow the rules of OAuth instead of those of the API: form
//! bodies, the errors of OAuth, and no cross-site check where no cookie is used.

use axum::http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponseParts;
use axum::routing::{MethodRouter, post};

use super::operation::{Operation, operation};
use super::prelude::*;
use super::site::Site;

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
    let allow_pages = from_fn_with_state(site.clone(), cross_origin::allow_pages_of_clients);
    let document =
        |handler: Operation| get(handler).options(operation!(cross_origin::public_preflight));
    let endpoint = |methods: MethodRouter<Site>| {
        let methods = methods.options(operation!(cross_origin::preflight));
        methods.route_layer(allow_pages.clone())
    };
    let metadata = document(operation!(discovery::discovery));
    let userinfo = operation!(userinfo::userinfo);
    Router::new()
        .route(
            "/account/.well-known/openid-configuration",
            metadata.clone(),
        )
        .route(
            "/.well-known/oauth-authorization-server/account",
            metadata,
        )
        .route("/account/oidc/jwks", document(operation!(jwks::jwks)))
        .route(
            "/account/oidc/authorize",
            post(operation!(authorization::redirect_to_get)),
        )
        .route("/account/oidc/token", endpoint(post(operation!(token::token))))
        .route("/account/oidc/userinfo", endpoint(get(userinfo).post(userinfo)))
        .route("/account/oidc/revoke", endpoint(post(operation!(revoke::revoke))))
        .route(
            "/account/oidc/logout",
            get(operation!(logout::logout)).post(operation!(logout::redirect_to_get)),
        )
        .route_layer(require_provider)
        // Tickets of forward authentication and of own pages are resumed here without the provider too.
        .route("/account/oidc/authorize", get(operation!(authorize::authorize)))
}

fn redirect_to(address: &str, headers: impl IntoResponseParts) -> Response {
    (NO_STORE, headers, Redirect::to(address)).into_response()
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
