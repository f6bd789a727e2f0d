//! Counts the progress of the migration of legacy accounts in slices, so that no statement reads a million rows.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;
use crate::store::legacy::find_last_id_of_slice;

row! {
    /// The number of legacy accounts that reached each step of the migration on the same days. Days are counted from
    /// 1970-01-01 UTC. `None` means that the step was not reached.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct AccountsByDays {
        pub imported: i64 = "imported_at / 86400000",
        pub invited: Option<i64> = "invited_at / 86400000",
        pub opened: Option<i64> = "opened_at / 86400000",
        pub migrated: Option<i64> = "migrated_at / 86400000",
        /// The day on which the person was refused as too young, or `None` if the person has migrated since.
        pub refused: Option<i64> = "CASE WHEN migrated_at IS NULL THEN refused_at / 86400000 END",
        pub bounced: Option<i64> = "bounced_at / 86400000",
        pub unsubscribed: Option<i64> = "unsubscribed_at / 86400000",
        pub accounts: i64 = "COUNT(*)",
    }
}

const ACCOUNTS_PER_SLICE: i64 = 50_000;

/// Returns the counts of the slice that follows the id `after`, and the slice's last id, or `None` for the last slice.
pub(crate) async fn read_slice(
    tx: &mut Tx,
    after: Uuid,
) -> Result<(Vec<AccountsByDays>, Option<Uuid>)> {
    let last = find_last_id_of_slice(tx, after, ACCOUNTS_PER_SLICE).await?;
    let sql = "FROM legacy_accounts WHERE id > $1 AND id <= $2 GROUP BY 1, 2, 3, 4, 5, 6, 7";
    let until = last.unwrap_or(Uuid::max());
    let groups = tx.all(sql, params![after, until]).await?;
    Ok((groups, last))
}
