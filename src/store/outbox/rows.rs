//! The queries that the table of queued mails and the table of queued HTTP requests have in common.

use uuid::Uuid;

use crate::db::{Result, Tx};
use crate::params;

/// A table whose rows are mails or HTTP requests that wait to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutboxTable {
    Mails,
    Requests,
}

impl OutboxTable {
    fn name(self) -> &'static str {
        match self {
            OutboxTable::Mails => "outbox",
            OutboxTable::Requests => "deliveries",
        }
    }
}

pub(crate) async fn remove(tx: &mut Tx, (table, id): (OutboxTable, Uuid)) -> Result<()> {
    let sql = format!("DELETE FROM {} WHERE id = $1", table.name());
    tx.run(&sql, params![id]).await
}

/// The reason why a row waits for another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DelayCause {
    /// The recipient has refused the mail or HTTP request, which counts as an attempt.
    Refusal,
    /// The configured mail server failed.
    MailServer,
    /// Only a newer program version understands the row, during a rolling upgrade.
    NewerVersion,
}

/// Schedules another attempt to send a queued mail or HTTP request in `pause` milliseconds.
pub(crate) async fn delay(
    tx: &mut Tx,
    (table, id): (OutboxTable, Uuid),
    now: i64,
    pause: i64,
    cause: DelayCause,
    error: Option<&str>,
) -> Result<()> {
    let changes = match (cause, table) {
        (DelayCause::Refusal, OutboxTable::Mails) => {
            ", attempts = attempts + 1, deferred_since = NULL"
        }
        (DelayCause::Refusal, OutboxTable::Requests) => ", attempts = attempts + 1",
        (DelayCause::MailServer, _) => ", deferred_since = COALESCE(deferred_since, $1)",
        (DelayCause::NewerVersion, _) => "",
    };
    let sql = format!(
        "UPDATE {} SET due_at = CAST($1 AS BIGINT) + $2, last_error = COALESCE($3, last_error){changes}
         WHERE id = $4",
        table.name()
    );
    tx.run(&sql, params![now, pause, error, id]).await
}

/// The waiting rows that `make_due` selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitingRows<'a> {
    /// The mails that wait because the configured mail server failed.
    DeferredMails,
    /// All waiting mails, including mails that wait for the server of their recipient.
    AllMails,
    /// The requests that wait for the endpoint.
    RequestsTo(&'a str),
}

/// Reschedules rows that wait after a failed attempt: in the order of priority, one row every `pause` milliseconds from
/// `from` on, with the number of attempts reset to zero. Rows that are due before `waiting_after` stay unchanged,
/// because a worker may have claimed them. Returns the number of rows, at most `limit`.
pub(crate) async fn make_due(
    tx: &mut Tx,
    rows: WaitingRows<'_>,
    waiting_after: i64,
    from: i64,
    pause: i64,
    limit: i64,
) -> Result<u64> {
    let (table, order, filter) = match rows {
        WaitingRows::DeferredMails => (
            OutboxTable::Mails,
            "priority, due_at, id",
            "failed_at IS NULL AND deferred_since IS NOT NULL",
        ),
        WaitingRows::AllMails => (
            OutboxTable::Mails,
            "priority, due_at, id",
            "failed_at IS NULL",
        ),
        WaitingRows::RequestsTo(_) => (OutboxTable::Requests, "due_at, id", "endpoint = $4"),
    };
    let mut values = params![from, pause, waiting_after].to_vec();
    if let WaitingRows::RequestsTo(endpoint) = rows {
        values.push(endpoint.into());
    }
    values.push(limit.into());
    let (table, last) = (table.name(), values.len());
    let sql = format!(
        "UPDATE {table} SET due_at = $1 + place * $2, attempts = 0, last_error = NULL
         FROM (SELECT id AS waiting, ROW_NUMBER() OVER (ORDER BY {order}) - 1 AS place
               FROM {table} WHERE due_at > $3 AND last_error IS NOT NULL AND {filter}
               ORDER BY {order} LIMIT ${last}) AS places
         WHERE id = waiting AND due_at > $3"
    );
    tx.execute(&sql, &values).await
}
