//! The outbox worker. Any number of nodes may run one: a claim reserves a mail for one worker, and expires if that
//! worker crashes.

use std::pin::Pin;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::watch;

use super::capture;
use crate::app::{App, SharedApp};
use crate::clock::{DAY, HOUR};
use crate::db::{Durability, Result, Tx};
use crate::mail::{MailDetails, MailKind, compose};
use crate::metrics::MailResult;
use crate::outgoing::recovery::{BATCH_ROWS, ROW_MILLIS};
use crate::outgoing::smtp::{Connections, SendError, Verdict};
use crate::store::outbox::{self, Priority, QueuedMail, WaitingMails};
use crate::store::{legacy, sent_mails};

/// The duration of a claim in milliseconds: longer than any SMTP session. It is also the delay of a mail after a crash.
const CLAIM_MILLIS: i64 = 30_000;
/// Mails sent at the same time.
const MAX_PARALLEL: usize = 10;
/// Slots that bulk mail never uses, so that a mail whose recipient waits finds one free.
const RESERVED_SLOTS: usize = 2;
/// The longest wait between two attempts after a temporary refusal of the recipient's server, in
/// milliseconds.
const MAX_BACKOFF: i64 = HOUR;
/// The longest wait between two attempts while the configured mail server fails, in milliseconds.
const MAX_DEFERRAL: i64 = 15 * 60_000;
/// The delay of a mail of a kind that only a newer version knows, in milliseconds.
const NEWER_VERSION_DELAY: i64 = 60_000;
/// The time after which mails are given up because the configured mail server fails, in milliseconds.
const GIVE_UP_AFTER: i64 = 5 * DAY;

/// Sends until `stop` is set, then finishes the mails that it has claimed.
pub(crate) async fn run(app: SharedApp, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = drain_until(&app, || *stop.borrow()).await {
            tracing::warn!(%error, "the outbox waits for the database");
        }
        tokio::select! {
            // Without an SMTP server polling is enough: the mail viewer stores the queued mails before it shows any.
            () = app.mailer.wakeup.notified(), if !app.mailer.is_capture_mode() => {}
            () = tokio::time::sleep(app.config.mail.poll_interval.0) => {}
            _ = stop.changed() => {}
        }
    }
}

/// Sends all due mails, or captures them where no SMTP server is configured. Returns the number of attempts.
pub async fn drain(app: &App) -> Result<usize> {
    drain_until(app, || false).await
}

async fn drain_until(app: &App, is_stopped: impl Fn() -> bool) -> Result<usize> {
    let _sending = app.mailer.sending.lock().await;
    let Some(server) = &app.mailer.server else {
        return capture::capture_due(app).await;
    };
    let connections = Connections::new(server);
    let done = send_due(app, &connections, is_stopped).await;
    connections.close().await;
    done
}

/// Keeps every slot busy while mails are due: a slow recipient occupies its own slot and no other.
async fn send_due(
    app: &App,
    connections: &Connections<'_>,
    is_stopped: impl Fn() -> bool,
) -> Result<usize> {
    // The claim is one of the jobs. Awaiting it here would cause a deadlock with the transaction of a delivery, which
    // would not be polled meanwhile.
    let mut jobs: FuturesUnordered<Job<'_>> = FuturesUnordered::new();
    let (mut tried, mut sending, mut bulk) = (0, 0, 0);
    let (mut may_be_more, mut is_claiming) = (true, false);
    let mut outcome = Ok(());
    loop {
        let can_claim = sending < MAX_PARALLEL && !is_claiming;
        if may_be_more && can_claim && outcome.is_ok() && !is_stopped() {
            is_claiming = true;
            may_be_more = false;
            let free = MAX_PARALLEL - sending;
            jobs.push(Box::pin(async move {
                JobResult::ClaimDone(claim_due(app, free, bulk).await)
            }));
        }
        if jobs.is_empty() {
            return outcome.map(|()| tried);
        }
        tokio::select! {
            Some(done) = jobs.next() => match done {
                JobResult::ClaimDone(claimed) => {
                    is_claiming = false;
                    match claimed {
                        Err(error) => outcome = Err(error),
                        Ok(claimed) => {
                            may_be_more |= claimed.has_more;
                            tried += claimed.mails.len();
                            sending += claimed.mails.len();
                            for mail in claimed.mails {
                                bulk += usize::from(mail.priority == Priority::Bulk);
                                jobs.push(Box::pin(deliver_claimed(app, connections, mail)));
                            }
                        }
                    }
                }
                JobResult::Sent(priority, done) => {
                    sending -= 1;
                    bulk -= usize::from(priority == Priority::Bulk);
                    outcome = outcome.and(done);
                }
            },
            () = app.mailer.wakeup.notified() => may_be_more = true,
            () = tokio::time::sleep(app.config.mail.poll_interval.0) => may_be_more = true,
        }
    }
}

type Job<'a> = Pin<Box<dyn Future<Output = JobResult> + Send + 'a>>;

