//! The HTML page: the template with language, title, prerendered screen and boot data (JSON for the scripts). The first
//! screen is therefore visible after one round trip and before the scripts run.

use std::borrow::Cow;

use axum::extract::RawQuery;
use serde_json::Value;
use url::form_urlencoded;

use super::continuation::{self, Continuation, PagePurpose};
use super::files;
use super::fragments;
use super::html_page;
use super::page_fragments::PageFragments;
use super::screens::{self, RenderContext};
use super::table::{PAGES, Page};
use super::template::PageContent;
use super::texts::{self, find_text};
use crate::http::api::config::ClientConfig;
use crate::http::continuation::ticket_from_query;
use crate::http::cookies;
use crate::http::extract::client;
use crate::http::extract::same_origin::{is_speculative, refuse_speculative};
use crate::http::prelude::*;
use crate::http::site::Site;
use crate::i18n;

/// Serves the page for a known screen, and the not-found screen for any other URL. Files and API paths are routed
/// elsewhere (`files.rs`, `router.rs`). If a browser without scripts posts a form, the response is the page too, and
/// the body is not read.
pub(crate) async fn page(State(site): State<Site>, parts: Parts) -> Response {
    let app = &site.app;
    // A prefetch gets no page, because the page would bind the ticket of an OpenID Connect request to this browser.
    if ticket_from_query(&parts.uri).is_some()
        && let Some(refusal) = refuse_speculative(&parts)
    {
        return refusal;
    }
    let known = PAGES.iter().find(|page| page.path == parts.uri.path());
    let client = client::client_of(&parts, app);
    let continuation = Continuation::from_request(app, &client, known, &parts.uri);
    let mut session = has_session_cookie(&parts, app);
    let is_preview = parts.extensions.get::<GalleryPreview>().is_some();
    let is_visit = parts.method == Method::GET && !is_speculative(&parts) && !is_preview;
    let continued = continuation
        .as_ref()
        .filter(|_| known.is_some_and(|page| page.redirects_signed_in));
    let redirect = if let Some(continuation) = continued {
        continuation.redirect_if_signed_in(app, &client).await
    } else if known.is_some_and(|page| page.requires_session) && is_visit {
        continuation::redirect_to_sign_in(app, &client, &parts.uri).await
    } else {
        Ok(None)
    };
    match redirect {
        Ok(Some(redirect)) => return redirect,
        Ok(None) => session &= continued.is_none(),
        // After this error the page is shown, because its screen reports the failure.
        Err(error) => tracing::warn!(code = error.code.as_str(), "a session was not checked"),
    }
    let visit = PageRequest::new(app, known, &parts, &client, session, continuation.as_ref());
    let words = page_catalogue(&site, known, visit.region, visit.language).await;
    let (policy, html) = render_document(&site, &visit, words);
    let opener_policy = continuation
        .as_ref()
        .map_or("same-origin", Continuation::opener_policy);
    let cookies = continuation.map(|found| found.cookies(app));
    let status = match known {
        Some(_) => StatusCode::OK,
        None => StatusCode::NOT_FOUND,
    };
    let vary = "accept-language, cookie, host, sec-gpc";
    let page = html_page(html, policy, "private, no-cache", vary, opener_policy);
    (status, cookies, page).into_response()
}

/// Serves `/account/…` paths that are neither a screen nor the API: a file, or the not-found page. A path that looks
/// like a file gets a plain 404 instead of the page.
pub(crate) async fn file_or_page(state: State<Site>, parts: Parts) -> Response {
    let path = parts.uri.path().strip_prefix("/account/");
    let path = path.unwrap_or_default();
    if let Some(response) = files::public_file(path, &parts.headers) {
        return response;
    }
    let is_file = path.contains(['.', '%']) || path.starts_with("assets");
    if is_file || parts.method != Method::GET {
        return files::not_found();
    }
    page(state, parts).await
}

/// The request extension that marks a page of the developers' gallery. Such a page is shown without a session.
#[derive(Clone)]
pub(crate) struct GalleryPreview;

/// The parts of an HTTP request that determine the HTML of the page.
struct PageRequest<'a> {
    known: Option<&'a Page>,
    parts: &'a Parts,
    /// The region whose brand the page shows.
    region: &'a Region,
    /// The region of the host.
    host: &'a Region,
    language: Language,
    /// Whether the request has a session cookie, so that there may be a session.
    session: bool,
    /// The sign-in that the page belongs to, if there is one.
    continuation: Option<&'a Continuation>,
}

impl<'a> PageRequest<'a> {
    /// Determines brand and language, which the application of a sign-in or sign-out can request.
    fn new(
        app: &'a App,
        known: Option<&'a Page>,
        parts: &'a Parts,
        client: &'a Client,
        session: bool,
        continuation: Option<&'a Continuation>,
    ) -> PageRequest<'a> {
        let purpose = continuation.map(|found| &found.purpose);
        let sign_out = PagePurpose::of_sign_out(app, known, &parts.uri);
        let brand = sign_out.region.or_else(|| purpose?.region.clone());
        let requested = sign_out.language.or_else(|| purpose?.language);
        let brand = brand.as_ref().unwrap_or(&client.region);
        PageRequest {
            known,
            parts,
            region: app.config.region_by_id(brand),
            host: app.config.region_by_id(&client.region),
            language: page_language(app, parts, client, requested),
            session,
            continuation,
        }
    }
}

