//! How far the old accounts have come, counted in slices: no statement looks at a million rows.

use uuid::Uuid;

use super::legacy::slice_end;
use super::{Result, Row, Tx};
use crate::params;

/// So many accounts went through these days alike. Days since 1970 UTC; None: it has not happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    pub imported: i64,
    pub invited: Option<i64>,
    pub opened: Option<i64>,
    pub migrated: Option<i64>,
    /// Of those that still wait: a person who was too young may have moved since.
    pub refused: Option<i64>,
    pub bounced: Option<i64>,
    pub unsubscribed: Option<i64>,
    pub accounts: i64,
}

const SLICE: i64 = 50_000;

/// One slice behind `after`, and where the next one begins; None when this was the last.
pub(crate) async fn slice(tx: &mut Tx, after: Uuid) -> Result<(Vec<Group>, Option<Uuid>)> {
    let last = slice_end(tx, after, SLICE).await?;
    let rows = tx
        .rows(
            "SELECT imported_at / 86400000, invited_at / 86400000, opened_at / 86400000,
               migrated_at / 86400000, CASE WHEN migrated_at IS NULL THEN refused_at / 86400000 END, bounced_at / 86400000,
               unsubscribed_at / 86400000, COUNT(*)
             FROM legacy_accounts WHERE id > $1 AND id <= $2 GROUP BY 1, 2, 3, 4, 5, 6, 7",
            params![after, last.unwrap_or(Uuid::max())],
        )
        .await?;
    Ok((rows.iter().map(group).collect(), last))
}

fn group(row: &Row) -> Group {
    Group {
        imported: row.get(0),
        invited: row.get(1),
        opened: row.get(2),
        migrated: row.get(3),
        refused: row.get(4),
        bounced: row.get(5),
        unsubscribed: row.get(6),
        accounts: row.get(7),
    }
}
