//! `account support …`: the roles of the support view, and the audit.

use super::operator::OperatorArgument;
use super::prelude::*;
use crate::config::Duration;
use crate::domain::support_role::SupportRole;
use crate::store::support_audit::{self, AuditEntry};
use crate::store::support_roles;
use crate::support::roles;

#[derive(Subcommand)]
pub(super) enum SupportCommand {
    /// Assign a role of the support view to an account; replaces an earlier role
    Grant {
        #[arg(long)]
        email: String,
        /// support: find accounts and mail links again; admin: also disable accounts and read the audit
        #[arg(long, value_name = "support|admin", value_parser = parse_role)]
        role: SupportRole,
        #[command(flatten)]
        operator: OperatorArgument,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// Remove the role of an account, with immediate effect
    Revoke {
        #[arg(long)]
        email: String,
        #[command(flatten)]
        operator: OperatorArgument,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// List the accounts with a role
    List {
        /// Print JSON on stdout
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
    /// List the actions of agents and operators, newest first
    Audit {
        /// Only actions within this time
        #[arg(long, value_name = "TIME", default_value = "30d")]
        since: Duration,
        /// Print one JSON object per line on stdout
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: ConfigArgument,
    },
}

fn parse_role(text: &str) -> Result<SupportRole, String> {
    SupportRole::from_name(text).ok_or_else(|| "support or admin".to_owned())
}

pub(super) async fn run(command: SupportCommand) -> CommandResult {
    match command {
        SupportCommand::Grant {
            email,
            role,
            operator,
            settings,
        } => {
            let operator = operator.name()?;
            let app = open_app(settings.load()?).await?;
            let outcome = roles::grant(&app, &operator, &account_key(&email)?, role).await;
            outcome.map_err(|error| match error.code {
                ErrorCode::SecondFactorOff => CommandError::failed(
                    "the account has no authenticator app and no passkey; a role needs one of them",
                ),
                _ => error.into(),
            })?;
            print_message!("account: {} is granted", role.as_str());
            if !app.config.support.enabled {
                print_message!("account: the support view is off (support.enabled)");
            }
            Ok(())
        }
        SupportCommand::Revoke {
            email,
            operator,
            settings,
        } => {
            let operator = operator.name()?;
            let app = open_app(settings.load()?).await?;
            let outcome = roles::revoke(&app, &operator, &account_key(&email)?).await;
            outcome.map_err(|error| match error.code {
                ErrorCode::NothingPending => CommandError::failed("the account has no role"),
                _ => error.into(),
            })?;
            print_message!("account: the role is revoked");
            Ok(())
        }
        SupportCommand::List { json, settings } => list_agents(&settings, json).await,
        SupportCommand::Audit {
            since,
            json,
            settings,
        } => audit(&settings, since, json).await,
    }
}

fn account_key(text: &str) -> CommandResult<AccountKey> {
    let email = Email::parse(text).map_err(|_| ApiError::from(ErrorCode::NotFound))?;
    Ok(AccountKey::Email(email))
}

async fn list_agents(settings: &ConfigArgument, as_json: bool) -> CommandResult {
    let app = open_app(settings.load()?).await?;
    let holders = support_roles::list(&mut app.store.read().await?).await?;
    for holder in holders {
        let granted_at = rfc3339(holder.granted_at);
        match as_json {
            true => output::print_line(
                json!({"id": holder.account_id, "username": holder.username, "email": holder.email,
                    "role": holder.role, "granted_at": granted_at}),
            )?,
            false => output::print_line(format_args!(
                "{granted_at}  {:<8} {}  {}",
                holder.role, holder.username, holder.email
            ))?,
        };
    }
    Ok(())
}

const ENTRIES_PER_QUERY: i64 = 500;

async fn audit(settings: &ConfigArgument, since: Duration, as_json: bool) -> CommandResult {
    let app = open_app(settings.load()?).await?;
    let since = app.clock.millis().saturating_sub(since.millis());
    let mut before = None;
    loop {
        let mut tx = app.store.read().await?;
        let entries = support_audit::list(&mut tx, before, since, ENTRIES_PER_QUERY).await?;
        // No transaction is open while a slow reader of stdout takes the lines.
        drop(tx);
        for entry in &entries {
            if !output::print_line(format_entry(entry, as_json))? {
                return Ok(());
            }
        }
        if entries.len() < ENTRIES_PER_QUERY as usize {
            return Ok(());
        }
        before = entries.last().map(|entry| entry.id);
    }
}

fn format_entry(entry: &AuditEntry, as_json: bool) -> String {
    let (at, actor) = (rfc3339(entry.at), entry.actor());
    if as_json {
        let line = json!({"at": at, "actor": actor, "action": entry.action,
            "account": entry.account_id, "reason": entry.reason, "refusal": entry.refusal});
        return line.to_string();
    }
    let account = entry.account_id.map_or("-".to_owned(), |id| id.to_string());
    let reason = entry.reason.as_deref().unwrap_or("-");
    let action = match &entry.refusal {
        Some(refusal) => format!("{} refused: {refusal}", entry.action),
        None => entry.action.clone(),
    };
    format!("{at}  {actor}  {action}  {account}  {reason}")
}
