//! The routes of all pages and of the API. The OpenAPI document is made from the routes of the API.

use std::collections::HashSet;

use axum::Router;
use axum::http::Uri;
use axum::response::Redirect;
use axum::routing::{any, get, post};
use tower::layer::layer_fn;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::error::ErrorCode;
use crate::http::api::{
    activity, age_refusals, config, connected_apps, data_export, deletion, devices, email_change,
    email_verification, forward_auth, link_address, marketing_consent, migration,
    migration_completion, passkeys, password_change, password_reset, profile, reauthentication,
    second_factor, security_state, session, sign_in, sign_up, support, support_actions,
    translations, undo, unsubscribe,
};
use crate::http::operation::{operation, operations};
use crate::http::pages::{fragments, page, placeholders, ready, support as support_page, table};
use crate::http::site::Site;
use crate::http::{dev, error, oidc, openapi, well_known};

mod edge;

use edge::EdgeService;

const API_PATH: &str = "/account/account-api";

/// A route of the API, and the error codes of its flow. `openapi::declare_errors` adds the error codes that the method,
/// the body and the session make possible. A test fails if a response has an undeclared error code.
struct ApiRoute {
    routes: UtoipaMethodRouter<Site>,
    errors: &'static [ErrorCode],
}

/// Returns all routes below [`API_PATH`].
fn routes() -> impl Iterator<Item = ApiRoute> {
    let first = sign_in_routes().into_iter().chain(link_routes());
    first
        .chain(settings_routes())
        .chain(support_routes())
        .chain(shell_routes())
}

/// Makes the `ApiRoute` of a handler. `$errors` is the constant with the error codes in the handler's module.
macro_rules! route {
    ($module:ident::$handler:ident) => {
        ApiRoute {
            routes: operations!($module::$handler),
            errors: &[],
        }
    };
    ($module:ident::$handler:ident, $errors:ident) => {
        ApiRoute {
            routes: operations!($module::$handler),
            errors: $module::$errors,
        }
    };
}

fn sign_in_routes() -> Vec<ApiRoute> {
    vec![
        route!(session::current_user),
        route!(sign_in::login, LOGIN_ERRORS),
        route!(sign_in::second_factor, SECOND_FACTOR_ERRORS),
        route!(sign_in::device_approval, APPROVAL_ERRORS),
        route!(second_factor::request_reset, REQUEST_RESET_ERRORS),
        route!(session::logout),
        route!(forward_auth::forward_auth, FORWARD_AUTH_ERRORS),
        route!(sign_up::register, REGISTER_ERRORS),
        ApiRoute {
            routes: operations!(age_refusals::age_refusals, age_refusals::count_age_refusal),
            errors: age_refusals::ERRORS,
        },
        route!(reauthentication::reauthenticate, REAUTHENTICATE_ERRORS),
        route!(reauthentication::passkey_options, PASSKEY_OPTIONS_ERRORS),
    ]
}

/// Returns the routes that request and use mailed links.
fn link_routes() -> Vec<ApiRoute> {
    vec![
        route!(email_verification::confirm_email, CONFIRM_EMAIL_ERRORS),
        route!(email_verification::confirm_device, CONFIRM_DEVICE_ERRORS),
        route!(
            email_verification::resend_verification,
            RESEND_VERIFICATION_ERRORS
        ),
        route!(password_reset::request_reset, REQUEST_ERRORS),
        route!(password_reset::confirm_reset, CONFIRM_ERRORS),
        route!(link_address::link_address, ERRORS),
        route!(migration::request_link, REQUEST_ERRORS),
        route!(migration::confirm_migration, CONFIRM_ERRORS),
        route!(migration_completion::complete_migration, COMPLETE_ERRORS),
        route!(unsubscribe::unsubscribe, ERRORS),
        route!(undo::undo_credential, UNDO_ERRORS),
        route!(undo::undo_details, UNDO_ERRORS),
        route!(undo::cancel_deletion, UNDO_ERRORS),
        route!(second_factor::confirm_reset, CONFIRM_RESET_ERRORS),
    ]
}

