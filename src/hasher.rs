//! Password hashing behind a hard cap: so many threads, a bounded queue, a bounded wait.
//!
//! The work holds its place inside the hashing thread, so that a client that hangs up frees
//! nothing early and a crowd of them cannot start more hashes than there are threads. Work whose
//! client is gone is skipped, and what has waited longer than `password.queue_wait` is refused.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use prometheus::IntGauge;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::config;
use crate::domain::password::Password;
use crate::error::{ApiError, ErrorCode};
use crate::legacy::hash::OldHash;
use crate::metrics::HashQueue;
use crate::rng::Rng;

mod engine;
mod load;
#[cfg(target_os = "linux")]
pub mod turns;

use engine::{Arena, Engine, EngineError};
use load::{Kind, Load, Share};

/// Computes, and leaves what tells the result to whoever asked. Who waited too long is told at once.
type Work = Box<dyn FnOnce(&mut Arena) -> Option<Tell> + Send>;
type Tell = Box<dyn FnOnce() + Send>;

struct Job {
    work: Work,
    is_wanted: Box<dyn Fn() -> bool + Send>,
}

pub struct Hasher {
    queue: SyncSender<Job>,
    engine: Arc<Engine>,
    queue_wait: Duration,
    threads: u32,
    load: Arc<Load>,
    /// A hash of nobody's password: verified for unknown accounts, so that they cost as much.
    decoy: String,
    seen: HashQueue,
}

/// While others wait, so many results are told together. A hash leaves nothing of the answering code in the
/// processor's caches, which then takes four times as long: so one in eight does, not each. Who waits longest
/// waits seven hashes more.
const TOGETHER: usize = 8;
/// Longer queues than this are refused whatever the measured speed says.
const QUEUE_MOST: usize = 4096;

impl Hasher {
    pub fn start(settings: &config::Password, rng: &Rng, seen: HashQueue) -> Hasher {
        let params = argon2::Params::new(
            settings.memory_kib,
            settings.iterations,
            settings.parallelism,
            None,
        )
        .expect("checked with the configuration");
        let engine = Arc::new(Engine::new(params));
        let threads = settings.max_parallel.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let (queue, jobs) = sync_channel(QUEUE_MOST);
        let runtime = Handle::current();
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads {
            let (jobs, engine, runtime) = (jobs.clone(), engine.clone(), runtime.clone());
            std::thread::Builder::new()
                .name(format!("hash-{number}"))
                .spawn(move || run(&jobs, &engine, &runtime))
                .expect("a thread for hashing");
        }
        let load = Arc::new(Load::default());
        #[cfg(target_os = "linux")]
        {
            let (running, hasher) = (seen.running.clone(), Arc::downgrade(&load));
            std::thread::Builder::new()
                .name("turns".into())
                .spawn(move || turns::keep_short(&runtime, &running, &hasher))
                .expect("a thread that keeps turns short");
        }
        // The decoy's output is never compared with success: only its parameters matter, so it
        // needs no real hash and the start does not wait for one.
        let decoy = engine.decoy(rng);
        seen.threads.set(threads as i64);
        Hasher {
            queue,
            engine,
            queue_wait: settings.queue_wait.0,
            threads: u32::try_from(threads).unwrap_or(u32::MAX),
            load,
            decoy,
            seen,
        }
    }

    /// A place in the queue, or `busy` at once where it is too long. Asked for before anything else is done
    /// or counted: who is refused costs next to nothing and has not tried.
    pub fn place(&self) -> Result<Place<'_>, ApiError> {
        let (share, ahead) = self.load.enter();
        if ahead / self.threads > self.queue_wait {
            self.seen.refused.inc();
            return Err(ErrorCode::Busy.into());
        }
        Ok(Place {
            hasher: self,
            share,
            since: Instant::now(),
        })
    }

    /// `Place::hash`, for whom nothing comes before it. The same below.
    pub async fn hash(&self, password: &Password, rng: &Rng) -> Result<String, ApiError> {
        self.place()?.hash(password, rng).await
    }

    pub async fn verify(&self, password: &Password, hash: Option<&str>) -> Result<bool, ApiError> {
        self.place()?.verify(password, hash).await
    }

    pub async fn verify_any(
        &self,
        password: &Password,
        hashes: Vec<String>,
    ) -> Result<bool, ApiError> {
        self.place()?.verify_any(password, hashes).await
    }

    /// Whether a stored hash was made with other parameters than today's.
    pub fn is_outdated(&self, hash: &str) -> bool {
        self.engine.is_outdated(hash)
    }

    /// Tries that have a place: those before their hash, those that wait for it and those under way.
    pub fn queued(&self) -> u64 {
        self.load.jobs()
    }
}

