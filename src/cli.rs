//! The command line: arguments, and one module for each group of commands.
//!
//! The exit code is 0 for success, 1 for a failure, 2 for a usage or configuration error, and 3 for an import that
//! rejected some rows. Messages for people go to stderr, and data to stdout. Only the module `output` writes to either.

#[macro_use]
mod output;

mod config;
mod demo;
mod error;
mod healthcheck;
mod keys;
mod legacy;
mod mail;
mod oidc;
mod operator;
mod prelude;
mod reference;
mod serve;
mod store;
mod support;
mod translations;
mod users;
mod webhooks;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

pub(crate) use error::{CommandError, CommandResult};

use crate::app::{App, SharedApp};
use crate::clock::Clock;
use crate::config::Config;
use crate::db::Store;
use crate::i18n::Language;
use crate::rng::Rng;

/// The account site: sign-in, registration, recovery, migration and settings. One binary, which contains the front end.
#[derive(Parser)]
#[command(name = "account", version = env!("ACCOUNT_VERSION"))]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the site; without any configuration at http://localhost:8080/account/
    Serve(ConfigArgument),
    /// Print the effective settings, with secrets masked, and their problems
    CheckConfig {
        /// Only print every setting with its text and default (config.example.toml)
        #[arg(long)]
        example: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Check that the site of this configuration is ready, on this machine; exit code 0: `/readyz` answers 200
    Healthcheck(ConfigArgument),
    /// Migrate the database schema to this version (serve does this too)
    Migrate {
        /// Only list the migrations and whether each was applied; exit code 0: all, 1: some are pending
        #[arg(long)]
        status: bool,
        /// Only print the SQL of the pending migrations, for a review
        #[arg(long, conflicts_with = "status")]
        sql: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Check translation files and print one problem per line on stdout; exit code 0: none, 2: some
    CheckTranslations {
        /// JSON files in the format of the translation service, named by their language: de.json
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The language of all files, such as de
        #[arg(long, value_parser = translations::parse_language)]
        language: Option<Language>,
    },
    /// Print the OpenAPI document of the API
    Openapi,
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man {
        /// Write one page for each command to this folder instead
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
    /// Serve a site with sample accounts, and print a guide
    Demo {
        /// Store all data in this folder; without this option the data are deleted at the end
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Import, invite and count the accounts of an older system
    #[command(subcommand)]
    Legacy(legacy::LegacyCommand),
    /// Back up, verify and copy the database
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Manage the keys that encrypt secrets in the database
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Show and manage single accounts
    #[command(subcommand)]
    Users(users::UsersCommand),
    /// Manage the roles of the support view, and list the audit
    #[command(subcommand)]
    Support(support::SupportCommand),
    /// Manage the OpenID Connect provider
    #[command(subcommand)]
    Oidc(oidc::OidcCommand),
    /// Test and manage outgoing mail
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Test the endpoints of webhooks
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
}

#[derive(clap::Args)]
struct ConfigArgument {
    #[arg(
        long,
        value_name = "FILE",
        help = "A TOML file [default: that of ACCOUNT_CONFIG]; a key outside of [[…]] can also come as ACCOUNT_<SECTION>__<KEY>"
    )]
    config: Option<PathBuf>,
}

impl ConfigArgument {
    fn load(&self) -> CommandResult<Config> {
        let variable = std::env::var_os("ACCOUNT_CONFIG").filter(|file| !file.is_empty());
        let file = self.config.clone().or(variable.map(PathBuf::from));
        crate::config::load(file.as_deref(), std::env::vars_os()).map_err(CommandError::usage)
    }
}

/// Opens the database and the keys for a command. A missing database is an error, because the command creates none.
async fn open_app(config: Config) -> CommandResult<SharedApp> {
    drop(Store::open_existing(&config.database).await?);
    Ok(App::for_command(config, Clock::System, Rng::System).await?)
}

/// Parses the arguments, runs the command and returns the exit code of the process.
pub fn main() -> ExitCode {
    // All TLS connections use the crypto provider ring. Its installation fails only if another provider is installed.
    if rustls::crypto::ring::default_provider()
        .install_default()
        .is_err()
    {
        return CommandError::failed("a second TLS provider is installed").report();
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error)
            if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                || !error.use_stderr() =>
        {
            error.exit()
        }
        Err(error) => return CommandError::usage(first_paragraph(&error)).report(),
    };
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return CommandError::failed(format!("cannot start: {error}")).report(),
    };
    let outcome = runtime.block_on(run(arguments.command));
    crate::observability::logs::flush();
    // A blocking task, such as a count for /metrics, may still run; the process does not wait for it.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => error.report(),
    }
}

/// Returns the text of a usage error in one line, without the usage and the hints that follow.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| {
        !(line.starts_with("Usage:") || line.starts_with("For more information"))
    });
    let line = lines
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    line.trim_start_matches("error: ").to_owned()
}

/// Runs the command. `Ok` contains the exit code.
async fn run(command: Command) -> CommandResult<u8> {
    match command {
        Command::Serve(settings) => serve::run(settings).await?,
        Command::CheckConfig { example, settings } => config::check(&settings, example)?,
        Command::Healthcheck(settings) => healthcheck::run(&settings).await?,
        Command::Migrate {
            status,
            sql,
            settings,
        } => store::migrate(&settings, status, sql).await?,
        Command::CheckTranslations { files, language } => {
            return translations::check(&files, language);
        }
        Command::Openapi => reference::print_openapi()?,
        Command::Completions { shell } => reference::print_completions(shell)?,
        Command::Man { output } => reference::print_manual(output.as_deref())?,
        Command::Demo { data, settings } => demo::run(&settings, data).await?,
        Command::Legacy(command) => return legacy::run(command).await,
        Command::Store(command) => store::run(command).await?,
        Command::Keys(command) => keys::run(command).await?,
        Command::Users(command) => users::run(command).await?,
        Command::Support(command) => support::run(command).await?,
        Command::Oidc(command) => oidc::run(command).await?,
        Command::Mail(command) => mail::run(command).await?,
        Command::Webhooks(command) => webhooks::run(command).await?,
    }
    Ok(0)
}
