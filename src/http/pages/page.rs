//! The page: the `index.html` of the front end with language, title, prerendered screen and boot data,
//! so that the first screen needs no second round trip and no script to be visible.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::extract::{RawQuery, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::files::Dist;
use super::fragments;
use super::page_fragments::PageFragments;
use super::screens::{self, RenderContext, Screen};
use super::texts::{self, escape, find};
use crate::app::{App, Shared};
use crate::auth::client::Client;
use crate::config::Region;
use crate::http::api::config::ClientConfig;
use crate::http::cookies;
use crate::http::extract::client;
use crate::http::site::Site;
use crate::i18n::Language;

/// The built `index.html`, with markers where content is inserted.
pub(crate) struct Template {
    html: String,
}

/// Used if the front end was not built, so that `cargo test` needs cargo alone.
const PLACEHOLDER: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\" />\
    <title>Account</title><meta name=\"description\" content=\"\" /><!--head--></head>\
    <body><noscript><!--no-script--></noscript>\
    <p>The front end is not built. Run <code>make build</code>.</p><!--boot--></body></html>";

/// The only inline script of the page.
///
/// It moves the token of a mailed link from the address bar to the entry of the session history, where
/// a reload finds it. It loads the screen's scripts once the prerendered screen is painted, or after a
/// second; if the second attempt to load them fails, it shows an error above the screen. It records
/// button presses and the submitted form until the screen is mounted; `forms/early.ts` of the front end
/// replays them. `web/src/early/` is its source. Empty if the front end was not built.
static EARLY: LazyLock<String> = LazyLock::new(|| {
    Dist::get("screens/early.js")
        .and_then(|file| String::from_utf8(file.data.into()).ok())
        .unwrap_or_default()
});

/// The source expression for that script: the digest of its text (CSP 3, section 2.3.1).
pub(crate) fn early_digest() -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(&*EARLY)))
}

/// A screen of specification 2.
pub struct Page {
    pub path: &'static str,
    /// The key of its title.
    title: &'static str,
    /// The key of the description for search engines. None excludes the page from them: its address
    /// carries a token, or it makes no sense as a first page.
    description: Option<&'static str>,
    /// Query parameters that select another variant of the screen, the strongest first.
    pub tokens: &'static [&'static str],
    /// Whether the screen checks for a session before it shows its form.
    pub asks_for_session: bool,
    /// Whether the screen has a list of countries.
    names_countries: bool,
}

impl Page {
    const fn found(path: &'static str, title: &'static str, description: &'static str) -> Page {
        Page {
            path,
            title,
            description: Some(description),
            tokens: &[],
            asks_for_session: false,
            names_countries: false,
        }
    }

    const fn hidden(
        path: &'static str,
        title: &'static str,
        tokens: &'static [&'static str],
    ) -> Page {
        Page {
            path,
            title,
            description: None,
            tokens,
            asks_for_session: false,
            names_countries: false,
        }
    }

    /// The name of its prerendered files.
    pub fn name(&self) -> &'static str {
        match self.path.strip_prefix("/account/") {
            None | Some("") => "sign-in",
            Some(name) => name,
        }
    }
}

pub const PAGES: [Page; 10] = [
    Page {
        asks_for_session: true,
        ..Page::found("/account/", "sign_in.title", "shell.description")
    },
    Page {
        names_countries: true,
        ..Page::found("/account/signup", "sign_up.title", "sign_up.lead")
    },
    Page::found(
        "/account/request-password",
        "password_reset.request_title",
        "password_reset.request_lead",
    ),
    Page::hidden(
        "/account/reset-password",
        "password_reset.title",
        &["token"],
    ),
    Page::hidden("/account/migration", "migration.title", &["token"]),
    Page {
        names_countries: true,
        ..Page::hidden(
            "/account/migration-confirmation",
            "completion.title",
            &["migration_token"],
        )
    },
    Page::hidden(
        "/account/verify-email",
        "email_verification.title",
        &["token"],
    ),
    Page::hidden("/account/settings", "settings.title", &[]),
    Page::hidden(
        "/account/change-email",
        "change_email.title",
        &["undo", "verificationToken"],
    ),
    Page::hidden("/account/unsubscribe", "unsubscribe.title", &["token"]),
];

/// The content for the template.
struct Content<'a> {
    language: Language,
    title: &'a str,
    description: &'a str,
    indexed: bool,
    /// The text for a browser without scripts.
    no_script: &'a str,
    screen: Option<Screen>,
    /// JSON for `web/src/boot.ts`.
    boot: &'a str,
}

impl Template {
    pub(crate) fn load() -> Template {
        let built =
            Dist::get("index.html").and_then(|file| String::from_utf8(file.data.into()).ok());
        Template {
            html: built.unwrap_or_else(|| PLACEHOLDER.to_owned()),
        }
    }

    fn render(&self, content: Content) -> String {
        let language = format!("lang=\"{}\"", content.language.code());
        let title = format!("<title>{}</title>", escape(content.title));
        let description = format!(
            "name=\"description\" content=\"{}\"",
            escape(content.description)
        );
        let robots = match content.indexed {
            true => "",
            false => "<meta name=\"robots\" content=\"noindex\" />",
        };
        let (files, body) = match content.screen {
            Some(Screen { head, body }) => (head, body),
            None => (String::new(), String::new()),
        };
        let head = format!("{robots}<script>{}</script>", *EARLY);
        // After the files of every page, which are needed first.
        let files = format!("{files}</head>");
        let root = format!("<div id=\"root\">{body}</div>");
        // JSON inside a script element: `<` is the only character that could end the element.
        let boot = content.boot.replace('<', "\\u003c");
        let boot = format!("<script type=\"application/json\" id=\"boot\">{boot}</script>");
        let markers = [
            ("lang=\"en\"", &language),
            ("<title>Account</title>", &title),
            ("name=\"description\" content=\"\"", &description),
            ("<!--head-->", &head),
            ("</head>", &files),
            ("<!--no-script-->", &escape(content.no_script)),
            ("<div id=\"root\"></div>", &root),
            ("<!--boot-->", &boot),
        ];
        replace_markers(&self.html, &markers)
    }
}

