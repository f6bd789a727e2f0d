//! A span for each request (feature `otlp`).

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use opentelemetry::trace::{Span, SpanKind, Status, Tracer, TracerProvider};
use opentelemetry::{KeyValue, global};

/// Records the span of an HTTP request. This layer is around `EdgeService`, which adds the request id to the response.
pub(crate) async fn record_span(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().to_string();
    let tracer = global::tracer_provider().tracer("account");
    let mut span = tracer
        .span_builder(format!("{method} {route}"))
        .with_kind(SpanKind::Server)
        .with_attributes([
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route),
        ])
        .start(&tracer);
    let response = next.run(request).await;
    let status = response.status();
    let code = i64::from(status.as_u16());
    span.set_attribute(KeyValue::new("http.response.status_code", code));
    let number = response.headers().get("x-request-id");
    if let Some(number) = number.and_then(|value| value.to_str().ok()) {
        span.set_attribute(KeyValue::new("account.request_id", number.to_owned()));
    }
    if status.is_server_error() {
        span.set_status(Status::error(""));
    }
    span.end();
    response
}
