//! The gallery, for developers: every screen in every state and every mail, by brand and language.
//!
//! A screen of the gallery is the real page with an additional script (`web/gallery`) before the scripts of the page.
//! The gallery script sets the URL of the screen, and responds to the API calls of the screen instead of the server.

use axum::body::{Body, to_bytes};
use axum::extract::{Path, Query};
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST};
use serde::Deserialize;
use serde_json::{Value, json};

use super::DevPagesAllowed;
use crate::http::pages::files::{self, EmbeddedFiles, not_found};
use crate::http::pages::{fragments, page, support};
use crate::http::prelude::*;
use crate::http::site::Site;
use crate::mail::{self, MailKind};

const SCRIPT_TAG: &str =
    "<script type=\"module\" src=\"/account/dev/gallery/fake-server.js\"></script>";
const INDEX_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// The Content-Security-Policy of a mail, which has inline styles. The sandbox disables the links of the mail.
const MAIL_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'; sandbox";
/// The maximum size of a page that the gallery changes. A page has about 30 KiB.
const MAX_PAGE_BYTES: usize = 1 << 20;

pub(super) async fn index(_: DevPagesAllowed) -> Response {
    let policy = (CONTENT_SECURITY_POLICY, INDEX_POLICY);
    let Some(file) = EmbeddedFiles::get("dev/gallery/index.html") else {
        return not_found();
    };
    let kind = (CONTENT_TYPE, "text/html; charset=utf-8");
    ([kind, policy, (CACHE_CONTROL, "no-store")], file.data).into_response()
}

pub(super) async fn script_or_style(
    _: DevPagesAllowed,
    Path(name): Path<String>,
    sent: HeaderMap,
) -> Response {
    let file = files::dev_file(&format!("dev/gallery/{name}"), &sent);
    let Some(mut response) = file else {
        return not_found();
    };
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(CACHE_CONTROL, no_store);
    response
}

/// Returns the brands, languages and mails of the gallery. The gallery script itself lists the screens.
pub(super) async fn contents(State(app): State<SharedApp>, _: DevPagesAllowed) -> Json<Value> {
    let brand = |region: &Region| json!({"id": region.id, "brand": region.brand});
    Json(json!({
        "regions": app.config.regions.iter().map(brand).collect::<Vec<_>>(),
        "languages": Language::ALL.map(Language::code),
        "mails": MailKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
    }))
}

#[derive(Deserialize)]
pub(super) struct GalleryQuery {
    region: Option<String>,
    lang: Option<String>,
    /// The URL of a screen below `/account`, as in a visitor's address bar.
    path: Option<String>,
}

impl GalleryQuery {
    fn region<'a>(&self, app: &'a SharedApp) -> &'a Region {
        app.config
            .region_by_id(self.region.as_deref().unwrap_or_default())
    }

    fn language(&self) -> Language {
        let code = self.lang.as_deref().unwrap_or_default();
        Language::from_code(code).unwrap_or(Language::En)
    }

    /// Changes the head of the HTTP request to that of a visitor of the chosen region.
    fn visit(&self, app: &SharedApp, mut parts: Parts) -> Parts {
        parts.method = Method::GET;
        let host = self.region(app).hosts.first();
        if let Some(host) = host.and_then(|host| HeaderValue::from_str(host).ok()) {
            parts.headers.insert(HOST, host);
        }
        parts
    }
}

pub(super) async fn screen(
    State(site): State<Site>,
    _: DevPagesAllowed,
    Query(selection): Query<GalleryQuery>,
    parts: Parts,
) -> Response {
    let path = selection.path.as_deref().unwrap_or("/account/");
    let mark = if path.contains('?') { '&' } else { '?' };
    let address = format!("{path}{mark}lang={}", selection.language().code());
    let Ok(uri) = address.parse::<Uri>() else {
        return not_found();
    };
    let mut visit = selection.visit(&site.app, parts);
    visit.uri = uri;
    visit.extensions.insert(page::GalleryPreview);
    let shown = match visit.uri.path() {
        // The support view needs no session in the gallery, because the gallery script returns the data of the view.
        "/account/support" => support::render_document(&site, &visit),
        _ => page::page(State(site.clone()), visit).await,
    };
    let (mut parts, body) = shown.into_parts();
    let html = to_bytes(body, MAX_PAGE_BYTES).await.unwrap_or_default();
    let html = String::from_utf8_lossy(&html).replacen("<head>", &format!("<head>{SCRIPT_TAG}"), 1);

    allow_framing(&site, &mut parts.headers);
    let never = HeaderValue::from_static("no-store");
    parts.headers.insert(CACHE_CONTROL, never);
    Response::from_parts(parts, Body::from(html))
}

fn allow_framing(site: &Site, headers: &mut HeaderMap) {
    let policy = headers.get(CONTENT_SECURITY_POLICY);
    let policy = policy.unwrap_or(&site.pages.page_policy).to_str();
    let policy = policy
        .unwrap_or(INDEX_POLICY)
        .replace("frame-ancestors 'none'", "frame-ancestors 'self'");
    if let Ok(framed) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, framed);
    }
}

/// Returns the header or the footer for visitors of the chosen region.
pub(super) async fn fragment(
    State(site): State<Site>,
    _: DevPagesAllowed,
    Path(part): Path<String>,
    Query(selection): Query<GalleryQuery>,
    parts: Parts,
) -> ApiResult<Response> {
    let visit = selection.visit(&site.app, parts);
    match part.as_str() {
        "header" => fragments::ui_header(State(site), visit).await,
        "footer" => fragments::ui_footer(State(site), visit).await,
        _ => Ok(not_found()),
    }
}

#[derive(Deserialize)]
pub(super) struct MailPartQuery {
    #[serde(default)]
    text: bool,
}

/// Returns the HTML part of a sample mail, or with `text=true` the text part.
pub(super) async fn mail(
    State(app): State<SharedApp>,
    _: DevPagesAllowed,
    Path(kind): Path<String>,
    Query(selection): Query<GalleryQuery>,
    Query(part): Query<MailPartQuery>,
) -> Response {
    let Some(kind) = MailKind::from_name(&kind) else {
        return not_found();
    };
    let mail = mail::sample(&app, selection.region(&app), kind, selection.language());
    let (kind, body) = if part.text {
        let text = format!("{}\n\n{}", mail.subject, mail.text);
        ("text/plain; charset=utf-8", text)
    } else {
        ("text/html; charset=utf-8", mail.html)
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, MAIL_POLICY),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, body).into_response()
}
