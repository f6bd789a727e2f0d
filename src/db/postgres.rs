//! PostgreSQL and other databases with the same protocol. The module uses no session state and no advisory locks, and
//! prepares statements only if `database.prepared` is set, so it works behind a pooler in transaction mode.

mod cancel;
mod error;
mod hosts;
mod lookup_batcher;
mod migrate;
mod prepared;
mod tls;

use error::{connection_error, map_error};
use lookup_batcher::LookupKey;
pub(crate) use lookup_batcher::LookupSql;
pub(crate) use migrate::embedded_migrations;
use prepared::PreparedStatements;

use std::future::Future;
use std::sync::Arc;

use deadpool_postgres::{Object, Pool, PoolError};
use futures_util::TryStreamExt;
use refinery::Migration;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};

use super::{Cause, Durability, Param, PoolStatus, Result, Row, STATEMENT_TIMEOUT, StoreError};
use crate::config;
use crate::observability::causes::with_causes;
use crate::time_limit::TimeLimit;

/// The time limit for getting a free connection, and also for opening a new connection.
const CONNECTION_WAIT: TimeLimit = TimeLimit::from_millis(1500);

/// The number of connections that only look up sessions, so that blocked writes do not block session checks.
const LOOKUP_CONNECTIONS: usize = 2;

#[derive(Clone)]
pub struct Postgres {
    pool: Pool,
    lookup_pool: Pool,
    canceller: cancel::Canceller,
    prepared: Arc<PreparedStatements>,
    /// The hosts and ports of the servers, for error messages.
    endpoints: Arc<str>,
    /// Whether the extension Citus is installed, which distributes tables over several servers.
    is_citus: bool,
    lookups: Arc<lookup_batcher::LookupBatcher>,
}

impl Postgres {
    pub async fn open(settings: &config::Database, later: &[Migration]) -> Result<Postgres> {
        let mut db = Postgres::open_without_migrating(settings)?;
        db.check_encoding().await?;
        db.migrate(later).await?;
        db.is_citus = db.has_citus().await?;
        Ok(db)
    }

    /// Opens the database without changing its schema. The first query connects.
    pub fn open_without_migrating(settings: &config::Database) -> Result<Postgres> {
        let servers = hosts::Servers::new(settings)?;
        let max_connections = settings.max_connections;
        Ok(Postgres {
            pool: servers.new_pool(max_connections.saturating_sub(LOOKUP_CONNECTIONS).max(1))?,
            lookup_pool: servers.new_pool(LOOKUP_CONNECTIONS)?,
            canceller: cancel::Canceller::new(servers.tls.clone()),
            prepared: Arc::new(PreparedStatements::new(settings.prepared)),
            endpoints: servers.endpoints().into(),
            is_citus: false,
            lookups: Arc::default(),
        })
    }

    /// Fails if the database can store only some characters. SQL_ASCII stores the bytes of every text.
    async fn check_encoding(&self) -> Result<()> {
        let rows = self.read().await?.rows("SHOW server_encoding", &[]).await?;
        let encoding: String = rows[0].get(0);
        match encoding.as_str() {
            "UTF8" | "SQL_ASCII" => Ok(()),
            _ => {
                let reason = format!("the database's encoding is {encoding}, it must be UTF8");
                Err(StoreError::NotWritable(reason.into()))
            }
        }
    }

    async fn has_citus(&self) -> Result<bool> {
        let sql = "SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'citus'";
        Ok(!self.read().await?.rows(sql, &[]).await?.is_empty())
    }

    async fn connection(&self, pool: &Pool) -> Result<Object> {
        pool.get().await.map_err(|error| {
            let reason = match &error {
                PoolError::Backend(error) => connection_error(error),
                error => with_causes(error),
            };
            let text = format!("{}: {reason}", self.endpoints);
            StoreError::Unavailable(Cause::new(text, error))
        })
    }

