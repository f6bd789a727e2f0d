//! Accounts of the older system that wait here for their people.

use uuid::Uuid;

use super::deleted_accounts::UsernameHold;
use super::sent_mails;
use crate::db::row::row;
use crate::db::{Connection, Result, Tx};
use crate::params;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct LegacyAccount {
        pub id: Uuid,
        pub email: String,
        pub username: Option<String>,
        pub password_hash: Option<String>,
        pub first_name: Option<String>,
        pub last_name: Option<String>,
        pub country: Option<String>,
        pub birthday_day: Option<i64>,
        pub birthday_month: Option<i64>,
        pub birthday_year: Option<i64>,
        pub zipcode: Option<String>,
        pub marketing_consent: Option<bool>,
        pub language: Option<String>,
    }
}

row! {
    /// What stays of an old account after its migration. Times are milliseconds since 1970 UTC.
    pub(crate) struct MigratedAccount {
        pub id: Uuid,
        pub legacy_id: Option<String>,
        pub email: String,
        pub imported_at: i64,
        pub invited_at: Option<i64>,
        pub opened_at: Option<i64>,
        pub migrated_at: Option<i64>,
    }
}

/// The old account that became this one.
pub(crate) async fn migrated_to(tx: &mut Tx, account: Uuid) -> Result<Option<MigratedAccount>> {
    let sql = format!(
        "SELECT {} FROM legacy_accounts WHERE account_id = $1",
        MigratedAccount::COLUMNS
    );
    let row = tx.row(&sql, params![account]).await?;
    Ok(row.as_ref().map(MigratedAccount::from_row))
}

/// The account that waits under this address, if it has not moved yet.
pub(crate) async fn unmigrated_by_email(tx: &mut Tx, key: &str) -> Result<Option<LegacyAccount>> {
    let sql = format!(
        "SELECT {} FROM legacy_accounts WHERE email_key = $1 AND migrated_at IS NULL",
        LegacyAccount::COLUMNS
    );
    Ok(tx
        .row(&sql, params![key])
        .await?
        .as_ref()
        .map(LegacyAccount::from_row))
}

/// The waiting account, held against other writers until the transaction ends.
pub(crate) async fn locked(tx: &mut Tx, id: Uuid) -> Result<Option<LegacyAccount>> {
    let lock = tx.for_update();
    let sql = format!(
        "SELECT {} FROM legacy_accounts WHERE id = $1 AND migrated_at IS NULL{lock}",
        LegacyAccount::COLUMNS
    );
    Ok(tx
        .row(&sql, params![id])
        .await?
        .as_ref()
        .map(LegacyAccount::from_row))
}

/// Marks the old account moved and empties it: its person's data stand in the account now. What stays is
/// the address, by which a repeated import knows that this one is done; its id in the old system beside the
/// account here, for whatever else is moved after its person; and the days that `legacy status` counts.
pub(crate) async fn mark_migrated(tx: &mut Tx, id: Uuid, account: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET migrated_at = $1, account_id = $2, row_hash = $3,
                 username = NULL, username_key = NULL, password_hash = NULL, first_name = NULL,
                 last_name = NULL, country = NULL, birthday_day = NULL, birthday_month = NULL,
                 birthday_year = NULL, zipcode = NULL, marketing_consent = NULL, language = NULL,
                 created_at = NULL
               WHERE id = $4";
    // A hash of personal data is guessed from personal data: it goes too.
    tx.execute(sql, params![now, account, &[][..], id]).await?;
    Ok(())
}

/// The link was opened, or the person asked for one. The first time counts.
pub(crate) async fn mark_opened(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET opened_at = $1 WHERE id = $2 AND opened_at IS NULL";
    tx.execute(sql, params![now, id]).await?;
    Ok(())
}

/// Its person is too young: it stays as it is and waits for a later birthday.
pub(crate) async fn mark_refused(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET refused_at = $1 WHERE id = $2 AND migrated_at IS NULL";
    tx.execute(sql, params![now, id]).await?;
    Ok(())
}

pub(crate) async fn mark_unsubscribed(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET unsubscribed_at = $1
               WHERE id = $2 AND unsubscribed_at IS NULL";
    tx.execute(sql, params![now, id]).await?;
    Ok(())
}

/// Its mailbox does not exist: no further invitation.
pub(crate) async fn mark_bounced(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET bounced_at = $1 WHERE id = $2 AND bounced_at IS NULL";
    tx.execute(sql, params![now, id]).await?;
    Ok(())
}