enum JobResult {
    ClaimDone(Result<Claimed>),
    Sent(Priority, Result<()>),
}

async fn deliver_claimed(app: &App, connections: &Connections<'_>, mail: QueuedMail) -> JobResult {
    JobResult::Sent(mail.priority, deliver(app, connections, &mail).await)
}

struct Claimed {
    mails: Vec<QueuedMail>,
    /// Whether the slots, not the outbox, limited the claim.
    has_more: bool,
}

/// Claims as many due mails as there are free slots, but leaves the reserved slots to mails that are not bulk.
async fn claim_due(app: &App, free: usize, bulk: usize) -> Result<Claimed> {
    let now = app.clock.millis();
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let claim = async |tx: &mut Tx, most: usize, lowest| {
        outbox::claim(tx, now, now + CLAIM_MILLIS, most as i64, lowest).await
    };
    let mut mails = claim(&mut tx, free, Priority::Notice).await?;
    let for_bulk = (free - mails.len()).min((MAX_PARALLEL - RESERVED_SLOTS).saturating_sub(bulk));
    let mut bulk_claimed = 0;
    if for_bulk > 0 {
        let found = claim(&mut tx, for_bulk, Priority::Bulk).await?;
        bulk_claimed = found.len();
        mails.extend(found);
    }
    tx.commit().await?;
    Ok(Claimed {
        has_more: bulk_claimed == for_bulk,
        mails,
    })
}

async fn deliver(app: &App, connections: &Connections<'_>, mail: &QueuedMail) -> Result<()> {
    let mut tx = app.store.write().await?;
    let Some((kind, details)) = parse(app, &mut tx, mail).await? else {
        return tx.commit().await;
    };
    if !lock_sendable(&mut tx, mail).await? {
        return tx.commit().await;
    }
    let composed = compose::compose_mail(app, &mut tx, mail, kind, &details).await?;
    let message = match compose::message(app, mail, composed) {
        Ok(message) => message,
        Err(reason) => {
            drop(tx);
            return give_up(app, mail, &reason).await;
        }
    };
    tx.commit().await?;
    match connections.send(&message).await {
        Ok(()) => record_success(app, mail).await,
        Err(failure) => record_failure(app, mail, kind, &failure).await,
    }
}

/// Returns the kind and the details of a mail. A mail of a kind that only a newer version knows is left to a node of
/// that version, during a rolling upgrade. A mail with damaged details is given up.
pub(super) async fn parse(
    app: &App,
    tx: &mut Tx,
    mail: &QueuedMail,
) -> Result<Option<(MailKind, MailDetails)>> {
    let Some(kind) = MailKind::from_name(&mail.kind) else {
        let reason = "a kind of mail that this version does not know";
        postpone(app, tx, mail, reason).await?;
        return Ok(None);
    };
    let Ok(details) = serde_json::from_str(&mail.details) else {
        give_up_in(app, tx, mail, "the details of the mail are damaged").await?;
        return Ok(None);
    };
    Ok(Some((kind, details)))
}

/// Schedules another attempt in a minute and counts none. Gives up a mail that is older than [`GIVE_UP_AFTER`].
async fn postpone(app: &App, tx: &mut Tx, mail: &QueuedMail, reason: &str) -> Result<()> {
    let now = app.clock.millis();
    if now.saturating_sub(mail.created_at) >= GIVE_UP_AFTER {
        return give_up_in(app, tx, mail, reason).await;
    }
    report_delay(app, tx, mail, reason);
    outbox::postpone(tx, mail.id, now + NEWER_VERSION_DELAY, reason).await
}

/// Locks the account of a mail before the mail, in the lock order of all transactions. Returns false if the mail is no
/// longer queued, or removes it and returns false if its account no longer exists.
pub(super) async fn lock_sendable(tx: &mut Tx, mail: &QueuedMail) -> Result<bool> {
    let has_subject = outbox::lock_subject(tx, mail.subject_id).await?;
    if !outbox::lock_queued(tx, mail.id).await? {
        return Ok(false);
    }
    if !has_subject {
        // Queued by a request that ran in parallel with the deletion of the account.
        outbox::remove(tx, mail.id).await?;
    }
    Ok(has_subject)
}

async fn record_success(app: &App, mail: &QueuedMail) -> Result<()> {
    app.metrics
        .count_mail(MailKind::label(&mail.kind), MailResult::Sent);
    tracing::info!(target: "mail", event = "mail_sent", kind = mail.kind, id = %mail.id);
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    remove_sent(app, &mut tx, mail).await?;
    tx.commit().await?;
    make_next_batch_due(app).await
}

/// The name of the queue in `App::recovery`.
const QUEUE: &str = "mail";

