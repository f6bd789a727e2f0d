//! Pages for developers: the captured mails, and the gallery of all screens. The pages exist only if mails are
//! captured, the host of `server.public_url` is `localhost` or another loopback name, and no region is in production.

mod gallery;
mod mail_viewer;

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use super::extract::{client, extractor};
use super::operation::operation;
use super::pages::files::not_found;
use super::site::Site;
use crate::config::is_loopback_name;

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

/// Accepts a request that may open the pages for developers, and responds 404 to any other request.
///
/// The host of the request must be a loopback name, because another site could point its host name at this machine and
/// read the pages (DNS rebinding).
struct DevPagesAllowed;

extractor!(DevPagesAllowed, Response, |parts, app| {
    let environment = &client::region(&parts.uri, &parts.headers, &app).environment;
    let is_cross_site = parts
        .headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site");
    let is_here = is_loopback_name(client::host(&parts.uri, &parts.headers)) && !is_cross_site;
    match app.config.has_mail_viewer() && is_here && environment != "prod" {
        true => Ok(DevPagesAllowed),
        false => Err(not_found()),
    }
});
