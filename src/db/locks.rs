//! SQL clauses that lock rows in PostgreSQL. SQLite has one writer at a time, so it needs no row locks.

use super::{Connection, Tx};

/// Returns a statement for SQLite: without the clause at its end that locks rows.
pub(super) fn without_lock(sql: &str) -> &str {
    let unlocked = sql.strip_suffix(" FOR UPDATE");
    let unlocked = unlocked.or_else(|| sql.strip_suffix(" FOR SHARE"));
    unlocked.unwrap_or(sql)
}

impl Tx {
    /// Returns a statement that takes rows from a queue. The statement changes the rows whose ids `query` selects,
    /// except those that another worker has locked, and ends at `RETURNING`.
    ///
    /// The statement materializes `query`, because PostgreSQL can run a subquery several times. A repeated subquery
    /// that locks rows would find further rows and exceed its `LIMIT`.
    pub(crate) fn update_unlocked(&self, table: &str, query: &str, assignments: &str) -> String {
        let lock = match &self.connection {
            Connection::Sqlite(_) => "",
            Connection::Postgres(_) => " FOR UPDATE SKIP LOCKED",
        };
        format!(
            "WITH claimed AS MATERIALIZED ({query}{lock})
             UPDATE {table} SET {assignments} WHERE id IN (SELECT id FROM claimed)
             RETURNING"
        )
    }
}
