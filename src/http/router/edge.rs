//! The service around all routes, which adds request ids, the host check, the cross-site check, error bodies, headers
//! and the access log.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::Either;
use pin_project_lite::pin_project;
use tower::Service;
use tracing::Instrument;
use tracing::instrument::Instrumented;

use super::API_PATH;
use crate::http::error::{DatabaseReadOnly, ErrorContext, catch_panic};
use crate::http::middleware::request_id::AccessLogEntry;
use crate::http::middleware::{headers, host, same_origin};
use crate::http::prelude::*;
use crate::http::site::Site;

/// The service around all routes. One service replaces seven layers, because axum clones each layer with all services
/// beneath it for every HTTP request. Only the route is awaited, which keeps the future small
/// (docs/decisions/http-server.md).
#[derive(Clone)]
pub(super) struct EdgeService<S> {
    pub site: Site,
    pub route: S,
}

impl<S> Service<Request> for EdgeService<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Instrumented<EdgeFuture<S::Future>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.route.poll_ready(cx)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let site = self.site.clone();
        let (entry, span) = AccessLogEntry::begin(&site.app, &request);
        let (errors, request) = span.in_scope(|| check_request(&site.app, request));
        let response = EdgeFuture {
            work: match request {
                Ok(request) => Either::Left(self.route.call(request)),
                Err(refusal) => Either::Right(ready(Ok(refusal))),
            },
            finish: Some((site, errors, entry)),
        };
        response.instrument(span)
    }
}

pin_project! {
    /// The future of a response. It awaits the route, unless the request was refused. In both cases it then adds the
    /// error body, the headers and the access log entry.
    pub struct EdgeFuture<F> {
        #[pin]
        work: Either<F, Ready<Result<Response, Infallible>>>,
        finish: Option<(Site, Option<ErrorContext>, AccessLogEntry)>,
    }
}

impl<F: Future<Output = Result<Response, Infallible>>> Future for EdgeFuture<F> {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = std::task::ready!(catch_panic(|| this.work.poll(cx)));
        let finish = this.finish.take();
        let (site, errors, entry) = finish.expect("a future is not polled after its end");
        if response.extensions().get::<DatabaseReadOnly>().is_some() {
            site.app.health.record_failed_write(&site.app.store);
        }
        let is_of_api = errors.is_some();
        if let Some(errors) = errors {
            response = errors.add_body(&site.app, response);
        }
        headers::add_headers(&site.pages.headers, &mut response, is_of_api);
        entry.end(&site.app, &mut response);
        Poll::Ready(Ok(response))
    }
}

/// Checks an HTTP request before routing. Returns the request, or the response that refuses it. For an API request,
/// also returns the context that renders errors.
fn check_request(
    app: &SharedApp,
    request: Request,
) -> (Option<ErrorContext>, Result<Request, Response>) {
    if let Some(refusal) = host::refuse_bad_host(&request) {
        return (None, Err(refusal));
    }
    if !is_api_request(&request) {
        let checked = match host::redirect_dotted_host(&app.config, &request) {
            Some(redirect) => Err(redirect.into_response()),
            None => Ok(request),
        };
        return (None, checked);
    }
    let errors = ErrorContext::new(app, &request);
    let checked = match same_origin::refuse_cross_site(app, &request) {
        Some(refusal) => Err(refusal.into_response()),
        None => Ok(request),
    };
    (Some(errors), checked)
}

fn is_api_request(request: &Request) -> bool {
    let below = request.uri().path().strip_prefix(API_PATH);
    below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
