//! The routes of all pages and of the API. The OpenAPI document is made from the routes of the API.

use std::collections::HashSet;

use axum::routing::{any, post};
use tower::layer::layer_fn;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

use super::prelude::*;
use super::site::Site;
use crate::http::api::{
    activity, age_refusals, config, connected_apps, data_export, deletion, devices, email_change,
    email_verification, forward_auth, link_address, marketing_consent, migration,
    migration_completion, passkeys, password_change, password_reset, profile, reauthentication,
    second_factor, security_state, session, sign_in, sign_up, support, support_actions,
    translations, undo, unsubscribe,
};
use crate::http::operation::{api_operation, get_routes, operation};
use crate::http::pages::{fragments, page, placeholders, ready, support as support_page, table};
use crate::http::{dev, error, oidc, openapi, well_known};

mod edge;

use edge::EdgeService;

const API_PATH: &str = "/account/account-api";

/// A route of the API, and what the OpenAPI document says about its flow. `openapi::complete` adds the error codes that
/// the method, the body and the session make possible. A test fails if a response has an undeclared error code.
struct ApiRoute {
    routes: UtoipaMethodRouter<Site>,
    tag: &'static str,
    requires_session: bool,
    errors: &'static [ErrorCode],
}

/// Declares `routes` from groups of handlers, each with a tag and whether its handlers require a session. The error codes
/// of the flow follow the handler, whose name is the id of its operation.
macro_rules! routes {
    ($($tag:literal $access:ident { $($module:ident::$handler:ident $(: $($code:ident)+)?;)+ })+) => {
        fn routes() -> Vec<ApiRoute> {
            vec![$($(ApiRoute {
                routes: api_operation!($module::$handler),
                tag: $tag,
                requires_session: $access,
                errors: &[$($(ErrorCode::$code),+)?],
            },)+)+]
        }
    };
}

const ANYONE: bool = false;
const SESSION: bool = true;

