//! The command `account legacy invite` mails invitations to the owners of legacy accounts, in waves.
//!
//! The transaction that queues an invitation also marks the account as invited. The command can therefore be stopped at
//! any time and repeated, and still invites each account exactly once.

use std::time::Duration;

use uuid::Uuid;

use crate::accounts::migration;
use crate::app::App;
use crate::config::Limit;
use crate::db::{Result, Tx};
use crate::mail::{self, MailKind, OutgoingMail, links};
use crate::store::legacy::{self, LegacyAccount};

#[derive(Debug, Clone, Copy, Default)]
pub struct Invitations {
    /// The maximum number of invitations, or `None` to invite all accounts.
    pub max_mails: Option<u64>,
    /// The maximum number of invitations per window, or `None` to queue them as fast as possible.
    pub rate: Option<Limit>,
    /// Whether the command only counts the accounts and sends no invitations.
    pub dry_run: bool,
}

/// The maximum number of mails per transaction, which is so low that other writers are not delayed noticeably.
const MAX_MAILS_PER_WAVE: u64 = 200;
const ROWS_PER_PAGE: usize = 1000;

/// Sends invitations and returns their number. Calls `report` after each wave with the number of all invitations so
/// far.
pub async fn run(app: &App, invitations: &Invitations, mut report: impl FnMut(u64)) -> Result<u64> {
    let mut invited = 0;
    let mut after = Uuid::nil();
    loop {
        let remaining = invitations
            .max_mails
            .map_or(u64::MAX, |most| most - invited);
        let size = remaining.min(wave_size(invitations));
        if size == 0 {
            return Ok(invited);
        }
        let (number, next) = send_wave(app, invitations.dry_run, after, size).await?;
        invited += number;
        report(invited);
        let Some(next) = next else {
            return Ok(invited);
        };
        after = next;
        if let (Some(rate), false, true) = (invitations.rate, invitations.dry_run, number > 0) {
            tokio::time::sleep(pause(rate, number)).await;
        }
    }
}

/// Returns the number of mails in a wave. A rate limit spreads the mails: a wave has the mails of about a second.
fn wave_size(wanted: &Invitations) -> u64 {
    let Some(rate) = wanted.rate else {
        return MAX_MAILS_PER_WAVE;
    };
    let per_second = rate.hits.saturating_mul(1000) / rate.window.millis();
    per_second.unsigned_abs().clamp(1, MAX_MAILS_PER_WAVE)
}

fn pause(rate: Limit, number: u64) -> Duration {
    let hits = rate.hits.unsigned_abs().max(1) as f64;
    rate.window.0.mul_f64(number as f64 / hits)
}

/// Queues one wave. Returns its number of invitations, and the account after which to continue, or `None` at the end.
async fn send_wave(
    app: &App,
    dry_run: bool,
    after: Uuid,
    size: u64,
) -> Result<(u64, Option<Uuid>)> {
    let mut tx = match dry_run {
        true => app.store.read().await?,
        false => app.store.write().await?,
    };
    let (found, mut next) = legacy::list_invitable(&mut tx, after, ROWS_PER_PAGE, !dry_run).await?;
    let mut invited = 0;
    for old in &found {
        // The migration would refuse a minor, but a later invitation reaches the person at a sufficient age.
        if migration::is_known_minor(app, old) {
            continue;
        }
        if !dry_run {
            queue_invitation(app, &mut tx, old).await?;
        }
        invited += 1;
        if invited == size {
            next = Some(old.id);
            break;
        }
    }
    tx.commit().await?;
    Ok((invited, next))
}

async fn queue_invitation(app: &App, tx: &mut Tx, old: &LegacyAccount) -> Result<()> {
    legacy::mark_invited(tx, old.id, app.clock.millis()).await?;
    // An earlier invitation that could not be sent yet is deleted.
    links::withdraw(tx, old.id, MailKind::Invitation).await?;
    let region = migration::region(&app.config, old);
    let language = migration::language(old, region.language());
    let outgoing = OutgoingMail::to_legacy(old, MailKind::Invitation, language, &region.id);
    mail::queue(app, tx, outgoing).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_split_into_even_waves() {
        let at = |text: &str| Invitations {
            rate: Some(text.parse().unwrap()),
            ..Invitations::default()
        };
        assert_eq!(wave_size(&at("600/m")), 10);
        assert_eq!(wave_size(&at("6/m")), 1);
        assert_eq!(wave_size(&at("1000000/m")), MAX_MAILS_PER_WAVE);
        assert_eq!(wave_size(&Invitations::default()), MAX_MAILS_PER_WAVE);
        assert_eq!(pause("6/m".parse().unwrap(), 1), Duration::from_secs(10));
    }
}
