//! Metrics of the database and the queues, which scrapes update (`jobs/scrape.rs`).

use prometheus::{IntGauge, IntGaugeVec};

use crate::observability::metrics::MetricFactory;

pub(crate) struct StateGauges {
    pub database_up: IntGauge,
    pub connections: IntGaugeVec,
    pub connection_waits: IntGauge,
    pub time: IntGauge,
    pub clock_offset: IntGauge,
    pub sessions: IntGauge,
    pub outbox: IntGauge,
    pub outbox_age: IntGauge,
    pub outbox_late: IntGauge,
    pub outbox_deferred: IntGauge,
    pub outbox_given_up: IntGauge,
    pub outbox_failed: IntGaugeVec,
    pub bounced_accounts: IntGauge,
    pub migration: IntGaugeVec,
    /// The time of the last backup. The metric has no labels, and no series if `database.backup_folder` is unset.
    pub last_backup: IntGaugeVec,
    pub counted_at: IntGauge,
}

impl StateGauges {
    pub(super) fn new(factory: &MetricFactory) -> StateGauges {
        StateGauges {
            database_up: factory.gauge(
                "account_database_up",
                "Whether the database answered and took writes, ten seconds ago at most",
            ),
            connections: factory.gauges(
                "account_database_connections",
                "Connections to the database that are open, by whether they are in use",
                &["state"],
            ),
            connection_waits: factory.gauge(
                "account_database_waiting",
                "Requests that wait for a connection, or on SQLite for the writer",
            ),
            time: factory.gauge(
                "account_time_seconds",
                "The clock of this node, seconds since 1970 UTC",
            ),
            clock_offset: factory.gauge(
                "account_clock_offset_seconds",
                "How far the clock of this node is ahead of the database's, in seconds",
            ),
            sessions: factory.gauge("account_sessions", "Live sessions, of all nodes"),
            outbox: factory.gauge("account_outbox_mails", "Mails that wait to be sent"),
            outbox_age: factory.gauge(
                "account_outbox_oldest_age_seconds",
                "Age of the oldest mail that waits; 0 when none does",
            ),
            outbox_late: factory.gauge(
                "account_outbox_late_mails",
                "Mails, bulk mail not counted, that have waited for more than ten minutes",
            ),
            outbox_deferred: factory.gauge(
                "account_outbox_deferred_mails",
                "Mails that wait because of trouble with the mail server, not with their recipient",
            ),
            outbox_given_up: factory.gauge(
                "account_outbox_given_up_mails",
                "Mails that were given up in the last 14 days",
            ),
            outbox_failed: factory.gauges(
                "account_outbox_failed_mails",
                "Mails whose last attempt failed, by why, and whether they are tried again",
                &["state", "reason"],
            ),
            bounced_accounts: factory.gauge(
                "account_bounced_accounts",
                "Accounts whose address returns mails (account mail bounces)",
            ),
            migration: factory.gauges(
                "account_migration_accounts",
                "Old accounts by step; each counts in every step that it passed",
                &["step"],
            ),
            last_backup: last_backup_gauge(factory),
            counted_at: factory.gauge(
                "account_counted_timestamp_seconds",
                "When sessions, mails and old accounts were last counted, seconds since 1970 UTC",
            ),
        }
    }
}

fn last_backup_gauge(factory: &MetricFactory) -> IntGaugeVec {
    factory.gauges(
        "account_last_backup_timestamp_seconds",
        "When the newest file in database.backup_folder was written, seconds since 1970 UTC; 0 without one",
        &[],
    )
}
