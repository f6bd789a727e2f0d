//! Stores corrections of the personal details of an account.

use uuid::Uuid;

use super::accounts::PersonalDetails;
use crate::db::{Result, Tx};
use crate::params;

/// Stores username, country, birthday and names. A taken username returns `StoreError::UniqueViolation`.
pub(crate) async fn update(
    tx: &mut Tx,
    id: Uuid,
    details: &PersonalDetails,
    now: i64,
) -> Result<()> {
    let sql = "UPDATE accounts SET username = $1,
                 username_key = CASE WHEN username = $1 THEN username_key ELSE $2 END,
                 country = $3, birthday = $4, first_name = $5, last_name = $6, details_changed_at = $7 WHERE id = $8";
    // The lookup key is computed like `Username::key`, because an earlier program version may have stored another key.
    let key = details.username.to_ascii_lowercase();
    let names = (details.first_name.as_deref(), details.last_name.as_deref());
    tx.run(
        sql,
        params![
            &details.username,
            &key,
            &details.country,
            &details.birthday,
            names.0,
            names.1,
            now,
            id,
        ],
    )
    .await
}
