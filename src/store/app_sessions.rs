//! Sign-ins to applications (OpenID Connect clients) in a session. A sign-in to an application ends with its session.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct ApplicationSession {
        /// The session id that applications see (`sid` of OpenID Connect).
        pub sid: Uuid,
        pub client_id: String,
        pub account_id: Uuid,
        /// The time when the session first used the application, in milliseconds since 1970 UTC.
        pub first_used_at: i64,
        pub last_used_at: i64,
    }
}

/// Records that the session uses the application. Returns false if the session has used the application before.
pub(crate) async fn insert_if_new(tx: &mut Tx, new: &ApplicationSession) -> Result<bool> {
    let sql = "INSERT INTO app_sessions (sid, client_id, account_id, first_used_at, last_used_at)
               VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, sid, client_id) DO NOTHING";
    let values = params![
        new.sid, &new.client_id, new.account_id, new.first_used_at, new.last_used_at
    ];
    Ok(tx.execute(sql, values).await? > 0)
}

pub(crate) async fn record_use(
    tx: &mut Tx,
    account: Uuid,
    sid: Uuid,
    client_id: &str,
    now: i64,
) -> Result<()> {
    let sql = "UPDATE app_sessions SET last_used_at = $1
               WHERE account_id = $2 AND sid = $3 AND client_id = $4";
    tx.run(sql, params![now, account, sid, client_id]).await
}

/// Returns the sign-ins of an account to applications, ordered by application.
pub(crate) async fn list(tx: &mut Tx, account: Uuid) -> Result<Vec<ApplicationSession>> {
    let sql = "FROM app_sessions WHERE account_id = $1 ORDER BY client_id, first_used_at";
    ApplicationSession::select_all(tx, sql, params![account]).await
}

/// Ends the sign-ins of a session to applications, and returns these sign-ins.
pub(crate) async fn end_by_session(
    tx: &mut Tx,
    account: Uuid,
    sid: Uuid,
) -> Result<Vec<ApplicationSession>> {
    let sql = format!(
        "DELETE FROM app_sessions WHERE account_id = $1 AND sid = $2 RETURNING {}",
        ApplicationSession::COLUMNS
    );
    let rows = tx.rows(&sql, params![account, sid]).await?;
    Ok(rows.iter().map(ApplicationSession::from_row).collect())
}

/// Ends and returns all sign-ins of one account to an application.
pub(crate) async fn end_by_client(
    tx: &mut Tx,
    account: Uuid,
    client_id: &str,
) -> Result<Vec<ApplicationSession>> {
    let sql = format!(
        "DELETE FROM app_sessions WHERE account_id = $1 AND client_id = $2 RETURNING {}",
        ApplicationSession::COLUMNS
    );
    let rows = tx.rows(&sql, params![account, client_id]).await?;
    Ok(rows.iter().map(ApplicationSession::from_row).collect())
}
