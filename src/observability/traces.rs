//! Traces for a collector, over OTLP and HTTP (feature `otlp`), with one span for each HTTP request. OpenTelemetry's
//! environment variables set the endpoint, the sampling and the name (docs/operating/monitoring.md).
//!
//! A span contains the route's pattern and the request id, by which the log lines of the HTTP request are found.
//! Accounts, IP addresses and paths are only in the log. The `traceparent` of an HTTP request is ignored, because
//! clients could otherwise decide which requests are recorded.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::{KeyValue, global};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;

/// The environment variables that set the URL of the collector. Tracing is on if one of these variables is set.
const ENDPOINT_VARIABLES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];
/// The time limit for the export of a batch. If the collector takes longer, the batch is dropped.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct TraceExporter(SdkTracerProvider);

impl TraceExporter {
    /// Starts tracing if a collector is configured. Must be called only once, and inside the runtime.
    pub(crate) fn start() -> Result<Option<TraceExporter>, String> {
        if !ENDPOINT_VARIABLES
            .iter()
            .any(|name| std::env::var_os(name).is_some())
        {
            return Ok(None);
        }
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(EXPORT_TIMEOUT)
            .build()
            .map_err(|error| format!("traces: {error}"))?;
        let client = Client {
            http,
            runtime: Handle::current(),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .build()
            .map_err(|error| format!("traces: {error}"))?;
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name("account");
        }
        let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.with_attribute(version).build())
            .build();
        global::set_tracer_provider(provider.clone());
        Ok(Some(TraceExporter(provider)))
    }

    /// Sends the remaining spans, and ends the export.
    pub(crate) async fn end(self) {
        let ended =
            tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(EXPORT_TIMEOUT));
        match ended.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the collector rejected the last traces"),
            Err(error) => tracing::error!(%error, "the last traces were not sent"),
        }
    }
}

/// The HTTP client of the exporter, with the TLS settings of this program. The exporter runs on a separate thread.
#[derive(Debug)]
struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let http = self.http.clone();
        let response = self.runtime.spawn(async move {
            let answer = http.execute(request).await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        });
        let (status, body) = response.await??;
        let mut response = Response::new(body);
        *response.status_mut() = status;
        Ok(response)
    }
}
