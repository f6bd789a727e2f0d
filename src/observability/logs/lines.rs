//! The queue of log lines that a thread writes to stdout. The reader of stdout may stall (a full pipe, a stopped
//! terminal), which must not block HTTP requests. If the queue is full, further lines are dropped and counted.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use prometheus::IntCounter;
use tracing_subscriber::fmt::MakeWriter;

use crate::time_limit::TimeLimit;

/// The maximum number of queued lines, which take a few megabytes.
const MAX_QUEUED_LINES: usize = 16 * 1024;
/// The longest wait for queued lines at the end of the process.
const FLUSH_TIMEOUT: TimeLimit = TimeLimit::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The metric of log lines that were dropped since the process started.
pub static DROPPED_LINES: LazyLock<IntCounter> = LazyLock::new(|| {
    IntCounter::new(
        "account_log_lines_dropped_total",
        "Log lines that were dropped because the reader of stdout did not take them",
    )
    .expect("a constant name")
});

enum QueueItem {
    Line(Vec<u8>),
    /// A message that the writer thread acknowledges after it has written all earlier lines.
    Flush(SyncSender<()>),
}

/// A writer that accepts lines without blocking.
#[derive(Clone)]
pub struct LogWriter(SyncSender<QueueItem>);

impl LogWriter {
    /// Starts the writer thread.
    pub fn start(out: impl Write + Send + 'static) -> io::Result<LogWriter> {
        let (sender, receiver) = sync_channel(MAX_QUEUED_LINES);
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write_queued(&receiver, out))?;
        Ok(LogWriter(sender))
    }

    /// Waits until all earlier lines are written, or until [`FLUSH_TIMEOUT`] has passed.
    pub fn flush(&self) {
        let end = Instant::now() + FLUSH_TIMEOUT.get();
        let (done, written) = sync_channel(1);
        let mut item = QueueItem::Flush(done);
        while let Err(TrySendError::Full(back)) = self.0.try_send(item) {
            if Instant::now() >= end {
                return;
            }
            item = back;
            std::thread::sleep(POLL_INTERVAL);
        }
        // After the timeout the remaining lines are lost at the end of the process.
        let _ = written.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

fn write_queued(items: &Receiver<QueueItem>, mut out: impl Write) {
    let mut logged_drops = 0;
    loop {
        let item = match items.try_recv() {
            Ok(item) => item,
            Err(TryRecvError::Disconnected) => return,
            Err(TryRecvError::Empty) => {
                let dropped = DROPPED_LINES.get();
                let lines = dropped - logged_drops;
                if lines > 0 {
                    logged_drops = dropped;
                    tracing::warn!(
                        lines,
                        "log lines were dropped: the reader of stdout is too slow"
                    );
                }
                match items.recv() {
                    Ok(item) => item,
                    Err(_) => return,
                }
            }
        };
        match item {
            // If there is no reader, the line is lost, and the process continues.
            QueueItem::Line(line) => drop(out.write_all(&line).and_then(|()| out.flush())),
            // Sending fails if `flush` has stopped waiting, which needs no handling.
            QueueItem::Flush(done) => drop(done.send(())),
        }
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = &'a LogWriter;

    fn make_writer(&'a self) -> &'a LogWriter {
        self
    }
}

impl Write for &LogWriter {
    /// Queues a line. The subscriber writes each event with one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.0.try_send(QueueItem::Line(line.to_vec())).is_err() {
            DROPPED_LINES.inc();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A reader that reads one line for each received permission, and reports the line.
    struct Reader(mpsc::Receiver<()>, mpsc::Sender<Vec<u8>>);

    impl Write for Reader {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(io::Error::other)?;
            self.1.send(line.to_vec()).map_err(io::Error::other)?;
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_stalled_log_reader_loses_lines_without_blocking() {
        let (permit, permitted) = mpsc::channel();
        let (read, seen) = mpsc::channel();
        let lines = LogWriter::start(Reader(permitted, read)).expect("a thread");
        let before = DROPPED_LINES.get();
        for n in 0..MAX_QUEUED_LINES + 1000 {
            (&lines)
                .write_all(format!("{n}\n").as_bytes())
                .expect("taken");
        }
        let dropped = DROPPED_LINES.get() - before;
        assert!((999..=1000).contains(&dropped), "{dropped}");
        for _ in 0..MAX_QUEUED_LINES + 2 {
            permit.send(()).expect("a reader");
        }
        lines.flush();
        let seen: Vec<_> = seen.try_iter().collect();
        assert_eq!(seen.len() as u64, MAX_QUEUED_LINES as u64 + 1000 - dropped);
        assert_eq!(seen[0], b"0\n");
    }
}
