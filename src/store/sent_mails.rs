//! Records of sent mails, by which support sees whether a mail was sent: kind and times, without recipient and text.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::serialize_time;
use crate::db::row::{row, statements};

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

statements! {
    /// Records a mail before its row in the outbox is deleted.
    fn insert(id: Uuid, subject: Uuid, kind: &str, queued_at: i64, now: i64) =
        "INSERT INTO sent_mails (id, subject_id, kind, queued_at, sent_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING";

    /// Returns the mails of an account or a legacy account, newest first.
    fn list(subject: Uuid, limit: i64) -> Vec<MailState> =
        "FROM
         (SELECT kind, created_at AS queued_at, NULL AS sent_at, failed_at, last_error AS error
         FROM outbox WHERE subject_id = $1
         UNION ALL SELECT kind, queued_at, sent_at, NULL, NULL FROM sent_mails
         WHERE subject_id = $1) AS mails
         ORDER BY queued_at DESC LIMIT $2";

    fn remove_all(subject: Uuid) = "DELETE FROM sent_mails WHERE subject_id = $1";
}
