//! Pages for developers: the captured mails, and the gallery of all screens. The pages exist only if mails are
//! captured, the host of `server.public_url` is `localhost` or another loopback name, and no region is in production.

mod gallery;
mod mail_viewer;

use super::extract::{client, extractor};
use super::operation::get_routes;
use super::pages::files::not_found;
use super::prelude::*;
use super::site::Site;
use crate::config::is_loopback_name;

pub(crate) fn router() -> Router<Site> {
    get_routes! {
        "/account/dev/mail" => mail_viewer::mail_list;
        "/account/dev/mail/messages" => mail_viewer::messages;
        "/account/dev/gallery" => gallery::index;
        "/account/dev/gallery/contents" => gallery::contents;
        "/account/dev/gallery/screen" => gallery::screen;
        "/account/dev/gallery/part/{part}" => gallery::fragment;
        "/account/dev/gallery/mail/{kind}" => gallery::mail;
        "/account/dev/gallery/{file}" => gallery::script_or_style;
    }
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
