//! The audit of the support view and of the commands for single accounts. Rows are added, read, and removed when they
//! are older than `lifetimes.audit`, but never changed. Rows refer to accounts by id without a foreign key, so that
//! they remain after the account is deleted.

use uuid::Uuid;

use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::params;

row! {
    /// An entry of the audit.
    pub(crate) struct AuditEntry {
        pub id: Uuid,
        /// The time of the entry, in milliseconds since 1970 UTC.
        pub at: i64,
        /// The operating system's name of the user who ran the command, or `None` if an agent or the program acted.
        pub operator: Option<String>,
        pub agent_id: Option<Uuid>,
        /// The current username of the agent, or `None` if an operator acted or the agent's account is deleted.
        pub agent: Option<String> = "agents.username",
        pub action: String,
        pub account_id: Option<Uuid>,
        pub reason: Option<String>,
        /// The error code of a refused action, or `None` if the action was done.
        pub refusal: Option<String>,
    }
}

impl AuditEntry {
    /// Returns the actor of the entry: `cli:NAME` for an operator, otherwise the username of the agent, or the account
    /// id if the account is deleted, or `system` for the program. A username has no colon.
    pub(crate) fn actor(&self) -> String {
        match (&self.operator, &self.agent, self.agent_id) {
            (Some(operator), ..) => format!("cli:{operator}"),
            (None, Some(agent), _) => agent.clone(),
            (None, None, Some(id)) => id.to_string(),
            (None, None, None) => "system".to_owned(),
        }
    }
}

pub(crate) struct NewAuditEntry<'a> {
    /// A UUIDv7 of the entry's time, by which the list is ordered.
    pub id: Uuid,
    pub at: i64,
    pub operator: Option<&'a str>,
    pub agent_id: Option<Uuid>,
    pub action: &'a str,
    pub account_id: Option<Uuid>,
    pub reason: Option<&'a str>,
    pub refusal: Option<&'a str>,
}

/// The proof that an audit row was written, without which support records no security event. Only [`insert`] makes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditReceipt(());

pub(crate) async fn insert(tx: &mut Tx, new: &NewAuditEntry<'_>) -> Result<AuditReceipt> {
    tx.execute(
        "INSERT INTO support_audit (id, at, operator, agent_id, action, account_id, reason, refusal)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![
            new.id,
            new.at,
            new.operator,
            new.agent_id,
            new.action,
            new.account_id,
            new.reason,
            new.refusal,
        ],
    )
    .await?;
    Ok(AuditReceipt(()))
}

statements! {
    /// Returns the entries not older than `since`, newest first; if `before` is given, only the entries before this id.
    fn list(before: Option<Uuid>, since: i64, limit: i64) -> Vec<AuditEntry> =
        "FROM support_audit
         LEFT JOIN (SELECT id AS account, username FROM accounts) AS agents ON agents.account = agent_id
         WHERE id < $1 AND at >= $2 ORDER BY id DESC LIMIT $3", [before.unwrap_or(Uuid::max()), since, limit];
}
