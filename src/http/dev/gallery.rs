//! The gallery, for developers: every screen in every state and every mail, by brand and language.
//!
//! A screen of the gallery is the real page with an additional script (`web/gallery`) before the scripts of the page.
//! The gallery script sets the URL of the screen, and responds to the API calls of the screen instead of the server.

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::DevPagesAllowed;
use crate::app::SharedApp;
use crate::config::Region;
use crate::error::ApiError;
use crate::http::pages::files::{self, EmbeddedFiles, not_found};
use crate::http::pages::{fragments, page, support};
use crate::http::site::Site;
use crate::i18n::Language;
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

#[derive(Serialize)]
pub(super) struct GalleryContents<'a> {
    regions: Vec<GalleryBrand<'a>>,
    languages: Vec<&'static str>,
    mails: Vec<&'static str>,
}

#[derive(Serialize)]
struct GalleryBrand<'a> {
    id: &'a str,
    brand: &'a str,
}

/// Returns the brands, languages and mails of the gallery. The gallery script itself lists the screens.
pub(super) async fn contents(State(app): State<SharedApp>, _: DevPagesAllowed) -> Response {
    let regions = app.config.regions.iter().map(|region| GalleryBrand {
        id: &region.id,
        brand: &region.brand,
    });
    Json(GalleryContents {
        regions: regions.collect(),
        languages: Language::ALL
            .iter()
            .map(|language| language.code())
            .collect(),
        mails: MailKind::ALL.iter().map(|kind| kind.as_str()).collect(),
    })
    .into_response()
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

    /// Returns the HTTP request for `uri` as a visitor of the chosen region would send it.
    fn screen_request(&self, app: &SharedApp, sent: &Request, uri: Uri) -> Request {
        let mut visit = Request::new(Body::empty());
        *visit.uri_mut() = uri;
        *visit.headers_mut() = sent.headers().clone();
        *visit.extensions_mut() = sent.extensions().clone();
        let host = self.region(app).hosts.first();
        if let Some(host) = host.and_then(|host| HeaderValue::from_str(host).ok()) {
            visit.headers_mut().insert(HOST, host);
        }
        visit
    }
}

pub(super) async fn screen(
    State(site): State<Site>,
    _: DevPagesAllowed,
    Query(selection): Query<GalleryQuery>,
    request: Request,
) -> Response {
    let path = selection.path.as_deref().unwrap_or("/account/");
    let mark = if path.contains('?') { '&' } else { '?' };
    let address = format!("{path}{mark}lang={}", selection.language().code());
    let Ok(uri) = address.parse::<Uri>() else {
        return not_found();
    };
    let mut visit = selection.screen_request(&site.app, &request, uri);
    visit.extensions_mut().insert(page::GalleryPreview);
    let shown = match visit.uri().path() {
        // The support view needs no session in the gallery, because the gallery script returns the data of the view.
        "/account/support" => support::render_document(&site, &visit.into_parts().0),
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
    request: Request,
) -> Result<Response, ApiError> {
    let visit = selection.screen_request(&site.app, &request, request.uri().clone());
    match part.as_str() {
        "header" => fragments::header(State(site), visit).await,
        "footer" => fragments::footer(State(site), visit).await,
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
