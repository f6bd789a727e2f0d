//! The commands, nothing else. Exit 0: done; 1: failed; 2: wrong use or wrong configuration; 3: an
//! import that rejected some rows.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use account::app::{self, App, StartError};
use account::clock::Clock;
use account::config::{self, Config, Duration, Limit};
use account::legacy::command::{self, CommandError};
use account::legacy::import::{Delimiter, Encoding, Format, Names, Order};
use account::legacy::invite::Invitations;
use account::rng::Rng;
use account::store::backup::{self, BackupError};
use account::store::copy::{self, Counted, Done};
use account::store::{Store, StoreError};
use account::words::{self, Language};
use account::{demo, logs, mail, openapi, serve};
use clap::{Parser, Subcommand};

/// The account site: sign in, join, recover, migrate, manage. One binary, front end inside.
#[derive(Parser)]
#[command(name = "account", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the site; with no configuration at all on http://localhost:8080/account/
    Serve(Settings),
    /// Print the effective settings, secrets masked, and what is wrong with them
    CheckConfig(Settings),
    /// Bring the database's schema up to date (serve does it too)
    Migrate(Settings),
    /// Say what is wrong with translation files, a line each on stdout: 0 nothing, 2 something
    CheckTranslations {
        /// JSON files like those of the service, named by their language: de.json
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The language of all of them: en, de, es or pt
        #[arg(long, value_parser = language)]
        language: Option<Language>,
    },
    /// Print the OpenAPI document
    Openapi,
    /// Serve a site with people in it, and print what to try
    Demo {
        /// Keep everything in this folder; without it all is thrown away at the end
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        #[command(flatten)]
        settings: Settings,
    },
    /// Bring the accounts of an older system over
    #[command(subcommand)]
    Legacy(Legacy),
    /// Keep the database safe
    #[command(subcommand)]
    Store(Keeping),
    /// Look after the mails on their way out
    #[command(subcommand)]
    Mail(MailCommand),
}

#[derive(Subcommand)]
enum MailCommand {
    /// Put mails back that were given up, to be tried like new ones by a running `account serve`
    Retry {
        /// Only those given up within this time; given-up mails are kept for 14 days
        #[arg(long, value_name = "TIME", default_value = "14d")]
        since: Duration,
        #[command(flatten)]
        settings: Settings,
    },
}

#[derive(Subcommand)]
enum Keeping {
    /// Copy the SQLite database into a file while the server runs, and check the copy
    Backup {
        /// Where to; must not exist
        file: PathBuf,
        #[command(flatten)]
        settings: Settings,
    },
    /// Copy everything from SQLite to PostgreSQL or back, and check it; safe to repeat after a kill
    Copy {
        /// sqlite://FILE or postgres://… [default: database.url of the settings]
        #[arg(long, value_name = "URL", required_unless_present = "to")]
        from: Option<String>,
        /// An empty database of the other kind [default: database.url of the settings]
        #[arg(long, value_name = "URL")]
        to: Option<String>,
        #[command(flatten)]
        settings: Settings,
    },
}