/// A place in the queue, for one piece of work.
pub struct Place<'a> {
    hasher: &'a Hasher,
    share: Share,
    since: Instant,
}

impl Place<'_> {
    /// Hashes a new password: a PHC string, Argon2id, with a salt of 128 bits.
    pub async fn hash(self, password: &Password, rng: &Rng) -> Result<String, ApiError> {
        let (password, salt) = (password.clone(), rng.bytes::<16>());
        let engine = self.hasher.engine.clone();
        self.run(Kind::Ordinary, move |arena| {
            engine.hash(arena, &password, &salt)
        })
        .await?
        .map_err(not_computed)
    }

    /// Whether the password belongs to the hash. Without a hash: `false`, at the same cost.
    pub async fn verify(self, password: &Password, hash: Option<&str>) -> Result<bool, ApiError> {
        let (password, engine) = (password.clone(), self.hasher.engine.clone());
        let known = hash.is_some();
        let hash = hash.unwrap_or(&self.hasher.decoy).to_owned();
        let matches = self
            .run(Kind::Ordinary, move |arena| {
                engine.verify(arena, &password, &hash)
            })
            .await?
            .map_err(not_computed)?;
        Ok(matches && known)
    }

    /// Whether the password, as it was typed, belongs to a hash of the older system.
    pub async fn verify_old(self, typed: &str, hash: OldHash) -> Result<bool, ApiError> {
        let typed = zeroize::Zeroizing::new(typed.to_owned());
        let kind = Kind::Old(hash.scheme());
        self.run(kind, move |_| hash.verify(&typed)).await
    }

    /// Which of several hashes the password belongs to: one place in the queue for all of them.
    pub async fn verify_any(
        self,
        password: &Password,
        hashes: Vec<String>,
    ) -> Result<bool, ApiError> {
        let (password, engine) = (password.clone(), self.hasher.engine.clone());
        let kind = Kind::Several(hashes.len() as u64);
        self.run(kind, move |arena| {
            for hash in &hashes {
                if engine.verify(arena, &password, hash)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
        .await?
        .map_err(not_computed)
    }

    async fn run<T: Send + 'static>(
        self,
        kind: Kind,
        work: impl FnOnce(&mut Arena) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let Place {
            hasher,
            mut share,
            since,
        } = self;
        share.becomes(kind);
        let (reply, answer) = oneshot::channel();
        let reply = Arc::new(Mutex::new(Some(reply)));
        let patience = hasher.queue_wait;
        let seen = hasher.seen.clone();
        let wanted = reply.clone();
        let job = Job {
            is_wanted: Box::new(move || {
                let reply = wanted.lock().expect("no panic while held");
                reply
                    .as_ref()
                    .is_some_and(|r: &oneshot::Sender<Option<T>>| !r.is_closed())
            }),
            work: Box::new(move |arena| {
                let share = share;
                let begun = Instant::now();
                let waited = begun - since;
                seen.wait.observe(waited.as_secs_f64());
                let out = (waited <= patience).then(|| {
                    let _running = Running::begin(&seen.running);
                    work(arena)
                });
                let is_late = out.is_none();
                if is_late {
                    seen.refused.inc();
                } else {
                    let took = begun.elapsed();
                    seen.duration.observe(took.as_secs_f64());
                    share.took(took);
                }
                let tell: Tell = Box::new(move || {
                    if let Some(reply) = reply.lock().expect("no panic while held").take() {
                        // The client may have gone while we worked: then nobody wants the answer.
                        let _ = reply.send(out);
                    }
                });
                if is_late {
                    tell();
                    return None;
                }
                Some(tell)
            }),
        };
        if hasher.queue.try_send(job).is_err() {
            hasher.seen.refused.inc();
            return Err(ErrorCode::Busy.into());
        }
        match answer.await {
            Ok(Some(out)) => Ok(out),
            Ok(None) | Err(_) => Err(ErrorCode::Busy.into()),
        }
    }
}

/// One more under way, until it is dropped: also when the work panics.
struct Running<'a>(&'a IntGauge);

