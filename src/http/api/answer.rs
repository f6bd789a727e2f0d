//! Error responses: the only place that writes the body of an error.

use std::convert::Infallible;
use std::task::Poll;

use axum::Json;
use axum::extract::Request;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::request_context;
use crate::app::Shared;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Language;

/// The parts of a request that its error response depends on.
pub(crate) struct ErrorContext {
    language: Language,
    in_form: bool,
}

impl ErrorContext {
    pub(crate) fn new(app: &Shared, request: &Request) -> ErrorContext {
        ErrorContext {
            language: request_context::language(request.uri(), request.headers(), app),
            in_form: is_form(request.uri().path()),
        }
    }

    /// Adds the body to an error response, in the language of the request.
    pub(crate) fn add_body(self, mut response: Response) -> Response {
        let failure = response.extensions_mut().remove::<ApiError>();
        if let Some(failure) = failure.or_else(|| bare(&response)) {
            let allow = response.headers_mut().remove(ALLOW);
            response = render(failure, self.language, self.in_form);
            if let Some(allow) = allow {
                response.headers_mut().insert(ALLOW, allow);
            }
        }
        response
    }
}

/// Registration and completion return their sentences beside the fields, or as `error`.
fn is_form(path: &str) -> bool {
    path.ends_with("/register") || path.ends_with("/migration/complete")
}

/// The error of a response that axum's router made itself, without a body of ours.
fn bare(response: &Response) -> Option<ApiError> {
    let is_ours = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let code = match response.status() {
        _ if is_ours => return None,
        StatusCode::NOT_FOUND => ErrorCode::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => ErrorCode::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorCode::PayloadTooLarge,
        StatusCode::INTERNAL_SERVER_ERROR => ErrorCode::Internal,
        status if status.is_client_error() => ErrorCode::BadRequest,
        _ => return None,
    };
    Some(code.into())
}

fn render(failure: ApiError, language: Language, in_form: bool) -> Response {
    let sentence = |code: ErrorCode| code.message().text(language);
    let detail = if !failure.fields.is_empty() {
        let fields = failure
            .fields
            .iter()
            .map(|(name, code)| ((*name).to_owned(), json!(sentence(*code))));
        json!({ "fields": fields.collect::<serde_json::Map<_, _>>() })
    } else {
        let text = sentence(failure.sentence.unwrap_or(failure.code));
        if in_form {
            json!({ "error": text })
        } else {
            json!(text)
        }
    };
    let mut body = failure.extra;
    body.insert("code".into(), json!(failure.code));
    body.insert("detail".into(), detail);
    if !failure.fields.is_empty() {
        let fields = failure
            .fields
            .iter()
            .map(|(name, code)| ((*name).to_owned(), json!(code)));
        body.insert("fields".into(), Value::Object(fields.collect()));
    }
    let mut response = (failure.code.status(), Json(body)).into_response();
    response.headers_mut().extend(failure.headers);
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// Answers `HEAD` with 405 on routes whose GET changes something; axum would run the GET handler.
pub(crate) fn refuse_head(method: &Method) -> Result<(), ApiError> {
    if *method != Method::HEAD {
        return Ok(());
    }
    let mut failure = ApiError::from(ErrorCode::MethodNotAllowed);
    failure
        .headers
        .insert(ALLOW, HeaderValue::from_static("GET"));
    Err(failure)
}

/// The minimum duration of responses that must not be distinguishable by time. On a healthy database
/// the work of all of them takes less.
const EVEN: std::time::Duration = std::time::Duration::from_millis(25);

/// Pads work whose duration would reveal whether an account exists.
pub(crate) async fn with_min_duration<T>(work: impl Future<Output = T>) -> T {
    let (done, ()) = tokio::join!(work, tokio::time::sleep(EVEN));
    done
}

/// Like `with_min_duration`, but pads only errors. `Busy` is not padded: it reveals nothing about an
/// account.
pub(crate) async fn with_min_duration_on_error<T>(
    work: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    let begun = tokio::time::Instant::now();
    let done = work.await;
    if let Err(failure) = &done
        && failure.code != ErrorCode::Busy
    {
        tokio::time::sleep_until(begun + EVEN).await;
    }
    done
}

pub(crate) async fn not_found() -> ApiError {
    ErrorCode::NotFound.into()
}

pub(crate) async fn method_not_allowed() -> ApiError {
    ErrorCode::MethodNotAllowed.into()
}

/// Turns a panic of a handler into a 500, so that the process goes on.
pub(crate) fn catch_panic(
    poll: impl FnOnce() -> Poll<Result<Response, Infallible>>,
) -> Poll<Response> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(poll)) {
        Ok(polled) => polled.map(|Ok(response)| response),
        Err(_) => {
            tracing::error!("a handler panicked");
            Poll::Ready(ApiError::from(ErrorCode::Internal).into_response())
        }
    }
}