#[derive(Subcommand)]
enum Legacy {
    /// Import old accounts; safe to repeat, and to go on with after a kill
    Import(Import),
    /// Say how far the old accounts have come
    Status {
        /// One JSON object on stdout
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Mail invitations to those who have not been invited; never twice
    Invite(Invite),
}

#[derive(clap::Args)]
struct Import {
    /// JSON Lines (.jsonl, .jsonl.gz) or CSV with a header (.csv, .csv.gz)
    file: PathBuf,
    /// Between the values of a CSV file: comma, semicolon, tab, pipe or one other character [default: comma]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<Delimiter>,
    /// utf-8, utf-16le, utf-16be, windows-1252 or latin1 [default: UTF-16 by its byte order mark, else utf-8]
    #[arg(long)]
    encoding: Option<Encoding>,
    /// Read the column FROM of the file as TO; may be repeated
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Read and judge everything, write nothing into the database
    #[arg(long)]
    dry_run: bool,
    /// Where rejected rows go, with line and reason [default: FILE.rejects.jsonl]
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Rows a transaction
    #[arg(long, value_name = "N", default_value_t = 40_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    batch: u32,
    /// The counts as one JSON object on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

#[derive(clap::Args)]
struct Invite {
    /// At most so many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// At most so many in a time
    #[arg(long, value_name = "N/m", default_value = "600/m")]
    rate: Limit,
    /// Say how many would be invited, and invite nobody
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    settings: Settings,
}

#[derive(clap::Args)]
struct Settings {
    /// A TOML file; every key can also come as ACCOUNT_<SECTION>__<KEY>
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Why a command did not do its work: its exit code and one line for a person.
struct Stop(u8, String);

impl From<CommandError> for Stop {
    fn from(error: CommandError) -> Stop {
        let code = match error {
            CommandError::WrongUse(_) => 2,
            CommandError::Failed(_) => 1,
        };
        Stop(code, error.to_string())
    }
}

impl From<StartError> for Stop {
    fn from(error: StartError) -> Stop {
        let code = if error.is_wrong_setting() { 2 } else { 1 };
        Stop(code, error.to_string())
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        StartError::from(error).into()
    }
}

fn main() -> ExitCode {
    // One cryptography provider for every TLS there is; a second call could only be a mistake.
    if rustls::crypto::ring::default_provider()
        .install_default()
        .is_err()
    {
        eprintln!("account: a second TLS provider is installed");
        return ExitCode::from(1);
    }
    let arguments = Arguments::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    #[cfg(target_os = "linux")]
    runtime.on_thread_start(account::hasher::turns::give_way);
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return stop(Stop(1, format!("cannot start: {error}"))),
    };
    let done = runtime.block_on(run(arguments.command));
    logs::flush();
    // A count for /metrics may still be under way on a thread of its own: nobody waits for it.
    runtime.shutdown_background();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(why) => stop(why),
    }
}

fn stop(Stop(code, line): Stop) -> ExitCode {
    eprintln!("account: {line}");
    ExitCode::from(code)
}

async fn run(command: Command) -> Result<u8, Stop> {
    match command {
        Command::Legacy(command) => return legacy(command).await,
        Command::Mail(MailCommand::Retry { since, settings }) => {
            retry_mails(load(&settings)?, since).await?;
        }
        Command::Store(Keeping::Backup { file, settings }) => backup(&load(&settings)?, &file)?,
        Command::Store(Keeping::Copy { from, to, settings }) => {
            let own = load(&settings)?.database;
            copy(&place("--from", from, &own)?, &place("--to", to, &own)?).await?;
        }
        Command::Demo { data, settings } => {
            let config = load(&settings)?;
            app::check(&config)?;
            let done = demo::run(config, data).await;
            done.map_err(|e| Stop(1, e.to_string()))?;
        }
        Command::Serve(settings) => {
            let config = load(&settings)?;
            logs::start(&config.log).map_err(|e| Stop(1, format!("cannot log: {e}")))?;
            tracing::info!(version = env!("CARGO_PKG_VERSION"), "starting");
            for warning in config::warnings(&config) {
                tracing::warn!(warning);
            }
            #[cfg(feature = "otlp")]
            let traces = account::traces::Traces::start().map_err(|e| Stop(2, e))?;
            let reader = Box::new(move || load(&settings).map_err(|Stop(_, line)| line));
            let served = serve::start(config, reader).await;
            #[cfg(feature = "otlp")]
            if let Some(traces) = traces {
                traces.end().await;
            }
            served.map_err(|error| match error {
                serve::ServeError::Start(error) => Stop::from(error),
                serve::ServeError::Io(error) => Stop(1, error.to_string()),
            })?;
        }
        Command::CheckConfig(settings) => {
            let config = load(&settings)?;
            app::check(&config)?;
            let shown = config::effective(&config);
            write!(std::io::stdout(), "{shown}").map_err(|e| Stop(1, e.to_string()))?;
            let warnings = config::warnings(&config);
            for warning in &warnings {
                eprintln!("warning: {warning}");
            }
            eprint!("\nWhat each host gets:\n\n{}\n", config::explained(&config));
            match warnings.len() {
                0 => eprintln!("account: the configuration is fine"),
                n => eprintln!(
                    "account: the configuration works; {n} of it unwise where real people come"
                ),
            }
        }
        Command::CheckTranslations { files, language } => {
            return check_translations(&files, language);
        }
        Command::Migrate(settings) => {
            let config = load(&settings)?;
            Store::open(&config.database).await?;
            eprintln!("account: the schema is up to date");
        }
        Command::Openapi => {
            let document = openapi::document().to_pretty_json();
            let document = document.map_err(|e| Stop(1, e.to_string()))?;
            writeln!(std::io::stdout(), "{document}").map_err(|e| Stop(1, e.to_string()))?;
        }
    }
    Ok(0)
}

async fn retry_mails(config: Config, since: Duration) -> Result<(), Stop> {
    drop(Store::open_existing(&config.database).await?);
    let app = App::build(config, Clock::System, Rng::System).await?;
    let revived = mail::retry::run(&app, since).await?;
    eprintln!("account: {revived} mails wait again; a running `account serve` sends them");
    Ok(())
}

fn backup(config: &Config, file: &Path) -> Result<(), Stop> {
    let bar = indicatif::ProgressBar::new(0);
    let done = backup::run(&config.database, file, |pages, all| {
        bar.set_length(all);
        bar.set_position(pages);
    });
    bar.finish_and_clear();
    let bytes = done.map_err(|error| {
        let code = match error {
            BackupError::NotSqlite | BackupError::Exists(_) | BackupError::NoDatabase(_) => 2,
            _ => 1,
        };
        Stop(code, error.to_string())
    })?;
    let size = config::Size(bytes as usize);
    eprintln!("account: {size} in {}, checked and whole", file.display());
    Ok(())
}

/// One end of a copy: the settings' database, or the one of the argument with the settings' certificates.
fn place(
    argument: &str,
    url: Option<String>,
    own: &config::Database,
) -> Result<config::Database, Stop> {
    let mut settings = own.clone();
    if let Some(url) = url {
        let parsed = url.parse();
        settings.url = parsed.map_err(|problem| Stop(2, format!("{argument}: {problem}")))?;
    }
    Ok(settings)
}

async fn copy(from: &config::Database, to: &config::Database) -> Result<(), Stop> {
    let bar = indicatif::ProgressBar::new_spinner();
    let done = copy::run(from, to, &Rng::System, |what, rows| {
        bar.set_message(format!("{what}: {rows} rows"));
        bar.tick();
    });
    let done = done.await;
    bar.finish_and_clear();
    let (counted, last) = match done {
        Ok(Done::Copied(counted)) => (counted, "all of it copied and read back"),
        Ok(Done::AlreadyThere(counted)) => (counted, "all of it was there already"),
        Err(error) => {
            let code = if error.is_wrong_use() { 2 } else { 1 };
            return Err(Stop(code, error.to_string()));
        }
    };
    for Counted { table, rows } in counted {
        eprintln!("{rows:>12} {table}");
    }
    eprintln!("account: {last}");
    Ok(())
}

async fn legacy(command: Legacy) -> Result<u8, Stop> {
    match command {
        Legacy::Import(asked) => {
            let config = load(&asked.settings)?;
            let format = Format {
                delimiter: asked.delimiter,
                encoding: asked.encoding,
                names: Names::parse(&asked.map).map_err(|line| Stop(2, line))?,
            };
            let order = Order {
                file: asked.file,
                format,
                rejects: asked.rejects,
                dry_run: asked.dry_run,
                batch: asked.batch as usize,
            };
            Ok(command::import(&config, &order, asked.json).await?)
        }
        Legacy::Status { json, settings } => {
            command::status(&load(&settings)?, json).await?;
            Ok(0)
        }
        Legacy::Invite(asked) => {
            let wanted = Invitations {
                most: asked.limit,
                rate: Some(asked.rate),
                dry_run: asked.dry_run,
            };
            command::invite(load(&asked.settings)?, &wanted).await?;
            Ok(0)
        }
    }
}

fn language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| "must be en, de, es or pt".to_owned())
}

fn check_translations(files: &[PathBuf], language: Option<Language>) -> Result<u8, Stop> {
    let mut found = Vec::new();
    for file in files {
        found.extend(words::check::file(file, language).map_err(|line| Stop(2, line))?);
    }
    for line in &found {
        writeln!(std::io::stdout(), "{line}").map_err(|e| Stop(1, e.to_string()))?;
    }
    match found.len() {
        0 => eprintln!("account: every text fits"),
        n => eprintln!("account: {n} to mend; the site would show its own words there"),
    }
    Ok(if found.is_empty() { 0 } else { 2 })
}

fn load(settings: &Settings) -> Result<Config, Stop> {
    config::load(settings.config.as_deref(), std::env::vars_os())
        .map_err(|e| Stop(2, e.to_string()))
}
