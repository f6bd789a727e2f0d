//! Metrics of the database and the queues. Each scrape of `/metrics` updates them (`jobs/scrape.rs`).

use prometheus::{IntGauge, IntGaugeVec};

use super::MetricFactory;

metrics! {
    pub(crate) struct StateGauges {
        pub database_up: IntGauge = gauge("account_database_up",
            "Whether the database answered and took writes, ten seconds ago at most");
        pub connections: IntGaugeVec = gauges("account_database_connections",
            "Connections to the database that are open, by whether they are in use", &["state"]);
        pub connection_waits: IntGauge = gauge("account_database_waiting",
            "Requests that wait for a connection, or on SQLite for the writer");
        pub time: IntGauge = gauge("account_time_seconds",
            "The clock of this node, seconds since 1970 UTC");
        pub clock_offset: IntGauge = gauge("account_clock_offset_seconds",
            "How far the clock of this node is ahead of the database's, in seconds");
        pub sessions: IntGauge = gauge("account_sessions", "Live sessions, of all nodes");
        pub outbox: IntGauge = gauge("account_outbox_mails", "Mails that wait to be sent");
        pub outbox_age: IntGauge = gauge("account_outbox_oldest_age_seconds",
            "Age of the oldest mail that waits; 0 when none does");
        pub outbox_late: IntGauge = gauge("account_outbox_late_mails",
            "Mails, bulk mail not counted, that have waited for more than ten minutes");
        pub outbox_deferred: IntGauge = gauge("account_outbox_deferred_mails",
            "Mails that wait because of trouble with the mail server, not with their recipient");
        pub outbox_given_up: IntGauge = gauge("account_outbox_given_up_mails",
            "Mails that were given up in the last 14 days");
        pub outbox_failed: IntGaugeVec = gauges("account_outbox_failed_mails",
            "Mails whose last attempt failed, by why, and whether they are tried again", &["state", "reason"]);
        pub bounced_accounts: IntGauge = gauge("account_bounced_accounts",
            "Accounts whose address returns mails (account mail bounces)");
        pub migration: IntGaugeVec = gauges("account_migration_accounts",
            "Legacy accounts by step; each counts in every step that it has passed", &["step"]);
        /// The time of the last backup. The metric has no labels, and no series if `database.backup_folder` is unset.
        pub last_backup: IntGaugeVec = gauges("account_last_backup_timestamp_seconds",
            "When the newest file in database.backup_folder was written, seconds since 1970 UTC; 0 without one", &[]);
        pub counted_at: IntGauge = gauge("account_counted_timestamp_seconds",
            "When sessions, mails and old accounts were last counted, seconds since 1970 UTC");
    }
}
