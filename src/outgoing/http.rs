//! Sends HTTP requests to endpoints, wakes the worker, and records the endpoints that responded 410.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::sync::watch;
use url::Url;

use crate::observability::causes::with_causes;

/// An HTTP request to be sent once.
pub(crate) struct DeliveryRequest {
    pub url: Url,
    pub content_type: &'static str,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: String,
    /// The time limit from the connection to the head of the response.
    pub timeout: Duration,
}

/// The reason why an HTTP request was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DeliveryError {
    /// The status 410, because the endpoint accepts no more requests.
    #[error("status 410")]
    Gone,
    /// Any other status than 410 that is not 2xx, including redirects.
    #[error("status {0}")]
    Status(u16),
    #[error("{0}")]
    Failed(String),
}

#[derive(Default)]
pub struct Deliverer {
    /// The HTTP client, which is built for the earliest request. Building it parses the certificates of the system,
    /// which takes milliseconds of the start and half a megabyte, and most servers deliver nothing.
    client: OnceLock<reqwest::Client>,
    /// A channel that changes when a request was queued.
    pub(crate) wakeup: watch::Sender<()>,
    /// The names of endpoints that responded 410 to this process.
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

    /// Sends an HTTP request. The body of the response is not read.
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

    /// Stops the endpoint until the process restarts. Returns false if the endpoint was already stopped.
    pub(crate) fn mark_gone(&self, endpoint: &str) -> bool {
        let mut gone = self.gone.lock().expect("no panic while held");
        gone.insert(endpoint.to_owned())
    }

    pub(crate) fn is_gone(&self, endpoint: &str) -> bool {
        let gone = self.gone.lock().expect("no panic while held");
        gone.contains(endpoint)
    }
}
