//! Fragments: the header and the footer of the pages, which are built in or come from the configured service.

use std::sync::Arc;

use super::provider::FragmentKind;
use super::texts::{escape_html, text};
use crate::http::extract::client;
use crate::http::prelude::*;
use crate::http::site::Site;

/// Returns the header as HTML, for the host of the request. Ignores the parameter `domain`.
#[utoipa::path(get, path = "/ui/header",
    params(("domain" = Option<String>, Query, description = "Ignored; the host of the request counts")),
    responses((status = 200, description = "An HTML fragment", body = String, content_type = "text/html")))]
pub(crate) async fn ui_header(State(site): State<Site>, parts: Parts) -> ApiResult<Response> {
    fragment(&site, FragmentKind::Header, &parts).await
}

/// Returns the footer as HTML, for the host of the request. Ignores the parameter `domain`.
#[utoipa::path(get, path = "/ui/footer",
    params(("domain" = Option<String>, Query, description = "Ignored; the host of the request counts")),
    responses((status = 200, description = "An HTML fragment", body = String, content_type = "text/html")))]
pub(crate) async fn ui_footer(State(site): State<Site>, parts: Parts) -> ApiResult<Response> {
    fragment(&site, FragmentKind::Footer, &parts).await
}

/// Returns the header and footer that a page inlines. If a service provides them, the function returns only cached
/// fragments, so that the service does not delay a page.
pub(crate) fn cached_fragments(
    site: &Site,
    region: &Region,
    parts: &Parts,
    language: Language,
) -> [Option<Arc<str>>; 2] {
    let Some(provider) = &site.pages.fragment_provider else {
        let header = built_in_header(region, language);
        return [header, built_in_footer(region, language)].map(|part| Some(part.into()));
    };
    let host = client::host(&parts.uri, &parts.headers);
    let domain = fragment_domain(&site.app, region, host);
    [FragmentKind::Header, FragmentKind::Footer]
        .map(|part| provider.cached(part, &domain, &site.app.clock))
}

async fn fragment(site: &Site, part: FragmentKind, parts: &Parts) -> ApiResult<Response> {
    let app = &site.app;
    let client = client::client_of(parts, app);
    let region = app.config.region_by_id(&client.region);
    let Some(provider) = &site.pages.fragment_provider else {
        let built_in = match part {
            FragmentKind::Header => built_in_header(region, client.language),
            FragmentKind::Footer => built_in_footer(region, client.language),
        };
        return Ok(html_response(built_in));
    };
    let domain = fragment_domain(app, region, client::host(&parts.uri, &parts.headers));
    match provider.get(part, &domain, &app.clock).await {
        Some(fragment) => Ok(html_response(fragment.to_string())),
        None => Err(ErrorCode::FragmentUnavailable.into()),
    }
}

/// Returns the host name that is sent to the service of header and footer. It is the host of the HTTP request if the
/// region lists that host, and otherwise the primary host of the region.
fn fragment_domain(app: &SharedApp, region: &Region, host: &str) -> String {
    let known = region
        .hosts
        .iter()
        .find(|known| known.eq_ignore_ascii_case(host));
    known
        .cloned()
        .unwrap_or_else(|| app.config.first_host_or_public(region))
}

fn html_response(body: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "private, max-age=60"),
    ];
    (headers, body).into_response()
}

pub(super) fn built_in_header(region: &Region, language: Language) -> String {
    let links = [
        (&region.links.episodes, "shell.episodes"),
        (&region.links.random_episode, "shell.random_episode"),
        (&region.links.avatar_creator, "shell.avatar_creator"),
    ];
    let name = escape_html(&region.brand);
    let brand = match &region.logo {
        None => name,
        Some(logo) => format!("<img src=\"{}\" alt=\"{name}\">", escape_html(logo)),
    };
    // The menu is a popover, because a popover needs no script. On a wide screen the style sheet shows the links and
    // hides the button of the popover.
    let navigation = link_list(language, &links).map_or_else(String::new, |items| {
        let (label, menu) = (
            escape_html(text(language, "shell.site_navigation")),
            escape_html(text(language, "shell.menu")),
        );
        format!(
            "<nav aria-label=\"{label}\">\
             <button type=\"button\" popovertarget=\"site-links\">{menu}</button>\
             <ul id=\"site-links\" popover>{items}</ul></nav>"
        )
    });
    format!("<header><a href=\"/\">{brand}</a>{navigation}</header>")
}

pub(super) fn built_in_footer(region: &Region, language: Language) -> String {
    let links = [
        (&region.links.terms, "common.terms_of_use"),
        (&region.links.privacy, "common.privacy_policy"),
        (&region.links.contact, "shell.contact"),
    ];
    let brand = escape_html(&region.brand);
    let navigation = link_list(language, &links).map_or_else(String::new, |items| {
        let label = escape_html(text(language, "shell.legal_navigation"));
        format!("<nav aria-label=\"{label}\"><ul>{items}</ul></nav>")
    });
    format!("<footer><p>{brand}</p>{navigation}</footer>")
}

/// Returns list items for the links that the region has, or `None` if the region has none of these links.
fn link_list(language: Language, links: &[(&Option<String>, &str)]) -> Option<String> {
    let items: String = links
        .iter()
        .filter_map(|(address, key)| Some((address.as_deref()?, text(language, key))))
        .map(|(address, word)| {
            let (address, word) = (escape_html(address), escape_html(word));
            format!("<li><a href=\"{address}\">{word}</a></li>")
        })
        .collect();
    (!items.is_empty()).then_some(items)
}
