//! The OpenID Connect provider. The provider's routes follow the rules of OAuth instead of those of the API: form
//! bodies, the errors of OAuth, and no cross-site check where no cookie is used.

use axum::Router;
use axum::http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL};
use axum::http::{HeaderName, HeaderValue};
use axum::routing::{get, post};

use super::operation::operation;
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

pub(crate) fn router() -> Router<Site> {
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
            get(operation!(authorize::authorize)).post(operation!(authorization::redirect_to_get)),
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
