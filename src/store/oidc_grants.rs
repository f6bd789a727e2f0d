//! Grants: sign-ins to applications. The authorization codes and tokens of a grant are removed together.

use uuid::Uuid;

use crate::db::{Param, Result, Tx};
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

/// The tables with rows of a grant.
const GRANT_TABLES: [&str; 2] = ["oidc_codes", "oidc_tokens"];

/// Removes the authorization codes and tokens of a session.
pub(crate) async fn end_by_session(tx: &mut Tx, sid: Uuid) -> Result<()> {
    end_where(tx, "sid = $1", params![sid]).await
}

/// Removes the authorization codes and tokens of one application in a session.
pub(crate) async fn end_by_client(tx: &mut Tx, sid: Uuid, client_id: &str) -> Result<()> {
    end_where(tx, "sid = $1 AND client_id = $2", params![sid, client_id]).await
}

async fn end_where(tx: &mut Tx, condition: &str, params: &[Param<'_>]) -> Result<()> {
    for table in GRANT_TABLES {
        let sql = format!("DELETE FROM {table} WHERE {condition}");
        tx.execute(&sql, params).await?;
    }
    Ok(())
}
