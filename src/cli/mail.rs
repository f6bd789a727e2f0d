//! The commands `account mail …`.

use super::prelude::*;
use crate::config::Duration;
use crate::mail;
use crate::mail::probe::{self, ProbeError};
use crate::outbox::retry;
use crate::store::outbox::WaitingRows;

#[derive(Subcommand)]
pub(super) enum MailCommand {
    /// Send a short mail to an address immediately, and print the response of the mail server
    Test {
        address: String,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Mark email addresses whose mails bounced: FILE contains delivery status notifications (RFC 3464), or JSON lines
    /// with email and status. Only a status that means "no such mailbox" or "mailbox disabled" marks an address
    Bounces {
        #[arg(required_unless_present = "clear")]
        file: Option<PathBuf>,
        /// Instead, remove the mark of an email address that receives mails again
        #[arg(long, requires = "email", conflicts_with = "file")]
        clear: bool,
        #[arg(long, requires = "clear")]
        email: Option<String>,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Queue mails again that were given up, or try waiting ones again; a running `account serve` sends them
    Retry {
        /// Only mails that were given up within this time; they are stored for 14 days
        #[arg(long, value_name = "TIME", default_value = "14d")]
        since: Duration,
        /// Instead, try the waiting mails again whose last attempt failed, 50 a second
        #[arg(long, conflicts_with = "since")]
        waiting: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
}

pub(super) async fn run(command: MailCommand) -> CommandResult {
    match command {
        MailCommand::Test { address, settings } => {
            send_test_mail(&settings.load()?, &address).await
        }
        MailCommand::Bounces {
            file,
            email,
            settings,
            ..
        } => match (file, email) {
            (Some(file), _) => import_bounces(&settings, &file).await,
            (None, email) => clear_bounce(&settings, &email.unwrap_or_default()).await,
        },
        MailCommand::Retry {
            settings,
            waiting: true,
            ..
        } => retry_waiting(&settings).await,
        MailCommand::Retry {
            since, settings, ..
        } => retry_given_up(&settings, since).await,
    }
}

async fn send_test_mail(config: &Config, address: &str) -> CommandResult {
    match probe::send(config, address).await {
        Ok(()) => {
            print_message!("account: the mail server accepted the mail");
            Ok(())
        }
        Err(error @ ProbeError::Refused(_)) => Err(CommandError::failed(error)),
        Err(error) => Err(CommandError::usage(error)),
    }
}

async fn import_bounces(settings: &ConfigArgument, file: &Path) -> CommandResult {
    let config = settings.load()?;
    let display_path = file.display();
    let bytes = std::fs::read(file)
        .map_err(|error| CommandError::Usage(format!("cannot read {display_path}: {error}")))?;
    // A mail may have any encoding, but the header fields that the parser reads are ASCII.
    let bounces = mail::bounces::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|problem| CommandError::Usage(format!("{display_path}: {problem}")))?;
    let app = open_app(config).await?;
    let marked = mail::bounces::mark_accounts(&app, &bounces).await?;
    print_message!(
        "account: {} accounts and {} old accounts are marked; {} addresses are unknown",
        marked.accounts,
        marked.legacy_accounts,
        marked.unknown
    );
    if !marked.unmarked.is_empty() {
        let counts = marked.unmarked.iter();
        let counts: Vec<_> = counts
            .map(|(status, n)| format!("{n} with {status}"))
            .collect();
        print_message!(
            "account: not marked, because the status is not about the address: {}",
            counts.join(", ")
        );
    }
    Ok(())
}

async fn clear_bounce(settings: &ConfigArgument, email: &str) -> CommandResult {
    let app = open_app(settings.load()?).await?;
    let email = Email::parse(email)
        .map_err(|_| CommandError::Usage("--email: not an email address".to_owned()))?;
    match mail::bounces::clear_marks(&app, &email).await? {
        true => {
            print_message!("account: the address is not marked any more");
            Ok(())
        }
        false => Err(CommandError::failed(
            "no account with a mark has this address",
        )),
    }
}

async fn retry_waiting(settings: &ConfigArgument) -> CommandResult {
    let app = open_app(settings.load()?).await?;
    let mails = retry::retry_waiting(&app, WaitingRows::AllMails).await?;
    print_message!(
        "account: {mails} waiting mails are due again, besides those that are tried within 30 seconds anyway; a running `account serve` sends them, 50 a second"
    );
    Ok(())
}

async fn retry_given_up(settings: &ConfigArgument, since: Duration) -> CommandResult {
    let app = open_app(settings.load()?).await?;
    let revived = retry::retry_given_up(&app, since).await?;
    print_message!(
        "account: {revived} mails are queued again; a running `account serve` sends them"
    );
    Ok(())
}
