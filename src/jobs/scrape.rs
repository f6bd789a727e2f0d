//! Updates the metrics that are read from the database or the process, when Prometheus scrapes `/metrics`.

use std::time::Instant;

use prometheus::IntGaugeVec;
use tokio::runtime::Handle;

use crate::app::{App, SharedApp};
use crate::db::Result;
use crate::legacy::status::{self, StepCounts};
use crate::maintenance::backup;
use crate::outbox::endpoints;
use crate::outgoing::smtp::MailFailureKind;
use crate::store::outbox::FailureCount;
use crate::store::{accounts, outbox, sessions};
use crate::time_limit::TimeLimit;

/// The minimum time between two counts of rows, in milliseconds, because several collectors may scrape at once.
const REFRESH_INTERVAL_MILLIS: i64 = 10_000;
/// The minimum time between two checks of a failed database, in milliseconds. The time is short so that the metric
/// `account_database_up` recovers as soon as `/readyz`.
const RETRY_INTERVAL_MILLIS: i64 = 1_000;
/// The pause after a count of rows, as a multiple of the count's duration, so that counts take at most a hundredth of a
/// core, however large the tables are.
const PAUSE_FACTOR: i64 = 100;
/// The longest time for which a count of rows delays a scrape (Prometheus gives up after ten seconds). A longer count
/// continues, and the next scrape shows its result.
const COUNT_TIMEOUT: TimeLimit = TimeLimit::from_secs(5);
/// The age in milliseconds above which a queued mail is late.
const LATE_MAIL_AGE_MILLIS: i64 = 600_000;

/// Updates the metrics for a scrape. One scrape at a time queries the database, at most every ten seconds, and
/// visitors' requests never count rows.
pub(crate) async fn refresh_metrics(app: &SharedApp) {
    set_queue_gauges(app);
    app.metrics.process.refresh();
    let Ok(mut timers) = app.metrics.refresh_timers.clone().try_lock_owned() else {
        return;
    };
    let now = app.clock.millis();
    if !timers.ping.is_due(now) {
        return;
    }
    let (app, runtime) = (app.clone(), Handle::current());
    // SQLite blocks the calling thread, so the count runs on a thread that serves no requests.
    let counting = tokio::task::spawn_blocking(move || {
        let is_up = runtime
            .block_on(app.health.check(&app.store, &app.clock, &app.rng))
            .is_ok();
        timers.ping.record_run(
            now,
            if is_up {
                REFRESH_INTERVAL_MILLIS
            } else {
                RETRY_INTERVAL_MILLIS
            },
        );
        app.metrics.state.database_up.set(is_up.into());
        if !is_up || !timers.count.is_due(now) {
            return;
        }
        let started_at = Instant::now();
        if let Err(error) = runtime.block_on(count_rows(&app, now)) {
            tracing::warn!(%error, "sessions, mails and old accounts were not counted");
        }
        let elapsed = i64::try_from(started_at.elapsed().as_millis()).unwrap_or(i64::MAX);
        let interval = elapsed
            .saturating_mul(PAUSE_FACTOR)
            .max(REFRESH_INTERVAL_MILLIS);
        timers.count.record_run(now, interval);
    });
    match tokio::time::timeout(COUNT_TIMEOUT.get(), counting).await {
        Ok(Ok(())) => {}
        // The error is not logged, because its message may contain user input; the panic hook has logged the panic.
        Ok(Err(_)) => tracing::error!("a count for /metrics panicked"),
        Err(_) => tracing::debug!("a count for /metrics takes long"),
    }
}

async fn count_rows(app: &App, now: i64) -> Result<()> {
    let state = &app.metrics.state;
    let offset = app.clock.millis() - app.store.read().await?.clock_millis().await?;
    state.clock_offset.set(offset / 1000);
    let late_before = now.saturating_sub(LATE_MAIL_AGE_MILLIS);
    let mails = outbox::queue_depth(&mut app.store.read().await?, late_before, now).await?;
    state.outbox.set(mails.waiting);
    let age = mails.oldest.map_or(0, |at| (now - at).max(0) / 1000);
    state.outbox_age.set(age);
    state.outbox_late.set(mails.late);
    state.outbox_deferred.set(mails.deferred);
    state.outbox_given_up.set(mails.given_up);
    let mut tx = app.store.read().await?;
    set_mail_failure_gauges(&state.outbox_failed, &outbox::list_failures(&mut tx).await?);
    state
        .bounced_accounts
        .set(accounts::count_bounced(&mut tx).await?);
    drop(tx);
    for endpoint in endpoints(app) {
        let mut tx = app.store.read().await?;
        let (waiting, oldest) = outbox::requests::queue_depth(&mut tx, &endpoint.key).await?;
        let age = oldest.map_or(0, |at| (now - at).max(0) / 1000);
        app.metrics.outbox.set_queue(&endpoint.label, waiting, age);
    }
    let longest = app.config.lifetimes.session_idle.millis();
    let sessions = sessions::count_live(&app.store, now, longest).await?;
    state.sessions.set(sessions);
    if let Some(folder) = &app.config.database.backup_folder {
        // The value is 0 until the backup folder was read, because an unreadable folder must cause an alert too.
        let last_backup = state.last_backup.with_label_values::<&str>(&[]);
        match backup::newest_backup_time(folder) {
            Ok(written_at) => last_backup.set(written_at.unwrap_or(0)),
            Err(error) => tracing::warn!(%error, "database.backup_folder cannot be read"),
        }
    }
    set_migration_step_gauges(&state.migration, status::count(&app.store).await?.total);
    state.counted_at.set(now / 1000);
    Ok(())
}

/// Updates the metrics that need no database query.
fn set_queue_gauges(app: &App) {
    let running = app.metrics.hashing.running.get();
    let all = i64::try_from(app.hasher.used_permits()).unwrap_or(i64::MAX);
    app.metrics.hashing.waiting.set((all - running).max(0));
    let pool = app.store.pool();
    let state = &app.metrics.state;
    state.time.set(app.clock.millis() / 1000);
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

/// Sets the gauge of every state and failure kind, so that a failure that has passed shows 0.
fn set_mail_failure_gauges(gauges: &IntGaugeVec, all: &[FailureCount]) {
    for &trouble in MailFailureKind::ALL {
        let matching = all
            .iter()
            .filter(|one| MailFailureKind::from_reason(&one.reason) == trouble);
        let (waiting, given_up) = matching.fold((0, 0), |(waiting, given_up), one| {
            (waiting + one.waiting, given_up + one.given_up)
        });
        for (state, mails) in [("waiting", waiting), ("given_up", given_up)] {
            let gauge = gauges.with_label_values(&[state, trouble.as_str()]);
            gauge.set(mails);
        }
    }
}

fn set_migration_step_gauges(gauges: &IntGaugeVec, all: StepCounts) {
    for (name, accounts) in all.by_name() {
        gauges.with_label_values(&[name]).set(accounts);
    }
}
