//! Errors of commands: one line on stderr and an exit code.

use std::fmt::Display;
use std::process::ExitCode;

use crate::app::StartError;
use crate::db::StoreError;
use crate::http::server::ServeError;
use crate::legacy::import::ImportError;
use crate::maintenance::backup::BackupError;
use crate::maintenance::copy::CopyError;
use crate::store::sealed::SealingError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// A usage error: wrong arguments or settings, with exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Any failure that is not a usage error, with exit code 1.
    #[error("{0}")]
    Failed(String),
}

impl CommandError {
    pub(crate) fn failed(error: impl Display) -> CommandError {
        CommandError::Failed(error.to_string())
    }

    pub(crate) fn usage(error: impl Display) -> CommandError {
        CommandError::Usage(error.to_string())
    }

    fn new(is_usage_error: bool, error: impl Display) -> CommandError {
        match is_usage_error {
            true => CommandError::usage(error),
            false => CommandError::failed(error),
        }
    }

    /// Prints the error and returns its exit code.
    pub(crate) fn report(&self) -> ExitCode {
        print_message!("account: {self}");
        ExitCode::from(match self {
            CommandError::Usage(_) => 2,
            CommandError::Failed(_) => 1,
        })
    }
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> Self {
        CommandError::failed(error)
    }
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        StartError::from(error).into()
    }
}

impl From<StartError> for CommandError {
    fn from(error: StartError) -> Self {
        CommandError::new(error.is_wrong_setting(), error)
    }
}

impl From<ServeError> for CommandError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Start(error) => error.into(),
            ServeError::Io(error) => error.into(),
        }
    }
}

impl From<ImportError> for CommandError {
    fn from(error: ImportError) -> Self {
        CommandError::new(matches!(error, ImportError::Usage(_)), error)
    }
}

impl From<SealingError> for CommandError {
    fn from(error: SealingError) -> Self {
        StartError::from(error).into()
    }
}

impl From<BackupError> for CommandError {
    fn from(error: BackupError) -> Self {
        use BackupError::{Exists, NoDatabase, NotSqlite};
        CommandError::new(
            matches!(error, NotSqlite | Exists(_) | NoDatabase(_)),
            error,
        )
    }
}

impl From<CopyError> for CommandError {
    fn from(error: CopyError) -> Self {
        CommandError::new(error.is_usage_error(), error)
    }
}
