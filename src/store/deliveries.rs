//! The queue of HTTP requests to other services.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

row! {
    /// A queued request. `facts` is JSON.
    #[derive(Debug, Clone)]
    pub(crate) struct QueuedDelivery {
        pub id: Uuid,
        pub kind: String,
        pub facts: String,
        /// The number of failed attempts.
        pub attempts: i64,
    }
}

/// A new request for one endpoint, due at once.
pub(crate) struct NewDelivery<'a> {
    pub id: Uuid,
    pub kind: &'a str,
    pub endpoint: &'a str,
    pub facts: &'a str,
    /// What the request reports, if a newer request with this key replaces it.
    pub merge_key: Option<&'a str>,
    pub now: i64,
}

pub(crate) async fn insert(tx: &mut Tx, new: &NewDelivery<'_>) -> Result<()> {
    tx.execute(
        "INSERT INTO deliveries (id, kind, endpoint, facts, merge_key, created_at, due_at, attempts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0)",
        params![
            new.id,
            new.kind,
            new.endpoint,
            new.facts,
            new.merge_key,
            new.now,
            new.now
        ],
    )
    .await?;
    Ok(())
}

/// Removes the waiting requests that a new one with this key replaces. Returns their facts. If a removed one is being
/// sent, the endpoint receives it, and the new one too.
pub(crate) async fn take_replaced(
    tx: &mut Tx,
    endpoint: &str,
    merge_key: &str,
) -> Result<Vec<String>> {
    let sql = "DELETE FROM deliveries WHERE endpoint = $1 AND merge_key = $2 RETURNING facts";
    let rows = tx.rows(sql, params![endpoint, merge_key]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Returns whether a request is due for the endpoint.
pub(crate) async fn is_due(tx: &mut Tx, endpoint: &str, now: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM deliveries WHERE endpoint = $1 AND due_at <= $2 LIMIT 1";
    Ok(tx.row(sql, params![endpoint, now]).await?.is_some())
}

/// Claims due requests of one endpoint for one worker, the earliest first. No other worker gets them before
/// `claimed_until`, when the claim of a crashed worker ends.
pub(crate) async fn claim(
    tx: &mut Tx,
    endpoint: &str,
    now: i64,
    claimed_until: i64,
    limit: i64,
) -> Result<Vec<QueuedDelivery>> {
    let due = "SELECT id FROM deliveries WHERE endpoint = $1 AND due_at <= $2 ORDER BY due_at, id LIMIT $3";
    let sql = tx.update_unlocked("deliveries", due, "due_at = $4", QueuedDelivery::COLUMNS);
    let rows = tx
        .rows(&sql, params![endpoint, now, limit, claimed_until])
        .await?;
    Ok(rows.iter().map(QueuedDelivery::from_row).collect())
}

pub(crate) async fn remove(tx: &mut Tx, id: Uuid) -> Result<()> {
    let sql = "DELETE FROM deliveries WHERE id = $1";
    tx.execute(sql, params![id]).await?;
    Ok(())
}

/// Schedules another attempt at `due_at`, after a failed one.
pub(crate) async fn retry(tx: &mut Tx, id: Uuid, due_at: i64, error: &str) -> Result<()> {
    let sql = "UPDATE deliveries SET due_at = $1, last_error = $2, attempts = attempts + 1
               WHERE id = $3";
    tx.execute(sql, params![due_at, error, id]).await?;
    Ok(())
}

/// Schedules the first or another attempt at `due_at`, without counting one.
pub(crate) async fn postpone(tx: &mut Tx, id: Uuid, due_at: i64) -> Result<()> {
    let sql = "UPDATE deliveries SET due_at = $1 WHERE id = $2";
    tx.execute(sql, params![due_at, id]).await?;
    Ok(())
}

/// Makes requests due again that wait after a failed attempt, the earliest first, one every `pause` milliseconds from
/// `from` on, with a new schedule of retries. Those that are due before `waiting_after` may be claimed and stay. Returns
/// their number, at most `limit`.
pub(crate) async fn make_due(
    tx: &mut Tx,
    endpoint: &str,
    waiting_after: i64,
    from: i64,
    pause: i64,
    limit: i64,
) -> Result<u64> {
    tx.execute(
        "UPDATE deliveries SET due_at = $1 + place * $2, attempts = 0, last_error = NULL
         FROM (SELECT id AS waiting, ROW_NUMBER() OVER (ORDER BY due_at, id) - 1 AS place
               FROM deliveries WHERE endpoint = $3 AND due_at > $4 AND last_error IS NOT NULL
               ORDER BY due_at, id LIMIT $5) AS places
         WHERE id = waiting AND due_at > $4",
        params![from, pause, endpoint, waiting_after, limit],
    )
    .await
}

/// Removes requests of an endpoint until `keep` are left: first those that a later event would replace, then the others,
/// each the oldest first. Returns their number.
pub(crate) async fn trim_queue(tx: &mut Tx, endpoint: &str, keep: i64) -> Result<u64> {
    const ALL: i64 = i64::MAX;
    tx.execute(
        "DELETE FROM deliveries WHERE id IN
           (SELECT id FROM deliveries WHERE endpoint = $1
            ORDER BY CASE WHEN merge_key IS NULL THEN 0 ELSE 1 END, created_at DESC, id DESC
            LIMIT $2 OFFSET $3)",
        params![endpoint, ALL, keep],
    )
    .await
}

/// Returns whether more than `keep` requests are queued for the endpoint.
pub(crate) async fn has_more_than(tx: &mut Tx, endpoint: &str, keep: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM deliveries WHERE endpoint = $1
               ORDER BY created_at DESC LIMIT 1 OFFSET $2";
    Ok(tx.row(sql, params![endpoint, keep]).await?.is_some())
}

/// Returns the number of requests queued for an endpoint, and when the oldest was queued, in milliseconds since 1970
/// UTC.
pub(crate) async fn queue_depth(tx: &mut Tx, endpoint: &str) -> Result<(i64, Option<i64>)> {
    let sql = "SELECT COUNT(*), MIN(created_at) FROM deliveries WHERE endpoint = $1";
    let row = tx.row(sql, params![endpoint]).await?;
    let row = row.expect("a count is one row");
    Ok((row.get(0), row.get(1)))
}

/// Removes requests that are older than every retry schedule: their endpoint is no longer configured, or no node of the
/// version that queued them runs any more.
pub(crate) async fn delete_expired(tx: &mut Tx, made_before: i64, limit: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM deliveries WHERE id IN
           (SELECT id FROM deliveries WHERE created_at < $1 LIMIT $2)",
        params![made_before, limit],
    )
    .await
}
