//! The page of the support view, which has a separate document (`web/support.html`) and policy, but no header, footer,
//! analytics or consent manager. Visitors who are no agents get the not-found page.

use super::template::{boot_script, replace_markers};
use super::texts::{self, escape_html};
use super::{files, html_page, page};
use crate::http::api::config::ClientConfig;
use crate::http::error;
use crate::http::extract::{client, support_agent};
use crate::http::prelude::*;
use crate::http::site::Site;
use crate::i18n;
use crate::support::agent;

/// The Content-Security-Policy of the support view, which permits only files of this site. Unlike the public pages, the
/// view has no inline script and sends no form.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; object-src 'none'; \
    frame-ancestors 'none'";

/// The HTML document that is served if the front end was not built.
const FALLBACK_DOCUMENT: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\" />\
    <title>Account</title></head><body><p>The front end is not built. Run <code>make build</code>.</p>\
    <!--boot--></body></html>";

/// Serves `/account/support`.
pub(crate) async fn page(State(site): State<Site>, parts: Parts) -> Response {
    match is_agent(&site.app, &parts).await {
        Ok(true) => render_document(&site, &parts),
        Ok(false) => page::page(State(site), parts).await,
        Err(unavailable) => unavailable,
    }
}

/// Serves the files of the support view. Where the developers' gallery is available, the files are served without a
/// session, because no file contains personal data.
pub(crate) async fn file(State(site): State<Site>, parts: Parts) -> Response {
    let is_served = match site.app.config.has_mail_viewer() {
        true => Ok(true),
        false => is_agent(&site.app, &parts).await,
    };
    match is_served {
        Ok(true) => {
            let path = parts.uri.path().strip_prefix("/account/");
            let found = files::support_file(path.unwrap_or_default(), &parts.headers);
            if let Some(file) = found {
                return file;
            }
        }
        Ok(false) => {}
        Err(unavailable) => return unavailable,
    }
    page::file_or_page(State(site), parts).await
}

/// Returns whether the request comes from an agent. Any authentication level is sufficient, because the page itself
/// requests a proof of identity.
async fn is_agent(app: &SharedApp, parts: &Parts) -> Result<bool, Response> {
    let found = async {
        let signed_in = support_agent::support_session(app, parts).await?;
        agent::role_of(app, &signed_in).await
    };
    match found.await {
        Ok(role) => Ok(role.is_some()),
        Err(error) if error.code == ErrorCode::NotFound => Ok(false),
        // The route is a page, so the error response has no API error body.
        Err(error) => Err(error::status_of(error.code).into_response()),
    }
}

pub(crate) fn render_document(site: &Site, parts: &Parts) -> Response {
    let client = client::client_of(parts, &site.app);
    let language = page::page_language(&site.app, parts, &client, None);
    let region = site.app.config.region_by_id(&client.region);
    let code = language.code();
    let config = serde_json::to_value(ClientConfig::new(&site.app, region)).expect("plain data");
    let words = i18n::support_catalogue(language);
    let boot = format!(
        "{{\"language\":\"{code}\",\"session\":true,\"config\":{config},\"translations\":{words}}}"
    );
    let title =
        texts::find_text(texts::support_catalogue(language), "support.title").unwrap_or_default();
    let title = format!(
        "<title>{} · {}</title>",
        escape_html(title),
        escape_html(&region.brand)
    );
    let markers = [
        ("lang=\"en\"", &format!("lang=\"{code}\"")),
        ("<title>Account</title>", &title),
        ("<!--boot-->", &boot_script(&boot)),
    ];
    let built = files::embedded_text("support/support.html");
    let html = replace_markers(built.as_deref().unwrap_or(FALLBACK_DOCUMENT), &markers);
    let vary = "accept-language, cookie, host";
    html_page(html, POLICY, "no-store", vary, "same-origin")
}
