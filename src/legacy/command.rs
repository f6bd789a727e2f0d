//! The `account legacy` commands: what they print, and how they end. For people on stderr, data on
//! stdout (contract 1).

use std::io::Write;
use std::time::Instant;

use super::import::{self, ImportError, Outcome, Progress};
use super::invite::{self, Invitations};
use super::status;
use crate::app::{App, StartError};
use crate::clock::Clock;
use crate::config::Config;
use crate::rng::Rng;
use crate::store::{Store, StoreError};

/// Exit code when some rows were rejected.
const SOME_REJECTED: u8 = 3;

/// Why a command did not do its work, in one line.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("{0}")]
    WrongUse(String),
    #[error("{0}")]
    Failed(String),
}

impl From<ImportError> for CommandError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::WrongUse(problem) => CommandError::WrongUse(problem),
            error => failed(error),
        }
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Setting(problem) => CommandError::WrongUse(problem),
            error => failed(error),
        }
    }
}

impl From<StartError> for CommandError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Store(error) => error.into(),
            StartError::Setting(problem) => CommandError::WrongUse(problem),
            error @ StartError::UnfinishedCopy => failed(error),
        }
    }
}

fn failed(error: impl std::fmt::Display) -> CommandError {
    CommandError::Failed(error.to_string())
}

#[derive(serde::Serialize)]
struct ImportResult<'a> {
    #[serde(flatten)]
    counts: import::Counts,
    unknown_hashes: &'a import::UnknownHashes,
}

/// Imports a file and returns the exit code.
pub async fn import(
    config: &Config,
    order: &import::Order,
    json: bool,
) -> Result<u8, CommandError> {
    let store = Store::open_existing(&config.database).await?;
    let begun = Instant::now();
    let mut progress = Progress::on_stderr();
    let done = import::run(&store, &Clock::System, &Rng::System, order, &mut progress).await?;
    warn(&done);
    let counts = done.counts;
    if json {
        let result = ImportResult {
            counts,
            unknown_hashes: &done.unknown_hashes,
        };
        let text = serde_json::to_string(&result).map_err(failed)?;
        writeln!(std::io::stdout(), "{text}").map_err(failed)?;
    } else {
        tell(&done, begun.elapsed().as_secs_f64(), order.dry_run);
    }
    Ok(match counts.rejected {
        0 => 0,
        _ => SOME_REJECTED,
    })
}

fn warn(done: &Outcome) {
    if !done.unknown_columns.is_empty() {
        let names = done.unknown_columns.join(", ");
        eprintln!("warning: columns that were not imported: {names}");
    }
    for (reason, times, line) in done.kept_out.iter() {
        eprintln!("warning: {reason} (rows: {times}, first in line {line}); imported without it");
    }
    for (form, times) in done.unknown_hashes.iter() {
        eprintln!("warning: unknown form of password hash: {form} (rows: {times})");
    }
}

fn tell(done: &Outcome, seconds: f64, dry_run: bool) {
    let c = &done.counts;
    let lines = [
        ("read", c.read),
        ("new", c.new),
        ("unchanged", c.unchanged),
        ("updated", c.updated),
        ("rejected", c.rejected),
        ("already_migrated", c.already_migrated),
        ("without_hash", c.without_hash),
    ];
    for (name, number) in lines {
        eprintln!("{name:<18}{number:>10}");
    }
    let rate = c.read as f64 / seconds.max(0.001);
    let what = match dry_run {
        true => "nothing was written",
        false => "done",
    };
    eprintln!("account: {what}, {seconds:.1} s, {rate:.0} rows a second");
    if c.rejected > 0 {
        let path = done.rejects.display();
        eprintln!("account: the rejected rows and their reasons are in {path}");
    }
}

pub async fn status(config: &Config, json: bool) -> Result<(), CommandError> {
    let store = Store::open_existing(&config.database).await?;
    let status = status::count(&store).await.map_err(failed)?;
    if json {
        let text = serde_json::to_string(&status).map_err(failed)?;
        writeln!(std::io::stdout(), "{text}").map_err(failed)
    } else {
        eprint!("{status}");
        Ok(())
    }
}

pub async fn invite(config: Config, wanted: &Invitations) -> Result<(), CommandError> {
    drop(Store::open_existing(&config.database).await?);
    let app = App::build(config, Clock::System, Rng::System).await?;
    let mut told = Instant::now();
    let invited = invite::run(&app, wanted, |sum| {
        if told.elapsed().as_secs() >= 5 {
            told = Instant::now();
            eprintln!("account: {sum} so far");
        }
    });
    let invited = invited.await.map_err(|error| {
        CommandError::Failed(format!("{error}; run the same command again to go on"))
    })?;
    match wanted.dry_run {
        true => eprintln!("account: {invited} would be invited"),
        false => eprintln!("account: {invited} invited; a running `account serve` sends the mails"),
    }
    Ok(())
}
