//! Sign-ins to applications. The authorization codes and tokens of a sign-in end together.

use uuid::Uuid;

use crate::db::{Param, Result, Tx};
use crate::named_enum::named_enum;
use crate::params;

/// The grant for which authorization codes and tokens are issued: one sign-in to an application.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pub grant_id: Uuid,
    pub sid: Uuid,
    pub client_id: String,
    /// The scope names, separated by spaces.
    pub scope: String,
    /// The time of the last proof of identity, in milliseconds since 1970 UTC.
    pub auth_time: i64,
    /// The authentication methods (RFC 8176), separated by spaces.
    pub amr: String,
    pub acr: String,
}

named_enum! {
    /// A table of rows that belong to grants.
    pub(crate) enum GrantTable(key: &'static str) {
        Codes = "oidc_codes", "code_hash";
        Tokens = "oidc_tokens", "token_hash";
    }
}

/// Ends the authorization codes and tokens of a session.
pub(crate) async fn end_by_session(tx: &mut Tx, sid: Uuid) -> Result<()> {
    end_where(tx, "sid = $1", params![sid]).await
}

/// Ends the authorization codes and tokens of one application in a session.
pub(crate) async fn end_by_client(tx: &mut Tx, sid: Uuid, client_id: &str) -> Result<()> {
    end_where(tx, "sid = $1 AND client_id = $2", params![sid, client_id]).await
}

async fn end_where(tx: &mut Tx, condition: &str, params: &[Param<'_>]) -> Result<()> {
    for table in GrantTable::ALL {
        let sql = format!("DELETE FROM {} WHERE {condition}", table.as_str());
        tx.execute(&sql, params).await?;
    }
    Ok(())
}

/// Removes rows that expired before `before`. Used rows are stored for a while, to detect a second use.
pub(crate) async fn delete_expired(
    tx: &mut Tx,
    table: GrantTable,
    before: i64,
    limit: i64,
) -> Result<u64> {
    let (name, key) = (table.as_str(), table.key());
    let sql = format!(
        "DELETE FROM {name} WHERE {key} IN
           (SELECT {key} FROM {name} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
    );
    tx.execute(&sql, params![before, limit]).await
}
