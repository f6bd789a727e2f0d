//! `account users …`: single accounts, while the server runs. The audit records each command with the user of the
//! operating system and the name from `--operator`.

mod corrections;
mod show;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};

use super::operator::OperatorArgument;
use super::prelude::*;
use crate::domain::reason::Reason;
use crate::domain::username::Username;
use crate::support::actions::{self, LinkKind, SupportOperation};
use crate::support::audited::SupportActor;
use crate::support::corrections::EmailCorrection;

#[derive(Subcommand)]
pub(super) enum UsersCommand {
    /// Show the state of an account, its devices, sessions, factors, mails and events
    Show {
        /// The account that had this email address within the last 180 days
        #[arg(long, value_name = "EMAIL", group = "AccountArgument")]
        former: Option<String>,
        #[command(flatten)]
        selected: AccountSelection,
    },
    /// End all sessions and links of an account, and refuse sign-ins to it; mails its owner
    Disable {
        /// Mail nothing, for example because the owner has died
        #[arg(long)]
        quiet: bool,
        #[command(flatten)]
        action: AuditedAction,
    },
    /// Let a disabled account sign in again; mails its owner
    Enable(AuditedAction),
    /// Delete an account after lifetimes.deletion_grace; mails its owner a link that cancels the deletion
    Delete {
        /// Delete the account immediately; cannot be cancelled. Required for an unmigrated old account
        #[arg(long)]
        now: bool,
        #[command(flatten)]
        action: AuditedAction,
    },
    /// Cancel the deletion of an account
    CancelDeletion(AuditedAction),
    /// Write all data of an account or an unmigrated old account to a ZIP file
    Export {
        /// The file; must not exist [default: account-USERNAME-DATE.zip]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        selected: AccountSelection,
    },
    /// End all sessions and links of an account, and remove its devices
    SignOut(AuditedAction),
    /// Give an account another email address, which its mailbox has to confirm, or undo the change away from an address
    /// that the account had within the last 180 days; ends all sessions
    SetEmail(corrections::SetEmail),
    /// Correct details of an account; mails its owner
    Set(corrections::SetDetails),
    /// Mail a link to the stored email address again
    Resend {
        #[arg(long, value_parser = link_kind_parser())]
        kind: LinkKind,
        #[command(flatten)]
        action: AuditedAction,
    },
}

#[derive(Args)]
pub(super) struct AccountSelection {
    #[command(flatten)]
    key: AccountArgument,
    #[command(flatten)]
    options: CommandOptions,
}

