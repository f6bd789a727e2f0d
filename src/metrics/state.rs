//! Metrics of the database and the queues, updated by scrapes.

use std::time::{Duration, Instant};

use prometheus::{IntGauge, IntGaugeVec};
use tokio::runtime::Handle;

use super::{Maker, Metrics};
use crate::app::{App, Shared};
use crate::db::Result;
use crate::legacy::status::{self, Steps};
use crate::store::{outbox, sessions};

/// The minimum time between two counts, in milliseconds: several collectors may scrape at once.
const REST: i64 = 10_000;
/// The same while the database fails, so that `account_database_up` recovers as soon as `/readyz`.
const REST_WHEN_DOWN: i64 = 1_000;
/// A slow count pauses for this multiple of its duration, so that it takes at most a hundredth of a
/// core, however large the tables are.
const REST_FOR_EACH: i64 = 100;
/// The longest wait of a scrape for a count (Prometheus gives up after ten seconds). A longer count
/// goes on, and the next scrape shows it.
const PATIENCE: Duration = Duration::from_secs(5);
/// The age in milliseconds above which a queued mail is late.
const LATE: i64 = 600_000;

pub(super) struct State {
    database_up: IntGauge,
    connections: IntGaugeVec,
    connection_waits: IntGauge,
    sessions: IntGauge,
    outbox: IntGauge,
    outbox_age: IntGauge,
    outbox_late: IntGauge,
    outbox_deferred: IntGauge,
    outbox_given_up: IntGauge,
    migration: IntGaugeVec,
    counted_at: IntGauge,
}

/// Work that a scrape repeats only after a pause, by the app's clock.
#[derive(Default)]
struct Turn {
    at: Option<i64>,
    rest: i64,
}

impl Turn {
    /// A clock that was set back ends the pause.
    fn is_over(&self, now: i64) -> bool {
        self.at.is_none_or(|at| (now - at).abs() >= self.rest)
    }

    fn done(&mut self, now: i64, rest: i64) {
        (self.at, self.rest) = (Some(now), rest);
    }
}

#[derive(Default)]
pub(super) struct Turns {
    ping: Turn,
    count: Turn,
}

/// Updates the metrics that are not counted as they happen. One scrape at a time queries the database,
/// at most every ten seconds; requests of visitors never count rows.
pub(crate) async fn refresh(app: &Shared) {
    app.metrics.queues(app);
    app.metrics.process.refresh();
    let Ok(mut turns) = app.metrics.turns.clone().try_lock_owned() else {
        return;
    };
    let now = app.clock.millis();
    if !turns.ping.is_over(now) {
        return;
    }
    let (app, runtime) = (app.clone(), Handle::current());
    // SQLite blocks the calling thread, so this runs on one that serves no requests.
    let asking = tokio::task::spawn_blocking(move || {
        let up = runtime.block_on(app.health.check(&app)).is_ok();
        turns.ping.done(now, if up { REST } else { REST_WHEN_DOWN });
        app.metrics.state.database_up.set(up.into());
        if !up || !turns.count.is_over(now) {
            return;
        }
        let begun = Instant::now();
        if let Err(error) = runtime.block_on(count(&app, now)) {
            tracing::warn!(%error, "sessions, mails and old accounts were not counted");
        }
        let took = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        let rest = took.saturating_mul(REST_FOR_EACH).max(REST);
        turns.count.done(now, rest);
    });
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(())) => {}
        // The error would repeat the panic's message, which may contain input; the panic itself is
        // logged.
        Ok(Err(_)) => tracing::error!("a count for /metrics panicked"),
        Err(_) => tracing::debug!("a count for /metrics takes long"),
    }
}

async fn count(app: &App, now: i64) -> Result<()> {
    let state = &app.metrics.state;
    let late_before = now.saturating_sub(LATE);
    let mails = outbox::depth(&mut app.store.read().await?, late_before).await?;
    state.outbox.set(mails.waiting);
    let age = mails.oldest.map_or(0, |at| (now - at).max(0) / 1000);
    state.outbox_age.set(age);
    state.outbox_late.set(mails.late);
    state.outbox_deferred.set(mails.deferred);
    state.outbox_given_up.set(mails.given_up);
    let longest = app.config.lifetimes.session_idle.millis();
    let sessions = sessions::count_live(&app.store, now, longest).await?;
    state.sessions.set(sessions);
    state.steps(status::count(&app.store).await?.total);
    state.counted_at.set(now / 1000);
    Ok(())
}

impl Metrics {
    /// Updates the values that need no query.
    fn queues(&self, app: &App) {
        let running = self.hashing.running.get();
        let all = i64::try_from(app.hasher.queued()).unwrap_or(i64::MAX);
        self.hashing.waiting.set((all - running).max(0));
        let pool = app.store.pool();
        let state = &self.state;
        for (name, number) in [
            ("idle", pool.idle),
            ("busy", pool.open.saturating_sub(pool.idle)),
        ] {
            let gauge = state.connections.with_label_values(&[name]);
            gauge.set(i64::try_from(number).unwrap_or(i64::MAX));
        }
        let waits = i64::try_from(pool.waiting).unwrap_or(i64::MAX);
        state.connection_waits.set(waits);
    }
}

impl State {
    pub(super) fn new(make: &Maker) -> State {
        State {
            database_up: make.gauge(
                "account_database_up",
                "Whether the database answered and took writes, ten seconds ago at most",
            ),
            connections: make.gauges(
                "account_database_connections",
                "Connections to the database that are open, by whether they are in use",
                &["state"],
            ),
            connection_waits: make.gauge(
                "account_database_waiting",
                "Requests that wait for a connection, or on SQLite for the writer",
            ),
            sessions: make.gauge("account_sessions", "Live sessions, of all nodes"),
            outbox: make.gauge("account_outbox_mails", "Mails that wait to be sent"),
            outbox_age: make.gauge(
                "account_outbox_oldest_age_seconds",
                "Age of the oldest mail that waits; 0 when none does",
            ),
            outbox_late: make.gauge(
                "account_outbox_late_mails",
                "Mails, bulk mail not counted, that have waited for more than ten minutes",
            ),
            outbox_deferred: make.gauge(
                "account_outbox_deferred_mails",
                "Mails that wait because of trouble with the mail server, not with their recipient",
            ),
            outbox_given_up: make.gauge(
                "account_outbox_given_up_mails",
                "Mails that were given up in the last 14 days",
            ),
            migration: make.gauges(
                "account_migration_accounts",
                "Old accounts by step; each counts in every step that it passed",
                &["step"],
            ),
            counted_at: make.gauge(
                "account_counted_timestamp_seconds",
                "When sessions, mails and old accounts were last counted, seconds since 1970 UTC",
            ),
        }
    }

    fn steps(&self, all: Steps) {
        for (name, accounts) in [
            ("imported", all.imported),
            ("invited", all.invited),
            ("opened", all.opened),
            ("migrated", all.migrated),
            ("refused", all.refused),
            ("bounced", all.bounced),
            ("unsubscribed", all.unsubscribed),
        ] {
            self.migration.with_label_values(&[name]).set(accounts);
        }
    }
}
