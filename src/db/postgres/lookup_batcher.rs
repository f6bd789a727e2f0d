//! Combines concurrent lookups by key into one SQL statement. Most of the duration of a single lookup is the wake-up of
//! processes, so lookups that arrive while a statement runs share the next statement. A statement starts after all its
//! callers have enqueued their keys, so no caller gets a stale row. The measured gain is in docs/decisions/database.md.
//! On Citus each key has a statement of its own, because a statement for several keys would read every shard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;
use uuid::Uuid;

use super::{CONNECTION_WAIT, Postgres, Result, Row, STATEMENT_TIMEOUT, StoreError};
use crate::db::Param;

/// The lookup key of a row: an id and a SHA-256 digest.
pub(crate) type LookupKey = (Uuid, [u8; 32]);
type RowSender = oneshot::Sender<Result<Option<Arc<Row>>>>;
type WaitersByKey = HashMap<LookupKey, Vec<RowSender>>;

/// The SQL of a lookup by key. Both statements return the key in their first two columns.
pub(crate) struct LookupSql {
    /// The statement for one key. PostgreSQL would plan a statement with an array of one key anew at each execution,
    /// because its generic plan assumes ten keys and therefore seems more expensive.
    pub one: &'static str,
    /// The statement for an array of ids and an array of the digests that belong to them.
    pub many: &'static str,
}

/// The pending batches of lookups, by SQL statement.
#[derive(Default)]
pub(super) struct LookupBatcher {
    batches: Mutex<HashMap<&'static str, PendingBatch>>,
}

/// The callers whose keys the next execution of a statement looks up.
#[derive(Default)]
struct PendingBatch {
    waiters: WaitersByKey,
    is_running: bool,
}

impl LookupBatcher {
    pub(super) async fn find_row(
        self: &Arc<Self>,
        db: &Postgres,
        sql: &'static LookupSql,
        key: &LookupKey,
    ) -> Result<Option<Arc<Row>>> {
        let (reply, answer) = oneshot::channel();
        let is_first = {
            let mut batches = self.batches.lock().expect("no panic while locked");
            let batch = batches.entry(sql.many).or_default();
            batch.waiters.entry(*key).or_default().push(reply);
            !std::mem::replace(&mut batch.is_running, true)
        };
        if is_first {
            // The statement runs in a separate task, because the task of this caller may be cancelled.
            tokio::spawn(self.clone().run_batches(db.clone(), sql));
        }
        // A lookup takes no longer than this time limit, even if it is queued after a statement that hangs.
        match tokio::time::timeout(CONNECTION_WAIT.get() + STATEMENT_TIMEOUT.get(), answer).await {
            Ok(Ok(found)) => found,
            _ => Err(StoreError::Unavailable("statement timed out".into())),
        }
    }

    /// Executes the statement again and again until no callers are left.
    async fn run_batches(self: Arc<Self>, db: Postgres, sql: &'static LookupSql) {
        let _resume = EndBatch(self.clone(), sql.many);
        loop {
            // Yields, so that concurrent callers enqueue their keys. Otherwise one of them would get a separate
            // statement.
            tokio::task::yield_now().await;
            let Some(waiters) = self.next_waiters(sql) else {
                return;
            };
            if db.is_citus {
                for waiter in waiters {
                    tokio::spawn(answer(db.clone(), sql, WaitersByKey::from([waiter])));
                }
            } else {
                answer(db.clone(), sql, waiters).await;
            }
        }
    }

    /// Takes the waiting callers out of the batch. If there are no callers, returns `None` and marks the batch as
    /// ended, so that the next caller starts a new task.
    fn next_waiters(&self, sql: &'static LookupSql) -> Option<WaitersByKey> {
        let mut batches = self.batches.lock().expect("no panic while locked");
        let batch = batches.entry(sql.many).or_default();
        if batch.waiters.is_empty() {
            batch.is_running = false;
            return None;
        }
        Some(std::mem::take(&mut batch.waiters))
    }
}

/// Marks the batch as ended if its task panics, so that the next caller starts a new task.
struct EndBatch(Arc<LookupBatcher>, &'static str);

impl Drop for EndBatch {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(mut batches) = self.0.batches.lock()
        {
            batches.entry(self.1).or_default().is_running = false;
        }
    }
}

/// Executes one statement and sends its rows to the callers.
async fn answer(db: Postgres, sql: &'static LookupSql, waiters: WaitersByKey) {
    match query_rows(&db, sql, &waiters).await {
        Ok(rows) => reply_all(waiters, rows),
        Err(error) => {
            for reply in waiters.into_values().flatten() {
                // Sending fails if the caller was cancelled, which needs no handling.
                let _ = reply.send(Err(error.clone()));
            }
        }
    }
}

/// Returns the rows of the keys, which are the ids and the digests in the same order.
async fn query_rows(db: &Postgres, sql: &LookupSql, waiters: &WaitersByKey) -> Result<Vec<Row>> {
    let ids: Vec<Param<'_>> = waiters.keys().map(|(id, _)| Param::from(*id)).collect();
    let digests: Vec<Param<'_>> = waiters
        .keys()
        .map(|(_, digest)| Param::from(digest))
        .collect();
    let mut tx = db.begin_read(&db.lookup_pool).await?;
    match (ids.as_slice(), digests.as_slice()) {
        ([id], [digest]) => tx.rows(sql.one, &[*id, *digest]).await,
        _ => tx.query_with_array_params(sql.many, &[ids, digests]).await,
    }
}

fn reply_all(waiters: WaitersByKey, rows: Vec<Row>) {
    let keyed = rows
        .into_iter()
        .map(|row| ((row.get(0), row.get(1)), Arc::new(row)));
    let found: HashMap<LookupKey, _> = keyed.collect();
    for (key, replies) in waiters {
        for reply in replies {
            let _ = reply.send(Ok(found.get(&key).cloned()));
        }
    }
}
