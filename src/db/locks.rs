//! SQL clauses that lock rows in PostgreSQL. SQLite has one writer at a time, so it needs no row locks.

use super::{Connection, Tx};

impl Tx {
    pub fn for_update(&self) -> &'static str {
        self.lock_clause(" FOR UPDATE")
    }

    /// Returns the clause of a shared row lock, which conflicts with `for_update`.
    pub fn for_share(&self) -> &'static str {
        self.lock_clause(" FOR SHARE")
    }

    /// Returns a statement that takes rows from a queue. The statement changes the rows whose ids `query` selects,
    /// except those that another worker has locked, and returns the columns of the changed rows.
    ///
    /// The statement materializes `query`, because PostgreSQL can run a subquery several times. A repeated subquery
    /// that locks rows would find further rows and exceed its `LIMIT`.
    pub(crate) fn update_unlocked(
        &self,
        table: &str,
        query: &str,
        assignments: &str,
        columns: &str,
    ) -> String {
        let lock = self.lock_clause(" FOR UPDATE SKIP LOCKED");
        format!(
            "WITH claimed AS MATERIALIZED ({query}{lock})
             UPDATE {table} SET {assignments} WHERE id IN (SELECT id FROM claimed)
             RETURNING {columns}"
        )
    }

    fn lock_clause(&self, clause: &'static str) -> &'static str {
        match &self.connection {
            Connection::Sqlite(_) => "",
            Connection::Postgres(_) => clause,
        }
    }
}
