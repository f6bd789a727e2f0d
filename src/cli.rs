//! The command line: arguments, and one module for each group of commands.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong use or configuration, 3 an import that rejected some rows. Text for people
//! goes to stderr, data to stdout.

mod config;
mod demo;
mod error;
mod keys;
mod legacy;
mod mail;
mod oidc;
mod openapi;
mod operator;
mod reference;
mod serve;
mod store;
mod support;
mod translations;
mod users;
mod webhooks;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::Config;
use crate::i18n::Language;
pub(crate) use error::CommandError;

/// The account site: sign in, join, recover, migrate, manage. One binary, front end inside.
#[derive(Parser)]
#[command(name = "account", version = env!("ACCOUNT_VERSION"))]
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
    Migrate {
        /// Only list the migrations and whether each was applied: 0 all were, 1 some were not
        #[arg(long)]
        status: bool,
        /// Only print the SQL of the migrations that are to come, for a review
        #[arg(long, conflicts_with = "status")]
        sql: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Say what is wrong with translation files, a line each on stdout: 0 nothing, 2 something
    CheckTranslations {
        /// JSON files like those of the service, named by their language: de.json
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The language of all of them, such as de
        #[arg(long, value_parser = translations::language)]
        language: Option<Language>,
    },
    /// Print the OpenAPI document
    Openapi,
    /// Print the completions of a shell
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man {
        /// Write a page for each command into this folder instead
        #[arg(long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
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
    Legacy(legacy::LegacyCommand),
    /// Keep the database safe
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Look after the keys that encrypt secrets in the database
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Look at one account, and act on it
    #[command(subcommand)]
    Users(users::UsersCommand),
    /// Look after the roles of the support view and the audit
    #[command(subcommand)]
    Support(support::SupportCommand),
    /// Look after the OpenID Connect provider
    #[command(subcommand)]
    Oidc(oidc::OidcCommand),
    /// Look after the mails on their way out
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Look after the endpoints that get events
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
}

#[derive(clap::Args)]
struct Settings {
    #[arg(
        long,
        value_name = "FILE",
        help = "A TOML file; every key can also come as ACCOUNT_<SECTION>__<KEY>"
    )]
    config: Option<PathBuf>,
}

impl Settings {
    fn load(&self) -> Result<Config, CommandError> {
        crate::config::load(self.config.as_deref(), std::env::vars_os())
            .map_err(CommandError::wrong_use)
    }
}

/// Parses the arguments, runs the command and returns the exit code of the process.
pub fn main() -> ExitCode {
    // All TLS connections use this provider; installing one fails only when another one is installed already.
    if rustls::crypto::ring::default_provider()
        .install_default()
        .is_err()
    {
        return CommandError::failed("a second TLS provider is installed").report();
    }
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return CommandError::failed(format!("cannot start: {error}")).report(),
    };
    let done = runtime.block_on(run(arguments.command));
    crate::logs::flush();
    // A blocking task, such as a count for /metrics, may still run; the process does not wait for it.
    runtime.shutdown_background();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => error.report(),
    }
}

/// Runs the command; `Ok` carries the exit code.
async fn run(command: Command) -> Result<u8, CommandError> {
    match command {
        Command::Serve(settings) => serve::run(settings).await?,
        Command::CheckConfig(settings) => config::check(&settings)?,
        Command::Migrate {
            status,
            sql,
            settings,
        } => store::migrate(&settings, status, sql).await?,
        Command::CheckTranslations { files, language } => {
            return translations::check(&files, language);
        }
        Command::Openapi => openapi::print()?,
        Command::Completions { shell } => reference::completions(shell)?,
        Command::Man { output } => reference::manual(output.as_deref())?,
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
