//! Who has a processor while some check their session without a pause and others sign in.
//!
//! Where threads compete, Linux looks at its tick whether it is another one's turn: every 4 ms where it is built for
//! 250 Hz, and as long does a request wait for a hash. It looks too whenever a thread wakes. So while requests and
//! hashes compete, a thread on each processor wakes every millisecond and sleeps again, and turns are a quarter as
//! long. That leaves room for larger shares: half of the turns make less than half of the hashes, as what a hash works
//! on leaves the cache meanwhile, and so threads that answer are two steps of niceness behind
//! (docs/decisions/argon2.md).

use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use prometheus::IntGauge;
use rustix::process::{getpid, getpriority_process, setpriority_process};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};
use tokio::runtime::{Handle, RuntimeMetrics};

const TURN: Duration = Duration::from_millis(1);
/// How often it is looked whether somebody competes.
const LOOK: Duration = Duration::from_millis(100);
/// More than that of the process. Nobody needs a right to be nicer; with each step a thread gets a fifth less where it
/// competes.
const NICENESS: i32 = 2;

/// For the threads that answer, as they begin.
pub fn give_way() {
    let done = getpriority_process(Some(getpid()))
        .and_then(|own| setpriority_process(Some(gettid()), own + NICENESS));
    if let Err(error) = done {
        tracing::debug!(%error, "a thread keeps its niceness");
    }
}

/// Keeps turns short until the hasher is gone.
pub fn keep_short<T>(runtime: &Handle, running: &IntGauge, hasher: &Weak<T>) {
    let mut answering = Answering::of(runtime.metrics());
    let mut compete = || {
        std::thread::sleep(LOOK);
        answering.takes_a_processor() && running.get() > 0
    };
    while hasher.strong_count() > 0 {
        if compete() {
            let over = AtomicBool::new(false);
            std::thread::scope(|threads| {
                for processor in processors() {
                    let thread = std::thread::Builder::new().name("turn".into());
                    let over = &over;
                    if let Err(error) =
                        thread.spawn_scoped(threads, move || shorten(processor, over))
                    {
                        tracing::debug!(%error, "turns stay long");
                    }
                }
                while compete() {}
                over.store(true, Ordering::Relaxed);
            });
        }
    }
}

/// Those that this process may use.
fn processors() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(all) => (0..CpuSet::MAX_CPU).filter(|&n| all.is_set(n)).collect(),
        Err(error) => {
            tracing::debug!(%error, "turns stay long");
            Vec::new()
        }
    }
}

fn shorten(processor: usize, over: &AtomicBool) {
    let mut only = CpuSet::new();
    only.set(processor);
    if let Err(error) = sched_setaffinity(None, &only) {
        tracing::debug!(%error, "turns are shortened on another processor");
    }
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(TURN);
    }
}

/// How long each thread that answers had something to do, when it was last looked.
struct Answering {
    metrics: RuntimeMetrics,
    busy: Vec<Duration>,
    looked: Instant,
}

impl Answering {
    fn of(metrics: RuntimeMetrics) -> Answering {
        Answering {
            busy: vec![Duration::ZERO; metrics.num_workers()],
            looked: Instant::now(),
            metrics,
        }
    }

    /// Whether one of them had something to do for more than half of the time since.
    fn takes_a_processor(&mut self) -> bool {
        let half = self.looked.elapsed() / 2;
        self.looked = Instant::now();
        let mut is_one = false;
        for (number, before) in self.busy.iter_mut().enumerate() {
            let now = self.metrics.worker_total_busy_duration(number);
            is_one |= now.saturating_sub(*before) > half;
            *before = now;
        }
        is_one
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .expect("a runtime")
    }

    #[test]
    fn it_is_seen_whether_answering_takes_a_processor() {
        let runtime = runtime();
        let mut answering = Answering::of(runtime.metrics());
        let mut look = || {
            std::thread::sleep(LOOK);
            answering.takes_a_processor()
        };
        look();
        assert!(!look(), "nobody asks");
        let asked = runtime.spawn(async {
            loop {
                tokio::task::yield_now().await;
            }
        });
        while !look() {}
        asked.abort();
        while look() {}
    }

    #[test]
    fn its_thread_ends_with_the_hasher() {
        let runtime = runtime();
        let running = IntGauge::new("running", "Hashes").expect("a name");
        let hasher = Arc::new(());
        let (handle, weak) = (runtime.handle().clone(), Arc::downgrade(&hasher));
        let thread = std::thread::spawn(move || keep_short(&handle, &running, &weak));
        drop(hasher);
        thread.join().expect("no panic");
    }
}
