//! A client for external services (header and footer, translations). The client sends GET requests with a deadline and
//! a size limit, only to URLs from the configuration. Responses are cached, and served stale while the service is slow
//! or unavailable.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::sync::Mutex as RefreshLock;
use tokio::task::JoinHandle;
use url::Url;

use crate::clock::Clock;
use crate::clock::DAY;
use crate::config::Duration;
use crate::observability::causes::with_causes;

/// The age up to which a response is served while the service is unavailable.
const MAX_STALE_MILLIS: i64 = DAY;
/// The pause after a failure, so that a service that hangs does not delay every HTTP request.
const RETRY_PAUSE_MILLIS: i64 = 5_000;
/// The minimum time between two log lines about failures.
const LOG_INTERVAL_MILLIS: i64 = 60_000;

/// A function that sanitizes the body of a response, or returns the reason why the response is rejected.
pub(crate) type Sanitizer = fn(&str) -> Result<String, String>;

type Refresh = JoinHandle<Option<Arc<str>>>;

pub struct Upstream {
    /// The name of the service in the log, such as "fragments".
    name: &'static str,
    client: reqwest::Client,
    max_bytes: usize,
    ttl: i64,
    sanitize: Sanitizer,
    /// The cached responses by URL. All URLs come from the configuration, so their number is bounded.
    cache: Mutex<HashMap<Url, Arc<CacheEntry>>>,
    logged_at: AtomicI64,
}

#[derive(Default)]
struct CacheEntry {
    /// The lock that a refresh holds, so that the service gets one HTTP request for a URL at a time.
    lock: RefreshLock<()>,
    state: Mutex<CachedText>,
}

#[derive(Default, Clone)]
struct CachedText {
    text: Option<Arc<str>>,
    fetched_at: i64,
    failed_at: Option<i64>,
}

impl Upstream {
    pub fn new(
        name: &'static str,
        timeout: Duration,
        max_bytes: usize,
        ttl: Duration,
        clean: Sanitizer,
    ) -> Result<Upstream, String> {
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(timeout.0)
            .build()
            .map_err(|error| format!("{name}: {error}"))?;
        Ok(Upstream {
            name,
            client,
            max_bytes,
            ttl: ttl.millis(),
            sanitize: clean,
            cache: Mutex::default(),
            logged_at: AtomicI64::new(i64::MIN / 2),
        })
    }

    /// Returns the sanitized response, or `None` if there is no usable response. While the response is refreshed or the
    /// service fails, returns a stale response.
    pub async fn get(self: &Arc<Self>, url: Url, clock: &Clock) -> Option<Arc<str>> {
        match self.look_up(url, clock) {
            (None, Some(refresh)) => refresh.await.ok().flatten(),
            (usable, _) => usable,
        }
    }

    /// Returns the sanitized response if it is cached, without waiting. A missing or old response is fetched in the
    /// background.
    pub fn cached_text(self: &Arc<Self>, url: Url, clock: &Clock) -> Option<Arc<str>> {
        self.look_up(url, clock).0
    }

    /// Returns the cached response if it is usable, and the task that refreshes it if it is old or missing.
    fn look_up(self: &Arc<Self>, url: Url, clock: &Clock) -> (Option<Arc<str>>, Option<Refresh>) {
        let entry = {
            let mut cache = self.cache.lock().expect("no panic while held");
            cache.entry(url.clone()).or_default().clone()
        };
        let now = clock.millis();
        let state = entry.cached_text();
        let age = now - state.fetched_at;
        let is_paused = state
            .failed_at
            .is_some_and(|at| (0..RETRY_PAUSE_MILLIS).contains(&(now - at)));
        let usable = state.usable_text(now);
        if is_paused || (usable.is_some() && age < self.ttl) {
            return (usable, None);
        }
        let (upstream, clock) = (self.clone(), clock.clone());
        // The refresh is a separate task, because a cancelled HTTP request must not cancel the refresh for concurrent
        // requests.
        let refresh = tokio::spawn(async move { upstream.refresh(url, &entry, &clock, now).await });
        (usable, Some(refresh))
    }

    async fn refresh(
        &self,
        url: Url,
        entry: &CacheEntry,
        clock: &Clock,
        requested_at: i64,
    ) -> Option<Arc<str>> {
        let _lock = entry.lock.lock().await;
        let state = entry.cached_text();
        let failed_since = state.failed_at.is_some_and(|at| at >= requested_at);
        if state.fetched_at >= requested_at || failed_since {
            return state.usable_text(clock.millis());
        }
        let answer = self
            .fetch(url)
            .await
            .and_then(|text| (self.sanitize)(&text));
        let now = clock.millis();
        let mut state = entry.state.lock().expect("no panic while held");
        match answer {
            Ok(text) => {
                *state = CachedText {
                    text: Some(text.into()),
                    fetched_at: now,
                    failed_at: None,
                };
            }
            Err(reason) => {
                state.failed_at = Some(now);
                self.log_failure(&reason, now);
            }
        }
        state.usable_text(now)
    }

    async fn fetch(&self, url: Url) -> Result<String, String> {
        let plain = |error: reqwest::Error| with_causes(&error.without_url());
        let answer = self.client.get(url).send().await.map_err(plain)?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(format!("status {}", answer.status().as_u16()));
        }
        let mut bytes = Vec::new();
        let mut stream = answer.bytes_stream();
        while let Some(chunk) = stream.next().await {
            bytes.extend_from_slice(&chunk.map_err(plain)?);
            if bytes.len() > self.max_bytes {
                return Err(format!("more than {} bytes", self.max_bytes));
            }
        }
        String::from_utf8(bytes).map_err(|_| "no UTF-8".to_owned())
    }

    fn log_failure(&self, reason: &str, now: i64) {
        let last = self.logged_at.load(Ordering::Relaxed);
        if now - last >= LOG_INTERVAL_MILLIS || now < last {
            self.logged_at.store(now, Ordering::Relaxed);
            tracing::warn!(service = self.name, reason, "an external service failed");
        }
    }
}

impl CachedText {
    /// Returns the cached text if it is not too old to be served.
    fn usable_text(&self, now: i64) -> Option<Arc<str>> {
        let is_recent = now - self.fetched_at < MAX_STALE_MILLIS;
        self.text.clone().filter(|_| is_recent)
    }
}

impl CacheEntry {
    fn cached_text(&self) -> CachedText {
        self.state.lock().expect("no panic while held").clone()
    }
}