fn settings_routes() -> Vec<ApiRoute> {
    vec![
        route!(password_change::change_password, CHANGE_ERRORS),
        route!(email_change::request_email_change, REQUEST_ERRORS),
        route!(email_change::cancel_email_change),
        route!(email_change::confirm_email_change, CONFIRM_ERRORS),
        route!(undo::undo_email_change, UNDO_ERRORS),
        route!(devices::list_devices),
        route!(devices::sign_out_device, SIGN_OUT_ERRORS),
        route!(devices::sign_out_everywhere),
        route!(passkeys::sign_in_options, SIGN_IN_OPTIONS_ERRORS),
        route!(passkeys::sign_in, SIGN_IN_ERRORS),
        route!(passkeys::list_passkeys, LIST_ERRORS),
        route!(passkeys::add_passkey, ADD_ERRORS),
        route!(passkeys::creation_options, OPTIONS_ERRORS),
        route!(passkeys::rename_passkey, RENAME_ERRORS),
        route!(passkeys::remove_passkey, REMOVE_ERRORS),
        route!(second_factor::begin_setup, BEGIN_ERRORS),
        route!(second_factor::confirm_setup, CONFIRM_ERRORS),
        route!(second_factor::disable_second_factor, DISABLE_ERRORS),
        route!(second_factor::regenerate_codes, REGENERATE_ERRORS),
        route!(second_factor::confirm_codes, CONFIRM_CODES_ERRORS),
        route!(security_state::security),
        route!(marketing_consent::store_consent, CHOOSE_ERRORS),
        route!(profile::profile, ERRORS),
        route!(data_export::export_account, EXPORT_ERRORS),
        route!(deletion::request_deletion, DELETE_ERRORS),
        route!(connected_apps::list_apps),
        route!(connected_apps::sign_out_app, SIGN_OUT_ERRORS),
        route!(activity::list_activity, LIST_ERRORS),
        route!(activity::disown_sign_in, DISOWN_ERRORS),
    ]
}

fn support_routes() -> Vec<ApiRoute> {
    vec![
        route!(support::current_agent, ME_ERRORS),
        route!(support::find_account, FIND_ERRORS),
        route!(support::list_activity, LIST_ERRORS),
        route!(support::list_mails, MAILS_ERRORS),
        route!(support::list_audit, LIST_ERRORS),
        route!(support_actions::resend_link, RESEND_ERRORS),
        route!(support_actions::sign_out_account, ACTION_ERRORS),
        route!(support_actions::cancel_deletion, ACTION_ERRORS),
        route!(support_actions::disable_account, ACTION_ERRORS),
        route!(support_actions::enable_account, ACTION_ERRORS),
    ]
}

/// Returns the routes that every screen calls: configuration, texts, header and footer.
fn shell_routes() -> Vec<ApiRoute> {
    vec![
        route!(config::config),
        route!(translations::translations, ERRORS),
        route!(fragments::header, ERRORS),
        route!(fragments::footer, ERRORS),
    ]
}

/// Returns the OpenAPI document of the API.
pub fn openapi_document() -> OpenApi {
    let (_, document) = api().split_for_parts();
    openapi::with_session_cookie(document)
}

/// Returns the routes of the API with their OpenAPI documents.
fn api() -> OpenApiRouter<Site> {
    let base = OpenApiRouter::with_openapi(openapi::base_document());
    routes().fold(base, |mut router, call| {
        let (schemas, mut paths, routes) = call.routes;
        openapi::declare_errors(router.get_openapi_mut(), &mut paths, call.errors);
        router.routes((schemas, paths, routes))
    })
}

/// Returns the routes of the API. The routes are not nested, because axum would rewrite the URI of each HTTP request.
fn api_routes() -> Router<Site> {
    let mut api = Router::new();
    let mut paths = HashSet::new();
    for ApiRoute { routes, .. } in routes() {
        let (_, document, call) = routes;
        for path in document.paths.keys() {
            let is_of_support = path.starts_with("/support/");
            let call = match path.as_str() {
                "/translations/{language}" => call.clone().layer(compression_layer()),
                // A wrong method or a trailing slash in a support route gets 404, because 405 or a redirect would
                // reveal that the route exists.
                _ if is_of_support => any(operation!(error::not_found)).merge(call.clone()),
                _ => call.clone(),
            };
            api = api.route(&format!("{API_PATH}{path}"), call);
            if !is_of_support {
                paths.insert(path.clone());
            }
        }
    }
    for path in paths {
        api = api.route(
            &format!("{API_PATH}{path}/"),
            any(operation!(redirect_without_slash)),
        );
    }
    // Unknown API paths have routes instead of a fallback, because `/account/{*path}` of the pages would match first.
    for path in ["", "/", "/{*path}"] {
        api = api.route(
            &format!("{API_PATH}{path}"),
            any(operation!(error::not_found)),
        );
    }
    api.method_not_allowed_fallback(error::method_not_allowed)
}

