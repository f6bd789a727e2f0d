//! The macro `row!` declares the struct of a database row together with its columns, so that they always match. The
//! macro `statements!` declares functions that run one SQL statement each.

use super::{Column, Param, Result, Row, Tx};

/// A value that is read from a row: a struct of `row!`, or a single column.
pub(crate) trait FromRow: Sized {
    /// The columns that a query of this value selects, in the order of the fields.
    const COLUMNS: &'static str;

    /// Reads the value from a row that begins with `COLUMNS`.
    fn from_row(row: &Row) -> Self;
}

/// The text of a query names the column.
impl<T: Column> FromRow for T {
    const COLUMNS: &'static str = "";

    fn from_row(row: &Row) -> T {
        row.get(0)
    }
}

/// The text of a query names the columns.
macro_rules! from_columns {
    ($($type:ident $at:literal),*) => {
        impl<$($type: Column),*> FromRow for ($($type),*) {
            const COLUMNS: &'static str = "";

            fn from_row(row: &Row) -> Self {
                ($(row.get($at)),*)
            }
        }
    };
}
from_columns!(A 0, B 1);
from_columns!(A 0, B 1, C 2);

/// Declares a struct and reads it from a row ([`FromRow`]). A column has the name of its field, or the SQL expression
/// after the type. For example:
///
/// ```ignore
/// row! {
///     pub(crate) struct Device {
///         pub id: Uuid,
///         pub first_seen_at: i64 = "enrolled_at",
///     }
/// }
/// ```
macro_rules! row {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident {
            $(
                $(#[$field_attribute:meta])*
                $field_visibility:vis $field:ident: $type:ty $(= $sql:literal)?
            ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        $visibility struct $name {
            $( $(#[$field_attribute])* $field_visibility $field: $type, )*
        }

        impl $crate::db::row::FromRow for $name {
            const COLUMNS: &'static str =
                concat!($(", ", $crate::db::row::column_sql!($field $(= $sql)?)),*).split_at(2).1;

            fn from_row(row: &$crate::db::Row) -> Self {
                let mut columns = 0..;
                Self {
                    $( $field: row.get(columns.next().expect("the range has no end")), )*
                }
            }
        }
    };
}

macro_rules! column_sql {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident = $sql:literal) => {
        $sql
    };
}

/// Lets a type be read from a column that stores it as another type.
macro_rules! column_through {
    ($type:ty = $stored:ty, $read:expr) => {
        impl $crate::db::Column for $type {
            fn from_sqlite(value: &$crate::db::SqliteValue) -> Option<Self> {
                <$stored as $crate::db::Column>::from_sqlite(value).map($read)
            }
            fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self> {
                <$stored as $crate::db::Column>::from_postgres(row, at).map($read)
            }
        }
    };
}

/// Lets a named enum be a parameter of a query, which stores its name.
macro_rules! param_by_name {
    ($type:ty) => {
        impl From<$type> for $crate::db::Param<'_> {
            fn from(value: $type) -> Self {
                $crate::db::Param::Text(Some(value.as_str()))
            }
        }
    };
}

/// What a statement returns: nothing, the number of changed rows, whether it found or changed a row, a count, the first
/// row or all rows.
pub(crate) trait Outcome: Sized {
    async fn of(tx: &mut Tx, sql: &str, params: &[Param<'_>]) -> Result<Self>;
}

macro_rules! outcomes {
    ($($type:ty $(where $row:ident)?: |$tx:ident, $sql:ident, $params:ident| $outcome:expr;)*) => {$(
        impl$(<$row: FromRow>)? Outcome for $type {
            async fn of($tx: &mut Tx, $sql: &str, $params: &[Param<'_>]) -> Result<Self> {
                $outcome
            }
        }
    )*};
}
outcomes! {
    (): |tx, sql, params| tx.run(sql, params).await;
    u64: |tx, sql, params| tx.execute(sql, params).await;
    i64: |tx, sql, params| tx.number(sql, params).await;
    bool: |tx, sql, params| match sql.starts_with("SELECT") {
        true => Ok(tx.row(sql, params).await?.is_some()),
        false => Ok(tx.execute(sql, params).await? > 0),
    };
    Option<T> where T: |tx, sql, params| tx.first(sql, params).await;
    Vec<T> where T: |tx, sql, params| tx.all(sql, params).await;
}

/// Declares `pub(crate)` functions that run one statement each, with the [`Outcome`] of their type. The arguments are
/// the parameters `$1`, `$2` and so on, unless a list after the text names other values. For example:
///
/// ```ignore
/// statements! {
///     fn find(account: Uuid, id: Uuid) -> Option<Device> = "FROM devices WHERE account_id = $1 AND id = $2";
///     fn rename(account: Uuid, id: Uuid, name: &str) -> bool =
///         "UPDATE devices SET name = $1 WHERE account_id = $2 AND id = $3", [name, account, id];
/// }
/// ```
macro_rules! statements {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($param:ident: $type:ty),* $(,)?) $(-> $outcome:ty)? = $sql:literal
            $(, [$($value:expr),* $(,)?])?;
    )*) => {$(
        $(#[$doc])*
        pub(crate) async fn $name(
            tx: &mut $crate::db::Tx,
            $($param: $type,)*
        ) -> $crate::db::Result<$crate::db::row::outcome!($($outcome)?)> {
            <$crate::db::row::outcome!($($outcome)?) as $crate::db::row::Outcome>::of(
                tx,
                $sql,
                $crate::db::row::values!([$($param),*] $([$($value),*])?),
            )
            .await
        }
    )*};
}

macro_rules! outcome {
    () => {
        ()
    };
    ($outcome:ty) => {
        $outcome
    };
}

macro_rules! values {
    ([$($param:ident),*]) => { $crate::params![$($param),*] };
    ([$($param:ident),*] [$($value:expr),*]) => { $crate::params![$($value),*] };
}

pub(crate) use {column_sql, column_through, outcome, param_by_name, row, statements, values};
