//! Coalesces concurrent lookups by key into one statement. A single lookup is dominated by process wake-ups, so lookups
//! that arrive while a statement runs share the next one. A statement starts after all its callers have enqueued, so no
//! caller sees a stale result. The gain is in docs/decisions/database.md.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::{CONNECTION_WAIT, Postgres, Result, Row, STATEMENT_TIMEOUT, StoreError};
use crate::domain::secret::SecretHash;
use crate::store::Param;

type Reply<T> = oneshot::Sender<Result<Option<T>>>;
type Waiters<T> = HashMap<SecretHash, Vec<Reply<T>>>;

pub(super) struct LookupBatcher<T> {
    /// Takes an array of keys as its only parameter and returns the key in the first column.
    sql: &'static str,
    read: fn(&Row) -> T,
    next: Arc<Mutex<PendingBatch<T>>>,
}

/// The callers of the next statement.
struct PendingBatch<T> {
    waiters: Waiters<T>,
    is_running: bool,
}

impl<T: Clone + Send + 'static> LookupBatcher<T> {
    pub(super) fn new(sql: &'static str, read: fn(&Row) -> T) -> LookupBatcher<T> {
        let next = PendingBatch {
            waiters: HashMap::new(),
            is_running: false,
        };
        LookupBatcher {
            sql,
            read,
            next: Arc::new(Mutex::new(next)),
        }
    }

    pub(super) async fn find(&self, db: &Postgres, key: &SecretHash) -> Result<Option<T>> {
        let (reply, answer) = oneshot::channel();
        let is_first = {
            let mut next = self.next.lock().expect("no panic while locked");
            next.waiters.entry(*key).or_default().push(reply);
            !std::mem::replace(&mut next.is_running, true)
        };
        if is_first {
            // In a task of its own, because this request may be cancelled.
            let batches = run_batches(db.clone(), self.sql, self.read, self.next.clone());
            tokio::spawn(batches);
        }
        // The longest time of a single lookup, also behind a statement that hangs.
        match tokio::time::timeout(CONNECTION_WAIT + STATEMENT_TIMEOUT, answer).await {
            Ok(Ok(found)) => found,
            _ => Err(StoreError::Unavailable("statement timed out".into())),
        }
    }
}

/// Runs one statement after another until no caller is left.
async fn run_batches<T: Clone>(
    db: Postgres,
    sql: &'static str,
    read: fn(&Row) -> T,
    next: Arc<Mutex<PendingBatch<T>>>,
) {
    let _resume = Resume(next.clone());
    loop {
        // Lets concurrent callers enqueue first; otherwise the first of many would get a statement of its own.
        tokio::task::yield_now().await;
        let waiters = {
            let mut next = next.lock().expect("no panic while locked");
            if next.waiters.is_empty() {
                next.is_running = false;
                return;
            }
            std::mem::take(&mut next.waiters)
        };
        match look_up(&db, sql, &waiters).await {
            Ok(rows) => reply_all(
                waiters,
                rows.iter().map(|row| (row.get(0), read(row))).collect(),
            ),
            Err(error) => {
                let text = error.to_string();
                for reply in waiters.into_values().flatten() {
                    // Fails when the caller was cancelled. The same below.
                    let _ = reply.send(Err(StoreError::Unavailable(text.clone())));
                }
            }
        }
    }
}

/// After a panic the next caller starts a new task.
struct Resume<T>(Arc<Mutex<PendingBatch<T>>>);

impl<T> Drop for Resume<T> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(mut next) = self.0.lock()
        {
            next.is_running = false;
        }
    }
}

async fn look_up<T>(db: &Postgres, sql: &str, waiters: &Waiters<T>) -> Result<Vec<Row>> {
    let keys = waiters.keys().map(Param::from).collect();
    db.read().await?.rows_of_columns(sql, &[keys]).await
}

fn reply_all<T: Clone>(waiters: Waiters<T>, found: HashMap<Vec<u8>, T>) {
    for (key, replies) in waiters {
        for reply in replies {
            let _ = reply.send(Ok(found.get(key.as_slice()).cloned()));
        }
    }
}
