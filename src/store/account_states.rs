//! Numbers the changes of accounts, disables accounts, and finds inactive accounts.

use uuid::Uuid;

use crate::clock::DAY;
use crate::db::row::statements;
use crate::db::{Result, StoreError, Tx};
use crate::params;

/// The length of a month in the column `last_sign_in_month`, in milliseconds.
const LAST_SIGN_IN_MONTH: i64 = 30 * DAY;

/// Takes the number of a change of the account, whose row is locked: the time `now`, or the number of the account's
/// latest change plus one if that is larger, so that the numbers grow even if the clock was set back.
pub(crate) async fn take_change_number(tx: &mut Tx, id: Uuid, now: i64) -> Result<i64> {
    let sql = "UPDATE accounts SET change_number =
                 CASE WHEN change_number >= $1 THEN change_number + 1 ELSE $1 END
               WHERE id = $2 RETURNING change_number";
    let number = tx.first(sql, params![now, id]).await?;
    number.ok_or_else(|| StoreError::Other("the account of a change is gone".into()))
}

statements! {
    /// Disables the account. Returns false if the account was already disabled.
    fn disable(id: Uuid, now: i64) -> bool =
        "UPDATE accounts SET disabled_at = $1 WHERE id = $2 AND disabled_at IS NULL", [now, id];

    /// Enables the account. Returns false if the account was already enabled.
    fn enable(id: Uuid) -> bool =
        "UPDATE accounts SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL";

    /// Sets an unknown last sign-in to the time `now` in at most `limit` accounts. Returns the number of accounts.
    fn init_last_sign_in(now: i64, limit: i64) -> u64 =
        "UPDATE accounts SET last_sign_in_at = $1 WHERE id IN
         (SELECT id FROM accounts WHERE last_sign_in_month IS NULL LIMIT $2)";
}

statements! {
    fn is_any_last_sign_in_unknown() -> bool = "SELECT 1 FROM accounts WHERE last_sign_in_month IS NULL LIMIT 1";

    /// Returns at most `limit` usable accounts without a sign-in since `since`, whose deletion is not announced yet.
    // The index contains the month of the last sign-in instead of its time, so that most sign-ins do not write the index.
    fn list_inactive(since: i64, limit: i64) -> Vec<Uuid> =
        "SELECT id FROM accounts WHERE last_sign_in_month <= $1 AND last_sign_in_at < $2
           AND disabled_at IS NULL
           AND id NOT IN (SELECT account_id FROM pending_acts WHERE act IN ('deletion', 'inactivity'))
         ORDER BY last_sign_in_month LIMIT $3", [since / LAST_SIGN_IN_MONTH, since, limit];

    /// Returns whether the account's user has not signed in since `since`.
    fn is_inactive(id: Uuid, since: i64) -> bool =
        "SELECT 1 FROM accounts WHERE id = $1 AND last_sign_in_at < $2";

    /// Lets the period of inactivity begin again at `now`.
    fn set_active(id: Uuid, now: i64) = "UPDATE accounts SET last_sign_in_at = $1 WHERE id = $2", [now, id];
}
