//! All routes. The routes of the API also build the OpenAPI document.

use std::collections::HashSet;

use axum::Router;
use axum::http::Uri;
use axum::response::Redirect;
use axum::routing::{any, get, post};
use tower::layer::layer_fn;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use crate::error::ErrorCode;
use crate::http::api::{
    activity, age_refusals, config, connected_apps, credential_undo, data_export, deletion,
    devices, email_change, email_verification, forward_auth, link_address, marketing_consent,
    migration, migration_completion, passkeys, password_change, password_reset, reauthentication,
    second_factor, security_state, session, sign_in, sign_up, support, support_actions,
    translations, unsubscribe,
};
use crate::http::operation::{operation, operations};
use crate::http::pages::{files, fragments, page, placeholders, ready, support as support_page};
use crate::http::site::Site;
use crate::http::{dev, error, oidc, openapi, well_known};

mod edge;

use edge::EdgeService;

const API: &str = "/account/account-api";

/// A route of the API, and the error codes of its flow. `openapi::declare_errors` adds those of method, body and
/// session; a test fails for a response with another code.
struct ApiRoute {
    routes: UtoipaMethodRouter<Site>,
    errors: &'static [ErrorCode],
}

/// All routes below [`API`].
fn routes() -> impl Iterator<Item = ApiRoute> {
    let first = sign_in_routes().into_iter().chain(link_routes());
    first
        .chain(settings_routes())
        .chain(support_routes())
        .chain(shell_routes())
}

fn route(routes: UtoipaMethodRouter<Site>, errors: &'static [ErrorCode]) -> ApiRoute {
    ApiRoute { routes, errors }
}

/// Sign-in, registration and the session.
fn sign_in_routes() -> Vec<ApiRoute> {
    vec![
        route(operations!(session::me), &[]),
        route(operations!(sign_in::login), sign_in::LOGIN_ERRORS),
        route(
            operations!(sign_in::second_factor),
            sign_in::SECOND_FACTOR_ERRORS,
        ),
        route(
            operations!(second_factor::request_reset),
            second_factor::REQUEST_RESET_ERRORS,
        ),
        route(operations!(session::logout), &[]),
        route(
            operations!(forward_auth::forward_auth),
            forward_auth::FORWARD_AUTH_ERRORS,
        ),
        route(operations!(sign_up::register), sign_up::REGISTER_ERRORS),
        route(
            operations!(age_refusals::age_refusals, age_refusals::count_age_refusal),
            age_refusals::ERRORS,
        ),
        route(
            operations!(reauthentication::reauthenticate),
            reauthentication::REAUTHENTICATE_ERRORS,
        ),
        route(
            operations!(reauthentication::passkey_options),
            reauthentication::PASSKEY_OPTIONS_ERRORS,
        ),
    ]
}

/// Requests for mailed links, and their use.
fn link_routes() -> Vec<ApiRoute> {
    vec![
        route(
            operations!(email_verification::confirm_email),
            email_verification::CONFIRM_EMAIL_ERRORS,
        ),
        route(
            operations!(email_verification::confirm_device),
            email_verification::CONFIRM_DEVICE_ERRORS,
        ),
        route(
            operations!(email_verification::resend_verification),
            email_verification::RESEND_VERIFICATION_ERRORS,
        ),
        route(
            operations!(password_reset::request),
            password_reset::REQUEST_ERRORS,
        ),
        route(
            operations!(password_reset::confirm),
            password_reset::CONFIRM_ERRORS,
        ),
        route(
            operations!(link_address::link_address),
            link_address::ERRORS,
        ),
        route(operations!(migration::request), migration::REQUEST_ERRORS),
        route(operations!(migration::confirm), migration::CONFIRM_ERRORS),
        route(
            operations!(migration_completion::complete),
            migration_completion::COMPLETE_ERRORS,
        ),
        route(operations!(unsubscribe::unsubscribe), unsubscribe::ERRORS),
        route(
            operations!(credential_undo::undo),
            credential_undo::UNDO_ERRORS,
        ),
        route(operations!(deletion::restore), deletion::RESTORE_ERRORS),
        route(
            operations!(second_factor::confirm_reset),
            second_factor::CONFIRM_RESET_ERRORS,
        ),
    ]
}

