//! Counters of the named rate limits, in the database so that all nodes share them.

use crate::config::Limit;
use crate::db::row::statements;
use crate::db::{Result, Tx};
use crate::params;

/// The largest difference between the `now` of a caller and the `now` that began the window, unless a clock was set
/// back. A caller reads `now` before it waits for the row's lock, and nodes have clocks of their own.
const MAX_CLOCK_DIFFERENCE_MILLIS: i64 = 60_000;

/// Counts one hit, in one statement. Returns the milliseconds until the window ends, or `None` within the limit.
///
/// A window starts with its earliest hit and has a fixed end, so `Retry-After` is exact and no block lasts for ever.
pub(crate) async fn count_hit(
    tx: &mut Tx,
    key: &[u8],
    limit: Limit,
    now: i64,
) -> Result<Option<i64>> {
    let row: Option<(i64, i64)> = tx
        .first(
            "INSERT INTO limits (key, hits, ends_at) VALUES ($1, 1, $2)
             ON CONFLICT (key) DO UPDATE SET
               hits = CASE WHEN limits.ends_at <= $3 OR limits.ends_at > $4
                      THEN 1 ELSE limits.hits + 1 END,
               ends_at = CASE WHEN limits.ends_at <= $3 OR limits.ends_at > $4
                      THEN $2 ELSE limits.ends_at END
             RETURNING hits, ends_at",
            params![
                key,
                now.saturating_add(limit.window.millis()),
                now,
                latest_end(limit, now)
            ],
        )
        .await?;
    let (hits, ends_at) = row.expect("an upsert returns its row");
    Ok((hits > limit.hits).then(|| (ends_at - now).max(1)))
}

/// Returns the milliseconds until the window ends if the limit is reached, otherwise `None`. Counts no hit.
pub(crate) async fn remaining_wait(
    tx: &mut Tx,
    key: &[u8],
    limit: Limit,
    now: i64,
) -> Result<Option<i64>> {
    let sql = "SELECT ends_at FROM limits WHERE key = $1 AND hits >= $2 AND ends_at > $3
               AND ends_at <= $4";
    let params = params![key, limit.hits, now, latest_end(limit, now)];
    let ends_at: Option<i64> = tx.first(sql, params).await?;
    Ok(ends_at.map(|ends_at| ends_at - now))
}

/// Returns the latest time at which a running window can end. A window that ends later was begun before the clock was
/// set back, and counts as ended.
fn latest_end(limit: Limit, now: i64) -> i64 {
    let end = now.saturating_add(limit.window.millis());
    end.saturating_add(MAX_CLOCK_DIFFERENCE_MILLIS)
}

statements! {
    /// Removes one hit from a counter, because the action had an outcome that the limit does not count.
    fn remove_hit(key: &[u8]) = "UPDATE limits SET hits = hits - 1 WHERE key = $1 AND hits > 0";

    fn clear(key: &[u8]) = "DELETE FROM limits WHERE key = $1";

    /// Removes the counter if its window ends at `ends_at`. A later window stays.
    fn clear_window(key: &[u8], ends_at: i64) = "DELETE FROM limits WHERE key = $1 AND ends_at = $2";
}
