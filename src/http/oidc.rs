//! The routes of the OpenID Connect provider, which follow OAuth's rules instead of those of our API.

mod authorize;

use axum::Router;
use axum::routing::get;

use super::site::Site;

pub(crate) fn router() -> Router<Site> {
    Router::new().route("/account/oidc/authorize", get(authorize::authorize))
}
