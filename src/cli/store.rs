//! The commands `account store …` and `account migrate`.

use super::prelude::*;
use crate::config::{ByteSize, Database};
use crate::maintenance::backup::{self, VerifiedBackup};
use crate::maintenance::copy::{self, CopyOutcome, TableCount};

#[derive(Subcommand)]
pub(super) enum StoreCommand {
    /// Copy the SQLite database into a file while the server runs, and check the copy
    Backup {
        /// The new file; must not exist
        file: PathBuf,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Check the pages, references and schema of a SQLite backup without changing it
    Verify {
        /// A file that account store backup wrote
        file: PathBuf,
    },
    /// Copy everything from SQLite to PostgreSQL or back, and compare; can be interrupted and repeated
    Copy {
        /// sqlite://FILE or postgres://… [default: database.url of the settings]
        #[arg(long, value_name = "URL", required_unless_present = "to")]
        from: Option<String>,
        /// An empty database of the other type [default: database.url of the settings]
        #[arg(long, value_name = "URL")]
        to: Option<String>,
        #[command(flatten)]
        settings: ConfigArgument,
    },
}

pub(super) async fn run(command: StoreCommand) -> CommandResult {
    match command {
        StoreCommand::Backup { file, settings } => back_up(&settings.load()?.database, &file),
        StoreCommand::Verify { file } => verify_backup(&file),
        StoreCommand::Copy { from, to, settings } => {
            let configured = settings.load()?.database;
            let from = endpoint_settings("--from", from, &configured)?;
            let to = endpoint_settings("--to", to, &configured)?;
            copy(&from, &to).await
        }
    }
}

pub(super) async fn migrate(settings: &ConfigArgument, status: bool, sql: bool) -> CommandResult {
    let database = settings.load()?.database;
    let steps = Store::migration_status(&database).await?;
    let pending = steps.iter().filter(|(_, is_applied)| !is_applied);
    let count = pending.clone().count();
    if status {
        for (step, is_applied) in &steps {
            let state = if *is_applied { "applied" } else { "pending" };
            output::print_line(format_args!("V{:04} {} {state}", step.version, step.name))?;
        }
        return match count {
            0 => Ok(()),
            _ => Err(CommandError::failed(format!(
                "{count} migrations are pending; account migrate applies them"
            ))),
        };
    }
    if sql {
        for (step, _) in pending {
            output::print(format_args!(
                "-- V{:04} {}\n{}\n",
                step.version, step.name, step.sql
            ))?;
        }
        return Ok(());
    }
    Store::open(&database).await?;
    match count {
        0 => print_message!("account: the schema was up to date, no migration was applied"),
        1 => print_message!("account: 1 migration was applied, the schema is up to date"),
        _ => print_message!("account: {count} migrations were applied, the schema is up to date"),
    }
    Ok(())
}

fn verify_backup(file: &Path) -> CommandResult {
    let VerifiedBackup {
        bytes,
        schema,
        accounts,
    } = backup::verify(file)?;
    let size = ByteSize(bytes as usize);
    print_message!(
        "account: {} is complete: {size}, schema V{schema:04}, {accounts} accounts",
        file.display()
    );
    Ok(())
}

fn back_up(database: &Database, file: &Path) -> CommandResult {
    let bar = indicatif::ProgressBar::new(0);
    let outcome = backup::run(database, file, |pages, all| {
        bar.set_length(all);
        bar.set_position(pages);
    });
    bar.finish_and_clear();
    let size = ByteSize(outcome? as usize);
    print_message!(
        "account: {size} in {}, checked and complete",
        file.display()
    );
    Ok(())
}

/// Returns the database settings of the source or the target of a copy. An argument replaces the configured URL.
fn endpoint_settings(
    argument: &str,
    url: Option<String>,
    configured: &Database,
) -> CommandResult<Database> {
    let mut database = configured.clone();
    if let Some(url) = url {
        database.url = url
            .parse()
            .map_err(|problem| CommandError::Usage(format!("{argument}: {problem}")))?;
    }
    Ok(database)
}

async fn copy(from: &Database, to: &Database) -> CommandResult {
    let bar = indicatif::ProgressBar::new_spinner();
    let outcome = copy::run(from, to, &Rng::System, |table, rows| {
        bar.set_message(format!("{table}: {rows} rows"));
        bar.tick();
    });
    let outcome = outcome.await;
    bar.finish_and_clear();
    match outcome? {
        CopyOutcome::Copied(counts) => print_counts(counts, "all of it copied and read back"),
        CopyOutcome::AlreadyThere(counts) => {
            print_counts(counts, "an earlier run has copied all of it");
        }
    }
    Ok(())
}

fn print_counts(counts: Vec<TableCount>, summary: &str) {
    for TableCount { table, rows } in counts {
        print_message!("{rows:>12} {table}");
    }
    print_message!("account: {summary}");
}
