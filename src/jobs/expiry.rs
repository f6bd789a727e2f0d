//! Deletes expired rows in small batches, so that requests are not delayed.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::{App, SharedApp};
use crate::auth::session_end;
use crate::clock::DAY;
use crate::db::conflict::retry_on_conflict;
use crate::db::{Durability, Result, Tx};
use crate::deliveries::webhook::{self, EventType};
use crate::store::oidc_grants::GrantTable;
use crate::store::{
    account_emails, accounts, credentials, deleted_accounts, deliveries, devices, limits,
    oidc_grants, outbox, reservations, second_factor_resets, security_events, sent_mails, sessions,
    sign_in_challenges, support_audit, tokens,
};

/// The target duration of a batch, including its transaction, which blocks other writers, and the checkpoint after it.
/// The number of rows follows from it. It is a tenth of a delay that people notice.
const TARGET_BATCH_TIME: Duration = Duration::from_millis(10);
const FIRST_BATCH: i64 = 50;
const MAX_BATCH: i64 = 1000;
/// The shortest pause between two batches; the pause is never shorter than the last batch.
const BATCH_PAUSE: Duration = Duration::from_millis(10);
/// The retention of failed mails, which the operator can inspect.
const FAILED_MAIL_RETENTION: i64 = 14 * DAY;
/// The retention of the records of sent mails, which support can read.
const SENT_MAIL_RETENTION: i64 = 30 * DAY;
const CAPTURED_MAIL_RETENTION: i64 = 14 * DAY;
/// Longer than every schedule of `src/deliveries`.
const DELIVERY_RETENTION: i64 = 7 * DAY;
/// The longest lifetime of a device's cookie (`http/cookies.rs`).
const DEVICE_RETENTION: i64 = 400 * DAY;

pub async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        tokio::select! {
            () = tokio::time::sleep(app.config.lifetimes.sweep.0) => {}
            _ = stop.changed() => break,
        }
        match delete_expired(&app, &stop).await {
            Ok(0) => {}
            Ok(rows) => tracing::debug!(rows, "expired rows deleted"),
            Err(_) => {} // `delete_expired` has logged each failure.
        }
    }
}

/// Deletes all expired rows. Returns their number, or the first failure after it has tried every kind.
pub async fn delete_expired(app: &App, stop: &watch::Receiver<bool>) -> Result<u64> {
    let mut removed = Ok(0);
    for kind in Expired::ALL {
        match delete_kind(app, kind, stop).await {
            Ok(rows) => removed = removed.map(|sum| sum + rows),
            Err(error) => {
                tracing::warn!(%error, ?kind, "expired rows could not be deleted");
                removed = removed.and(Err(error));
            }
        }
        if *stop.borrow() {
            break;
        }
    }
    removed
}

async fn delete_kind(app: &App, kind: Expired, stop: &watch::Receiver<bool>) -> Result<u64> {
    let now = app.clock.millis();
    let mut removed = 0;
    let mut batch = FIRST_BATCH;
    loop {
        let (rows, took) =
            retry_on_conflict(&app.rng, || delete_batch(app, kind, now, batch)).await?;
        removed += rows;
        if *stop.borrow() || rows < batch as u64 {
            return Ok(removed);
        }
        batch = next_batch(batch, took);
        tokio::time::sleep(took.max(BATCH_PAUSE)).await;
    }
}

/// Deletes one batch. Returns the number of deleted rows, and the duration, which decides the size of the next batch.
async fn delete_batch(app: &App, kind: Expired, now: i64, batch: i64) -> Result<(u64, Duration)> {
    // If power loss restores rows, the next run deletes them again.
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let started_at = Instant::now();
    let rows = kind.delete(&mut tx, app, now, batch).await?;
    tx.commit().await?;
    app.store.checkpoint().await?;
    Ok((rows, started_at.elapsed()))
}

/// Returns the number of rows that fit into the batch time at the speed of the last batch; at most twice as many as
/// before.
fn next_batch(rows: i64, took: Duration) -> i64 {
    let share = TARGET_BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(1e-6);
    let next = (rows as f64 * share.min(2.0)) as i64;
    next.clamp(1, MAX_BATCH)
}

