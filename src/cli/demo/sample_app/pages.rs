//! The pages of the application.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use url::form_urlencoded;

use super::openid::Problem;
use super::visits::{Person, Visit};
use super::{NAME, SampleApp};
use crate::domain::secret::Secret;
use crate::http::cookies;

/// Not the name of a cookie of the site, which may have the same host.
const COOKIE: &str = "sample_app";
const STYLE: &str = include_str!("../../../../templates/sample-app.css");
/// A logout token has about 1000 bytes.
const MAX_BODY_BYTES: usize = 16 * 1024;

type SharedSample = State<Arc<SampleApp>>;

/// Askama escapes every value.
#[derive(Template)]
#[template(path = "sample-app.html")]
struct Page<'a> {
    title: &'static str,
    /// The account pages of the site.
    account: &'a str,
    view: View,
}

enum View {
    Welcome,
    Person(Person),
    SignedOut,
    Problem(String),
}

impl View {
    fn is_person(&self) -> bool {
        matches!(self, View::Person(_))
    }
}

pub(super) fn router(app: Arc<SampleApp>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/sign-in", get(sign_in))
        .route("/callback", get(callback))
        .route("/sign-out", post(sign_out))
        .route("/signed-out", get(signed_out))
        .route("/backchannel-logout", post(backchannel_logout))
        .route("/style.css", get(style))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(app)
}

async fn home(State(app): SharedSample, headers: HeaderMap) -> Response {
    let person = cookie(&headers).and_then(|cookie| app.visits.person(&cookie));
    render_page(
        &app,
        StatusCode::OK,
        person.map_or(View::Welcome, View::Person),
    )
}

async fn signed_out(State(app): SharedSample) -> Response {
    render_page(&app, StatusCode::OK, View::SignedOut)
}

async fn style() -> Response {
    ([(CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response()
}

async fn sign_in(State(app): SharedSample) -> Response {
    match app.provider.sign_in(&app.rng).await {
        Ok((url, pending)) => {
            let cookie = app.visits.begin(&app.rng, Visit::Pending(pending));
            redirect(url.as_str(), &cookie)
        }
        Err(problem) => problem_page(&app, &problem),
    }
}

async fn callback(
    State(app): SharedSample,
    headers: HeaderMap,
    Query(response): Query<HashMap<String, String>>,
) -> Response {
    let pending = cookie(&headers).and_then(|cookie| app.visits.take_pending(&cookie));
    let Some(pending) = pending else {
        return problem_page(&app, &Problem::Wrong("state"));
    };
    match app.provider.finish(&pending, &response).await {
        Ok(person) => redirect("/", &app.visits.begin(&app.rng, Visit::SignedIn(person))),
        Err(problem) => problem_page(&app, &problem),
    }
}

/// Ends the session here, then at the provider. The cookie is `SameSite`, so other sites cannot sign a person out.
async fn sign_out(State(app): SharedSample, headers: HeaderMap) -> Response {
    let person = cookie(&headers).and_then(|cookie| app.visits.end(&cookie));
    let Some(person) = person else {
        return (StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response();
    };
    match app.provider.sign_out(&person).await {
        Ok(url) => (StatusCode::SEE_OTHER, [(LOCATION, url.as_str())]).into_response(),
        Err(problem) => problem_page(&app, &problem),
    }
}

/// OpenID Connect Back-Channel Logout 1.0 section 2.8.
async fn backchannel_logout(State(app): SharedSample, body: String) -> Response {
    let mut fields = form_urlencoded::parse(body.as_bytes());
    let token = fields.find(|(name, _)| name == "logout_token");
    let (_, token) = token.unwrap_or_default();
    let status = match app.provider.ended_session(&token).await {
        Ok(sid) => {
            app.visits.end_session(&sid);
            StatusCode::OK
        }
        Err(Problem::Unreachable(_)) => StatusCode::SERVICE_UNAVAILABLE,
        Err(_) => StatusCode::BAD_REQUEST,
    };
    (status, [(CACHE_CONTROL, "no-store")]).into_response()
}

fn cookie(headers: &HeaderMap) -> Option<Secret> {
    Secret::parse(cookies::single_cookie(headers, COOKIE)?)
}

fn redirect(address: &str, cookie: &Secret) -> Response {
    let cookie = format!(
        "{COOKIE}={}; Path=/; HttpOnly; SameSite=Lax",
        cookie.expose()
    );
    let headers = [
        (LOCATION, address),
        (SET_COOKIE, cookie.as_str()),
        (CACHE_CONTROL, "no-store"),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

fn problem_page(app: &SampleApp, problem: &Problem) -> Response {
    let status = match problem {
        Problem::Unreachable(_) => StatusCode::BAD_GATEWAY,
        Problem::Refused(_) | Problem::Wrong(_) => StatusCode::BAD_REQUEST,
    };
    render_page(app, status, View::Problem(problem.to_string()))
}

fn render_page(app: &SampleApp, status: StatusCode, view: View) -> Response {
    let page = Page {
        title: NAME,
        account: app.provider.account(),
        view,
    };
    // The sign-out is a form whose response leads to the provider: browsers count redirects as its targets.
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self' {}; base-uri 'none'; \
         frame-ancestors 'none'",
        app.provider.site()
    );
    let headers = [
        (CONTENT_SECURITY_POLICY, policy.as_str()),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    match page.render() {
        Ok(html) => (status, headers, Html(html)).into_response(),
        Err(error) => {
            tracing::error!(%error, "the page of the demo's sample application");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
