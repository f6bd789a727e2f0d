//! A table that exists in source and target: reads pages of rows, writes them in batches, and computes a checksum.

use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{COPY_MARKER, CopyError, TABLES};
use crate::db::{Connection, Param, Row, Store, StoreError, Tx};
use crate::domain::secret::hexadecimal;
use crate::params;

pub(super) struct Table {
    pub(super) name: &'static str,
    columns: Vec<CopiedColumn>,
    /// The positions of the primary key's columns in the table, in the order of the key.
    key: Vec<usize>,
}

struct CopiedColumn {
    name: String,
    /// Reads the cell at a position of a row, as the type of the column.
    read: fn(&Row, usize) -> Cell,
}

/// One copied value. An `Id` is stored as 16 bytes in SQLite and as the type `uuid` in PostgreSQL.
#[derive(serde::Serialize)]
pub(super) enum Cell {
    Text(Option<String>),
    Int(Option<i64>),
    Bytes(Option<Vec<u8>>),
    Id(Option<Uuid>),
}

/// The number of rows and a checksum of their contents. The order of the rows does not change the checksum.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct TableChecksum {
    pub(super) rows: u64,
    content: u128,
}

impl Table {
    /// Reads the columns of the tables. SQLite provides the primary keys, and PostgreSQL the types.
    pub(super) async fn read_all(source: &Store, target: &Store) -> Result<Vec<Table>, CopyError> {
        let (mut one, mut other) = (source.read().await?, target.read().await?);
        let (sqlite, postgres) = match one.connection {
            Connection::Sqlite(_) => (&mut one, &mut other),
            Connection::Postgres(_) => (&mut other, &mut one),
        };
        let mut tables = Vec::new();
        for name in TABLES {
            tables.push(Table::read_columns(name, sqlite, postgres).await?);
        }
        Ok(tables)
    }

    async fn read_columns(
        name: &'static str,
        sqlite: &mut Tx,
        postgres: &mut Tx,
    ) -> Result<Table, CopyError> {
        let sql = "SELECT name, pk FROM pragma_table_info($1) ORDER BY cid";
        let found = sqlite.rows(sql, params![name]).await?;
        let sql = "SELECT column_name::text, data_type::text FROM information_schema.columns
                   WHERE table_schema = current_schema() AND table_name = $1
                     AND is_generated = 'NEVER'";
        let types = postgres.rows(sql, params![name]).await?;
        let reader_of = |column: &str| -> Option<fn(&Row, usize) -> Cell> {
            let row = types.iter().find(|row| row.get::<String>(0) == column)?;
            match row.get::<String>(1).as_str() {
                "text" => Some(|row, at| Cell::Text(row.get(at))),
                "bigint" => Some(|row, at| Cell::Int(row.get(at))),
                "bytea" => Some(|row, at| Cell::Bytes(row.get(at))),
                "uuid" => Some(|row, at| Cell::Id(row.get(at))),
                _ => None,
            }
        };
        let mut columns = Vec::new();
        let mut key = Vec::new();
        for (at, row) in found.iter().enumerate() {
            let column: String = row.get(0);
            let read = reader_of(&column).ok_or_else(|| schema_mismatch(name))?;
            columns.push(CopiedColumn { name: column, read });
            if row.get::<i64>(1) > 0 {
                key.push((row.get::<i64>(1), at));
            }
        }
        if columns.len() != types.len() || key.is_empty() {
            return Err(schema_mismatch(name));
        }
        key.sort_unstable();
        let key = key.into_iter().map(|(_, at)| at).collect();
        Ok(Table { name, columns, key })
    }

    /// Returns the primary key of a row for a message, such as `id = x'0192…'`.
    pub(super) fn describe_key(&self, row: &[Cell]) -> String {
        let parts = self.key.iter().map(|at| {
            let name = &self.columns[*at].name;
            match &row[*at] {
                Cell::Text(text) => format!("{name} = {:?}", text.as_deref().unwrap_or_default()),
                Cell::Int(number) => format!("{name} = {}", number.unwrap_or_default()),
                Cell::Bytes(bytes) => {
                    let bytes = bytes.as_deref().unwrap_or_default();
                    format!("{name} = x'{}'", hexadecimal(bytes))
                }
                Cell::Id(id) => format!("{name} = {}", id.unwrap_or_default()),
            }
        });
        parts.collect::<Vec<_>>().join(", ")
    }

