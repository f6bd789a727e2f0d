//! The queue of outgoing HTTP requests.

use uuid::Uuid;

use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::domain::webhook_event::EventType;
use crate::params;

row! {
    /// A queued HTTP request. `facts` is the data of the request as JSON.
    #[derive(Debug, Clone)]
    pub(crate) struct QueuedRequest {
        pub id: Uuid,
        pub kind: String,
        pub facts: String,
        /// The number of failed attempts.
        pub attempts: i64,
    }
}

statements! {
    /// Queues an HTTP request for an endpoint, due `now`. A newer request with the same `merge_key` may replace it.
    fn insert(request: &QueuedRequest, endpoint: &str, merge_key: Option<&str>, now: i64) =
        "INSERT INTO deliveries (id, kind, endpoint, facts, merge_key, created_at, due_at, attempts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0)",
        [request.id, &request.kind, endpoint, &request.facts, merge_key, now, now];

    /// Removes the queued requests that a new request with this merge key replaces. Returns the facts of the removed
    /// requests. If a removed request is already being sent, the endpoint receives it and its replacement.
    fn remove_replaced_requests(endpoint: &str, merge_key: &str) -> Vec<String> =
        "DELETE FROM deliveries WHERE endpoint = $1 AND merge_key = $2 RETURNING facts";

    /// Removes the request with this merge key unless its first attempt is under way. Returns whether one was removed.
    fn remove_unsent_request(endpoint: &str, merge_key: &str) -> bool =
        "DELETE FROM deliveries WHERE endpoint = $1 AND merge_key = $2
         AND (attempts > 0 OR due_at = created_at)";

    fn is_due(endpoint: &str, now: i64) -> bool =
        "SELECT 1 FROM deliveries WHERE endpoint = $1 AND due_at <= $2 LIMIT 1";
}

/// Claims due requests of one endpoint for one worker, earliest first. Another worker can claim the requests only after
/// `claimed_until`, in case this worker has crashed.
pub(crate) async fn claim(
    tx: &mut Tx,
    endpoint: &str,
    now: i64,
    claimed_until: i64,
    limit: i64,
) -> Result<Vec<QueuedRequest>> {
    let due = "SELECT id FROM deliveries WHERE endpoint = $1 AND due_at <= $2 ORDER BY due_at, id LIMIT $3";
    let sql = tx.update_unlocked("deliveries", due, "due_at = $4");
    tx.all(&sql, params![endpoint, now, limit, claimed_until])
        .await
}

/// Removes requests of an endpoint until `keep` are left: by [`EventType::drop_order`], each group oldest first.
/// Returns the number of removed requests.
pub(crate) async fn trim_queue(tx: &mut Tx, endpoint: &str, keep: i64) -> Result<u64> {
    const NO_LIMIT: i64 = i64::MAX;
    let orders = EventType::ALL.iter().map(|event| {
        let (name, order) = (event.as_str(), event.drop_order());
        format!("WHEN facts LIKE '%\"type\":\"{name}\"%' THEN {order} ")
    });
    let sql = format!(
        "DELETE FROM deliveries WHERE id IN
           (SELECT id FROM deliveries WHERE endpoint = $1
            ORDER BY CASE {}ELSE 0 END DESC, created_at DESC, id DESC LIMIT $2 OFFSET $3)",
        orders.collect::<String>()
    );
    tx.execute(&sql, params![endpoint, NO_LIMIT, keep]).await
}

statements! {
    /// Returns whether more than `keep` requests are queued for the endpoint.
    fn has_more_than(endpoint: &str, keep: i64) -> bool =
        "SELECT 1 FROM deliveries WHERE endpoint = $1
         ORDER BY created_at DESC LIMIT 1 OFFSET $2";
}

/// Returns the number of requests queued for an endpoint, and the time of the oldest in milliseconds since 1970 UTC.
pub(crate) async fn queue_depth(tx: &mut Tx, endpoint: &str) -> Result<(i64, Option<i64>)> {
    let sql = "SELECT COUNT(*), MIN(created_at) FROM deliveries WHERE endpoint = $1";
    let row = tx.row(sql, params![endpoint]).await?;
    let row = row.expect("a count is one row");
    Ok((row.get(0), row.get(1)))
}

statements! {
    /// Removes requests that are older than every retry schedule, because their endpoint is no longer configured, or no
    /// node of the program version that queued them runs any more.
    fn delete_expired(made_before: i64, limit: i64) -> u64 =
        "DELETE FROM deliveries WHERE id IN
         (SELECT id FROM deliveries WHERE created_at < $1 LIMIT $2)";
}