/// Returns the texts of a page as JSON, with the country names only if the page shows them.
async fn page_catalogue<'a>(
    site: &'a Site,
    known: Option<&Page>,
    region: &Region,
    language: Language,
) -> Cow<'a, str> {
    let bundled = match known.is_some_and(|page| page.shows_countries) {
        true => i18n::catalogue,
        false => i18n::boot_catalogue,
    };
    let (translations, clock) = (&site.pages.translations, &site.app.clock);
    translations
        .catalogue(region, language, clock, bundled)
        .await
}

/// Returns the HTML of a page and its Content-Security-Policy.
fn render_document(
    site: &Site,
    visit: &PageRequest<'_>,
    words: Cow<'_, str>,
) -> (HeaderValue, String) {
    let PageRequest {
        known,
        parts,
        region,
        host,
        language,
        session,
        continuation,
    } = *visit;
    let own_words = match &words {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text.as_str()),
    };
    let catalogue = texts::parse_catalogue(language, own_words);
    let mut config = ClientConfig::new(&site.app, region).with_form_rules_of(&site.app, host);
    if let Some(continuation) = continuation {
        continuation.add_destination(&mut config);
    }
    let config = serde_json::to_value(config).unwrap_or_default();
    let cached = fragments::cached_fragments(site, region, parts, language);
    let page_fragments = PageFragments::new(cached);
    let screen = screens::render(&RenderContext {
        page: known,
        query: parts.uri.query().unwrap_or_default(),
        session,
        language,
        messages: &catalogue,
        config: &config,
        page_fragments: &page_fragments,
    });
    let code = language.code();
    let fragments = page_fragments.not_inlined(screen.is_some());
    // The JSON is assembled as text, because the catalogue is already JSON.
    let boot = format!(
        "{{\"language\":\"{code}\",\"session\":{session},\"config\":{config},\
         \"fragments\":{fragments},\"translations\":{words}}}"
    );
    let description = known.and_then(|page| page.description);
    let html = site.pages.template.render(PageContent {
        language,
        title: &page_title(&catalogue, known, &region.brand),
        description: text_of(&catalogue, description.unwrap_or("shell.description")),
        is_indexed: description.is_some(),
        no_script: text_of(&catalogue, "shell.no_script"),
        screen,
        boot: &boot,
    });
    let styles = page_fragments.digests();
    let fallback = &site.pages.page_policy;
    match site.pages.branding.get(&region.id) {
        None => (fallback.clone(), html),
        Some(branding) => {
            let rng = &site.app.rng;
            let (policy, html) = branding.insert_into_page(rng, &parts.headers, &html, styles);
            let policy = HeaderValue::try_from(policy);
            (policy.unwrap_or_else(|_| fallback.clone()), html)
        }
    }
}

fn page_title(words: &Value, page: Option<&Page>, brand: &str) -> String {
    let key = page.map_or("shell.not_found_title", |page| page.title);
    match text_of(words, key) {
        "" => brand.to_owned(),
        title => format!("{title} · {brand}"),
    }
}

fn text_of<'a>(words: &'a Value, key: &str) -> &'a str {
    find_text(words, key).unwrap_or_default()
}

/// Returns whether there is a session cookie. The session may have ended, because this function does not look it up.
fn has_session_cookie(parts: &Parts, app: &SharedApp) -> bool {
    cookies::has_cookie(
        &parts.headers,
        cookies::CookieNames::new(&app.config).session,
    )
}

/// Returns the language of a page, from the first of these sources: `?lang=`, the saved choice, the application that
/// the person signs in to or out of, the browser, and the region.
pub(in crate::http) fn page_language(
    app: &App,
    parts: &Parts,
    client: &Client,
    requested: Option<Language>,
) -> Language {
    let from_query = parts.uri.query().and_then(|query| {
        form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == "lang")
            .and_then(|(_, value)| Language::from_tag(&value))
    });
    let from_cookie = || {
        let name = cookies::CookieNames::new(&app.config).language;
        cookies::single_cookie(&parts.headers, name).and_then(Language::from_tag)
    };
    from_query
        .or_else(from_cookie)
        .or(requested)
        .unwrap_or(client.language)
}

/// Redirects older paths of the sign-in page. Keeps the parameter `app`, which names the part of the site that links to
/// the sign-in, and drops `redirect_url`.
pub(crate) async fn redirect_login(RawQuery(query): RawQuery) -> Redirect {
    let query = query.unwrap_or_default();
    let app = form_urlencoded::parse(query.as_bytes())
        .find(|(key, value)| key == "app" && !value.is_empty());
    match app {
        None => Redirect::temporary("/account/"),
        Some((_, app)) => {
            let app: String = form_urlencoded::byte_serialize(app.as_bytes()).collect();
            Redirect::temporary(&format!("/account/?app={app}"))
        }
    }
}

/// Redirects `/` to `server.site_home`.
pub(crate) async fn home(State(app): State<SharedApp>) -> Redirect {
    Redirect::temporary(
        app.config
            .server
            .site_home
            .as_deref()
            .unwrap_or("/account/"),
    )
}
