//! Password hashing with a hard limit: a fixed number of threads, a bounded queue and a bounded wait.
//!
//! A job keeps its permit until its thread has finished the job, so a client that disconnects does not free capacity
//! early. Hashing threads skip the jobs of disconnected clients. A job that was queued for longer than
//! `password.queue_wait` fails with `HashError::Busy`.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::config;
use crate::crypto::hashing::legacy::LegacyHash;
use crate::domain::password::Password;
use crate::observability::metrics::{GaugeGuard, HashMetrics};
use crate::rng::Rng;
use crate::time_limit::TimeLimit;

mod engine;
pub(crate) mod legacy;
mod load;

use engine::{Arena, Engine, EngineError};
use load::{HashingLoad, JobKind, JobShare};

/// A job that computes a hash in the memory of its thread, and sends the result to the waiting HTTP request.
type HashJob = Box<dyn FnOnce(&mut Arena) + Send>;

pub struct Hasher {
    queue: SyncSender<HashJob>,
    engine: Arc<Engine>,
    queue_wait: Duration,
    threads: u32,
    load: Arc<HashingLoad>,
    /// A hash to verify if no account exists, so that a sign-in to an unknown account takes equally long.
    decoy: String,
    metrics: HashMetrics,
}

/// The parallelism of one hash. More hashes at once use more cores (`password.max_parallel`).
const LANES: u32 = 1;

/// The maximum number of queued jobs, whatever their expected duration.
const MAX_QUEUED_JOBS: usize = 4096;

impl Hasher {
    pub fn start(settings: &config::PasswordHashing, rng: &Rng, metrics: HashMetrics) -> Hasher {
        let params = argon2::Params::new(settings.memory_kib, settings.iterations, LANES, None)
            .expect("checked with the configuration");
        let engine = Arc::new(Engine::new(params));
        let threads = settings.hashing_threads();
        let (queue, jobs) = sync_channel(MAX_QUEUED_JOBS);
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads {
            let (jobs, engine) = (jobs.clone(), engine.clone());
            std::thread::Builder::new()
                .name(format!("hash-{number}"))
                .spawn(move || run_jobs(&jobs, &engine))
                .expect("a thread for hashing");
        }
        // The decoy is random instead of computed, because only its parameters matter and no password must match it.
        let decoy = engine.decoy_hash(rng);
        metrics.threads.set(threads as i64);
        Hasher {
            queue,
            engine,
            queue_wait: TimeLimit::new(settings.queue_wait.0).get(),
            threads: u32::try_from(threads).unwrap_or(u32::MAX),
            load: Arc::default(),
            decoy,
            metrics,
        }
    }

    /// Reserves a place in the queue. Fails if the queued jobs are expected to take longer than `password.queue_wait`.
    /// Callers reserve a place before all other work, so a refused HTTP request costs little and does not count as an
    /// attempt.
    pub fn reserve(&self) -> Result<HashPermit<'_>, HashError> {
        let (share, ahead) = self.load.add_job();
        if ahead / self.threads > self.queue_wait {
            self.metrics.refused.inc();
            return Err(HashError::Busy);
        }
        Ok(HashPermit {
            hasher: self,
            share,
            since: Instant::now(),
        })
    }

    /// Reserves a place in the queue and hashes the password; see [`HashPermit::hash`].
    pub async fn hash(&self, password: &Password, rng: &Rng) -> Result<String, HashError> {
        self.reserve()?.hash(password, rng).await
    }

    pub async fn verify(&self, password: &Password, hash: Option<&str>) -> Result<bool, HashError> {
        self.reserve()?.verify(password, hash).await
    }

    pub async fn verify_any_hash(
        &self,
        password: &Password,
        hashes: Vec<String>,
    ) -> Result<bool, HashError> {
        self.reserve()?.verify_any_hash(password, hashes).await
    }

    /// Returns whether a stored hash was made with other parameters than those in the configuration.
    pub fn is_outdated(&self, hash: &str) -> bool {
        self.engine.is_outdated(hash)
    }

    /// Returns the number of permits in use, whose jobs are not yet queued, queued, or being computed.
    pub fn used_permits(&self) -> u64 {
        self.load.jobs()
    }
}

/// The reason why a hash was not computed. A retry may succeed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error("the queue of password hashes is full")]
    Busy,
    /// The computation failed, most likely because memory could not be allocated.
    #[error("a password hash was not computed")]
    Engine(#[source] EngineError),
}

/// A reserved place in the hashing queue, which is valid for one job.
pub struct HashPermit<'a> {
    hasher: &'a Hasher,
    share: JobShare,
    since: Instant,
}

