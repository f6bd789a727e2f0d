//! Values that SQLite and PostgreSQL can store: text, integers, bytes, ids and NULL.

use std::borrow::Cow;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use uuid::Uuid;

use super::row::FromRow;
use super::{Result, Tx};

#[derive(Debug, Clone, Copy)]
pub enum Param<'a> {
    Text(Option<&'a str>),
    Int(Option<i64>),
    Bytes(Option<&'a [u8]>),
    Id(Option<Uuid>),
}

macro_rules! param_from {
    ($($from:ty => |$value:ident| $param:expr),* $(,)?) => {$(
        impl<'a> From<$from> for Param<'a> {
            fn from($value: $from) -> Self { $param }
        }
    )*};
}
param_from! {
    &'a str => |v| Param::Text(Some(v)),
    &'a String => |v| Param::Text(Some(v)),
    Option<&'a str> => |v| Param::Text(v),
    &'a Option<String> => |v| Param::Text(v.as_deref()),
    i64 => |v| Param::Int(Some(v)),
    bool => |v| Param::Int(Some(v.into())),
    Option<i64> => |v| Param::Int(v),
    &'a [u8] => |v| Param::Bytes(Some(v)),
    &'a [u8; 32] => |v| Param::Bytes(Some(v)),
    &'a Vec<u8> => |v| Param::Bytes(Some(v)),
    Option<&'a [u8; 32]> => |v| Param::Bytes(v.map(|b| b.as_slice())),
    Uuid => |v| Param::Id(Some(v)),
    Option<Uuid> => |v| Param::Id(v),
}

/// The macro `params![a, b]` makes the parameters of a query, beginning with `$1`. The macro is public, because
/// integration tests use it.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::testing::db::Param::from($value)),*] };
}

impl rusqlite::ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Param::Text(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Text(v.as_bytes())),
            Param::Int(Some(v)) => ToSqlOutput::Owned(Value::Integer(*v)),
            Param::Bytes(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Blob(v)),
            Param::Id(Some(v)) => ToSqlOutput::Borrowed(ValueRef::Blob(v.as_bytes())),
            Param::Text(None) | Param::Int(None) | Param::Bytes(None) | Param::Id(None) => {
                ToSqlOutput::Owned(Value::Null)
            }
        })
    }
}

impl Param<'_> {
    /// Returns the type in PostgreSQL's protocol. Each query sends the types of its parameters, so that it need not be
    /// prepared, because named statements fail behind a pooler in transaction mode.
    pub(super) fn postgres_type(&self) -> Type {
        match self {
            Param::Text(_) => Type::TEXT,
            Param::Int(_) => Type::INT8,
            Param::Bytes(_) => Type::BYTEA,
            Param::Id(_) => Type::UUID,
        }
    }
}

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Param::Text(v) => v.to_sql(ty, out),
            Param::Int(v) => v.to_sql(ty, out),
            Param::Bytes(v) => v.to_sql(ty, out),
            Param::Id(v) => v.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

pub enum Row {
    Sqlite(Vec<Value>),
    Postgres(tokio_postgres::Row),
}

/// A Rust type that can be read from a column.
pub trait Column: Sized {
    fn from_sqlite(value: &Value) -> Option<Self>;
    fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self>;
}

impl Row {
    /// Returns the column at index `at`. A wrong type is a bug in the query, which the first test with a value that
    /// is not NULL finds.
    pub fn get<T: Column>(&self, at: usize) -> T {
        match self {
            Row::Sqlite(values) => values.get(at).and_then(T::from_sqlite),
            Row::Postgres(row) => T::from_postgres(row, at),
        }
        .unwrap_or_else(|| panic!("column {at} is not a {}", std::any::type_name::<T>()))
    }
}

impl Tx {
    /// Returns the first row, or `None` if there is no row. The columns of `T` complete the query.
    pub(crate) async fn first<T: FromRow>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Option<T>> {
        let row = self.row(&with_columns::<T>(sql), params).await?;
        Ok(row.as_ref().map(T::from_row))
    }

    /// Returns all rows. The columns of `T` complete the query.
    pub(crate) async fn all<T: FromRow>(
        &mut self,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<T>> {
        let rows = self.rows(&with_columns::<T>(sql), params).await?;
        Ok(rows.iter().map(T::from_row).collect())
    }

    /// Returns the number from a query that always has one row, such as a `COUNT(*)`.
    pub(crate) async fn number(&mut self, sql: &str, params: &[Param<'_>]) -> Result<i64> {
        Ok(self.first(sql, params).await?.expect("a count is one row"))
    }
}

/// Adds the columns of `T` to a query that begins at `FROM` or ends at `RETURNING`.
fn with_columns<T: FromRow>(sql: &str) -> Cow<'_, str> {
    match sql {
        _ if sql.starts_with("FROM") => format!("SELECT {} {sql}", T::COLUMNS).into(),
        _ if sql.ends_with("RETURNING") => format!("{sql} {}", T::COLUMNS).into(),
        _ => sql.into(),
    }
}

/// Implements `Column` for the types that both drivers convert.
macro_rules! columns {
    ($($type:ty: $stored:pat => $read:expr;)*) => {$(
        impl Column for $type {
            fn from_sqlite(value: &Value) -> Option<Self> {
                match value {
                    $stored => $read,
                    _ => None,
                }
            }
            fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self> {
                row.try_get(at).ok()
            }
        }
    )*};
}
columns! {
    String: Value::Text(v) => Some(v.clone());
    i64: Value::Integer(v) => Some(*v);
    Vec<u8>: Value::Blob(v) => Some(v.clone());
    Uuid: Value::Blob(v) => Uuid::from_slice(v).ok();
}

impl Column for bool {
    fn from_sqlite(value: &Value) -> Option<Self> {
        i64::from_sqlite(value).map(|n| n != 0)
    }
    fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self> {
        let number = i64::from_postgres(row, at).map(|n| n != 0);
        number.or_else(|| row.try_get(at).ok())
    }
}

impl Column for [u8; 32] {
    fn from_sqlite(value: &Value) -> Option<Self> {
        Vec::from_sqlite(value)?.try_into().ok()
    }
    fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self> {
        Vec::from_postgres(row, at)?.try_into().ok()
    }
}

/// A PostgreSQL value that is not NULL, of any type. It distinguishes NULL from a value that has the wrong type.
struct NonNullValue;

impl tokio_postgres::types::FromSql<'_> for NonNullValue {
    fn from_sql(
        _: &Type,
        _: &[u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(NonNullValue)
    }
    fn accepts(_: &Type) -> bool {
        true
    }
}

impl<T: Column> Column for Option<T> {
    fn from_sqlite(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_sqlite(value).map(Some),
        }
    }
    fn from_postgres(row: &tokio_postgres::Row, at: usize) -> Option<Self> {
        match row.try_get::<_, Option<NonNullValue>>(at).ok()? {
            None => Some(None),
            Some(NonNullValue) => T::from_postgres(row, at).map(Some),
        }
    }
}
