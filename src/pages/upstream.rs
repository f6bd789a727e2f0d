//! What comes from services outside (header and footer, translations): one GET each with a deadline
//! and a size cap, for addresses made of configuration only; what they answered is cache and shown
//! while they are slow or away.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tokio::sync::Mutex as RefreshLock;
use tokio::task::JoinHandle;
use url::Url;

use crate::clock::Clock;
use crate::config::Duration;

/// How long an answer is shown while the service is away, in milliseconds.
const STALE: i64 = 24 * 3_600_000;
/// After a failure the service is left alone for so long, so that no request waits for a hung one.
const PAUSE: i64 = 5_000;
/// Failures are logged once in so long, not once a request.
const SILENCE: i64 = 60_000;

/// Makes an answer fit for use, or says what is wrong with it.
pub type Clean = fn(&str) -> Result<String, String>;

type Refresh = JoinHandle<Option<Arc<str>>>;

pub struct Upstream {
    /// For the log: "fragments", "translations".
    name: &'static str,
    client: reqwest::Client,
    max_bytes: usize,
    ttl: i64,
    clean: Clean,
    /// By address. Addresses come from the configuration, so their number is fixed.
    cache: Mutex<HashMap<Url, Arc<CacheEntry>>>,
    logged_at: AtomicI64,
}

#[derive(Default)]
struct CacheEntry {
    /// Only one request at a time asks the service.
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
        clean: Clean,
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
            clean,
            cache: Mutex::default(),
            logged_at: AtomicI64::new(i64::MIN / 2),
        })
    }

    /// The cleaned answer: fresh, or stale while a new one is fetched or cannot be had. None: there
    /// is nothing to show.
    pub async fn get(self: &Arc<Self>, url: Url, clock: &Clock) -> Option<Arc<str>> {
        match self.look(url, clock) {
            (None, Some(refresh)) => refresh.await.ok().flatten(),
            (usable, _) => usable,
        }
    }

    /// What `get` would give without waiting. What is missing or old is fetched meanwhile.
    pub fn cached(self: &Arc<Self>, url: Url, clock: &Clock) -> Option<Arc<str>> {
        self.look(url, clock).0
    }

    /// What is cache and may be shown, and where that is old or missing the task that fetches it anew.
    fn look(self: &Arc<Self>, url: Url, clock: &Clock) -> (Option<Arc<str>>, Option<Refresh>) {
        let entry = {
            let mut cache = self.cache.lock().expect("no panic while held");
            cache.entry(url.clone()).or_default().clone()
        };
        let now = clock.millis();
        let state = entry.state();
        let age = now - state.fetched_at;
        let is_paused = state
            .failed_at
            .is_some_and(|at| (0..PAUSE).contains(&(now - at)));
        let usable = state.usable(now);
        if is_paused || (usable.is_some() && age < self.ttl) {
            return (usable, None);
        }
        let (upstream, clock) = (self.clone(), clock.clone());
        // A task of its own: who leaves early must not stop what others wait for.
        let refresh = tokio::spawn(async move { upstream.refresh(url, &entry, &clock, now).await });
        (usable, Some(refresh))
    }

    async fn refresh(
        &self,
        url: Url,
        entry: &CacheEntry,
        clock: &Clock,
        asked_at: i64,
    ) -> Option<Arc<str>> {
        let _lock = entry.lock.lock().await;
        let state = entry.state();
        let failed_since = state.failed_at.is_some_and(|at| at >= asked_at);
        if state.fetched_at >= asked_at || failed_since {
            return state.usable(clock.millis());
        }
        let answer = self.fetch(url).await.and_then(|text| (self.clean)(&text));
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
                self.log(&reason, now);
            }
        }
        state.usable(now)
    }

    async fn fetch(&self, url: Url) -> Result<String, String> {
        let plain = |error: reqwest::Error| error.without_url().to_string();
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

    fn log(&self, reason: &str, now: i64) {
        let last = self.logged_at.load(Ordering::Relaxed);
        if now - last >= SILENCE || now < last {
            self.logged_at.store(now, Ordering::Relaxed);
            tracing::warn!(service = self.name, reason, "a service outside failed");
        }
    }
}

impl CachedText {
    /// What may still be shown.
    fn usable(&self, now: i64) -> Option<Arc<str>> {
        let is_young = now - self.fetched_at < STALE;
        self.text.clone().filter(|_| is_young)
    }
}

impl CacheEntry {
    fn state(&self) -> CachedText {
        self.state.lock().expect("no panic while held").clone()
    }
}
