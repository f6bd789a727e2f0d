//! Updates the lookup keys of email addresses that an earlier program version has computed differently.

use uuid::Uuid;

use super::names::{self, NameKind};
use crate::db::conflict::Committed;
use crate::db::{Durability, Result, Store, StoreError, Tx};
use crate::domain::email::lookup_key;
use crate::named_enum::named_enum;
use crate::params;
use crate::rng::Rng;

/// The number of rows of one query, which is limited so that a large table needs little memory.
const ROWS_PER_QUERY: i64 = 1000;

named_enum! {
    enum KeyedTable(
        /// The SQL order of rows with the same mailbox, of which only the first gets the lookup key: accounts with a
        /// verified email address, then the latest sign-in, or unmigrated legacy accounts. Among equal rows the newest
        /// is first, because this version has likely computed its key.
        claim_order: &'static str
    ) {
        Accounts = "accounts",
            "CASE WHEN email_verified_at IS NULL THEN 1 ELSE 0 END,
             COALESCE(last_sign_in_at, 0) DESC, id DESC";
        LegacyAccounts = "legacy_accounts",
            "CASE WHEN migrated_at IS NULL THEN 0 ELSE 1 END, id DESC";
    }
}

/// Updates the lookup keys of all email addresses with characters outside ASCII, because program versions compute only
/// these keys differently. The update runs at every start, because nodes of an earlier version still add rows during a
/// rolling upgrade. The queries use indexes that are small or empty.
pub(crate) async fn update(store: &Store, rng: &Rng) -> Result<()> {
    for &table in KeyedTable::ALL {
        let sql = format!(
            "SELECT id, email, email_key FROM {} WHERE octet_length(email_key) <> length(email_key)
               AND id > $1 ORDER BY id LIMIT $2",
            table.as_str()
        );
        let mut last = Uuid::nil();
        loop {
            let mut tx = store.read().await?;
            let rows = tx.rows(&sql, params![last, ROWS_PER_QUERY]).await?;
            drop(tx);
            for row in &rows {
                let (id, email, key): (Uuid, String, String) = (row.get(0), row.get(1), row.get(2));
                let new_key = lookup_key(&email);
                if new_key != key {
                    let set = |tx| set_key(tx, table, id, &new_key);
                    store.transaction(rng, Durability::PowerLoss, set).await?;
                }
                last = id;
            }
            if rows.len() < ROWS_PER_QUERY as usize {
                break;
            }
        }
    }
    Ok(())
}

/// Sets the lookup key of a row. If another row has the key, both rows have the same mailbox: the first row by
/// `claim_order` gets the key, and the other row gets a key that no email address has, because only the operator can
/// decide what becomes of it.
async fn set_key(mut tx: Tx, table: KeyedTable, id: Uuid, key: &str) -> Result<Committed<()>> {
    let owner = match table {
        KeyedTable::Accounts => names::find(&mut tx, NameKind::Email, key).await?,
        KeyedTable::LegacyAccounts => {
            let sql = "SELECT id FROM legacy_accounts WHERE email_key = $1";
            tx.value(sql, params![key]).await?
        }
    };
    let sql = format!(
        "SELECT id FROM {} WHERE id = $1 OR id = $2 ORDER BY {}",
        table.as_str(),
        table.claim_order()
    );
    let ids: Vec<Uuid> = tx.query_column(&sql, params![id, owner]).await?;
    let Some((kept, others)) = ids.split_first() else {
        return tx.commit_with(()).await;
    };
    for other in others {
        let unused = format!("{}@duplicate.invalid", other.simple());
        write_key(&mut tx, table, *other, &unused).await?;
        let (table, kept, other) = (table.as_str(), *kept, *other);
        tx.on_commit(move || {
            tracing::warn!(table, %kept, %other,
                "mailbox_of_two_accounts: the other account is found by its id only");
        });
    }
    write_key(&mut tx, table, *kept, key).await?;
    tx.commit_with(()).await
}

async fn write_key(tx: &mut Tx, table: KeyedTable, id: Uuid, key: &str) -> Result<()> {
    match try_write_key(tx, table, id, key).await {
        // Another transaction has added a row with this key after the query. The retried transaction finds that row.
        Err(StoreError::UniqueViolation(_)) => Err(StoreError::Conflict(
            "an address was taken meanwhile".into(),
        )),
        done => done,
    }
}

async fn try_write_key(tx: &mut Tx, table: KeyedTable, id: Uuid, key: &str) -> Result<()> {
    if table == KeyedTable::Accounts {
        names::replace_email(tx, id, key).await?;
    }
    let sql = format!("UPDATE {} SET email_key = $1 WHERE id = $2", table.as_str());
    tx.run(&sql, params![key, id]).await
}