/// The settings of the account.
fn settings_routes() -> Vec<ApiRoute> {
    vec![
        route(
            operations!(password_change::change),
            password_change::CHANGE_ERRORS,
        ),
        route(
            operations!(email_change::request),
            email_change::REQUEST_ERRORS,
        ),
        route(
            operations!(email_change::confirm),
            email_change::CONFIRM_ERRORS,
        ),
        route(operations!(email_change::undo), email_change::UNDO_ERRORS),
        route(operations!(devices::list), &[]),
        route(operations!(devices::sign_out), devices::SIGN_OUT_ERRORS),
        route(operations!(devices::sign_out_all), &[]),
        route(
            operations!(passkeys::sign_in_options),
            passkeys::SIGN_IN_OPTIONS_ERRORS,
        ),
        route(operations!(passkeys::sign_in), passkeys::SIGN_IN_ERRORS),
        route(operations!(passkeys::list), passkeys::LIST_ERRORS),
        route(operations!(passkeys::add), passkeys::ADD_ERRORS),
        route(operations!(passkeys::options), passkeys::OPTIONS_ERRORS),
        route(operations!(passkeys::rename), passkeys::RENAME_ERRORS),
        route(operations!(passkeys::remove), passkeys::REMOVE_ERRORS),
        route(
            operations!(second_factor::begin),
            second_factor::BEGIN_ERRORS,
        ),
        route(
            operations!(second_factor::confirm),
            second_factor::CONFIRM_ERRORS,
        ),
        route(
            operations!(second_factor::disable),
            second_factor::DISABLE_ERRORS,
        ),
        route(
            operations!(second_factor::regenerate),
            second_factor::REGENERATE_ERRORS,
        ),
        route(operations!(security_state::security), &[]),
        route(
            operations!(marketing_consent::choose),
            marketing_consent::CHOOSE_ERRORS,
        ),
        route(operations!(data_export::export), data_export::EXPORT_ERRORS),
        route(operations!(deletion::delete), deletion::DELETE_ERRORS),
        route(operations!(connected_apps::list), &[]),
        route(
            operations!(connected_apps::sign_out),
            connected_apps::SIGN_OUT_ERRORS,
        ),
        route(operations!(activity::list), activity::LIST_ERRORS),
        route(operations!(activity::disown), activity::DISOWN_ERRORS),
    ]
}

/// The routes of the support view.
fn support_routes() -> Vec<ApiRoute> {
    vec![
        route(operations!(support::me), support::ME_ERRORS),
        route(operations!(support::find), support::FIND_ERRORS),
        route(operations!(support::activity), support::LIST_ERRORS),
        route(operations!(support::mails), support::MAILS_ERRORS),
        route(operations!(support::audit), support::LIST_ERRORS),
        route(
            operations!(support_actions::resend),
            support_actions::RESEND_ERRORS,
        ),
        route(
            operations!(support_actions::sign_out),
            support_actions::ACT_ERRORS,
        ),
        route(
            operations!(support_actions::cancel_deletion),
            support_actions::ACT_ERRORS,
        ),
        route(
            operations!(support_actions::disable),
            support_actions::ACT_ERRORS,
        ),
        route(
            operations!(support_actions::enable),
            support_actions::ACT_ERRORS,
        ),
    ]
}

/// The routes that every screen loads.
fn shell_routes() -> Vec<ApiRoute> {
    vec![
        route(operations!(config::config), &[]),
        route(
            operations!(translations::translations),
            translations::ERRORS,
        ),
        route(operations!(fragments::header), fragments::ERRORS),
        route(operations!(fragments::footer), fragments::ERRORS),
    ]
}

/// The routes with their OpenAPI documents.
pub(crate) fn api() -> OpenApiRouter<Site> {
    let base = OpenApiRouter::with_openapi(openapi::base());
    routes().fold(base, |mut router, call| {
        let (schemas, mut paths, routes) = call.routes;
        openapi::declare_errors(router.get_openapi_mut(), &mut paths, call.errors);
        router.routes((schemas, paths, routes))
    })
}