    pub fn pool(&self) -> PoolStatus {
        let (main, lookup) = (self.pool.status(), self.lookup_pool.status());
        PoolStatus {
            open: main.size + lookup.size,
            idle: main.available + lookup.available,
            waiting: main.waiting + lookup.waiting,
        }
    }

    /// Returns the row with this lookup key. Concurrent callers share a statement (`lookup_batcher.rs`), except on Citus.
    pub(crate) async fn row_by_key(
        &self,
        sql: &'static LookupSql,
        key: &LookupKey,
    ) -> Result<Option<Arc<Row>>> {
        self.lookups.find_row(self, sql, key).await
    }

    pub async fn read(&self) -> Result<PostgresTx> {
        self.begin_read(&self.pool).await
    }

    async fn begin_read(&self, pool: &Pool) -> Result<PostgresTx> {
        Ok(PostgresTx {
            client: Some(self.connection(pool).await?),
            canceller: self.canceller.clone(),
            prepared: self.prepared.clone(),
            state: TxState::Idle,
        })
    }

    pub(super) async fn begin(&self, durability: Durability) -> Result<PostgresTx> {
        let mut tx = self.read().await?;
        tx.state = TxState::Open;
        tx.batch_execute(match durability {
            Durability::PowerLoss | Durability::Deferred => "BEGIN",
            // The setting applies to this transaction only, because behind a pooler other clients use the same
            // connection later.
            Durability::ProcessCrash => "BEGIN; SET LOCAL synchronous_commit = off",
        })
        .await?;
        Ok(tx)
    }
}

#[derive(Clone)]
enum TxState {
    /// The connection has no transaction, so each statement is committed by itself.
    Idle,
    Open,
    /// A statement of the transaction has failed. PostgreSQL would respond to COMMIT with a rollback.
    Failed(StoreError),
    /// A statement exceeded its time limit, so the state of the connection is unknown.
    Lost,
}

/// A connection in use, whose uncommitted changes are rolled back if it is dropped.
pub struct PostgresTx {
    client: Option<Object>,
    canceller: cancel::Canceller,
    prepared: Arc<PreparedStatements>,
    state: TxState,
}

impl PostgresTx {
    fn client(&self) -> &Object {
        self.client.as_ref().expect("held until dropped")
    }

    /// Runs a statement with the time limit, and converts its errors. Every statement runs through this function.
    async fn run_with_timeout<T>(
        &mut self,
        run: impl AsyncFnOnce(&Object) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        // The state is `Lost` until the response is complete, because the caller may be cancelled before that.
        let previous = std::mem::replace(&mut self.state, TxState::Lost);
        let outcome = with_timeout(run(self.client())).await;
        match outcome {
            Some(result) => {
                let result = result.map_err(map_error);
                self.state = match (previous, &result) {
                    (TxState::Open, Err(error)) => TxState::Failed(error.clone()),
                    (previous, _) => previous,
                };
                result
            }
            None => Err(StoreError::Unavailable("statement timed out".into())),
        }
    }

    async fn batch_execute(&mut self, sql: &'static str) -> Result<()> {
        self.run_with_timeout(async |client| client.batch_execute(sql).await)
            .await
    }

    pub async fn execute(&mut self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        let (_, affected) = self.query(sql, &typed_params(params)).await?;
        Ok(affected)
    }

    pub async fn rows(&mut self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        let (rows, _) = self.query(sql, &typed_params(params)).await?;
        Ok(rows)
    }

