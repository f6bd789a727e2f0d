//! One page of a list, whose newest entry is first.

use uuid::Uuid;

pub(crate) struct ListPage<T> {
    pub entries: Vec<T>,
    /// The cursor of the next page, or `None` on the last page.
    pub next: Option<Uuid>,
}

impl<T> ListPage<T> {
    /// Returns the number of rows to read for a page of `limit` entries. One additional row tells whether a next page
    /// exists.
    pub(crate) fn rows_to_read(limit: u8) -> i64 {
        i64::from(limit) + 1
    }

    /// Makes a page from the rows that were read.
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
