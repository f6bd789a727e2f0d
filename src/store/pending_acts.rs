//! Acts that wait: changes of an account that were requested or announced, and that can still be stopped. At most one
//! act of each kind waits for an account. The caller of each write has locked the account's row.

use uuid::Uuid;

use crate::db::row::{param_by_name, row, statements};
use crate::db::{Result, Tx};
use crate::named_enum::named_enum;
use crate::params;

named_enum! {
    /// The kind of an act that waits.
    pub enum Act(
        /// Whether the act takes something from the account. An undo link of an earlier change can stop such an act, so
        /// the link works until the act has ended.
        is_harm: bool
    ) {
        EmailChange = "email_change", false;
        /// The deletion that was requested.
        Deletion = "deletion", true;
        /// The reset of lost strong factors.
        FactorReset = "factor_reset", true;
        /// The deletion of an account that nobody uses.
        Inactivity = "inactivity", true;
    }
}

param_by_name!(Act);

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct PendingAct {
        /// The change number of the request. Undo links with a lower number stop the act.
        pub number: i64,
        /// Times are milliseconds since 1970 UTC.
        pub requested_at: i64,
        /// The time from which the act can happen.
        pub due_at: i64,
        /// The time at which the act ends if it has not happened, or `None` if it ends only by happening.
        pub ends_at: Option<i64>,
        /// The new email address of an email change.
        pub email: Option<String>,
    }
}

statements! {
    fn insert(account: Uuid, act: Act, pending: &PendingAct) =
        "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at, ends_at, email)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        [account, act, pending.number, pending.requested_at, pending.due_at, pending.ends_at,
         pending.email.as_deref()];

    /// Returns the act that waits, or `None` if there is none or it has ended.
    fn find(account: Uuid, act: Act, now: i64) -> Option<PendingAct> =
        "FROM pending_acts WHERE account_id = $1 AND act = $2
         AND (ends_at IS NULL OR ends_at > $3)";

    /// Removes an act that waits. Returns whether there was one.
    fn remove(account: Uuid, act: Act) -> bool =
        "DELETE FROM pending_acts WHERE account_id = $1 AND act = $2";
}

/// Returns when the last harm with a number above `number` ends, or `None` if there is none.
pub(crate) async fn last_end_of_harm(
    tx: &mut Tx,
    account: Uuid,
    number: i64,
) -> Result<Option<i64>> {
    let sql = "SELECT act, COALESCE(ends_at, due_at) FROM pending_acts
               WHERE account_id = $1 AND number > $2";
    let rows = tx.rows(sql, params![account, number]).await?;
    let harms = rows.iter().filter(|row| {
        let name: String = row.get(0);
        Act::from_name(&name).is_some_and(Act::is_harm)
    });
    Ok(harms.map(|row| row.get(1)).max())
}

statements! {
    /// Returns at most `limit` accounts for which an act of this kind is due, the earliest first.
    fn list_due(act: Act, now: i64, limit: i64) -> Vec<Uuid> =
        "SELECT account_id FROM pending_acts WHERE act = $1 AND due_at <= $2
         ORDER BY due_at LIMIT $3";
}
