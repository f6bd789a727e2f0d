//! The outbox worker. Any number of nodes may run one: a mail is held by whoever claimed it, and
//! comes free again by itself if that one dies.

use std::time::Duration;

use lettre::transport::smtp;
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use tokio::sync::watch;

use super::{Kind, compose};
use crate::app::{App, Shared};
use crate::causes::certificate_problem;
use crate::config;
use crate::metrics::Mailed;
use crate::store::legacy;
use crate::store::outbox::{self, Queued};
use crate::store::{Result, StoreError, Tx};

/// One conversation with the SMTP server, all of it.
const SMTP_TIME: Duration = Duration::from_secs(20);
/// How long a claimed mail stays with its worker: longer than any conversation. After a crash it
/// goes out so much later.
const HOLD: i64 = 30_000;
/// Mails claimed, and sent side by side, at once.
const BATCH: i64 = 10;
const LONGEST_BACKOFF: i64 = 3_600_000;

/// Of the settings' server. None: mails are kept, to be read.
pub fn transport(
    settings: &config::Mail,
) -> std::result::Result<Option<AsyncSmtpTransport<Tokio1Executor>>, String> {
    let Some(url) = &settings.smtp_url else {
        return Ok(None);
    };
    let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose())
        .map_err(|_| "mail.smtp_url: must look like smtp://host:port".to_owned())?
        .tls(super::tls::tls(url, settings.ca_file.as_deref())?);
    Ok(Some(builder.timeout(Some(Duration::from_secs(10))).build()))
}

/// Sends until told to stop, then finishes what it has begun.
pub async fn run(app: Shared, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        if let Err(error) = drain(&app).await {
            tracing::warn!(%error, "the outbox waits for the database");
        }
        tokio::select! {
            () = app.mailer.bell.notified() => {}
            () = tokio::time::sleep(app.config.mail.poll_interval.0) => {}
            _ = stop.changed() => {}
        }
    }
}

/// Sends everything that is due. Returns how many mails were tried.
pub async fn drain(app: &App) -> Result<usize> {
    let _sending = app.mailer.sending.lock().await;
    // Keeping a mail is one transaction: a worker that dies has either done it or not begun.
    let hold = if app.mailer.keeps() { 0 } else { HOLD };
    let mut tried = 0;
    loop {
        let now = app.clock.millis();
        let mut tx = app.store.write_lightly().await?;
        let mails = outbox::claim(&mut tx, now, now + hold, BATCH).await?;
        tx.commit().await?;
        if mails.is_empty() {
            return Ok(tried);
        }
        tried += mails.len();
        // Fewer than might have been: nothing else was due.
        let is_last = mails.len() < BATCH as usize;
        let results = futures_util::future::join_all(mails.iter().map(|mail| deliver(app, mail)));
        for result in results.await {
            result?;
        }
        if is_last {
            return Ok(tried);
        }
    }
}

async fn deliver(app: &App, mail: &Queued) -> Result<()> {
    let Some(kind) = Kind::named(&mail.kind) else {
        return give_up(app, mail, "a kind of mail that this version does not know").await;
    };
    // A mail that is only kept for reading would be kept again after a power cut.
    let mut tx = match app.mailer.keeps() {
        true => app.store.write_soon().await?,
        false => app.store.write().await?,
    };
    if !outbox::still_waits(&mut tx, mail.id).await? {
        return Ok(());
    }
    let written = compose::write(app, &mut tx, mail, kind).await?;
    let Some(transport) = &app.mailer.transport else {
        outbox::keep(&mut tx, &written.letter).await?;
        outbox::remove(&mut tx, mail.id).await?;
        tx.commit().await?;
        app.metrics.mail(&mail.kind, Mailed::Kept);
        return Ok(());
    };
    let message = match compose::message(app, mail, written) {
        Ok(message) => message,
        Err(reason) => {
            drop(tx);
            return give_up(app, mail, &reason).await;
        }
    };
    tx.commit().await?;
    match tokio::time::timeout(SMTP_TIME, transport.send(message)).await {
        Ok(Ok(_)) => sent(app, mail).await,
        Ok(Err(error)) => refused(app, mail, &error).await,
        Err(_) => again(app, mail, "timed out").await,
    }
}

