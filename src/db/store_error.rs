//! The errors of the databases.

use super::{Cause, Constraint};

#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A write violated a unique constraint. The database enforces uniqueness, so no query checks it beforehand.
    #[error("already taken: {0:?}")]
    UniqueViolation(Constraint),
    /// The database is unreachable, blocked or busy, usually temporarily. The HTTP response is 503.
    #[error("database unavailable: {0}")]
    Unavailable(#[source] Cause),
    /// The disk is full or the database is read-only. The HTTP response is 503, and `/readyz` also returns 503.
    #[error("database accepts no writes: {0}")]
    NotWritable(#[source] Cause),
    /// A deadlock or serialization failure has rolled the transaction back, so that it can be repeated (`conflict.rs`).
    #[error("transaction conflict: {0}")]
    Conflict(#[source] Cause),
    #[error("database: {0}")]
    Other(#[source] Cause),
    /// A newer release has extended the schema.
    #[error("database: {0}")]
    NewerSchema(String),
    /// A setting has an invalid value. The text, which is the error message, names the setting.
    #[error("{0}")]
    InvalidSetting(String),
}

impl StoreError {
    pub(super) fn wrong_url(reason: impl std::fmt::Display) -> StoreError {
        StoreError::InvalidSetting(format!("database.url: {reason}"))
    }
}
