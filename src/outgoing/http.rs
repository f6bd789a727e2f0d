//! Sends the HTTP requests of the outbox to endpoints, wakes the worker, and records which endpoints responded 410.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::sync::watch;
use url::Url;

use crate::observability::causes::with_causes;

/// The HTTP request of one attempt to deliver a webhook or a logout message.
pub(crate) struct DeliveryRequest {
    pub url: Url,
    pub content_type: &'static str,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: String,
    /// The time limit from the start of the connection to the headers of the response.
    pub timeout: Duration,
}

/// The reason why an endpoint did not accept an HTTP request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DeliveryError {
    /// The endpoint responded with status 410, which means that it accepts no more requests.
    #[error("status 410")]
    Gone,
    /// The endpoint responded with a status that is neither 410 nor 2xx, for example with a redirect.
    #[error("status {0}")]
    Status(u16),
    #[error("{0}")]
    Failed(String),
}

#[derive(Default)]
pub struct Deliverer {
    /// The HTTP client, which is built when the first request is sent. Building it parses the certificates of the
    /// system, which takes milliseconds and half a megabyte, and most servers send no requests.
    client: OnceLock<reqwest::Client>,
    /// A channel that changes when an HTTP request is queued.
    pub(crate) wakeup: watch::Sender<()>,
    /// The keys of the endpoints that responded 410 to this process.
    gone: Mutex<HashSet<String>>,
}

impl Deliverer {
    fn client(&self) -> Result<&reqwest::Client, DeliveryError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| DeliveryError::Failed(with_causes(&error)))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Sends an HTTP request, and ignores the body of the response.
    pub(crate) async fn send(&self, request: DeliveryRequest) -> Result<(), DeliveryError> {
        let mut builder = self
            .client()?
            .post(request.url)
            .timeout(request.timeout)
            .header(CONTENT_TYPE, request.content_type);
        for (name, value) in request.headers {
            builder = builder.header(name, value);
        }
        let response = builder.body(request.body).send().await;
        match response.map(|response| response.status()) {
            Ok(status) if status.is_success() => Ok(()),
            Ok(StatusCode::GONE) => Err(DeliveryError::Gone),
            Ok(status) => Err(DeliveryError::Status(status.as_u16())),
            Err(error) => Err(DeliveryError::Failed(with_causes(&error.without_url()))),
        }
    }

    /// Stops sending to the endpoint until the process restarts. Returns false if the endpoint was already stopped.
    pub(crate) fn mark_gone(&self, endpoint: &str) -> bool {
        let mut gone = self.gone.lock().expect("no panic while held");
        gone.insert(endpoint.to_owned())
    }

    pub(crate) fn is_gone(&self, endpoint: &str) -> bool {
        let gone = self.gone.lock().expect("no panic while held");
        gone.contains(endpoint)
    }
}