impl Running<'_> {
    fn begin(running: &IntGauge) -> Running<'_> {
        running.inc();
        Running(running)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Waits for a job where there is none. Nothing once nobody can bring one.
fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    let jobs = jobs.lock().expect("no panic while held");
    if let Ok(job) = jobs.try_recv() {
        return Some(job);
    }
    let job = jobs.recv().ok()?;
    drop(jobs);
    // The requests that came together with this one are read first, and not some way into its hash.
    std::thread::yield_now();
    Some(job)
}

fn run(jobs: &Mutex<Receiver<Job>>, engine: &Engine, runtime: &Handle) {
    // Before the first hash: none is computed by an implementation that was not compared.
    engine.is_fast();
    let mut arena = engine.arena();
    let mut done: Vec<Tell> = Vec::with_capacity(TOGETHER);
    loop {
        let job = if done.is_empty() {
            let Some(job) = next(jobs) else { return };
            Some(job)
        } else {
            // Who holds results only looks, and does not stand behind a thread that waits.
            let jobs = jobs.try_lock().ok();
            jobs.and_then(|jobs| jobs.try_recv().ok())
        };
        let is_last = job.is_none();
        if let Some(job) = job
            && (job.is_wanted)()
        {
            // A panic in one hash must not take the thread, and with it the cap, away.
            let work = std::panic::AssertUnwindSafe(|| (job.work)(&mut arena));
            match std::panic::catch_unwind(work) {
                Ok(tell) => done.extend(tell),
                Err(_) => {
                    tracing::error!("a password hash panicked");
                    arena = engine.arena();
                }
            }
        }
        if is_last || done.len() == TOGETHER {
            let told = std::mem::replace(&mut done, Vec::with_capacity(TOGETHER));
            // By a thread that answers, which then goes on with all of them: told one by one from here, each
            // would be gone on with before the next is told.
            runtime.spawn(async { told.into_iter().for_each(|tell| tell()) });
        }
    }
}

/// The client may try again: what fails here is memory, not the password.
fn not_computed(error: EngineError) -> ApiError {
    tracing::error!(%error, "a password hash was not computed");
    ErrorCode::Busy.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    /// A result that stays behind would let this wait for ever.
    #[tokio::test]
    async fn whoever_waits_is_told_with_any_number_of_threads_and_others() {
        let rng = Rng::System;
        let password = Password::typed("Correct-Horse-7").expect("long enough");
        for threads in 1..4 {
            let settings = config::Password {
                memory_kib: 8,
                iterations: 1,
                max_parallel: Some(threads),
                ..config::Password::default()
            };
            let hasher = Hasher::start(&settings, &rng, Metrics::new("sqlite", 0).hashing);
            let hash = hasher.hash(&password, &rng).await.expect("a hash");
            for crowd in 1..=3 * TOGETHER {
                let all = (0..crowd).map(|_| hasher.verify(&password, Some(&hash)));
                for right in futures_util::future::join_all(all).await {
                    assert!(right.expect("a place"), "{crowd} with {threads} threads");
                }
            }
            assert_eq!(hasher.queued(), 0);
        }
    }

    /// The places stand for sign-ins that come together: a tenth of a second of ordinary hashes, and minutes of
    /// old ones.
    #[tokio::test]
    async fn slow_old_hashes_do_not_refuse_ordinary_sign_ins() {
        // finding: F19
        let rng = Rng::System;
        let password = Password::typed("Correct-Horse-7").expect("long enough");
        let settings = config::Password {
            memory_kib: 8,
            iterations: 1,
            max_parallel: Some(1),
            ..config::Password::default()
        };
        let hasher = Hasher::start(&settings, &rng, Metrics::new("sqlite", 0).hashing);
        for _ in 0..50 {
            hasher.hash(&password, &rng).await.expect("a hash");
        }
        for _ in 0..8 {
            let old = "$2b$11$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde";
            let old = OldHash::parse(old).expect("bcrypt");
            let place = hasher.place().expect("an idle hasher");
            place
                .verify_old("Correct-Horse-7", old)
                .await
                .expect("a result");
        }
        let crowd: Vec<_> = (0..100).map(|_| hasher.place()).collect();
        assert!(crowd.iter().all(Result::is_ok));
        drop(crowd);
        hasher.hash(&password, &rng).await.expect("a hash");
        assert_eq!(hasher.queued(), 0);
    }
}
