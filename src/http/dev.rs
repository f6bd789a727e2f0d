//! Pages for developers: the captured mails and the gallery. They exist only where mails are captured and
//! `server.public_url` is this machine, and in no production environment.

mod gallery;
mod mail_viewer;

use axum::Router;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::get;

use super::extract::client;
use super::operation::operation;
use super::pages::files::not_found;
use super::site::Site;
use crate::app::SharedApp;

pub(crate) fn router() -> Router<Site> {
    Router::new()
        .route("/account/dev/mail", get(operation!(mail_viewer::mail_list)))
        .route(
            "/account/dev/mail/messages",
            get(operation!(mail_viewer::messages)),
        )
        .route("/account/dev/gallery", get(operation!(gallery::index)))
        .route(
            "/account/dev/gallery/contents",
            get(operation!(gallery::contents)),
        )
        .route(
            "/account/dev/gallery/screen",
            get(operation!(gallery::screen)),
        )
        .route(
            "/account/dev/gallery/part/{part}",
            get(operation!(gallery::fragment)),
        )
        .route(
            "/account/dev/gallery/mail/{kind}",
            get(operation!(gallery::mail)),
        )
        .route(
            "/account/dev/gallery/{file}",
            get(operation!(gallery::script_or_style)),
        )
}

/// Extracted if the gallery may be shown to this request; 404 otherwise.
struct Allowed;

impl<S: Send + Sync> FromRequestParts<S> for Allowed
where
    SharedApp: FromRef<S>,
{
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let app = SharedApp::from_ref(state);
        let environment = &client::region(&parts.uri, &parts.headers, &app).environment;
        match app.config.has_mail_viewer() && environment != "prod" {
            true => Ok(Allowed),
            false => Err(not_found()),
        }
    }
}
