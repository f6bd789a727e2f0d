//! Requested resets of a lost second factor: at most one reset per account.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct SecondFactorReset {
        pub account_id: Uuid,
        /// The change number of the request (`Change::next_number`).
        pub requested_at: i64,
        /// The time from which the reset can be carried out, in milliseconds since 1970 UTC.
        pub due_at: i64,
        pub expires_at: i64,
    }
}

pub(crate) async fn insert(tx: &mut Tx, new: &SecondFactorReset) -> Result<()> {
    let sql = "INSERT INTO second_factor_resets (account_id, requested_at, due_at, expires_at)
               VALUES ($1, $2, $3, $4)";
    let values = params![new.account_id, new.requested_at, new.due_at, new.expires_at];
    tx.run(sql, values).await
}

/// Returns the account's requested reset, or `None` if there is none or it has expired.
pub(crate) async fn find_pending(
    tx: &mut Tx,
    account: Uuid,
    now: i64,
) -> Result<Option<SecondFactorReset>> {
    let sql = "FROM second_factor_resets WHERE account_id = $1 AND expires_at > $2";
    SecondFactorReset::select_one(tx, sql, params![account, now]).await
}

/// Removes the reset of an account. Returns whether there was a reset.
pub(crate) async fn remove(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "DELETE FROM second_factor_resets WHERE account_id = $1";
    Ok(tx.execute(sql, params![account]).await? > 0)
}
