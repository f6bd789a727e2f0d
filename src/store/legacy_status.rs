//! The progress of the migration, counted in slices, so that no statement reads a million rows.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;
use crate::store::legacy::slice_end;

row! {
    /// The number of legacy accounts whose events were on the same days since 1970 UTC; `None` means that an event is
    /// missing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) struct DayGroup {
        pub imported: i64 = "imported_at / 86400000",
        pub invited: Option<i64> = "invited_at / 86400000",
        pub opened: Option<i64> = "opened_at / 86400000",
        pub migrated: Option<i64> = "migrated_at / 86400000",
        /// The day of the refusal of an unmigrated account, because a person who was too young may have migrated since.
        pub refused: Option<i64> = "CASE WHEN migrated_at IS NULL THEN refused_at / 86400000 END",
        pub bounced: Option<i64> = "bounced_at / 86400000",
        pub unsubscribed: Option<i64> = "unsubscribed_at / 86400000",
        pub accounts: i64 = "COUNT(*)",
    }
}

const ACCOUNTS_PER_SLICE: i64 = 50_000;

/// Returns the counts of a slice that begins after the id `after`, and the last id, or `None` for the last slice.
pub(crate) async fn read_slice(tx: &mut Tx, after: Uuid) -> Result<(Vec<DayGroup>, Option<Uuid>)> {
    let last = slice_end(tx, after, ACCOUNTS_PER_SLICE).await?;
    let sql = "FROM legacy_accounts WHERE id > $1 AND id <= $2 GROUP BY 1, 2, 3, 4, 5, 6, 7";
    let until = last.unwrap_or(Uuid::max());
    let groups = DayGroup::select_all(tx, sql, params![after, until]).await?;
    Ok((groups, last))
}