// All routes below `API_PATH`.
routes! {
    "session" SESSION {
        session::users_me;
        forward_auth::forward_auth: BadRequest NotFound Unauthenticated;
        reauthentication::reauthenticate: InvalidChallenge ReauthenticationFailed RateLimited Busy;
        reauthentication::reauthenticate_options: NotFound;
    }
    "sign_in" ANYONE {
        sign_in::login: InvalidCredentials NeedsMigration EmailNotVerified SecondFactorRequired NewDevice
            AccountDisabled DeletionPending TooManyDevices RateLimited Busy;
        sign_in::login_second_factor: InvalidToken CodeInvalid CodeReused AccountDisabled DeletionPending
            TooManyDevices RateLimited;
        sign_in::device_approval: BadRequest InvalidToken;
        second_factor::second_factor_reset: InvalidToken Unauthenticated ReauthenticationRequired SecondFactorOff
            RateLimited;
        undo::restore_account: InvalidToken RateLimited;
    }
    "session" ANYONE {
        session::logout;
    }
    "sign_up" ANYONE {
        sign_up::register: AccountExists EmailInOldSystem UsernameInUse Underage RateLimited Busy;
        age_refusals::age_refusals: BadRequest;
        age_refusals::count_age_refusal: BadRequest;
    }
    "email_verification" ANYONE {
        email_verification::confirm_email: InvalidToken CrossSite RateLimited;
        email_verification::confirm_device: InvalidToken RateLimited;
        email_verification::resend_verification: RateLimited;
    }
    "password_reset" ANYONE {
        password_reset::reset_password: RateLimited;
        password_reset::confirm_reset: InvalidToken AccountExists PasswordEqualsCurrent PasswordReused RateLimited
            Busy;
        link_address::link_address: InvalidToken RateLimited;
    }
    "migration" ANYONE {
        migration::migration: RateLimited;
        migration::confirm_migration: InvalidToken Underage AccountExists UsernameInUse RateLimited Busy;
        migration_completion::complete_migration: InvalidToken Underage TooManyAttempts AccountExists UsernameInUse
            RateLimited Busy;
        unsubscribe::unsubscribe: InvalidToken RateLimited;
    }
    "passkeys" ANYONE {
        undo::undo_credential: InvalidToken RateLimited;
        undo::undo_details: InvalidToken RateLimited;
        passkeys::passkey_sign_in_options: NotFound RateLimited;
        passkeys::passkey_sign_in: InvalidChallenge PasskeyUnknown PasskeyProofRejected PasskeyDataRejected
            AccountDisabled DeletionPending TooManyDevices NotFound RateLimited;
    }
    "links" ANYONE {
        second_factor::second_factor_reset_confirm: InvalidToken RateLimited;
    }
    "settings" SESSION {
        password_change::change_password: ReauthenticationRequired CurrentPasswordMismatch PasswordEqualsCurrent
            PasswordReused RateLimited Busy;
        email_change::change_email: ReauthenticationRequired EmailUnchanged AccountExists RateLimited;
        email_change::cancel_email_change;
        second_factor::second_factor_totp: ReauthenticationRequired SecondFactorEnabled RateLimited;
        second_factor::second_factor_confirm: CodeInvalid InvalidToken ReauthenticationRequired RateLimited;
        second_factor::second_factor_disable: ReauthenticationRequired;
        second_factor::recovery_codes: ReauthenticationRequired SecondFactorOff RateLimited;
        second_factor::recovery_codes_confirm: InvalidToken ReauthenticationRequired SecondFactorOff RateLimited;
        security_state::security;
        marketing_consent::choose_marketing_consent: RateLimited;
        profile::profile: ReauthenticationRequired;
        data_export::data_export: ReauthenticationRequired RateLimited CrossSite Busy;
        deletion::delete_account: ReauthenticationRequired RateLimited;
        connected_apps::connected_apps;
        connected_apps::sign_out_app: NotFound;
    }
    "settings" ANYONE {
        email_change::confirm_email_change: InvalidToken CrossSite AccountExists RateLimited;
        undo::undo_email_change: InvalidToken RateLimited;
    }
    "devices" SESSION {
        devices::devices;
        devices::sign_out_everywhere;
    }
    "devices" ANYONE {
        devices::sign_out_device: InvalidToken RateLimited;
    }
    "passkeys" SESSION {
        passkeys::passkeys: NotFound;
        passkeys::add_passkey: ReauthenticationRequired InvalidChallenge NotFound PasskeyExists TooManyPasskeys
            PasskeyDataRejected RateLimited;
        passkeys::passkey_options: ReauthenticationRequired NotFound TooManyPasskeys;
        passkeys::rename_passkey: NotFound RateLimited;
        passkeys::remove_passkey: ReauthenticationRequired NotFound;
    }
    "activity" SESSION {
        activity::activity: BadRequest;
        activity::disown_sign_in: NotFound;
    }
    "support" SESSION {
        support::support_me: NotFound ReauthenticationRequired;
        support::support_find: BadRequest NotFound RateLimited ReauthenticationRequired;
        support::support_activity: BadRequest NotFound ReauthenticationRequired;
        support::support_mails: NotFound ReauthenticationRequired;
        support::support_audit: BadRequest NotFound ReauthenticationRequired;
        support_actions::support_resend: NotFound NotAllowed NothingPending RateLimited ReauthenticationRequired;
        support_actions::support_sign_out: NotFound NotAllowed NothingPending ReauthenticationRequired;
        support_actions::support_cancel_deletion: NotFound NotAllowed NothingPending ReauthenticationRequired;
        support_actions::support_disable: NotFound NotAllowed NothingPending ReauthenticationRequired;
        support_actions::support_enable: NotFound NotAllowed NothingPending ReauthenticationRequired;
    }
    "shell" ANYONE {
        config::config;
        translations::translations: NotFound;
        fragments::ui_header: FragmentUnavailable;
        fragments::ui_footer: FragmentUnavailable;
    }
}

/// Returns the OpenAPI document of the API.
pub fn openapi_document() -> OpenApi {
    api().split_for_parts().1
}

/// Returns the routes of the API with their OpenAPI documents.
fn api() -> OpenApiRouter<Site> {
    let base = OpenApiRouter::with_openapi(openapi::base_document());
    routes().into_iter().fold(base, |mut router, call| {
        let (schemas, mut paths, routes) = call.routes;
        let document = router.get_openapi_mut();
        openapi::complete(
            document, &mut paths, call.tag, call.requires_session, call.errors,
        );
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
        .merge(get_routes! {
            "/" => page::home;
            "/login" => page::redirect_login;
            "/account/login" => page::redirect_login;
            "/account/support" => support_page::page;
            "/account/support/{*path}" => support_page::file;
            "/account/{*path}" => page::file_or_page;
        })
        .route(
            "/account",
            get(|| async { Redirect::permanent("/account/") }),
        )
        .route(
            "/account/migrate-account/step-1",
            get(|| async { Redirect::temporary("/account/migration") }),
        )
        .route(
            "/account/unsubscribe",
            post(operation!(unsubscribe::unsubscribe_by_one_click)),
        )
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
        .merge(get_routes! {
            "/healthz" => ready::healthz;
            "/readyz" => ready::readyz;
        })
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
