//! A part of a list that is read newest first.

use uuid::Uuid;

pub(crate) struct ListPage<T> {
    pub entries: Vec<T>,
    /// The cursor of the next part.
    pub next: Option<Uuid>,
}

impl<T> ListPage<T> {
    /// The number of rows to read for a part of `limit` entries: one more tells whether a next part exists.
    pub(crate) fn rows_to_read(limit: u8) -> i64 {
        i64::from(limit) + 1
    }

    /// `entries` are the rows that were read.
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