    /// Runs a statement whose parameters are whole columns, `unnest($1, $2, …)`, so that thousands of rows need only
    /// one round trip.
    pub async fn query_with_array_params(
        &mut self,
        sql: &str,
        columns: &[Vec<Param<'_>>],
    ) -> Result<Vec<Row>> {
        let typed_params: Vec<TypedParam<'_>> = columns
            .iter()
            .map(|column| {
                let item_type = column.first().map_or(Type::TEXT, Param::postgres_type);
                (column as &(dyn ToSql + Sync), array_type(&item_type))
            })
            .collect();
        let (rows, _) = self.query(sql, &typed_params).await?;
        Ok(rows)
    }

    /// Returns the rows of the result and the number of affected rows.
    async fn query(&mut self, sql: &str, params: &[TypedParam<'_>]) -> Result<(Vec<Row>, u64)> {
        let prepared = self.prepared.clone();
        let is_prepared = prepared.is_worth_preparing(sql);
        self.run_with_timeout(async |client| {
            let response = if is_prepared {
                prepared::query_prepared(client, sql, params)
                    .await
                    .inspect_err(|error| prepared.report_if_lost(error))?
            } else {
                let params = params.iter().map(|(value, kind)| (*value, kind.clone()));
                client.query_typed_raw(sql, params).await?
            };
            futures_util::pin_mut!(response);
            let mut rows = Vec::new();
            while let Some(row) = response.try_next().await? {
                rows.push(Row::Postgres(row));
            }
            Ok((rows, response.rows_affected().unwrap_or(0)))
        })
        .await
    }

    /// Inserts rows by `COPY table (columns) FROM STDIN BINARY`, which is the cheapest way to insert. The statement has
    /// a name only within the transaction, so a pooler in transaction mode works.
    pub async fn copy_in<'a, const COLUMNS: usize>(
        &mut self,
        sql: &str,
        rows: impl Iterator<Item = [Param<'a>; COLUMNS]>,
    ) -> Result<()> {
        let mut rows = rows.peekable();
        let Some(first) = rows.peek() else {
            return Ok(());
        };
        let types = first.each_ref().map(Param::postgres_type);
        self.run_with_timeout(async |client| {
            let writer = BinaryCopyInWriter::new(client.copy_in(sql).await?, &types);
            futures_util::pin_mut!(writer);
            for row in rows {
                writer.as_mut().write_raw(row).await?;
            }
            writer.finish().await.map(|_| ())
        })
        .await
    }

    pub async fn commit(mut self) -> Result<()> {
        match self.state.clone() {
            TxState::Open => self.batch_execute("COMMIT").await?,
            TxState::Idle => {}
            // The original error is returned, because callers repeat a transaction after a conflict and respond 503 if
            // the database is unavailable.
            TxState::Failed(error) => return Err(error),
            TxState::Lost => return Err(StoreError::Unavailable("statement timed out".into())),
        }
        self.state = TxState::Idle;
        Ok(())
    }
}

async fn with_timeout<T>(run: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(STATEMENT_TIMEOUT.get(), run)
        .await
        .ok()
}

type TypedParam<'a> = (&'a (dyn ToSql + Sync), Type);

fn typed_params<'a>(params: &'a [Param<'a>]) -> Vec<TypedParam<'a>> {
    params
        .iter()
        .map(|p| (p as &(dyn ToSql + Sync), p.postgres_type()))
        .collect()
}

fn array_type(one: &Type) -> Type {
    match *one {
        Type::INT8 => Type::INT8_ARRAY,
        Type::BYTEA => Type::BYTEA_ARRAY,
        Type::UUID => Type::UUID_ARRAY,
        _ => Type::TEXT_ARRAY,
    }
}

impl Drop for PostgresTx {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else {
            return;
        };
        match self.state {
            TxState::Idle => {}
            TxState::Lost => self.canceller.cancel_and_close(client),
            TxState::Open | TxState::Failed(_) => {
                let Ok(runtime) = tokio::runtime::Handle::try_current() else {
                    drop(Object::take(client));
                    return;
                };
                let canceller = self.canceller.clone();
                runtime.spawn(async move {
                    match with_timeout(client.batch_execute("ROLLBACK")).await {
                        Some(Ok(())) => {}
                        Some(Err(_)) => drop(Object::take(client)),
                        None => canceller.cancel_and_close(client),
                    }
                });
            }
        }
    }
}
