//! Decides when a row of the outbox is retried after a failure, and when it is given up. All times are in milliseconds.

use super::RequestKind;
use crate::clock::{DAY, HOUR};
use crate::config;
use crate::store::outbox::QueuedMail;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;

/// The duration of a claim, which is longer than any attempt. A crash of a worker delays its rows by this duration.
pub(super) const CLAIM_MILLIS: i64 = 30_000;
/// The delay of a row that only a newer version of this program understands.
pub(super) const NEWER_VERSION_DELAY: i64 = MINUTE;
/// The maximum pause after a temporary error of the recipient's server.
const MAX_BACKOFF: i64 = HOUR;
/// The maximum pause while the configured mail server fails.
const MAX_DEFERRAL: i64 = 15 * MINUTE;
/// The age at which a mail is given up that the configured mail server or this version of the program cannot send.
const MAIL_DEADLINE: i64 = 5 * DAY;

/// Returns the pause of a mail whose kind only a newer program version knows, or `None` if the mail is given up.
pub(super) fn pause_for_newer_version(mail: &QueuedMail, now: i64) -> Option<i64> {
    let age = now.saturating_sub(mail.created_at);
    (age < MAIL_DEADLINE).then_some(NEWER_VERSION_DELAY)
}

/// Returns the pause after the recipient's server temporarily refused a mail, or `None` if the mail is given up.
pub(super) fn pause_after_refusal(settings: &config::Mail, mail: &QueuedMail) -> Option<i64> {
    let doublings = u32::try_from(mail.attempts).unwrap_or(0).min(20);
    let pause = settings.backoff.millis().saturating_mul(1 << doublings);
    (mail.attempts + 1 < i64::from(settings.max_attempts)).then_some(pause.min(MAX_BACKOFF))
}

/// Returns the pause after a failure of the configured mail server, or `None` if the mail is given up. The pause is as
/// long as the mail has been deferred so far, so that each pause is twice as long as the previous pause.
pub(super) fn pause_after_server_failure(
    settings: &config::Mail,
    mail: &QueuedMail,
    now: i64,
) -> Option<i64> {
    let deferred = now - mail.deferred_since.unwrap_or(now).min(now);
    let pause = deferred.saturating_add(settings.backoff.millis());
    (deferred < MAIL_DEADLINE).then_some(pause.min(MAX_DEFERRAL))
}

/// Returns the pause after a failed HTTP request, or `None` if the request is given up.
pub(super) fn pause_after_failed_request(kind: RequestKind, earlier_failures: i64) -> Option<i64> {
    let pauses: &[i64] = match kind {
        RequestKind::Webhook => &[
            5 * SECOND,
            5 * MINUTE,
            30 * MINUTE,
            2 * HOUR,
            5 * HOUR,
            10 * HOUR,
            14 * HOUR,
            20 * HOUR,
            DAY,
        ],
        RequestKind::BackchannelLogout => &[10 * SECOND, MINUTE, 10 * MINUTE, HOUR],
    };
    pauses.get(usize::try_from(earlier_failures).ok()?).copied()
}