async fn sent(app: &App, mail: &Queued) -> Result<()> {
    app.metrics.mail(&mail.kind, Mailed::Sent);
    tracing::info!(target: "mail", event = "mail_sent", kind = mail.kind, id = %mail.id);
    let mut tx = app.store.write_lightly().await?;
    outbox::remove(&mut tx, mail.id).await?;
    tx.commit().await
}

/// A permanent refusal (5xx) of this mail ends it; all else is tried again.
async fn refused(app: &App, mail: &Queued, error: &smtp::Error) -> Result<()> {
    // The server's words may repeat the address: only its code is kept.
    let reason = error
        .status()
        .map_or_else(|| kind_of(error), |code| code.to_string());
    if is_bounce(error) && Kind::named(&mail.kind).is_some_and(Kind::is_for_waiting) {
        let mut tx = app.store.write().await?;
        legacy::mark_bounced(&mut tx, mail.subject_id, app.clock.millis()).await?;
        tx.commit().await?;
    }
    if error.is_permanent() {
        give_up(app, mail, &reason).await
    } else {
        again(app, mail, &reason).await
    }
}

/// Refused because of the address, and for good: no such mailbox (550, 551, 553), or a domain that
/// takes no mail (521, 556; RFC 5321 4.2.3, RFC 7504). Other permanent answers may speak of us.
fn is_bounce(error: &smtp::Error) -> bool {
    let code = error.status().map(|code| code.to_string());
    matches!(code.as_deref(), Some("521" | "550" | "551" | "553" | "556"))
}

fn kind_of(error: &smtp::Error) -> String {
    if let Some(problem) = certificate_problem(error) {
        return format!("the server's certificate is refused: {problem}");
    }
    let kind = if error.is_timeout() {
        "timed out"
    } else if error.is_tls() {
        "tls"
    } else if error.is_response() {
        "an answer that is no SMTP"
    } else {
        "no connection"
    };
    kind.to_owned()
}

/// Another try later, each after a longer wait; so often and no more.
async fn again(app: &App, mail: &Queued, reason: &str) -> Result<()> {
    if mail.attempts >= i64::from(app.config.mail.max_attempts) {
        return give_up(app, mail, reason).await;
    }
    let doublings = u32::try_from(mail.attempts - 1).unwrap_or(0).min(20);
    let wait = app
        .config
        .mail
        .backoff
        .millis()
        .saturating_mul(1 << doublings)
        .min(LONGEST_BACKOFF);
    app.metrics.mail(&mail.kind, Mailed::Delayed);
    tracing::warn!(target: "mail", event = "mail_delayed", kind = mail.kind, id = %mail.id, reason);
    let mut tx = app.store.write().await?;
    outbox::retry(&mut tx, mail.id, app.clock.millis() + wait, reason).await?;
    tx.commit().await
}

async fn give_up(app: &App, mail: &Queued, reason: &str) -> Result<()> {
    app.metrics.mail(&mail.kind, Mailed::GivenUp);
    tracing::error!(target: "mail", event = "mail_given_up", kind = mail.kind, id = %mail.id, reason);
    let mut tx: Tx = app.store.write().await?;
    outbox::give_up(&mut tx, mail.id, app.clock.millis(), reason).await?;
    tx.commit().await
}

/// The newest kept mails. What still waits is written first, so that a reader who has just
/// registered finds it.
pub async fn kept(app: &App) -> std::result::Result<Vec<outbox::Kept>, StoreError> {
    drain(app).await?;
    outbox::kept(&mut app.store.read().await?, 500).await
}
