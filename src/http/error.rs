//! Error responses. Only this module writes the body of an error.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::task::Poll;

use axum::http::header::{ALLOW, RETRY_AFTER};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::cookies::CookieSetter;
use super::extract::client;
use super::prelude::*;
use crate::error::{DatabaseRefusal, ErrorDetail, FieldRule};

/// The parts of an HTTP request that determine its error response.
pub(crate) struct ErrorContext {
    language: Language,
    is_form: bool,
}

impl ErrorContext {
    pub(crate) fn new(app: &SharedApp, request: &Request) -> ErrorContext {
        ErrorContext {
            language: client::language(request.uri(), request.headers(), app),
            is_form: is_form_route(request.uri().path()),
        }
    }

    /// Adds the body to an error response, in the language of the HTTP request.
    pub(crate) fn add_body(self, app: &App, mut response: Response) -> Response {
        let error = response.extensions_mut().remove::<ApiError>();
        if let Some(error) = error.or_else(|| bodyless_error(&response)) {
            let allow = response.headers_mut().remove(ALLOW);
            response = render_error(app, &error, self.language, self.is_form);
            if let Some(allow) = allow {
                response.headers_mut().insert(ALLOW, allow);
            }
        }
        response
    }
}

/// Returns whether the path is that of the registration form, or of the form that completes a migration. An error of
/// these forms has a message for each field, or one message in `error`.
fn is_form_route(path: &str) -> bool {
    path.ends_with("/register") || path.ends_with("/migration/complete")
}

/// Returns the error for an error response that axum made, which lacks the error body of this API. Returns `None` for
/// any other response.
fn bodyless_error(response: &Response) -> Option<ApiError> {
    let has_own_body = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let code = match response.status() {
        _ if has_own_body => return None,
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => ErrorCode::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::PayloadTooLarge,
        StatusCode::INTERNAL_SERVER_ERROR => ErrorCode::Internal,
        status if status.is_client_error() => ErrorCode::BadRequest,
        _ => return None,
    };
    Some(code.into())
}

/// The body of every response with a status above 399.
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem {
    code: ErrorCode,
    /// The message of the error, in the language of `Accept-Language`.
    detail: ProblemDetail,
    /// The rules that the invalid fields break.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    fields: Option<BTreeMap<&'static str, FieldRule>>,
}

#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ProblemDetail {
    Message(String),
    /// The message for a whole form, in the errors of registration and completion.
    Form {
        error: String,
    },
    /// A message for each invalid field.
    Fields {
        fields: BTreeMap<&'static str, &'static str>,
    },
}

impl Problem {
    fn new(error: &ApiError, language: Language, in_form: bool) -> Problem {
        let message = match error.detail {
            ErrorDetail::Fields(ref fields) => {
                let messages = fields
                    .iter()
                    .map(|(name, rule)| (*name, rule.message().text(language)));
                return Problem {
                    code: error.code,
                    detail: ProblemDetail::Fields {
                        fields: messages.collect(),
                    },
                    fields: Some(fields.iter().copied().collect()),
                };
            }
            ErrorDetail::OtherMessage(message) => message.text(language).to_owned(),
            ErrorDetail::MessageOfCode => match (error.code, error.headers.retry_after) {
                (ErrorCode::RateLimited, Some(seconds)) => wait_in_minutes(seconds, language),
                (code, _) => code.message().text(language).to_owned(),
            },
        };
        Problem {
            code: error.code,
            detail: match in_form {
                true => ProblemDetail::Form { error: message },
                false => ProblemDetail::Message(message),
            },
            fields: None,
        }
    }
}

fn render_error(app: &App, error: &ApiError, language: Language, in_form: bool) -> Response {
    let mut body = json!(Problem::new(error, language, in_form));
    if let (Some(body), Value::Object(data)) = (body.as_object_mut(), json!(error.data)) {
        body.extend(data);
    }
    (status_of(error.code), error_headers(app, error), Json(body)).into_response()
}

