//! The load of the hashing threads, which is the expected duration of all unfinished jobs.
//!
//! Each kind of job has its own average duration. With one average for all kinds, a few slow verifications of legacy
//! hashes would make the queue look longer than it is, and ordinary sign-ins would be refused.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::legacy::Scheme;

/// The expected duration of an Argon2id job, until a job of this kind was measured.
const ORDINARY_ESTIMATE_MICROS: u64 = 20_000;
const LEGACY_ESTIMATE_MICROS: u64 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobKind {
    /// The job computes one Argon2id hash with the configured parameters.
    Ordinary,
    /// The job verifies at most this number of Argon2id hashes, one after another.
    Several(u64),
    Legacy(Scheme),
}

#[derive(Default)]
pub(super) struct HashingLoad {
    jobs: AtomicU64,
    /// The expected duration of all unfinished jobs, in microseconds.
    work: AtomicU64,
    ordinary: MovingAverage,
    old: Mutex<BTreeMap<Scheme, MovingAverage>>,
}

impl HashingLoad {
    /// Adds a job as an ordinary hash; [`JobShare::set_kind`] corrects the kind. Also returns the expected duration of
    /// all earlier jobs.
    pub(super) fn add_job(self: &Arc<Self>) -> (JobShare, Duration) {
        let work = self.expected_micros(JobKind::Ordinary);
        self.jobs.fetch_add(1, Ordering::SeqCst);
        let before = self.work.fetch_add(work, Ordering::SeqCst);
        let share = JobShare {
            load: self.clone(),
            kind: JobKind::Ordinary,
            work,
        };
        (share, Duration::from_micros(before))
    }

    pub(super) fn jobs(&self) -> u64 {
        self.jobs.load(Ordering::SeqCst)
    }

    fn expected_micros(&self, kind: JobKind) -> u64 {
        match kind {
            JobKind::Ordinary => self.ordinary.or_estimate(ORDINARY_ESTIMATE_MICROS),
            JobKind::Several(hashes) => {
                hashes * self.ordinary.or_estimate(ORDINARY_ESTIMATE_MICROS)
            }
            JobKind::Legacy(scheme) => {
                let old = self.old.lock().expect("no panic while locked");
                old.get(&scheme).map_or(LEGACY_ESTIMATE_MICROS, |average| {
                    average.or_estimate(LEGACY_ESTIMATE_MICROS)
                })
            }
        }
    }
}

/// The expected duration of one job, which is part of the load until this value is dropped.
pub(super) struct JobShare {
    load: Arc<HashingLoad>,
    kind: JobKind,
    work: u64,
}

impl JobShare {
    pub(super) fn set_kind(&mut self, kind: JobKind) {
        let work = self.load.expected_micros(kind);
        self.load.work.fetch_add(work, Ordering::SeqCst);
        self.load.work.fetch_sub(self.work, Ordering::SeqCst);
        (self.kind, self.work) = (kind, work);
    }

    /// Updates the average duration of the job's kind. Jobs with several hashes are not measured, because they end
    /// early when a hash matches.
    pub(super) fn record(&self, time: Duration) {
        match self.kind {
            JobKind::Ordinary => self.load.ordinary.add(time),
            JobKind::Several(_) => {}
            JobKind::Legacy(scheme) => {
                let mut old = self.load.old.lock().expect("no panic while locked");
                old.entry(scheme).or_default().add(time);
            }
        }
    }
}

impl Drop for JobShare {
    fn drop(&mut self) {
        self.load.work.fetch_sub(self.work, Ordering::SeqCst);
        self.load.jobs.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A moving average in microseconds, which is zero until a duration is added.
#[derive(Default)]
struct MovingAverage(AtomicU64);

impl MovingAverage {
    fn or_estimate(&self, start: u64) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => start,
            micros => micros,
        }
    }

    fn add(&self, time: Duration) {
        let took = (time.as_micros() as u64).max(1);
        let next = match self.0.load(Ordering::Relaxed) {
            0 => took,
            before => (before * 7 + took).div_ceil(8),
        };
        self.0.store(next, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record_job(load: &Arc<HashingLoad>, kind: JobKind, time: Duration) {
        let (mut share, _) = load.add_job();
        share.set_kind(kind);
        share.record(time);
    }

    #[test]
    fn each_kind_of_hash_is_expected_to_take_its_own_time() {
        let load = Arc::new(HashingLoad::default());
        let (fast, slow) = (Duration::from_millis(10), Duration::from_secs(1));
        for _ in 0..20 {
            record_job(&load, JobKind::Ordinary, fast);
            record_job(&load, JobKind::Legacy(Scheme::Scrypt), slow);
            record_job(&load, JobKind::Legacy(Scheme::Md5Crypt), fast);
        }
        let (mut share, before) = load.add_job();
        assert_eq!(before, Duration::ZERO);
        for (kind, expected) in [
            (JobKind::Ordinary, fast),
            (JobKind::Several(3), fast * 3),
            (JobKind::Legacy(Scheme::Scrypt), slow),
            (JobKind::Legacy(Scheme::Md5Crypt), fast),
        ] {
            share.set_kind(kind);
            let (_other, before) = load.add_job();
            assert_eq!(before, expected, "{kind:?}");
        }
        drop(share);
        assert_eq!(load.jobs(), 0);
        assert_eq!(load.add_job().1, Duration::ZERO);
    }
}
