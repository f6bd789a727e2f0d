//! The page: the built front end's `index.html` with language, title and boot data put in, so that
//! the first screen needs no second trip.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, COOKIE, VARY};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

use super::files::Dist;
use super::texts::{escape, text};
use crate::api::caller::Caller;
use crate::api::config::ClientConfig;
use crate::api::cookies;
use crate::app::{App, Shared};
use crate::words::Language;

/// `index.html` around the places that change.
pub struct Template {
    html: String,
}

const BOOT: &str = "<!--boot-->";

/// Stands in where the front end was not built, so that `cargo test` works with cargo alone.
const PLACEHOLDER: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\" />\
    <title>Account</title><meta name=\"description\" content=\"\" /><!--boot--></head>\
    <body><p>The front end is not built. Run <code>make build</code>.</p></body></html>";

/// The pages of specification 2, each with the key of its title; and whether its address carries a
/// token, which keeps it out of search engines.
pub const PAGES: [(&str, &str, bool); 10] = [
    ("/account/", "sign_in.title", false),
    ("/account/signup", "sign_up.title", false),
    (
        "/account/request-password",
        "password_reset.request_title",
        false,
    ),
    ("/account/reset-password", "password_reset.title", true),
    ("/account/migration", "migration.title", true),
    ("/account/migration-confirmation", "completion.title", true),
    ("/account/verify-email", "email_verification.title", true),
    ("/account/settings", "settings.title", true),
    ("/account/change-email", "change_email.title", true),
    ("/account/unsubscribe", "unsubscribe.title", true),
];

impl Template {
    pub fn load() -> Template {
        let built =
            Dist::get("index.html").and_then(|file| String::from_utf8(file.data.into()).ok());
        Template {
            html: built.unwrap_or_else(|| PLACEHOLDER.to_owned()),
        }
    }

    fn render(&self, language: Language, title: &str, indexed: bool, boot: &str) -> String {
        // JSON inside a script element: `<` is the one character that could end it.
        let boot = boot.replace('<', "\\u003c");
        let robots = if indexed {
            ""
        } else {
            "<meta name=\"robots\" content=\"noindex\" />"
        };
        let boot = format!("{robots}<script type=\"application/json\" id=\"boot\">{boot}</script>");
        let description = escape(text(language, "shell.description"));
        self.html
            .replacen("lang=\"en\"", &format!("lang=\"{}\"", language.code()), 1)
            .replacen(
                "<title>Account</title>",
                &format!("<title>{}</title>", escape(title)),
                1,
            )
            .replacen(
                "name=\"description\" content=\"\"",
                &format!("name=\"description\" content=\"{description}\""),
                1,
            )
            .replacen(BOOT, &boot, 1)
    }
}

/// Serves the page for a known screen, and the not-found screen for anything else that a person
/// could have typed. Files and API paths never get here (`files.rs`, `router.rs`).
pub async fn page(State(app): State<Shared>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    let known = PAGES.iter().find(|(path, _, _)| *path == parts.uri.path());
    let Ok(caller) = Caller::from_request_parts(&mut parts, &app).await;
    let region = app.config.region_by_id(&caller.region);
    let language = language(&app, &parts, &caller);
    let (status, title, indexed) = match known {
        Some((_, key, has_token)) => (StatusCode::OK, text(language, key), !has_token),
        None => (
            StatusCode::NOT_FOUND,
            text(language, "shell.not_found_title"),
            false,
        ),
    };
    let title = match title {
        "" => region.brand.clone(),
        title => format!("{title} · {}", region.brand),
    };
    // Put together as text: the catalogue is JSON already.
    let words = app
        .shell
        .translations
        .boot_catalogue(region, language, &app.clock)
        .await;
    let config = serde_json::to_string(&ClientConfig::new(&app, region)).unwrap_or_default();
    let code = language.code();
    let boot = format!("{{\"language\":\"{code}\",\"config\":{config},\"translations\":{words}}}");
    let html = app.shell.page.render(language, &title, indexed, &boot);
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "private, no-cache"),
        (VARY, "accept-language, cookie, host"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    (status, headers, html).into_response()
}

/// Contract 5: `?lang=`, then the saved choice, then the browser's languages, then the region's.
fn language(app: &App, parts: &Parts, caller: &Caller) -> Language {
    let asked = parts.uri.query().and_then(|query| {
        url::form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == "lang")
            .and_then(|(_, value)| Language::from_code(&value))
    });
    let saved = || {
        let jar = parts
            .headers
            .contains_key(COOKIE)
            .then(|| cookies::read(&parts.headers))?;
        cookies::single(&jar, cookies::Names::of(&app.config).language)
            .and_then(Language::from_code)
    };
    asked.or_else(saved).unwrap_or(caller.language)
}

/// `/` of the origin: where the operator says.
pub async fn home(State(app): State<Shared>) -> axum::response::Redirect {
    axum::response::Redirect::temporary(
        app.config
            .server
            .site_home
            .as_deref()
            .unwrap_or("/account/"),
    )
}