    fn join_column_names(&self, which: impl Iterator<Item = usize>) -> String {
        let names: Vec<_> = which.map(|at| self.columns[at].name.as_str()).collect();
        names.join(", ")
    }

    /// Returns at most `limit` rows that follow the row `last` in the order of the primary key. Leaves out the marker
    /// of an unfinished copy.
    pub(super) async fn page(
        &self,
        tx: &mut Tx,
        last: Option<&Vec<Cell>>,
        limit: usize,
    ) -> Result<Vec<Vec<Cell>>, StoreError> {
        let all = self.join_column_names(0..self.columns.len());
        let key = self.join_column_names(self.key.iter().copied());
        let mut conditions = Vec::new();
        let mut params = Vec::new();
        if let Some(last) = last {
            params.extend(self.key.iter().map(|at| last[*at].param()));
            conditions.push(format!("({key}) > ({})", placeholders(params.len())));
        }
        if self.name == "secrets" {
            params.push(Param::from(COPY_MARKER));
            conditions.push(format!("name <> ${}", params.len()));
        }
        let filter = match conditions.is_empty() {
            true => String::new(),
            false => format!("WHERE {}", conditions.join(" AND ")),
        };
        let name = self.name;
        let sql = format!("SELECT {all} FROM {name} {filter} ORDER BY {key} LIMIT {limit}");
        let rows = tx.rows(&sql, &params).await?;
        Ok(rows.iter().map(|row| self.to_cells(row)).collect())
    }

    fn to_cells(&self, row: &Row) -> Vec<Cell> {
        let columns = self.columns.iter().enumerate();
        columns.map(|(at, column)| (column.read)(row, at)).collect()
    }

    pub(super) async fn insert(&self, tx: &mut Tx, rows: &[Vec<Cell>]) -> Result<(), StoreError> {
        let (name, all) = (self.name, self.join_column_names(0..self.columns.len()));
        let placeholders = placeholders(self.columns.len());
        match &mut tx.connection {
            Connection::Sqlite(tx) => {
                let sql = format!("INSERT INTO {name} ({all}) VALUES ({placeholders})");
                for row in rows {
                    let params: Vec<_> = row.iter().map(Cell::param).collect();
                    tx.execute(&sql, &params)?;
                }
            }
            Connection::Postgres(tx) => {
                let sql =
                    format!("INSERT INTO {name} ({all}) SELECT * FROM unnest({placeholders})");
                let column = |at: usize| rows.iter().map(move |row| row[at].param()).collect();
                let columns: Vec<Vec<_>> = (0..self.columns.len()).map(column).collect();
                tx.query_with_array_params(&sql, &columns).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn checksum(
        &self,
        tx: &mut Tx,
        page_rows: usize,
        mut progress: impl FnMut(u64),
    ) -> Result<TableChecksum, StoreError> {
        let (mut last, mut checksum) = (None, TableChecksum::default());
        loop {
            let page = self.page(tx, last.as_ref(), page_rows).await?;
            if page.is_empty() {
                return Ok(checksum);
            }
            for row in &page {
                checksum.rows += 1;
                checksum.content = checksum.content.wrapping_add(row_digest(row));
            }
            progress(checksum.rows);
            last = page.into_iter().last();
        }
    }
}

fn schema_mismatch(table: &str) -> CopyError {
    let why = format!("{table} is not the same table in both databases");
    CopyError::Store(StoreError::Other(why.into()))
}

/// Returns the placeholders `$1, $2, …` of an SQL statement.
fn placeholders(count: usize) -> String {
    let placeholders: Vec<_> = (1..=count).map(|n| format!("${n}")).collect();
    placeholders.join(", ")
}

/// Returns the first half of a SHA-256 digest of the row. The digest includes the type of each value.
fn row_digest(row: &[Cell]) -> u128 {
    let text = serde_json::to_vec(row).expect("plain data");
    let half = Sha256::digest(text)[..16].try_into();
    u128::from_be_bytes(half.expect("half of 32 bytes"))
}

impl Cell {
    fn param(&self) -> Param<'_> {
        match self {
            Cell::Text(text) => Param::Text(text.as_deref()),
            Cell::Int(number) => Param::Int(*number),
            Cell::Bytes(bytes) => Param::Bytes(bytes.as_deref()),
            Cell::Id(id) => Param::Id(*id),
        }
    }
}
