//! Stores corrections of the personal details of an account, and reads the details that applications receive.

use uuid::Uuid;

use super::accounts::PersonalDetails;
use super::names::{self, UsernameHold};
use crate::db::row::{row, statements};
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

row! {
    /// The claims about a person that applications may receive. Times are milliseconds since 1970 UTC.
    pub(crate) struct PublicDetails {
        pub email: String,
        pub username: String,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub language: String,
        pub region: String,
        pub verified: bool = "email_verified_at IS NOT NULL",
        pub created_at: i64,
        /// The time of the last email change (its change number), or 0 if the email address was never changed.
        pub email_changed_at: i64 = "email_change_number",
        /// The time of the last correction of the personal details, or 0 if they were never corrected.
        pub details_changed_at: i64 = "COALESCE(details_changed_at, 0)",
    }
}

statements! {
    fn public_details(id: Uuid) -> Option<PublicDetails> = "FROM accounts WHERE id = $1";
}
