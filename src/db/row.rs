//! The macro `row!` declares the struct of a database row together with its columns, so that they always match.

/// Declares a struct, its `COLUMNS` for a `SELECT` or `RETURNING`, the constructor `from_row`, and queries of these
/// columns. A column has the name of its field, or the SQL expression after the type. For example:
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

        impl $name {
            /// The names of the columns, in the order of the fields.
            const COLUMNS: &'static str =
                concat!($(", ", $crate::db::row::column_sql!($field $(= $sql)?)),*).split_at(2).1;

            /// Reads the struct from a row that begins with `COLUMNS`.
            fn from_row(row: &$crate::db::Row) -> Self {
                let mut columns = 0..;
                Self {
                    $( $field: row.get(columns.next().expect("the range has no end")), )*
                }
            }

            /// Selects the columns and returns the first row. `sql` begins at the `FROM` of the query.
            #[allow(dead_code)]
            async fn select_one(
                tx: &mut $crate::db::Tx,
                sql: &str,
                params: &[$crate::db::Param<'_>],
            ) -> $crate::db::Result<Option<Self>> {
                let row = tx.row(&format!("SELECT {} {sql}", Self::COLUMNS), params).await?;
                Ok(row.as_ref().map(Self::from_row))
            }

            /// Selects the columns and returns all rows. `sql` begins at the `FROM` of the query.
            #[allow(dead_code)]
            async fn select_all(
                tx: &mut $crate::db::Tx,
                sql: &str,
                params: &[$crate::db::Param<'_>],
            ) -> $crate::db::Result<Vec<Self>> {
                let rows = tx.rows(&format!("SELECT {} {sql}", Self::COLUMNS), params).await?;
                Ok(rows.iter().map(Self::from_row).collect())
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

pub(crate) use {column_sql, column_through, row};
