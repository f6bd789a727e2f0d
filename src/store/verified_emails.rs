//! The email addresses that accounts have verified.

use std::collections::HashSet;

use uuid::Uuid;

use super::names::{self, NameKind};
use crate::db::{Connection, Param, Result, Tx};
use crate::params;

/// Returns whether an account has this email address and has verified it.
pub(crate) async fn is_verified(tx: &mut Tx, key: &str) -> Result<bool> {
    let Some(id) = names::find(tx, NameKind::Email, key).await? else {
        return Ok(false);
    };
    let sql = "SELECT 1 FROM accounts WHERE id = $1 AND email_verified_at IS NOT NULL";
    Ok(tx.row(sql, params![id]).await?.is_some())
}

/// Returns the email addresses among `keys` that an account has verified.
pub(super) async fn list_verified(tx: &mut Tx, keys: &[&str]) -> Result<HashSet<String>> {
    let mut owners = Vec::new();
    if keys.is_empty() {
        return Ok(HashSet::new());
    }
    if let Connection::Postgres(tx) = &mut tx.connection {
        let sql = "SELECT key, account_id FROM names WHERE key = ANY($1) AND kind = 'email'";
        let keys = keys.iter().map(|key| Param::from(*key)).collect();
        let rows = tx.query_with_array_params(sql, &[keys]).await?;
        owners.extend(rows.iter().map(|row| (row.get(0), row.get::<Uuid>(1))));
        if owners.is_empty() {
            return Ok(HashSet::new());
        }
        let sql = "SELECT id FROM accounts WHERE id = ANY($1) AND email_verified_at IS NOT NULL";
        let ids = owners.iter().map(|(_, id)| Param::from(*id)).collect();
        let rows = tx.query_with_array_params(sql, &[ids]).await?;
        let verified: HashSet<Uuid> = rows.iter().map(|row| row.get(0)).collect();
        owners.retain(|(_, id)| verified.contains(id));
        return Ok(owners.into_iter().map(|(key, _)| key).collect());
    }
    let mut verified = HashSet::new();
    for key in keys {
        if is_verified(tx, key).await? {
            verified.insert((*key).to_owned());
        }
    }
    Ok(verified)
}
