//! The roles of the support view, by account.

use uuid::Uuid;

use crate::db::row::{row, statements};
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

statements! {
    /// Returns whether the account has a role, including a role that only a later program version knows.
    fn has_any(account: Uuid) -> bool = "SELECT 1 FROM support_roles WHERE account_id = $1";

    /// Gives the account a role and replaces an earlier role.
    fn grant(account: Uuid, role: SupportRole, now: i64) =
        "INSERT INTO support_roles (account_id, role, granted_at) VALUES ($1, $2, $3)
         ON CONFLICT (account_id) DO UPDATE SET role = excluded.role, granted_at = excluded.granted_at",
        [account, role.as_str(), now];

    /// Removes the account's role. Returns whether the account had a role.
    fn revoke(account: Uuid) -> bool = "DELETE FROM support_roles WHERE account_id = $1";

    /// Returns all accounts with a role, oldest grant first.
    fn list() -> Vec<RoleHolder> =
        "FROM support_roles JOIN accounts ON accounts.id = support_roles.account_id
         ORDER BY granted_at, account_id";
}