/// The routes of the API. They are not nested, because axum would rewrite the URI of each request.
fn api_routes() -> Router<Site> {
    let mut api = Router::new();
    let mut paths = HashSet::new();
    for ApiRoute { routes, .. } in routes() {
        let (_, document, call) = routes;
        for path in document.paths.keys() {
            let is_of_support = path.starts_with("/support/");
            let call = match path.as_str() {
                "/translations/{language}" => call.clone().layer(compression_layer()),
                // Neither 405 nor `Allow` nor a redirect of a trailing slash reveals that the route exists.
                _ if is_of_support => any(operation!(error::not_found)).merge(call.clone()),
                _ => call.clone(),
            };
            api = api.route(&format!("{API}{path}"), call);
            if !is_of_support {
                paths.insert(path.clone());
            }
        }
    }
    for path in paths {
        api = api.route(
            &format!("{API}{path}/"),
            any(operation!(redirect_without_slash)),
        );
    }
    // Routes instead of a fallback, because `/account/{*path}` of the pages would match before it.
    for path in ["", "/", "/{*path}"] {
        api = api.route(&format!("{API}{path}"), any(operation!(error::not_found)));
    }
    api.method_not_allowed_fallback(error::method_not_allowed)
}

pub fn build(site: Site) -> Router {
    let mut pages = Router::new();
    for page in &page::PAGES {
        pages = pages.route(page.path, get(operation!(page::page)));
        if page.path != "/account/" {
            pages = pages.route(
                &format!("{}/", page.path),
                any(operation!(redirect_without_slash)),
            );
        }
        // A form that is submitted before scripts run, or without them, is posted here and gets the
        // page again.
        if page.path != "/account/unsubscribe" {
            pages = pages.route(page.path, post(operation!(page::page)));
        }
    }
    let pages = pages
        .route(
            "/account",
            get(|| async { Redirect::permanent("/account/") }),
        )
        .route("/login", get(operation!(page::sign_in)))
        .route("/account/login", get(operation!(page::sign_in)))
        .route(
            "/account/migrate-account/step-1",
            get(|| async { Redirect::temporary("/account/migration") }),
        )
        .route("/login/", any(operation!(redirect_without_slash)))
        .route("/account/login/", any(operation!(redirect_without_slash)))
        .route(
            "/account/migrate-account/step-1/",
            any(operation!(redirect_without_slash)),
        )
        .route(
            "/account/unsubscribe",
            post(operation!(unsubscribe::one_click)),
        )
        .route("/", get(operation!(page::home)))
        .route("/account/support", get(operation!(support_page::page)))
        .route(
            "/account/support/{*path}",
            get(operation!(support_page::file)),
        )
        .route("/account/{*path}", get(operation!(files::file_or_page)))
        .layer(compression_layer());
    let routes = Router::new()
        .merge(api_routes())
        .merge(pages)
        .merge(well_known::router())
        .merge(oidc::router())
        .merge(dev::router())
        .route("/healthz", get(operation!(ready::healthz)))
        .route("/readyz", get(operation!(ready::readyz)))
        .fallback(placeholders::page_or_not_found);
    add_middleware(routes, site)
}

/// Redirects to the same route without the trailing slash. The target begins with the route's own first
/// segment, so it never leads to another origin.
async fn redirect_without_slash(uri: Uri) -> Redirect {
    let path = uri.path().trim_end_matches('/');
    match uri.query() {
        Some(query) => Redirect::permanent(&format!("{path}?{query}")),
        None => Redirect::permanent(path),
    }
}

/// Compression of long responses that contain no secret. Only gzip: the dictionary and tables of brotli add a megabyte
/// to the program and save a tenth of a page's bytes. Files are embedded with the brotli form that their build made.
fn compression_layer() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().compress_when(SizeAbove::new(1024))
}

/// Adds the service around all routes.
pub fn add_middleware(routes: Router<Site>, site: Site) -> Router {
    let edge_site = site.clone();
    let router = routes.layer(layer_fn(move |route| EdgeService {
        site: edge_site.clone(),
        route,
    }));
    #[cfg(feature = "otlp")]
    let router = router.layer(axum::middleware::from_fn(
        crate::http::middleware::traces::layer,
    ));
    router.with_state(site)
}
