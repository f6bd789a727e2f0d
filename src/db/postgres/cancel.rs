//! Cancels statements whose callers have stopped waiting. Closing a connection does not end its statement: the server
//! process goes on waiting for a lock or a standby, while new connections use up the server's `max_connections`.

use std::sync::Arc;

use deadpool_postgres::Object;
use tokio::sync::Semaphore;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::with_timeout;

/// The maximum number of cancel requests at a time, because each cancel request opens a connection of its own.
const MAX_CANCEL_REQUESTS: usize = 2;

/// The maximum number of cancel requests for one statement. A server that has lost the connection never responds.
const MAX_ATTEMPTS: u32 = 4;

/// Sends cancel requests (PostgreSQL manual, 55.2.8).
#[derive(Clone)]
pub(super) struct Canceller {
    tls: MakeRustlsConnect,
    requests: Arc<Semaphore>,
}

impl Canceller {
    pub(super) fn new(tls: MakeRustlsConnect) -> Canceller {
        Canceller {
            tls,
            requests: Arc::new(Semaphore::new(MAX_CANCEL_REQUESTS)),
        }
    }

    /// Cancels the statement that the connection executes, and then closes the connection. Until the server responds,
    /// the connection occupies a place in the pool. A cancelled COMMIT may have committed, so its response is never
    /// used.
    pub(super) fn cancel_and_close(&self, connection: Object) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            drop(Object::take(connection));
            return;
        };
        let Canceller { tls, requests } = self.clone();
        runtime.spawn(async move {
            let token = connection.cancel_token();
            for _ in 0..MAX_ATTEMPTS {
                let permit = requests.acquire().await;
                let sent = with_timeout(token.cancel_query(tls.clone())).await;
                drop(permit);
                // An unreachable server accepts no new connections either, so this connection can be closed.
                let is_unreachable = !matches!(sent, Some(Ok(())));
                // The server responds to ROLLBACK only after it has ended the cancelled statement.
                if is_unreachable
                    || with_timeout(connection.batch_execute("ROLLBACK"))
                        .await
                        .is_some()
                {
                    break;
                }
            }
            drop(Object::take(connection));
        });
    }
}
