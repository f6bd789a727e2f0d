//! Errors of commands: one line on stderr and an exit code.

use std::fmt::Display;
use std::process::ExitCode;

use super::prelude::*;
use crate::app::StartError;
use crate::db::StoreError;
use crate::legacy::import::ImportError;
use crate::maintenance::backup::BackupError;
use crate::maintenance::copy::CopyError;
use crate::store::sealed::SealingError;

pub(crate) type CommandResult<T = ()> = Result<T, CommandError>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A usage error: wrong arguments or settings, with exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Any failure that is not a usage error, with exit code 1.
    #[error("{0}")]
    Failed(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Copy(#[from] CopyError),
}

impl CommandError {
    pub(crate) fn failed(error: impl Display) -> CommandError {
        CommandError::Failed(error.to_string())
    }

    pub(crate) fn usage(error: impl Display) -> CommandError {
        CommandError::Usage(error.to_string())
    }

    fn is_usage_error(&self) -> bool {
        use BackupError::{Exists, NoDatabase, NotSqlite};
        match self {
            CommandError::Usage(_) => true,
            CommandError::Failed(_) | CommandError::Io(_) => false,
            CommandError::Start(error) => error.is_wrong_setting(),
            CommandError::Import(error) => matches!(error, ImportError::Usage(_)),
            CommandError::Backup(error) => matches!(error, NotSqlite | Exists(_) | NoDatabase(_)),
            CommandError::Copy(error) => error.is_usage_error(),
        }
    }

    /// Prints the error and returns its exit code.
    pub(crate) fn report(&self) -> ExitCode {
        print_message!("account: {self}");
        ExitCode::from(if self.is_usage_error() { 2 } else { 1 })
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        StartError::from(error).into()
    }
}

impl From<SealingError> for CommandError {
    fn from(error: SealingError) -> Self {
        StartError::from(error).into()
    }
}

/// Converts the error of a flow to a message of one line.
impl From<ApiError> for CommandError {
    fn from(error: ApiError) -> Self {
        CommandError::failed(match error.code {
            ErrorCode::NotFound => "no such account",
            ErrorCode::NothingPending => {
                "nothing was done: the account is not in the state for this"
            }
            ErrorCode::NotAllowed => "nothing was done: a disabled account gets no links",
            ErrorCode::RateLimited => {
                "nothing was mailed: the mailbox got its limit of such mails (limits.mail_*)"
            }
            ErrorCode::AccountExists => {
                "nothing was changed: the address belongs to another account"
            }
            ErrorCode::EmailUnchanged => {
                "nothing was changed: the account has this address already"
            }
            ErrorCode::UsernameInUse => "nothing was changed: the username is taken or reserved",
            ErrorCode::Underage => {
                "nothing was changed: the person is below the age limit; `account users disable` \
                keeps the account out, and after `delete` the address could register again with another birthday"
            }
            code => code.message().text(Language::En),
        })
    }
}