/// Makes mails due again that wait since the mail server failed.
async fn make_next_batch_due(app: &App) -> Result<()> {
    let now = app.clock.millis();
    let Some(batch) = app.recovery.begin_batch(QUEUE, now) else {
        return Ok(());
    };
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let rows = make_due(&mut tx, WaitingMails::Deferred, now, now).await?;
    tx.commit().await?;
    app.recovery.end_batch(QUEUE, &batch, rows);
    Ok(())
}

/// Makes a batch of waiting mails due from `from` on. Returns their number.
pub(super) async fn make_due(tx: &mut Tx, mails: WaitingMails, now: i64, from: i64) -> Result<u64> {
    let waiting_after = now.saturating_add(CLAIM_MILLIS);
    outbox::make_due(tx, mails, waiting_after, from, ROW_MILLIS, BATCH_ROWS).await
}

/// Removes a mail from the outbox, and records for support that it was sent.
pub(super) async fn remove_sent(app: &App, tx: &mut Tx, mail: &QueuedMail) -> Result<()> {
    let (subject, queued_at, now) = (mail.subject_id, mail.created_at, app.clock.millis());
    sent_mails::insert(tx, mail.id, subject, &mail.kind, queued_at, now).await?;
    outbox::remove(tx, mail.id).await
}

async fn record_failure(
    app: &App,
    mail: &QueuedMail,
    kind: MailKind,
    failure: &SendError,
) -> Result<()> {
    let reason = &failure.reason;
    match failure.verdict {
        Verdict::ServerTrouble => defer(app, mail, reason).await,
        Verdict::TryAgain => schedule_retry(app, mail, reason).await,
        Verdict::Refused => give_up(app, mail, reason).await,
        Verdict::NoSuchAddress => {
            if kind.is_for_legacy_account() {
                let mut tx = app.store.write().await?;
                legacy::mark_bounced(&mut tx, mail.subject_id, app.clock.millis()).await?;
                tx.commit().await?;
            }
            give_up(app, mail, reason).await
        }
    }
}

/// Postpones a mail because the configured mail server fails. Each wait is twice as long as the one before.
async fn defer(app: &App, mail: &QueuedMail, reason: &str) -> Result<()> {
    app.recovery.record_failure(QUEUE);
    let now = app.clock.millis();
    let waiting_time = now
        .saturating_sub(mail.deferred_since.unwrap_or(now))
        .max(0);
    if waiting_time >= GIVE_UP_AFTER {
        return give_up(app, mail, reason).await;
    }
    let wait = waiting_time
        .saturating_add(app.config.mail.backoff.millis())
        .min(MAX_DEFERRAL);
    let mut tx = app.store.write().await?;
    report_delay(app, &mut tx, mail, reason);
    outbox::defer(&mut tx, mail.id, now, now + wait, reason).await?;
    tx.commit().await
}

/// Schedules another attempt, each after a longer wait, up to `mail.max_attempts`.
async fn schedule_retry(app: &App, mail: &QueuedMail, reason: &str) -> Result<()> {
    if mail.attempts + 1 >= i64::from(app.config.mail.max_attempts) {
        return give_up(app, mail, reason).await;
    }
    let doublings = u32::try_from(mail.attempts).unwrap_or(0).min(20);
    let wait = app
        .config
        .mail
        .backoff
        .millis()
        .saturating_mul(1 << doublings)
        .min(MAX_BACKOFF);
    let mut tx = app.store.write().await?;
    report_delay(app, &mut tx, mail, reason);
    outbox::retry(&mut tx, mail.id, app.clock.millis() + wait, reason).await?;
    tx.commit().await
}

fn report_delay(app: &App, tx: &mut Tx, mail: &QueuedMail, reason: &str) {
    let (metrics, kind, id) = (app.metrics.clone(), mail.kind.clone(), mail.id);
    let logged = reason.to_owned();
    tx.on_commit(move || {
        metrics.count_mail(MailKind::label(&kind), MailResult::Delayed);
        tracing::warn!(target: "mail", event = "mail_delayed", kind, %id, reason = logged);
    });
}

async fn give_up(app: &App, mail: &QueuedMail, reason: &str) -> Result<()> {
    let mut tx = app.store.write().await?;
    give_up_in(app, &mut tx, mail, reason).await?;
    tx.commit().await
}

async fn give_up_in(app: &App, tx: &mut Tx, mail: &QueuedMail, reason: &str) -> Result<()> {
    let (metrics, kind, id) = (app.metrics.clone(), mail.kind.clone(), mail.id);
    let logged = reason.to_owned();
    // A batch that is rolled back is repeated.
    tx.on_commit(move || {
        metrics.count_mail(MailKind::label(&kind), MailResult::GivenUp);
        tracing::error!(target: "mail", event = "mail_given_up", kind, %id, reason = logged);
    });
    outbox::give_up(tx, mail.id, app.clock.millis(), reason).await?;
    if mail.kind == MailKind::Invitation.as_str() {
        // The next `account legacy invite` invites the account again.
        legacy::unmark_invited(tx, mail.subject_id).await?;
    }
    Ok(())
}