#[derive(Debug, Clone, Copy)]
enum Expired {
    Sessions,
    Tokens,
    Limits,
    Unverified,
    /// After `Unverified`. Otherwise the username of a registration with a taken address would become free earlier than
    /// that of one with a free address, whose unverified account still has it.
    Reservations,
    Devices,
    Activity,
    Challenges,
    SignInChallenges,
    SecondFactorResets,
    UsernameHolds,
    FormerEmails,
    CapturedMail,
    FailedMail,
    SentMail,
    Audit,
    /// Only deliveries to endpoints that are no longer configured, and those of a newer version, get this old.
    Deliveries,
    SigningKeys,
    /// Authorization codes.
    Codes,
    /// Tokens of applications.
    AppTokens,
}

impl Expired {
    const ALL: [Expired; 20] = [
        Expired::Sessions,
        Expired::Tokens,
        Expired::Limits,
        Expired::Unverified,
        Expired::Reservations,
        Expired::Devices,
        Expired::Activity,
        Expired::Challenges,
        Expired::SignInChallenges,
        Expired::SecondFactorResets,
        Expired::UsernameHolds,
        Expired::FormerEmails,
        Expired::CapturedMail,
        Expired::FailedMail,
        Expired::SentMail,
        Expired::Audit,
        Expired::Deliveries,
        Expired::SigningKeys,
        Expired::Codes,
        Expired::AppTokens,
    ];

    /// Deletes at most `limit` rows of one kind.
    async fn delete(self, tx: &mut Tx, app: &App, now: i64, limit: i64) -> Result<u64> {
        let unverified = app.config.lifetimes.unverified_account.millis();
        match self {
            Expired::Sessions => {
                let ended = sessions::delete_expired(tx, now, limit).await?;
                session_end::handle_expired(app, tx, ended).await
            }
            Expired::Tokens => tokens::delete_expired(tx, now, limit).await,
            Expired::Limits => limits::delete_expired(tx, now, limit).await,
            Expired::Unverified => {
                let deleted = accounts::delete_long_unverified(tx, now - unverified, limit).await?;
                for account in &deleted {
                    webhook::announce(app, tx, EventType::Deleted, *account, &[]).await?;
                }
                Ok(deleted.len() as u64)
            }
            Expired::Reservations => {
                reservations::delete_expired(tx, now - unverified, limit).await
            }
            Expired::Devices => devices::delete_expired(tx, now - DEVICE_RETENTION, limit).await,
            Expired::Activity => {
                let activity = app.config.lifetimes.activity.millis();
                security_events::delete_expired(tx, now - activity, limit).await
            }
            Expired::Challenges => credentials::delete_expired_challenges(tx, now, limit).await,
            Expired::SignInChallenges => sign_in_challenges::delete_expired(tx, now, limit).await,
            Expired::SecondFactorResets => {
                second_factor_resets::delete_expired(tx, now, limit).await
            }
            Expired::UsernameHolds => deleted_accounts::end_reservations(tx, now, limit).await,
            Expired::FormerEmails => account_emails::delete_expired(tx, now, limit).await,
            Expired::CapturedMail => {
                outbox::delete_unsent(tx, now - CAPTURED_MAIL_RETENTION, limit).await
            }
            Expired::SentMail => {
                sent_mails::delete_expired(tx, now - SENT_MAIL_RETENTION, limit).await
            }
            Expired::Audit => {
                let audit = app.config.lifetimes.audit.millis();
                support_audit::delete_expired(tx, now - audit, limit).await
            }
            Expired::FailedMail => {
                outbox::delete_failed(tx, now - FAILED_MAIL_RETENTION, limit).await
            }
            Expired::Deliveries => {
                deliveries::delete_expired(tx, now - DELIVERY_RETENTION, limit).await
            }
            Expired::Codes => {
                oidc_grants::delete_expired(tx, GrantTable::Codes, now - DAY, limit).await
            }
            Expired::AppTokens => {
                oidc_grants::delete_expired(tx, GrantTable::Tokens, now - DAY, limit).await
            }
            Expired::SigningKeys => app.signing_keys.delete_expired(tx, &app.config).await,
        }
    }
}
