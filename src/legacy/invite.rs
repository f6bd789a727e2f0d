//! `account legacy invite`: asks the old accounts over, in waves.
//!
//! Who was invited is marked in the transaction that queues the mail, so nobody is invited twice and
//! nobody is forgotten, wherever the command is stopped: the next one goes on from there.

use std::time::Duration;

use uuid::Uuid;

use super::migration;
use crate::app::App;
use crate::config::{Config, Limit, Region};
use crate::mail::{self, Kind, MailDetails, OutgoingMail};
use crate::store::legacy::{self, LegacyAccount};
use crate::store::{Result, Tx, outbox};

#[derive(Debug, Clone, Copy, Default)]
pub struct Invitations {
    /// At most so many; unset: everybody.
    pub most: Option<u64>,
    /// At most so many a window; unset: as fast as they can be queued.
    pub rate: Option<Limit>,
    /// Count, and invite nobody.
    pub dry_run: bool,
}

/// Mails queued in one transaction: short enough that other writers do not notice.
const WAVE: u64 = 200;
/// Rows looked at in one go.
const LOOKED_AT: usize = 1000;

/// Invites, and says how many. `told` hears the sum after each wave.
pub async fn run(app: &App, wanted: &Invitations, mut told: impl FnMut(u64)) -> Result<u64> {
    let mut invited = 0;
    let mut after = Uuid::nil();
    loop {
        let left = wanted.most.map_or(u64::MAX, |most| most - invited);
        let size = left.min(wave(wanted));
        if size == 0 {
            return Ok(invited);
        }
        let (number, next) = one_wave(app, wanted.dry_run, after, size).await?;
        invited += number;
        told(invited);
        let Some(next) = next else {
            return Ok(invited);
        };
        after = next;
        if let (Some(rate), false, true) = (wanted.rate, wanted.dry_run, number > 0) {
            tokio::time::sleep(pause(rate, number)).await;
        }
    }
}

/// With a rate: about a second's worth, so that the mails flow evenly.
fn wave(wanted: &Invitations) -> u64 {
    let Some(rate) = wanted.rate else { return WAVE };
    let a_second = rate.hits.saturating_mul(1000) / rate.window.millis();
    a_second.unsigned_abs().clamp(1, WAVE)
}

fn pause(rate: Limit, number: u64) -> Duration {
    let hits = rate.hits.unsigned_abs().max(1) as f64;
    rate.window.0.mul_f64(number as f64 / hits)
}

/// How many were invited, and behind which account to go on. None: there is nobody left.
async fn one_wave(app: &App, dry_run: bool, after: Uuid, size: u64) -> Result<(u64, Option<Uuid>)> {
    let mut tx = match dry_run {
        true => app.store.read().await?,
        false => app.store.write().await?,
    };
    let (found, mut next) = legacy::invitable(&mut tx, after, LOOKED_AT, !dry_run).await?;
    let mut invited = 0;
    for old in &found {
        // A minor would only be refused; a later wave finds them grown up.
        if migration::is_known_minor(app, old) {
            continue;
        }
        if !dry_run {
            invite(app, &mut tx, old).await?;
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

async fn invite(app: &App, tx: &mut Tx, old: &LegacyAccount) -> Result<()> {
    legacy::mark_invited(tx, old.id, app.clock.millis()).await?;
    // One that was given up before gives way to the new one.
    outbox::take_back(tx, old.id, Kind::Invitation.as_str()).await?;
    let region = region(&app.config, old);
    let outgoing = OutgoingMail {
        kind: Kind::Invitation,
        subject_id: old.id,
        recipient: &old.email,
        language: migration::language(old, region.language()),
        region: &region.id,
        details: MailDetails::default(),
    };
    mail::queue(app, tx, outgoing).await
}

/// The region of the country; the old system knew no regions of ours.
fn region<'a>(config: &'a Config, old: &LegacyAccount) -> &'a Region {
    let own = config
        .regions
        .iter()
        .find(|region| old.country.is_some() && region.country_code == old.country);
    own.unwrap_or(&config.regions[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_becomes_even_waves() {
        let at = |text: &str| Invitations {
            rate: Some(text.parse().unwrap()),
            ..Invitations::default()
        };
        assert_eq!(wave(&at("600/m")), 10);
        assert_eq!(wave(&at("6/m")), 1);
        assert_eq!(wave(&at("1000000/m")), WAVE);
        assert_eq!(wave(&Invitations::default()), WAVE);
        assert_eq!(pause("6/m".parse().unwrap(), 1), Duration::from_secs(10));
    }
}
