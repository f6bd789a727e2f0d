//! The roles of the support view, by account.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::support_role::SupportRole;
use crate::params;

row! {
    /// An account with a role in the support view.
    pub(crate) struct RoleHolder {
        pub account_id: Uuid,
        pub username: String,
        pub email: String,
        /// The name of a `SupportRole`.
        pub role: String,
        pub granted_at: i64,
    }
}

pub(crate) async fn find(tx: &mut Tx, account: Uuid) -> Result<Option<SupportRole>> {
    let sql = "SELECT role FROM support_roles WHERE account_id = $1";
    let row = tx.row(sql, params![account]).await?;
    Ok(row.and_then(|row| SupportRole::from_name(&row.get::<String>(0))))
}

/// Returns whether the account has a role, including a role that only a later program version knows.
pub(crate) async fn has_any(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "SELECT 1 FROM support_roles WHERE account_id = $1";
    Ok(tx.row(sql, params![account]).await?.is_some())
}

/// Gives the account a role and replaces an earlier role.
pub(crate) async fn grant(tx: &mut Tx, account: Uuid, role: SupportRole, now: i64) -> Result<()> {
    let sql = "INSERT INTO support_roles (account_id, role, granted_at) VALUES ($1, $2, $3)
               ON CONFLICT (account_id) DO UPDATE SET role = excluded.role, granted_at = excluded.granted_at";
    tx.run(sql, params![account, role.as_str(), now]).await
}

/// Removes the account's role. Returns whether the account had a role.
pub(crate) async fn revoke(tx: &mut Tx, account: Uuid) -> Result<bool> {
    let sql = "DELETE FROM support_roles WHERE account_id = $1";
    Ok(tx.execute(sql, params![account]).await? > 0)
}

/// Returns all accounts with a role, oldest grant first.
pub(crate) async fn list(tx: &mut Tx) -> Result<Vec<RoleHolder>> {
    let sql = "FROM support_roles JOIN accounts ON accounts.id = support_roles.account_id
         ORDER BY granted_at, account_id";
    RoleHolder::select_all(tx, sql, &[]).await
}
