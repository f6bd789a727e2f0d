//! Stores corrections of the personal details of an account.

use uuid::Uuid;

use super::accounts::PersonalDetails;
use super::names::{self, UsernameHold};
use crate::db::{Result, Tx};
use crate::params;

/// Stores corrected details. Returns `StoreError::UniqueViolation` if another account has the username.
pub(crate) async fn update(
    tx: &mut Tx,
    id: Uuid,
    details: &PersonalDetails,
    hold: &UsernameHold<'_>,
    now: i64,
) -> Result<()> {
    // An unchanged username keeps its lookup key, which an earlier program version may have computed differently.
    let mut key = details.username.to_ascii_lowercase();
    let sql = "SELECT username, username_key FROM accounts WHERE id = $1";
    if let Some(row) = tx.row(sql, params![id]).await? {
        let (username, old_key): (String, String) = (row.get(0), row.get(1));
        if username == details.username {
            key.clone_from(&old_key);
        }
        names::replace_username(tx, id, [&old_key, &key], hold).await?;
    }
    let sql = "UPDATE accounts SET username = $1, username_key = $2, country = $3, zipcode = $4,
                 birthday = $5, first_name = $6, last_name = $7, details_changed_at = $8 WHERE id = $9";
    let names = (details.first_name.as_deref(), details.last_name.as_deref());
    tx.run(
        sql,
        params![
            &details.username, &key, &details.country, &details.zipcode, &details.birthday,
            names.0, names.1, now, id,
        ],
    )
    .await
}