/// Returns the sentence that says how many minutes remain until the next attempt, as on the screens.
fn wait_in_minutes(seconds: u64, language: Language) -> String {
    let minutes = seconds.div_ceil(60).max(1);
    let message = match minutes {
        1 => Message::AnswerWaitMinutesOne,
        _ => Message::AnswerWaitMinutesOther,
    };
    message.format(language, &[("count", &minutes.to_string())])
}

/// Returns the headers of an error response, including the header by which the screens detect an unmigrated account.
fn error_headers(app: &App, error: &ApiError) -> HeaderMap {
    let mut cookies = CookieSetter::new(app);
    if let Some(device) = &error.headers.device_cookie {
        cookies = cookies.set_device(device);
    }
    if let Some(count) = &error.headers.age_refusals {
        cookies = cookies.set_age_refusals(count);
    }
    let mut headers = cookies.into_headers();
    if let Some(seconds) = error.headers.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    if error.code == ErrorCode::NeedsMigration {
        let value = HeaderValue::from_static("true");
        headers.insert("x-needs-migration", value);
    }
    if let Some(page) = &error.headers.sign_in_url {
        let page = HeaderValue::try_from(&**page).expect("an address is ASCII");
        headers.insert("x-account-location", page);
        headers.insert(VARY, HeaderValue::from_static("cookie"));
    }
    headers
}

macro_rules! statuses {
    ($($status:ident: $($code:ident)+;)+) => {
        pub fn status_of(code: ErrorCode) -> StatusCode {
            match code { $($(ErrorCode::$code)|+ => StatusCode::$status,)+ }
        }
    };
}

statuses! {
    BAD_REQUEST: BadRequest InvalidChallenge InvalidToken;
    UNAUTHORIZED: Unauthenticated InvalidCredentials ReauthenticationFailed CodeInvalid CodeReused PasskeyUnknown
        PasskeyProofRejected;
    FORBIDDEN: NeedsMigration AccountDisabled DeletionPending EmailNotVerified SecondFactorRequired NewDevice
        TooManyDevices TooManyAttempts CurrentPasswordMismatch ReauthenticationRequired NotAllowed CrossSite;
    NOT_FOUND: NotFound;
    METHOD_NOT_ALLOWED: MethodNotAllowed;
    CONFLICT: AccountExists UsernameInUse EmailInOldSystem PasskeyExists SecondFactorEnabled SecondFactorOff
        TooManyPasskeys NothingPending;
    PAYLOAD_TOO_LARGE: PayloadTooLarge;
    UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaType;
    UNPROCESSABLE_ENTITY: ValidationFailed PasskeyDataRejected Underage EmailUnchanged PasswordEqualsCurrent
        PasswordReused;
    TOO_MANY_REQUESTS: RateLimited;
    INTERNAL_SERVER_ERROR: Internal;
    BAD_GATEWAY: FragmentUnavailable;
    SERVICE_UNAVAILABLE: Busy Unavailable;
}

/// A response extension. It marks the response to a request that failed because the database accepts no writes.
/// `EdgeService` reports such a failure to `Health`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatabaseReadOnly;

impl IntoResponse for ApiError {
    /// Returns an empty response that carries the error as an extension. [`ErrorContext::add_body`] adds the body.
    fn into_response(self) -> Response {
        let mut response = status_of(self.code).into_response();
        if self.database == Some(DatabaseRefusal::ReadOnly) {
            response.extensions_mut().insert(DatabaseReadOnly);
        }
        response.extensions_mut().insert(self);
        response
    }
}

pub(crate) async fn not_found() -> ApiError {
    ErrorCode::NotFound.into()
}

pub(crate) async fn method_not_allowed() -> ApiError {
    ErrorCode::MethodNotAllowed.into()
}

/// Converts a panic of a handler to a response with the status 500, so that the process continues.
pub(crate) fn catch_panic(
    poll: impl FnOnce() -> Poll<Result<Response, Infallible>>,
) -> Poll<Response> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(poll)) {
        Ok(result) => result.map(|Ok(response)| response),
        Err(_) => {
            tracing::error!("a handler panicked");
            Poll::Ready(ApiError::from(ErrorCode::Internal).into_response())
        }
    }
}
