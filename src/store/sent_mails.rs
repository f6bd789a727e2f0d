//! Records of sent mails, by which support sees whether a mail was sent: kind and times, without recipient and text.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::serialize_time;
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

row! {
    /// A mail of an account: queued, given up or sent. Times are milliseconds since 1970 UTC.
    #[derive(Serialize)]
    pub(crate) struct MailState {
        pub kind: String,
        #[serde(serialize_with = "serialize_time")]
        pub queued_at: i64,
        #[serde(serialize_with = "serialize_time")]
        pub sent_at: Option<i64>,
        #[serde(serialize_with = "serialize_time")]
        pub failed_at: Option<i64>,
        pub error: Option<String>,
    }
}

/// Records a mail before its row in the outbox is deleted.
pub(crate) async fn insert(
    tx: &mut Tx,
    id: Uuid,
    subject: Uuid,
    kind: &str,
    queued_at: i64,
    now: i64,
) -> Result<()> {
    let sql = "INSERT INTO sent_mails (id, subject_id, kind, queued_at, sent_at)
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";
    tx.run(sql, params![id, subject, kind, queued_at, now])
        .await
}

/// Returns the mails of an account or a legacy account, newest first.
pub(crate) async fn list(tx: &mut Tx, subject: Uuid, limit: i64) -> Result<Vec<MailState>> {
    let sql = "FROM
           (SELECT kind, created_at AS queued_at, NULL AS sent_at, failed_at, last_error AS error
              FROM outbox WHERE subject_id = $1
            UNION ALL SELECT kind, queued_at, sent_at, NULL, NULL FROM sent_mails
              WHERE subject_id = $1) AS mails
         ORDER BY queued_at DESC LIMIT $2";
    MailState::select_all(tx, sql, params![subject, limit]).await
}

pub(crate) async fn remove_all(tx: &mut Tx, subject: Uuid) -> Result<()> {
    let sql = "DELETE FROM sent_mails WHERE subject_id = $1";
    tx.run(sql, params![subject]).await
}
