//! All routes. The routes of the API also build the OpenAPI document.

use axum::Router;
use axum::http::Uri;
use axum::response::Redirect;
use axum::routing::{any, get, post};
use tower::layer::layer_fn;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::http::api::{
    age_refusals, config, devices, email_change, email_verification, migration,
    migration_completion, password_change, password_reset, session, sign_in, sign_up, translations,
    unsubscribe,
};
use crate::http::pages::{dev_mail, files, fragments, gallery, page, placeholders, ready};
use crate::http::site::Site;
use crate::http::{error, openapi};

mod edge;

use edge::EdgeService;

const API: &str = "/account/account-api";

/// The routes of contract 2, below [`API`].
fn calls() -> [UtoipaMethodRouter<Site>; 25] {
    [
        routes!(session::me),
        routes!(sign_in::login),
        routes!(session::logout),
        routes!(sign_up::register),
        routes!(age_refusals::age_refusals, age_refusals::count_age_refusal),
        routes!(email_verification::confirm_email),
        routes!(email_verification::confirm_device),
        routes!(email_verification::resend_verification),
        routes!(password_reset::request),
        routes!(password_reset::confirm),
        routes!(migration::request),
        routes!(migration::confirm),
        routes!(migration_completion::complete),
        routes!(unsubscribe::unsubscribe),
        routes!(password_change::change),
        routes!(email_change::request),
        routes!(email_change::confirm),
        routes!(email_change::undo),
        routes!(devices::list),
        routes!(devices::sign_out),
        routes!(devices::sign_out_all),
        routes!(config::config),
        routes!(translations::translations),
        routes!(fragments::header),
        routes!(fragments::footer),
    ]
}

/// The routes with their OpenAPI documents.
pub fn api() -> OpenApiRouter<Site> {
    let base = OpenApiRouter::with_openapi(openapi::base());
    calls().into_iter().fold(base, OpenApiRouter::routes)
}

pub fn build(site: Site) -> Router {
    // Not nested: axum would rewrite the URI of each request.
    let mut api = Router::new();
    for (_, document, call) in calls() {
        for path in document.paths.keys() {
            let call = match path.as_str() {
                "/translations/{language}" => call.clone().layer(compressed()),
                _ => call.clone(),
            };
            api = api.route(&format!("{API}{path}"), call);
            api = api.route(&format!("{API}{path}/"), any(without_slash));
        }
    }
    // Routes instead of a fallback, because `/account/{*path}` of the pages would match before it.
    for path in ["", "/", "/{*path}"] {
        api = api.route(&format!("{API}{path}"), any(error::not_found));
    }
    let api = api.method_not_allowed_fallback(error::method_not_allowed);
    let mut pages = Router::new();
    for page in &page::PAGES {
        pages = pages.route(page.path, get(page::page));
        if page.path != "/account/" {
            pages = pages.route(&format!("{}/", page.path), any(without_slash));
        }
        // A form that is submitted before scripts run, or without them, is posted here and gets the
        // page again.
        if page.path != "/account/unsubscribe" {
            pages = pages.route(page.path, post(page::page));
        }
    }
    let pages = pages
        .route(
            "/account",
            get(|| async { Redirect::permanent("/account/") }),
        )
        .route("/login", get(page::sign_in))
        .route("/account/login", get(page::sign_in))
        .route(
            "/account/migrate-account/step-1",
            get(|| async { Redirect::temporary("/account/migration") }),
        )
        .route(
            "/.well-known/change-password",
            get(|| async { Redirect::temporary("/account/settings") }),
        )
        .route("/login/", any(without_slash))
        .route("/account/login/", any(without_slash))
        .route("/account/migrate-account/step-1/", any(without_slash))
        .route("/account/unsubscribe", post(unsubscribe::one_click))
        .route("/", get(page::home))
        .route("/account/{*path}", get(files::file_or_page))
        .layer(compressed());
    let routes = Router::new()
        .merge(api)
        .merge(pages)
        .merge(gallery())
        .route("/account/dev/mail", get(dev_mail::viewer))
        .route("/account/dev/mail/messages", get(dev_mail::messages))
        .route("/healthz", get(ready::healthz))
        .route("/readyz", get(ready::readyz))
        .fallback(placeholders::page_or_nothing);
    complete(routes, site)
}

/// Redirects to the same route without the trailing slash. The target begins with the route's own first
/// segment, so it never leads to another origin.
async fn without_slash(uri: Uri) -> Redirect {
    let path = uri.path().trim_end_matches('/');
    match uri.query() {
        Some(query) => Redirect::permanent(&format!("{path}?{query}")),
        None => Redirect::permanent(path),
    }
}

/// Compression of long responses that contain no secret. gzip only: the dictionary and tables of brotli
/// add a megabyte to the program for a tenth of a page's bytes. Files come with the brotli form that
/// their build made.
fn compressed() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().compress_when(SizeAbove::new(1024))
}

/// Adds the service around all routes.
pub fn complete(routes: Router<Site>, site: Site) -> Router {
    let around = site.clone();
    let router = routes.layer(layer_fn(move |route| EdgeService {
        site: around.clone(),
        route,
    }));
    #[cfg(feature = "otlp")]
    let router = router.layer(axum::middleware::from_fn(
        crate::http::middleware::traces::layer,
    ));
    router.with_state(site)
}

/// Pages for developers; each answers 404 if there is no gallery.
fn gallery() -> Router<Site> {
    Router::new()
        .route("/account/dev/gallery", get(gallery::index))
        .route("/account/dev/gallery/contents", get(gallery::contents))
        .route("/account/dev/gallery/screen", get(gallery::screen))
        .route("/account/dev/gallery/part/{part}", get(gallery::part))
        .route("/account/dev/gallery/mail/{kind}", get(gallery::mail))
        .route("/account/dev/gallery/{file}", get(gallery::script_or_style))
}
