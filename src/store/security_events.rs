//! Security events: the history of an account.

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::clock::serialize_time;
use crate::db::row::{column_through, row, statements};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

row! {
    #[derive(Debug, Clone, Serialize)]
    pub(crate) struct StoredEvent {
        pub id: Uuid,
        /// The name of a `SecurityEvent`, which may be known only to a later program version.
        pub kind: String,
        /// The time of the event, in milliseconds since 1970 UTC.
        #[serde(serialize_with = "serialize_time")]
        pub at: i64,
        pub actor: String,
        #[serde(rename = "device")]
        pub device_name: Option<String>,
        /// The hash of the browser's device cookie.
        #[serde(skip)]
        pub device_hash: Option<SecretHash>,
        pub network: Option<String>,
        /// The details, a JSON object.
        pub details: Value,
    }
}

column_through!(Value = String, parse_details);

/// Returns null for text that is not JSON, so that one damaged event does not hide all other events.
fn parse_details(text: String) -> Value {
    serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::error!(%error, "the details of a security event are not JSON");
        Value::Null
    })
}

/// The maximum number of events of an account. Beyond this number the oldest event of the kind with the most events is
/// removed, so that events that a session can cause at will do not remove the events of another kind.
pub(crate) const MAX_EVENTS: usize = 5_000;
/// The maximum number of events that one new event removes, because an account of an earlier program version may have
/// any number, and a long statement would delay other writers.
const MAX_REMOVED_EVENTS: i64 = 1_000;

pub(crate) struct NewEvent<'a> {
    /// A UUIDv7 of the event's time, by which the list is ordered.
    pub id: Uuid,
    pub account_id: Uuid,
    pub kind: &'a str,
    pub at: i64,
    pub actor: &'a str,
    pub device_name: Option<&'a str>,
    pub device_hash: Option<&'a SecretHash>,
    pub network: Option<&'a str>,
    pub details: &'a str,
}

/// Adds an event, and removes the oldest events beyond `MAX_EVENTS`. The caller has locked the account's row, so that
/// parallel transactions do not exceed `MAX_EVENTS`.
pub(crate) async fn insert(tx: &mut Tx, new: &NewEvent<'_>) -> Result<()> {
    tx.execute(
        "INSERT INTO security_events (id, account_id, kind, at, actor, device_name, device_hash,
           network, details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        params![
            new.id, new.account_id, new.kind, new.at, new.actor, new.device_name, new.device_hash,
            new.network, new.details,
        ],
    )
    .await?;
    let sql = "SELECT COUNT(*) FROM security_events WHERE account_id = $1";
    let surplus = tx.number(sql, params![new.account_id]).await? - MAX_EVENTS as i64;
    if surplus <= 0 {
        return Ok(());
    }
    tx.run(
        "DELETE FROM security_events WHERE account_id = $1 AND id IN
           (SELECT id FROM security_events WHERE account_id = $1 AND kind =
              (SELECT kind FROM security_events WHERE account_id = $1
               GROUP BY kind ORDER BY COUNT(*) DESC, kind LIMIT 1)
            ORDER BY id LIMIT $2)",
        params![new.account_id, surplus.min(MAX_REMOVED_EVENTS)],
    )
    .await
}

statements! {
    /// Returns the account's events, newest first. If `before` is given, only the events before this id are returned.
    fn list(account: Uuid, before: Option<Uuid>, limit: i64) -> Vec<StoredEvent> =
        "FROM security_events WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
        [account, before.unwrap_or(Uuid::max()), limit];

    /// Returns the account's events whose time is exactly `at`, in milliseconds since 1970 UTC.
    fn list_at(account: Uuid, at: i64) -> Vec<StoredEvent> =
        "FROM security_events WHERE account_id = $1 AND at = $2";
}

/// Marks a sign-in that its owner has disowned. Returns false if it was already marked. The caller has locked the
/// account's row.
pub(crate) async fn mark_disowned(
    tx: &mut Tx,
    account: Uuid,
    sign_in: &StoredEvent,
) -> Result<bool> {
    const MARK: &str = "disowned";
    let mut details = sign_in.details.clone();
    let details = match details.as_object_mut() {
        Some(fields) if fields.contains_key(MARK) => return Ok(false),
        Some(fields) => {
            fields.insert(MARK.to_owned(), Value::Bool(true));
            details
        }
        None => json!({MARK: true}),
    };
    let sql = "UPDATE security_events SET details = $1 WHERE account_id = $2 AND id = $3";
    tx.run(sql, params![&details.to_string(), account, sign_in.id])
        .await?;
    Ok(true)
}

statements! {
    fn find(account: Uuid, id: Uuid) -> Option<StoredEvent> =
        "FROM security_events WHERE account_id = $1 AND id = $2";
}