/// Paths that are neither pages nor API routes. A request for such a path with a trailing slash is redirected to the
/// path without the slash.
#[rustfmt::skip] // Several paths stand in one line.
const SLASHED_PATHS: [&str; 16] = [
    "/login", "/account/login", "/account/migrate-account/step-1", "/account/dev/mail", "/account/dev/mail/messages",
    "/account/oidc/authorize", "/account/oidc/token", "/account/oidc/userinfo", "/account/oidc/revoke",
    "/account/oidc/logout", "/account/oidc/jwks", "/.well-known/change-password", "/.well-known/webauthn",
    "/.well-known/passkey-endpoints", "/healthz", "/readyz",
];

pub fn build(site: Site) -> Router {
    let mut pages = Router::new();
    for page in &table::PAGES {
        pages = pages.route(page.path, get(operation!(page::page)));
        if page.path != "/account/" {
            pages = pages.route(
                &format!("{}/", page.path),
                any(operation!(redirect_without_slash)),
            );
        }
        // A form that is submitted before the scripts run, or in a browser without scripts, is posted to the page and
        // gets the page again.
        if page.path != "/account/unsubscribe" {
            pages = pages.route(page.path, post(operation!(page::page)));
        }
    }
    let pages = pages
        .route(
            "/account",
            get(|| async { Redirect::permanent("/account/") }),
        )
        .route("/login", get(operation!(page::redirect_login)))
        .route("/account/login", get(operation!(page::redirect_login)))
        .route(
            "/account/migrate-account/step-1",
            get(|| async { Redirect::temporary("/account/migration") }),
        )
        .route(
            "/account/unsubscribe",
            post(operation!(unsubscribe::unsubscribe_by_one_click)),
        )
        .route("/", get(operation!(page::home)))
        .route("/account/support", get(operation!(support_page::page)))
        .route(
            "/account/support/{*path}",
            get(operation!(support_page::file)),
        )
        .route("/account/{*path}", get(operation!(page::file_or_page)))
        .layer(compression_layer());
    let slashed = SLASHED_PATHS.iter().fold(Router::new(), |router, path| {
        router.route(&format!("{path}/"), any(operation!(redirect_without_slash)))
    });
    let routes = Router::new()
        .merge(slashed)
        .merge(api_routes())
        .merge(pages)
        .merge(well_known::router())
        .merge(oidc::router(&site))
        .merge(dev::router())
        .route("/healthz", get(operation!(ready::healthz)))
        .route("/readyz", get(operation!(ready::readyz)))
        .fallback(placeholders::page_or_not_found);
    add_middleware(routes, site)
}

/// Redirects to the same route without the trailing slash. The target begins with the first segment of the route, so
/// the redirect never leads to another origin.
async fn redirect_without_slash(uri: Uri) -> Redirect {
    let path = uri.path().trim_end_matches('/');
    match uri.query() {
        Some(query) => Redirect::permanent(&format!("{path}?{query}")),
        None => Redirect::permanent(path),
    }
}

/// Returns the layer that compresses long responses that contain no secret. Only gzip is used, because brotli would add
/// a megabyte to the program and save only a tenth of a page's bytes. Files are embedded with the brotli variant that
/// the web build made.
fn compression_layer() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().compress_when(SizeAbove::new(1024))
}

/// Wraps all routes in an `EdgeService`.
pub fn add_middleware(routes: Router<Site>, site: Site) -> Router {
    let edge_site = site.clone();
    let router = routes.layer(layer_fn(move |route| EdgeService {
        site: edge_site.clone(),
        route,
    }));
    #[cfg(feature = "otlp")]
    let router = router.layer(axum::middleware::from_fn(
        crate::http::middleware::traces::record_span,
    ));
    router.with_state(site)
}