/// Replaces each marker once and in this order, so that inserted content is never taken for a marker.
fn replace_markers(html: &str, markers: &[(&str, &String)]) -> String {
    let mut filled = String::with_capacity(html.len() + 32 * 1024);
    let mut rest = html;
    for (marker, content) in markers {
        if let Some((before, after)) = rest.split_once(marker) {
            filled.push_str(before);
            filled.push_str(content);
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

/// Serves the page for a known screen, and the not-found screen for any other address. Files and API
/// paths never get here (`files.rs`, `router.rs`). A form that a browser without scripts posts gets the
/// page too; its body is not read.
pub(crate) async fn page(State(site): State<Site>, request: Request) -> Response {
    let app = &site.app;
    let (parts, _) = request.into_parts();
    let known = PAGES.iter().find(|page| page.path == parts.uri.path());
    let client = client::client(&parts, app);
    let region = app.config.region_by_id(&client.region);
    let language = language(app, &parts, &client);
    let session = has_session_cookie(&parts, app);
    let words = words(&site, known, region, language).await;
    let visit = Visit {
        known,
        parts: &parts,
        region,
        language,
        session,
    };
    let (policy, html) = document(&site, &visit, words);
    answer(known.is_some(), policy, html)
}

/// A request for a page.
struct Visit<'a> {
    known: Option<&'a Page>,
    parts: &'a Parts,
    region: &'a Region,
    language: Language,
    /// Whether the request has a session cookie.
    session: bool,
}

/// The texts of a page as JSON, with the country names only where they are shown.
async fn words<'a>(
    site: &'a Site,
    known: Option<&Page>,
    region: &Region,
    language: Language,
) -> Cow<'a, str> {
    let (translations, clock) = (&site.pages.translations, &site.app.clock);
    match known.is_some_and(|page| page.names_countries) {
        true => translations.catalogue(region, language, clock).await,
        false => translations.boot_catalogue(region, language, clock).await,
    }
}

/// The HTML of a page, and its Content-Security-Policy.
fn document(site: &Site, visit: &Visit<'_>, words: Cow<'_, str>) -> (HeaderValue, String) {
    let Visit {
        known,
        parts,
        region,
        language,
        session,
    } = *visit;
    let own_words = match &words {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text.as_str()),
    };
    let catalogue = texts::catalogue(language, own_words);
    let config = serde_json::to_value(ClientConfig::new(&site.app, region)).unwrap_or_default();
    let cached = fragments::cached(site, region, parts, language);
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
    // Assembled as text, because the catalogue is JSON already.
    let boot = format!(
        "{{\"language\":\"{code}\",\"session\":{session},\"config\":{config},\
         \"fragments\":{fragments},\"translations\":{words}}}"
    );
    let description = known.and_then(|page| page.description);
    let html = site.pages.page.render(Content {
        language,
        title: &title(&catalogue, known, &region.brand),
        description: text_of(&catalogue, description.unwrap_or("shell.description")),
        indexed: description.is_some(),
        no_script: text_of(&catalogue, "shell.no_script"),
        screen,
        boot: &boot,
    });
    let styles = page_fragments.digests();
    super::branding::apply_branding(site, region, &parts.headers, &html, styles)
}

fn answer(is_known: bool, policy: HeaderValue, html: String) -> Response {
    let status = match is_known {
        true => StatusCode::OK,
        false => StatusCode::NOT_FOUND,
    };
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "private, no-cache"),
        (VARY, "accept-language, cookie, host, sec-gpc"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    let policy = [(CONTENT_SECURITY_POLICY, policy)];
    (status, headers, policy, html).into_response()
}

fn title(words: &Value, page: Option<&Page>, brand: &str) -> String {
    let key = page.map_or("shell.not_found_title", |page| page.title);
    match text_of(words, key) {
        "" => brand.to_owned(),
        title => format!("{title} · {brand}"),
    }
}

fn text_of<'a>(words: &'a Value, key: &str) -> &'a str {
    find(words, key).unwrap_or_default()
}

/// Whether there is a session cookie. Only the API can tell whether the session is live.
fn has_session_cookie(parts: &Parts, app: &Shared) -> bool {
    cookies::has(
        &parts.headers,
        cookies::CookieNames::of(&app.config).session,
    )
}

/// The language by contract 5: `?lang=`, then the saved choice, then the browser's languages, then the
/// region's.
pub(super) fn language(app: &App, parts: &Parts, client: &Client) -> Language {
    let asked = parts.uri.query().and_then(|query| {
        form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == "lang")
            .and_then(|(_, value)| Language::from_code(&value))
    });
    let saved = || {
        let name = cookies::CookieNames::of(&app.config).language;
        cookies::single(&parts.headers, name).and_then(Language::from_code)
    };
    asked.or_else(saved).unwrap_or(client.language)
}

/// Redirects older addresses of the sign-in. Keeps `?app=`, the part of the site that links here; drops
/// `redirect_url`.
pub(crate) async fn sign_in(RawQuery(query): RawQuery) -> Redirect {
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

/// Redirects `/` of the origin to `server.site_home`.
pub(crate) async fn home(State(app): State<Shared>) -> Redirect {
    Redirect::temporary(
        app.config
            .server
            .site_home
            .as_deref()
            .unwrap_or("/account/"),
    )
}
