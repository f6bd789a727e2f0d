//! The work that the hashing threads still have to do, as a sum of the time that each job is expected to take.
//!
//! Each kind of hash has its own average. With one average for all of them, a few slow verifications of old hashes
//! would make the queue of ordinary sign-ins look longer than it is, and they would be refused.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::legacy::hash::Scheme;

/// In microseconds, until the first hash of a kind is measured.
const ORDINARY_START: u64 = 20_000;
const OLD_START: u64 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One Argon2id hash with today's parameters.
    Ordinary,
    /// So many of them at most.
    Several(u64),
    Old(Scheme),
}

#[derive(Default)]
pub(super) struct Load {
    jobs: AtomicU64,
    /// Microseconds of work of all jobs.
    work: AtomicU64,
    ordinary: Average,
    old: Mutex<BTreeMap<Scheme, Average>>,
}

impl Load {
    /// Enters a job as an ordinary hash, which most are; [`Share::becomes`] corrects it. Also says how much work
    /// was there before.
    pub(super) fn enter(self: &Arc<Self>) -> (Share, Duration) {
        let work = self.expected(Kind::Ordinary);
        self.jobs.fetch_add(1, Ordering::SeqCst);
        let before = self.work.fetch_add(work, Ordering::SeqCst);
        let share = Share {
            load: self.clone(),
            kind: Kind::Ordinary,
            work,
        };
        (share, Duration::from_micros(before))
    }

    pub(super) fn jobs(&self) -> u64 {
        self.jobs.load(Ordering::SeqCst)
    }

    fn expected(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Ordinary => self.ordinary.or(ORDINARY_START),
            Kind::Several(hashes) => hashes * self.ordinary.or(ORDINARY_START),
            Kind::Old(scheme) => {
                let old = self.old.lock().expect("no panic while held");
                old.get(&scheme)
                    .map_or(OLD_START, |average| average.or(OLD_START))
            }
        }
    }
}

/// A job's part of the load, until it is dropped.
pub(super) struct Share {
    load: Arc<Load>,
    kind: Kind,
    work: u64,
}

impl Share {
    pub(super) fn becomes(&mut self, kind: Kind) {
        let work = self.load.expected(kind);
        self.load.work.fetch_add(work, Ordering::SeqCst);
        self.load.work.fetch_sub(self.work, Ordering::SeqCst);
        (self.kind, self.work) = (kind, work);
    }

    /// Learns how long the job took. Several hashes end early at a match and say nothing about one.
    pub(super) fn took(&self, time: Duration) {
        match self.kind {
            Kind::Ordinary => self.load.ordinary.add(time),
            Kind::Several(_) => {}
            Kind::Old(scheme) => {
                let mut old = self.load.old.lock().expect("no panic while held");
                old.entry(scheme).or_default().add(time);
            }
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.load.work.fetch_sub(self.work, Ordering::SeqCst);
        self.load.jobs.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A moving average in microseconds. Zero: nothing was measured yet.
#[derive(Default)]
struct Average(AtomicU64);

impl Average {
    fn or(&self, start: u64) -> u64 {
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

    fn ran(load: &Arc<Load>, kind: Kind, time: Duration) {
        let (mut share, _) = load.enter();
        share.becomes(kind);
        share.took(time);
    }

    #[test]
    fn each_kind_of_hash_is_expected_to_take_its_own_time() {
        // finding: F19
        let load = Arc::new(Load::default());
        let (fast, slow) = (Duration::from_millis(10), Duration::from_secs(1));
        for _ in 0..20 {
            ran(&load, Kind::Ordinary, fast);
            ran(&load, Kind::Old(Scheme::Scrypt), slow);
            ran(&load, Kind::Old(Scheme::Md5Crypt), fast);
        }
        let (mut share, before) = load.enter();
        assert_eq!(before, Duration::ZERO);
        for (kind, expected) in [
            (Kind::Ordinary, fast),
            (Kind::Several(3), fast * 3),
            (Kind::Old(Scheme::Scrypt), slow),
            (Kind::Old(Scheme::Md5Crypt), fast),
        ] {
            share.becomes(kind);
            let (_other, before) = load.enter();
            assert_eq!(before, expected, "{kind:?}");
        }
        drop(share);
        assert_eq!(load.jobs(), 0);
        assert_eq!(load.enter().1, Duration::ZERO);
    }
}