/// Whether the username is free: no account has it, no hold, and no waiting account but `own`.
pub(crate) async fn username_free(
    tx: &mut Tx,
    hold: &UsernameHold,
    key: &str,
    own: Uuid,
    now: i64,
) -> Result<bool> {
    let sql = "SELECT 1 FROM accounts WHERE username_key = $1
               UNION ALL SELECT 1 FROM legacy_accounts
                 WHERE username_key = $1 AND migrated_at IS NULL AND id <> $2
               UNION ALL SELECT 1 FROM username_reservations WHERE username_key = $1
               UNION ALL SELECT 1 FROM deleted_accounts WHERE username_hash = $3 AND held_until > $4";
    let held = hold.hash(key);
    let found = tx.row(sql, params![key, own, &held, now]).await?;
    Ok(found.is_none())
}

/// The unmigrated accounts behind `after` that were imported before a time, locked; at most so many.
pub(crate) async fn waiting(
    tx: &mut Tx,
    after: Uuid,
    imported_before: i64,
    most: usize,
) -> Result<Vec<Uuid>> {
    let lock = tx.for_update();
    let sql = format!(
        "SELECT id FROM legacy_accounts WHERE id > $1 AND migrated_at IS NULL AND imported_at < $2
         ORDER BY id LIMIT $3{lock}"
    );
    let rows = tx
        .rows(&sql, params![after, imported_before, most as i64])
        .await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Removes an old account, with its mails and links.
pub(crate) async fn remove(tx: &mut Tx, id: Uuid) -> Result<()> {
    sent_mails::remove_all(tx, id).await?;
    for sql in [
        "DELETE FROM outbox WHERE subject_id = $1",
        "DELETE FROM kept_mail WHERE subject_id = $1",
        "DELETE FROM tokens WHERE subject_id = $1",
        "DELETE FROM legacy_accounts WHERE id = $1",
    ] {
        tx.execute(sql, params![id]).await?;
    }
    Ok(())
}

/// Where a slice of so many old accounts ends that begins behind `after`, in the order of their import. None:
/// fewer are left. Whoever goes through all of them goes slice by slice: no statement looks at a million rows.
pub(crate) async fn slice_end(tx: &mut Tx, after: Uuid, accounts: i64) -> Result<Option<Uuid>> {
    let sql = "SELECT id FROM legacy_accounts WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2";
    let end = tx.row(sql, params![after, accounts - 1]).await?;
    Ok(end.map(|row| row.get(0)))
}

/// Rows that one look for accounts to invite goes through.
const INVITABLE_SLICE: i64 = 20_000;

/// The next accounts behind `after` that may be invited, at most so many, and behind which one to go on: None
/// when there is nobody left. With `hold` they are held for this transaction, and those that another one
/// holds are passed over.
pub(crate) async fn invitable(
    tx: &mut Tx,
    after: Uuid,
    most: usize,
    hold: bool,
) -> Result<(Vec<LegacyAccount>, Option<Uuid>)> {
    let end = slice_end(tx, after, INVITABLE_SLICE).await?;
    // Only the rows of the first table: those that may be missing cannot be locked.
    let lock = match &mut tx.connection {
        Connection::Postgres(_) if hold => " FOR UPDATE OF old SKIP LOCKED",
        Connection::Postgres(_) | Connection::Sqlite(_) => "",
    };
    let sql = format!("SELECT {} FROM legacy_accounts AS old
         LEFT JOIN (SELECT email_key AS proved_key FROM accounts WHERE email_verified_at IS NOT NULL) AS proved
           ON proved_key = old.email_key
         WHERE id > $1 AND id <= $2 AND invited_at IS NULL AND migrated_at IS NULL
           AND refused_at IS NULL AND bounced_at IS NULL AND unsubscribed_at IS NULL
           AND proved_key IS NULL
         ORDER BY id LIMIT $3{lock}", LegacyAccount::COLUMNS);
    let until = end.unwrap_or(Uuid::max());
    let rows = tx.rows(&sql, params![after, until, most as i64]).await?;
    let found: Vec<_> = rows.iter().map(LegacyAccount::from_row).collect();
    let next = match found.last() {
        Some(last) if found.len() == most => Some(last.id),
        _ => end,
    };
    Ok((found, next))
}

pub(crate) async fn mark_invited(tx: &mut Tx, id: Uuid, now: i64) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET invited_at = $1 WHERE id = $2";
    tx.execute(sql, params![now, id]).await?;
    Ok(())
}

/// Its invitation never went out: the next command invites it again.
pub(crate) async fn unmark_invited(tx: &mut Tx, id: Uuid) -> Result<()> {
    let sql = "UPDATE legacy_accounts SET invited_at = NULL
               WHERE id = $1 AND migrated_at IS NULL AND bounced_at IS NULL";
    tx.execute(sql, params![id]).await?;
    Ok(())
}
