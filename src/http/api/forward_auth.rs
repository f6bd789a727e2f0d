//! Forward-auth, by which a proxy in front of an application on the same host checks the visitor's session.

use axum::http::header::VARY;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{Redirect, Response};

use super::prelude::*;
use crate::accounts::sign_in::ticket::{self, ProtectedPage, SessionRequirements};
use crate::app::App;
use crate::domain::auth_method::Aal;
use crate::domain::email::Email;
use crate::http::continuation;
use crate::http::extract::api_query::ApiQuery;
use crate::http::extract::forwarded::ForwardedRequest;

/// The query parameters of the proxy's HTTP request. Another parameter is an error, because a misspelt `aal` would
/// otherwise admit every session.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardAuthQuery {
    /// The response for a visitor who opens a page without a sufficient session. `redirect` means a redirect to the
    /// sign-in page (303).
    #[param(inline)]
    mode: Option<ForwardAuthMode>,
    /// The required authentication level. With `2`, a session without a passkey or a second factor is refused.
    #[serde(default)]
    #[param(value_type = Option<u8>, minimum = 1, maximum = 2)]
    aal: Aal,
}

#[derive(Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ForwardAuthMode {
    Redirect,
}

/// Returns the owner of the visitor's session, for proxies in `server.trusted_proxies`. An error response has the URL
/// of the sign-in page in `X-Account-Location`, except to a HEAD request or a prefetch.
#[utoipa::path(get, path = "/forward-auth", params(ForwardAuthQuery),
    responses((status = 204, description = "Signed in: `Remote-User`, `Remote-Subject`, `Remote-Email`"),
        (status = 303, description = "With `mode=redirect`: the sign-in page")))]
pub(crate) async fn forward_auth(
    State(app): State<SharedApp>,
    client: Client,
    request: ForwardedRequest,
    ApiQuery(query): ApiQuery<ForwardAuthQuery>,
) -> ApiResult<Response> {
    let requirements = SessionRequirements {
        aal: query.aal,
        ..SessionRequirements::default()
    };
    match continuation::check_session(&app, &client, &requirements).await? {
        Ok(signed_in) => {
            let identity = identity_headers(&app, &signed_in);
            Ok((StatusCode::NO_CONTENT, vary_header(), identity).into_response())
        }
        Err(_) => Ok(refuse(&app, request, requirements, query.mode.is_some())),
    }
}

fn identity_headers(app: &App, signed_in: &SignedIn) -> HeaderMap {
    let session = signed_in.session();
    let subject = session.account_id.to_string();
    let mut headers = HeaderMap::new();
    // A new header field may contain only ASCII (RFC 9110 section 5.5), so a value that is not ASCII is left out.
    // `Remote-Subject` still identifies the person.
    let mut add = |name, value: &str| {
        let value = value.is_ascii().then(|| value.parse::<HeaderValue>());
        if let Some(Ok(value)) = value {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    add("remote-user", &session.username);
    add("remote-subject", &subject);
    if app.config.forward_auth.email {
        let email = Email::from_stored(&session.email);
        let (local, domain) = email.mailbox();
        add("remote-email", &format!("{local}@{domain}"));
    }
    headers
}

fn refuse(
    app: &App,
    request: ForwardedRequest,
    requirements: SessionRequirements,
    should_redirect: bool,
) -> Response {
    let ForwardedRequest {
        host,
        path,
        is_navigation,
        is_speculative,
    } = request;
    let mut error = ApiError::from(ErrorCode::Unauthenticated);
    if is_speculative {
        return error.into_response();
    }
    let origin = app.config.origin_of(&host);
    let ticket = ticket::issue_unbound(app, ProtectedPage { host, path }, requirements);
    let address = format!("{origin}/account/?continue={ticket}");
    if should_redirect && is_navigation {
        return (vary_header(), Redirect::to(&address)).into_response();
    }
    error.headers.sign_in_url = Some(address.into());
    error.into_response()
}

fn vary_header() -> [(HeaderName, HeaderValue); 1] {
    [(VARY, HeaderValue::from_static("cookie"))]
}
