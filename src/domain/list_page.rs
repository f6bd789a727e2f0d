//! One page of a list whose entries are read newest first.

use uuid::Uuid;

pub(crate) struct ListPage<T> {
    pub entries: Vec<T>,
    /// The cursor of the next page, if there is one.
    pub next: Option<Uuid>,
}

impl<T> ListPage<T> {
    /// Returns the number of rows to read for a page of `limit` entries. One additional row tells whether there is a
    /// next page.
    pub(crate) fn rows_to_read(limit: u8) -> i64 {
        i64::from(limit) + 1
    }

    /// Makes a page of the rows that were read.
    pub(crate) fn new(mut entries: Vec<T>, limit: u8, id: impl Fn(&T) -> Uuid) -> ListPage<T> {
        let is_last = entries.len() <= usize::from(limit);
        entries.truncate(limit.into());
        let next = match is_last {
            true => None,
            false => entries.last().map(id),
        };
        ListPage { entries, next }
    }
}