#[derive(Args)]
struct CommandOptions {
    /// Print JSON on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    operator: OperatorArgument,
    #[command(flatten)]
    settings: ConfigArgument,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(super) struct AccountArgument {
    #[arg(long)]
    email: Option<String>,
    #[arg(long)]
    username: Option<String>,
    #[arg(long)]
    id: Option<Uuid>,
    /// The id of the account in the older system
    #[arg(long, value_name = "ID")]
    legacy_id: Option<String>,
}

#[derive(Args)]
pub(super) struct AuditedAction {
    /// The reason, for the audit
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    selected: AccountSelection,
}

impl AccountArgument {
    /// Returns the lookup key of the account, or `None` if no account can have such an email address or username.
    pub(super) fn parse(&self) -> Option<AccountKey> {
        match self {
            AccountArgument { id: Some(id), .. } => Some(AccountKey::Id(*id)),
            AccountArgument {
                legacy_id: Some(id),
                ..
            } => Some(AccountKey::LegacyId(id.clone())),
            AccountArgument {
                email: Some(email), ..
            } => Email::parse(email).ok().map(AccountKey::Email),
            AccountArgument { username, .. } => {
                let name = Username::parse(username.as_deref()?).ok()?;
                Some(AccountKey::Username(name))
            }
        }
    }
}

/// Returns the error with which `account users` fails. If the operation does not apply to the account, the message says
/// what it requires.
fn action_error(operation: SupportOperation<'_>, error: ApiError) -> CommandError {
    let hint = match (error.code, operation) {
        (ErrorCode::NothingPending, SupportOperation::Delete) => {
            "nothing was done: an old account that waits has no grace period, add --now"
        }
        (ErrorCode::NothingPending, SupportOperation::SetEmail(_)) => {
            "nothing was changed: the account will be deleted; `account users cancel-deletion` first"
        }
        (ErrorCode::NothingPending, SupportOperation::SetDetails(_)) => {
            "nothing was changed: the account has these details already, or is an old one that waits for its migration"
        }
        (ErrorCode::NothingPending, SupportOperation::Unsubscribe) => {
            "nothing was done: not an old account that waits; `account users set --newsletter off` ends a newsletter"
        }
        _ => return error.into(),
    };
    CommandError::failed(hint)
}

fn link_kind_parser() -> impl TypedValueParser<Value = LinkKind> {
    let names = LinkKind::ALL.iter().map(|kind| kind.as_str());
    PossibleValuesParser::new(names)
        .map(|name| LinkKind::from_name(&name).expect("one of the possible values"))
}

pub(super) async fn run(command: UsersCommand) -> CommandResult {
    let (action, operation) = match command {
        UsersCommand::Show { former, selected } => {
            return show::run(&selected, former.as_deref()).await;
        }
        UsersCommand::Export { output, selected } => return export(&selected, output).await,
        UsersCommand::SetEmail(arguments) => return arguments.run().await,
        UsersCommand::Set(arguments) => return arguments.run().await,
        UsersCommand::Disable { quiet, action } => (action, SupportOperation::Disable { quiet }),
        UsersCommand::Enable(action) => (action, SupportOperation::Enable),
        UsersCommand::Delete { now: true, action } => (action, SupportOperation::DeleteNow),
        UsersCommand::Delete { now: false, action } => (action, SupportOperation::Delete),
        UsersCommand::CancelDeletion(action) => (action, SupportOperation::CancelDeletion),
        UsersCommand::SignOut(action) => (action, SupportOperation::SignOut),
        UsersCommand::Resend { kind, action } => (action, SupportOperation::Resend(kind)),
    };
    perform(&action, operation).await
}

pub(super) async fn perform(
    action: &AuditedAction,
    operation: SupportOperation<'_>,
) -> CommandResult {
    let AccountSelection { key, options } = &action.selected;
    perform_on(key.parse(), options, action.reason.as_deref(), operation).await?;
    print_done(options)
}

fn print_done(options: &CommandOptions) -> CommandResult {
    if options.json {
        output::print_line(serde_json::json!({"done": true}))?;
    } else {
        print_message!("account: done");
    }
    Ok(())
}

/// Performs the action on the account with this lookup key, which [`AccountArgument::parse`] returns.
async fn perform_on(
    key: Option<AccountKey>,
    options: &CommandOptions,
    reason: Option<&str>,
    operation: SupportOperation<'_>,
) -> CommandResult<Option<EmailCorrection>> {
    let reason = reason.map(Reason::parse).transpose();
    // The argument is not parsed by clap, because clap's message would repeat the value.
    let reason = reason.map_err(|problem| CommandError::usage(format!("--reason {problem}")))?;
    let operator = options.operator.name()?;
    let app = open_app(options.settings.load()?).await?;
    let key = key.ok_or(ApiError::from(ErrorCode::NotFound))?;
    let actor = SupportActor::Operator(&operator);
    let outcome = actions::perform(&app, actor, &key, operation, reason.as_ref()).await;
    outcome.map_err(|error| action_error(operation, error))
}

async fn export(selected: &AccountSelection, output: Option<PathBuf>) -> CommandResult {
    let AccountSelection { key, options } = selected;
    let operator = options.operator.name()?;
    let app = open_app(options.settings.load()?).await?;
    let key = key.parse().ok_or(ApiError::from(ErrorCode::NotFound))?;
    let download = actions::export(&app, &operator, &key).await;
    let download = download.map_err(|error| match error.code {
        ErrorCode::RateLimited => CommandError::failed("another export of the account is running"),
        _ => error.into(),
    })?;
    let path = output.unwrap_or_else(|| PathBuf::from(&download.file_name));
    write_private(&path, download.zip)
        .await
        .map_err(|error| CommandError::Failed(format!("{}: {error}", path.display())))?;
    if options.json {
        output::print_line(serde_json::json!({"file": path}))?;
    } else {
        print_message!("account: the export is in {}", path.display());
    }
    Ok(())
}

/// Writes personal data to a file that only the operator can read. Removes the file if it is incomplete.
async fn write_private(
    path: &std::path::Path,
    mut chunks: BoxStream<'static, std::io::Result<Vec<u8>>>,
) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = match options.open(path) {
        Ok(file) => file,
        Err(error) => {
            // Reading the remaining chunks ends the export, so that the next export need not wait.
            chunks.for_each(|_| std::future::ready(())).await;
            return Err(error);
        }
    };
    let written = async {
        while let Some(chunk) = chunks.try_next().await? {
            file.write_all(&chunk)?;
        }
        file.sync_all()
    }
    .await;
    if written.is_err() {
        std::fs::remove_file(path)?;
    }
    written
}
