//! The commands `account legacy …`.

use std::time::Instant;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::prelude::*;
use super::users::{self, AuditedAction};
use crate::config::Limit;
use crate::legacy::import::{
    self, ColumnNames, Delimiter, ImportOptions, ImportReport, InputFormat, Progress, RowFormat,
};
use crate::legacy::invite::{self, Invitations};
use crate::legacy::{purge, status};
use crate::support::actions::SupportOperation;

/// The exit code of an import that rejected some rows.
const EXIT_SOME_REJECTED: u8 = 3;

#[derive(Subcommand)]
pub(super) enum LegacyCommand {
    /// Import accounts of an older system; can be interrupted and repeated
    Import(ImportArguments),
    /// Print the progress of the migration
    Status {
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Delete the unmigrated old accounts that were imported before a date
    Purge {
        /// YYYY-MM-DD, UTC
        #[arg(long, value_name = "DATE")]
        before: Date,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Mail invitations to old accounts, each account once
    Invite(InviteArguments),
    /// Stop inviting an old account, at the request of its owner
    Unsubscribe(AuditedAction),
}

#[derive(clap::Args)]
pub(super) struct ImportArguments {
    /// JSON Lines (.jsonl, .jsonl.gz) or CSV with a header (.csv, .csv.gz), or a pipe
    file: PathBuf,
    /// csv or jsonl [default: by the name of the file]
    #[arg(long)]
    format: Option<RowFormat>,
    /// The delimiter of a CSV file: comma, semicolon, tab, pipe or one other character [default: comma]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<Delimiter>,
    /// An encoding of the web, such as windows-1252 or shift_jis [default: UTF-16 if there is a byte order mark,
    /// otherwise utf-8]
    #[arg(long, value_parser = import::parse_encoding)]
    encoding: Option<&'static encoding_rs::Encoding>,
    /// Import the column FROM of the file as TO; can be repeated
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Read and check all rows without writing to the database
    #[arg(long)]
    dry_run: bool,
    /// The file for rejected rows, with line and reason [default: FILE.rejects.jsonl; import.rejects.jsonl for
    /// /dev/stdin and /dev/fd]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// The number of rows per transaction
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    batch: u32,
    /// Print the counts as one JSON object on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ConfigArgument,
}

#[derive(clap::Args)]
pub(super) struct InviteArguments {
    /// The maximum number of invitations of this run
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// The maximum number of invitations per unit of time
    #[arg(long, value_name = "N/m", default_value = "600/m")]
    rate: Limit,
    /// Only count the accounts that would be invited
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    settings: ConfigArgument,
}

pub(super) async fn run(command: LegacyCommand) -> CommandResult<u8> {
    match command {
        LegacyCommand::Import(arguments) => return import(arguments).await,
        LegacyCommand::Status { json, settings } => status(&settings.load()?, json).await?,
        LegacyCommand::Purge { before, settings } => purge(settings.load()?, before).await?,
        LegacyCommand::Invite(arguments) => invite(arguments).await?,
        LegacyCommand::Unsubscribe(action) => {
            users::perform(&action, SupportOperation::Unsubscribe).await?;
        }
    }
    Ok(0)
}

#[derive(serde::Serialize)]
struct ImportOutput<'a> {
    #[serde(flatten)]
    counts: import::RowCounts,
    unknown_hashes: &'a import::UnknownHashes,
}

/// Imports a file and returns the exit code.
async fn import(arguments: ImportArguments) -> CommandResult<u8> {
    let config = arguments.settings.load()?;
    let options = ImportOptions {
        file: arguments.file,
        format: InputFormat {
            rows: arguments.format,
            delimiter: arguments.delimiter,
            encoding: arguments.encoding,
            names: ColumnNames::parse(&arguments.map).map_err(CommandError::Usage)?,
        },
        rejects: arguments.rejects,
        dry_run: arguments.dry_run,
        batch: arguments.batch as usize,
    };
    let store = Store::open_existing(&config.database).await?;
    let started = Instant::now();
    let mut progress = Progress::on_stderr();
    let report = import::run(
        &store,
        &Clock::System,
        &Rng::System,
        &options,
        &mut progress,
    )
    .await?;
    print_warnings(&report);
    let counts = report.counts;
    if arguments.json {
        let result = ImportOutput {
            counts,
            unknown_hashes: &report.unknown_hashes,
        };
        output::print_json(&result)?;
    } else {
        print_summary(&report, started.elapsed().as_secs_f64(), options.dry_run);
    }
    Ok(match counts.rejected {
        0 => 0,
        _ => EXIT_SOME_REJECTED,
    })
}

fn print_warnings(report: &ImportReport) {
    if !report.unknown_columns.is_empty() {
        let names = report.unknown_columns.join(", ");
        print_message!("warning: columns that were not imported: {names}");
    }
    for (values, outcome) in [
        (&report.omitted_values, "imported without it"),
        (&report.kept_values, "imported as it is"),
    ] {
        for (reason, times, line) in values.iter() {
            print_message!("warning: {reason} (rows: {times}, first in line {line}); {outcome}");
        }
    }
    for (form, times) in report.unknown_hashes.iter() {
        print_message!("warning: unknown format of password hash: {form} (rows: {times})");
    }
}

fn print_summary(report: &ImportReport, seconds: f64, dry_run: bool) {
    let c = &report.counts;
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
        print_message!("{name:<18}{number:>10}");
    }
    let rate = c.read as f64 / seconds.max(0.001);
    let outcome = match dry_run {
        true => "nothing was written",
        false => "done",
    };
    print_message!("account: {outcome}, {seconds:.1} s, {rate:.0} rows per second");
    if c.rejected > 0 {
        let path = report.rejects.display();
        print_message!("account: the rejected rows and their reasons are in {path}");
    }
}

async fn status(config: &Config, json: bool) -> CommandResult {
    let store = Store::open_existing(&config.database).await?;
    let status = status::count(&store).await?;
    if json {
        output::print_json(&status)?;
    } else {
        for line in status.to_string().lines() {
            print_message!("{line}");
        }
    }
    Ok(())
}

async fn purge(config: Config, before: Date) -> CommandResult {
    let before = before
        .to_zoned_datetime(TimeZone::UTC)
        .map_err(CommandError::failed)?;
    let app = open_app(config).await?;
    let before = before.timestamp().as_millisecond();
    let purged = purge::run(&app, before, progress_reporter()).await;
    let purged = purged.map_err(resumable_error)?;
    print_message!("account: {purged} deleted");
    Ok(())
}

async fn invite(arguments: InviteArguments) -> CommandResult {
    let config = arguments.settings.load()?;
    let invitations = Invitations {
        max_mails: arguments.limit,
        rate: Some(arguments.rate),
        dry_run: arguments.dry_run,
    };
    let app = open_app(config).await?;
    let invited = invite::run(&app, &invitations, progress_reporter()).await;
    let invited = invited.map_err(resumable_error)?;
    match invitations.dry_run {
        true => print_message!("account: {invited} would be invited"),
        false => {
            print_message!("account: {invited} invited; a running `account serve` sends the mails");
        }
    }
    Ok(())
}

/// Returns a function that prints the number of processed accounts, at most every five seconds.
fn progress_reporter() -> impl FnMut(u64) {
    let mut last_report = Instant::now();
    move |sum| {
        if last_report.elapsed().as_secs() >= 5 {
            last_report = Instant::now();
            print_message!("account: {sum} so far");
        }
    }
}

fn resumable_error(error: impl std::fmt::Display) -> CommandError {
    CommandError::Failed(format!("{error}; run the same command again to continue"))
}
