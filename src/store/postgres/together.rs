//! Rows that many ask for at once, each by its key: whoever comes while a statement is under way asks with
//! all the others in the next one. Alone, most of what such a question costs is waking two processes. A
//! statement begins after everybody in it has asked, so that nobody is answered with what was before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::{CONNECTION_WAIT, Postgres, Result, Row, STATEMENT_TIMEOUT, StoreError};
use crate::domain::secret::SecretHash;
use crate::store::Param;

type Reply<T> = oneshot::Sender<Result<Option<T>>>;
type Askers<T> = HashMap<SecretHash, Vec<Reply<T>>>;

pub struct Together<T> {
    /// Its one parameter is an array of keys, its first column the key.
    sql: &'static str,
    read: fn(&Row) -> T,
    next: Arc<Mutex<Next<T>>>,
}

/// Who is asking in the next statement.
struct Next<T> {
    askers: Askers<T>,
    is_one_under_way: bool,
}

impl<T: Clone + Send + 'static> Together<T> {
    pub fn new(sql: &'static str, read: fn(&Row) -> T) -> Together<T> {
        let next = Next {
            askers: HashMap::new(),
            is_one_under_way: false,
        };
        Together {
            sql,
            read,
            next: Arc::new(Mutex::new(next)),
        }
    }

    pub async fn find(&self, db: &Postgres, key: &SecretHash) -> Result<Option<T>> {
        let (reply, answer) = oneshot::channel();
        let is_first = {
            let mut next = self.next.lock().expect("no panic while held");
            next.askers.entry(*key).or_default().push(reply);
            !std::mem::replace(&mut next.is_one_under_way, true)
        };
        if is_first {
            // Not within this request, whose client may hang up.
            let asking = ask_all(db.clone(), self.sql, self.read, self.next.clone());
            tokio::spawn(asking);
        }
        // As long as asking alone might take, also behind a statement that hangs.
        match tokio::time::timeout(CONNECTION_WAIT + STATEMENT_TIMEOUT, answer).await {
            Ok(Ok(found)) => found,
            _ => Err(StoreError::Unavailable("statement timed out".into())),
        }
    }
}

/// Statement after statement, until nobody asks.
async fn ask_all<T: Clone>(
    db: Postgres,
    sql: &'static str,
    read: fn(&Row) -> T,
    next: Arc<Mutex<Next<T>>>,
) {
    let _resume = Resume(next.clone());
    loop {
        // Whoever is about to ask: otherwise the first of many asks alone, and all others wait for him.
        tokio::task::yield_now().await;
        let askers = {
            let mut next = next.lock().expect("no panic while held");
            if next.askers.is_empty() {
                next.is_one_under_way = false;
                return;
            }
            std::mem::take(&mut next.askers)
        };
        match ask(&db, sql, &askers).await {
            Ok(rows) => answer(
                askers,
                rows.iter().map(|row| (row.get(0), read(row))).collect(),
            ),
            Err(error) => {
                let text = error.to_string();
                for reply in askers.into_values().flatten() {
                    // Whoever is gone wants no answer. The same below.
                    let _ = reply.send(Err(StoreError::Unavailable(text.clone())));
                }
            }
        }
    }
}

/// A panic of one statement is not the end of all questions: whoever asks next begins anew.
struct Resume<T>(Arc<Mutex<Next<T>>>);

impl<T> Drop for Resume<T> {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Ok(mut next) = self.0.lock()
        {
            next.is_one_under_way = false;
        }
    }
}

async fn ask<T>(db: &Postgres, sql: &str, askers: &Askers<T>) -> Result<Vec<Row>> {
    let keys = askers.keys().map(Param::from).collect();
    db.read().await?.rows_of_columns(sql, &[keys]).await
}

fn answer<T: Clone>(askers: Askers<T>, found: HashMap<Vec<u8>, T>) {
    for (key, replies) in askers {
        for reply in replies {
            let _ = reply.send(Ok(found.get(key.as_slice()).cloned()));
        }
    }
}