impl HashPermit<'_> {
    /// Hashes a new password with Argon2id and a salt of 128 bits. Returns a PHC string.
    pub async fn hash(self, password: &Password, rng: &Rng) -> Result<String, HashError> {
        let (password, salt) = (password.clone(), rng.bytes::<16>());
        let engine = self.hasher.engine.clone();
        self.run_on_thread(JobKind::Ordinary, move |arena| {
            engine.hash(arena, &password, &salt)
        })
        .await?
        .map_err(HashError::Engine)
    }

    /// Returns whether the password matches the hash. If `hash` is `None`, returns `false` after the same time.
    pub async fn verify(self, password: &Password, hash: Option<&str>) -> Result<bool, HashError> {
        let (password, engine) = (password.clone(), self.hasher.engine.clone());
        let has_hash = hash.is_some();
        let hash = hash.unwrap_or(&self.hasher.decoy).to_owned();
        let matches = self
            .run_on_thread(JobKind::Ordinary, move |arena| {
                engine.verify(arena, &password, &hash)
            })
            .await?
            .map_err(HashError::Engine)?;
        Ok(matches && has_hash)
    }

    /// Returns whether a password, exactly as the user typed it, matches a hash of the legacy system.
    pub async fn verify_legacy(self, typed: &str, hash: LegacyHash) -> Result<bool, HashError> {
        let typed = zeroize::Zeroizing::new(typed.to_owned());
        let kind = JobKind::Legacy(hash.scheme());
        self.run_on_thread(kind, move |_| hash.verify(&typed)).await
    }

    /// Returns whether the password matches any of several hashes, which one job verifies.
    pub async fn verify_any_hash(
        self,
        password: &Password,
        hashes: Vec<String>,
    ) -> Result<bool, HashError> {
        let (password, engine) = (password.clone(), self.hasher.engine.clone());
        let kind = JobKind::Several(hashes.len() as u64);
        self.run_on_thread(kind, move |arena| {
            for hash in &hashes {
                if engine.verify(arena, &password, hash)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await?
        .map_err(HashError::Engine)
    }

    async fn run_on_thread<T: Send + 'static>(
        self,
        kind: JobKind,
        work: impl FnOnce(&mut Arena) -> T + Send + 'static,
    ) -> Result<T, HashError> {
        let HashPermit {
            hasher,
            mut share,
            since,
        } = self;
        share.set_kind(kind);
        let (reply, answer) = oneshot::channel();
        let (queue_wait, metrics) = (hasher.queue_wait, hasher.metrics.clone());
        let job: HashJob = Box::new(move |arena| {
            if reply.is_closed() {
                return;
            }
            let started = Instant::now();
            let waited = started - since;
            metrics.wait.observe(waited.as_secs_f64());
            if waited > queue_wait {
                metrics.refused.inc();
                return;
            }
            let result = {
                let _running = GaugeGuard::new(&metrics.running);
                work(arena)
            };
            let took = started.elapsed();
            metrics.duration.observe(took.as_secs_f64());
            share.record(took);
            // The share of the load ends before the result is sent, so that the next HTTP request does not count this
            // job.
            drop(share);
            // Sending fails if the client has disconnected. The result is then not needed.
            let _ = reply.send(result);
        });
        if hasher.queue.try_send(job).is_err() {
            hasher.metrics.refused.inc();
            return Err(HashError::Busy);
        }
        // The job drops the sender without a result if the job waited too long or panicked.
        answer.await.map_err(|_| HashError::Busy)
    }
}

/// Blocks the thread until there is a job. Returns `None` if the hasher was dropped.
fn next_job(jobs: &Mutex<Receiver<HashJob>>) -> Option<HashJob> {
    jobs.lock().expect("no panic while locked").recv().ok()
}

fn run_jobs(jobs: &Mutex<Receiver<HashJob>>, engine: &Engine) {
    // Before its first hash, the thread waits for the check that both Argon2 implementations compute the same hash.
    engine.is_fast();
    let mut arena = engine.arena();
    while let Some(job) = next_job(jobs) {
        // A panic in one job must not end the thread, because fewer threads would remain.
        let job = std::panic::AssertUnwindSafe(|| job(&mut arena));
        if std::panic::catch_unwind(job).is_err() {
            tracing::error!("a password hash panicked");
            arena = engine.arena();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observability::metrics::Metrics;

    const PASSWORD: &str = "Correct-Horse-7";

    fn hasher(threads: usize) -> (Hasher, Password) {
        let settings = config::PasswordHashing {
            memory_kib: 8,
            iterations: 1,
            max_parallel: Some(threads),
            ..config::Config::default().password
        };
        let metrics = Metrics::new("sqlite", 0).hashing;
        let hasher = Hasher::start(&settings, &Rng::System, metrics);
        (hasher, Password::from_input(PASSWORD).expect("long enough"))
    }

    #[tokio::test]
    async fn every_request_gets_its_result_with_any_number_of_threads_and_requests() {
        for threads in 1..4 {
            let (hasher, password) = hasher(threads);
            let hash = hasher.hash(&password, &Rng::System).await.expect("a hash");
            for crowd in [1, 2, 7, 24] {
                let all = (0..crowd).map(|_| hasher.verify(&password, Some(&hash)));
                for right in futures_util::future::join_all(all).await {
                    assert!(right.expect("a permit"), "{crowd} with {threads} threads");
                }
            }
            assert_eq!(hasher.used_permits(), 0);
        }
    }

    /// Reserves 100 permits at once, which are a tenth of a second of ordinary hashes, or minutes of legacy hashes.
    #[tokio::test]
    async fn slow_old_hashes_do_not_refuse_ordinary_sign_ins() {
        let (hasher, password) = hasher(1);
        for _ in 0..50 {
            hasher.hash(&password, &Rng::System).await.expect("a hash");
        }
        for _ in 0..8 {
            let old = "$2b$11$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde";
            let old = LegacyHash::parse(old).expect("bcrypt");
            let permit = hasher.reserve().expect("an idle hasher");
            let verified = permit.verify_legacy(PASSWORD, old).await;
            verified.expect("a result");
        }
        let crowd: Vec<_> = (0..100).map(|_| hasher.reserve()).collect();
        assert!(crowd.iter().all(Result::is_ok));
        drop(crowd);
        hasher.hash(&password, &Rng::System).await.expect("a hash");
        assert_eq!(hasher.used_permits(), 0);
    }
}
