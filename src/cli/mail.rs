//! `account mail …`.

use clap::Subcommand;

use super::{CommandError, Settings};
use crate::app::App;
use crate::clock::Clock;
use crate::config::Duration;
use crate::db::Store;
use crate::mail;
use crate::rng::Rng;

#[derive(Subcommand)]
pub(super) enum MailCommand {
    /// Put mails back that were given up, to be tried like new ones by a running `account serve`
    Retry {
        /// Only those given up within this time; given-up mails are kept for 14 days
        #[arg(long, value_name = "TIME", default_value = "14d")]
        since: Duration,
        #[command(flatten)]
        settings: Settings,
    },
}

pub(super) async fn run(command: MailCommand) -> Result<(), CommandError> {
    match command {
        MailCommand::Retry { since, settings } => retry(&settings, since).await,
    }
}

async fn retry(settings: &Settings, since: Duration) -> Result<(), CommandError> {
    let config = settings.load()?;
    drop(Store::open_existing(&config.database).await?);
    let app = App::for_command(config, Clock::System, Rng::System).await?;
    let revived = mail::retry::run(&app, since).await?;
    eprintln!("account: {revived} mails wait again; a running `account serve` sends them");
    Ok(())
}
