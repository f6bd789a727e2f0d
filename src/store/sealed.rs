//! Manages the encryption key of the columns with sealed (encrypted) values, and re-encrypts them under a newer key.

use std::path::Path;

use uuid::Uuid;

use super::secrets;
use crate::crypto::sealing::key_file::{self, KeyFileError, LockedKeyFile};
use crate::crypto::sealing::{self, FieldLocation, KeyId, Keys, SealError, SealedColumn};
use crate::db::{Result, Store, StoreError, Tx};
use crate::params;
use crate::rng::Rng;

/// The row of `secrets` with the id of the current encryption key, under which new values are sealed.
const CURRENT_KEY_ROW: &str = "sealing_key";

/// The number of rows in one transaction of a key rotation.
const ROWS_PER_TRANSACTION: i64 = 200;

#[derive(Debug, thiserror::Error)]
pub enum SealingError {
    #[error("security.encryption_key_file: {0}")]
    File(#[from] KeyFileError),
    #[error(
        "security.encryption_key_file: {0} does not contain the key {1} of the encrypted values in the database; restore that file from its backup or from another node"
    )]
    WrongKey(String, String),
    #[error(
        "security.encryption_key_file: {0} could not be created; make its folder writable and start the program again"
    )]
    NoKey(String),
    #[error("{0}")]
    Seal(#[from] SealError),
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Reads the key file when the program starts. The file is created if no sealed value depends on it yet.
pub(crate) async fn prepare_key_file(
    tx: &mut Tx,
    path: &Path,
    rng: &Rng,
) -> std::result::Result<(), SealingError> {
    let found = key_file::read(path)?;
    let is_known = |id: KeyId| found.as_ref().is_some_and(|keys| keys.find(id).is_some());
    if current_key_id(tx, "").await?.is_some_and(is_known) {
        return Ok(());
    }
    // The row of the current key is locked, so that no other transaction seals a value until this transaction ends.
    let current_key_id = current_key_id(tx, " FOR UPDATE").await?;
    if current_key_id.is_some_and(is_known) {
        return Ok(());
    }
    if has_sealed_values(tx).await? {
        return Err(wrong_key_error(path, current_key_id));
    }
    let keys = match found {
        Some(keys) => keys,
        None => match key_file::create(path, rng) {
            Ok(keys) => keys,
            Err(error) => {
                // No value is sealed yet, so the program can start even if the folder of the key file is not writable.
                tracing::warn!(%error, "security.encryption_key_file cannot be created");
                return Ok(());
            }
        },
    };
    secrets::upsert(tx, CURRENT_KEY_ROW, keys.newest().id().as_bytes()).await?;
    Ok(())
}

fn wrong_key_error(path: &Path, id: Option<KeyId>) -> SealingError {
    let id = id.map_or_else(|| "–".to_owned(), |id| id.to_string());
    SealingError::WrongKey(path.display().to_string(), id)
}

/// Adds a new encryption key to the file without using it. The file can be copied to all nodes before `rotate`.
pub async fn prepare_rotation(
    store: &Store,
    path: &Path,
    rng: &Rng,
) -> std::result::Result<(), SealingError> {
    begin_rotation(store, path, rng).await.map(|_| ())
}

/// Re-encrypts every sealed value under a new encryption key and removes the older keys. Returns the number of values.
/// The rotation can be interrupted at any time and repeated.
pub async fn rotate(
    store: &Store,
    path: &Path,
    rng: &Rng,
) -> std::result::Result<u64, SealingError> {
    let (file, keys) = begin_rotation(store, path, rng).await?;
    // Every transaction that seals a value locks the current key's row, so after this commit none uses an older key.
    let mut tx = store.write().await?;
    let current_key_id = current_key_id(&mut tx, " FOR UPDATE").await?;
    if current_key_id.is_some_and(|id| keys.find(id).is_none()) {
        // Another node has rotated meanwhile, with a different key file.
        return Err(wrong_key_error(path, current_key_id));
    }
    secrets::upsert(&mut tx, CURRENT_KEY_ROW, keys.newest().id().as_bytes()).await?;
    tx.commit().await?;
    let mut count = 0;
    for &column in SealedColumn::ALL {
        count += rotate_column(store, column, &keys, rng).await?;
    }
    file.finish_rotation(&keys, rng)?;
    Ok(count)
}

/// Locks the key file, adds a new encryption key and returns all keys, the new key first.
async fn begin_rotation<'a>(
    store: &Store,
    path: &'a Path,
    rng: &Rng,
) -> std::result::Result<(LockedKeyFile<'a>, Keys), SealingError> {
    let mut tx = store.write().await?;
    prepare_key_file(&mut tx, path, rng).await?;
    tx.commit().await?;
    let file = LockedKeyFile::lock(path)?;
    let keys = file.read()?;
    let keys = keys.ok_or_else(|| SealingError::NoKey(path.display().to_string()))?;
    let keys = file.begin_rotation(&keys, rng)?;
    Ok((file, keys))
}

async fn rotate_column(
    store: &Store,
    column: SealedColumn,
    keys: &Keys,
    rng: &Rng,
) -> std::result::Result<u64, SealingError> {
    let (table, id, name) = (column.table(), column.row_id(), column.as_str());
    let page = format!("SELECT {id}, {name} FROM {table} WHERE {id} > $1 ORDER BY {id} LIMIT $2");
    // A value that was replaced or removed meanwhile needs no re-encryption.
    let update = format!("UPDATE {table} SET {name} = $1 WHERE {id} = $2 AND {name} = $3");
    let (mut last, mut count) = (Uuid::nil(), 0);
    loop {
        let mut tx = store.write().await?;
        let rows = tx.rows(&page, params![last, ROWS_PER_TRANSACTION]).await?;
        if rows.is_empty() {
            return Ok(count);
        }
        for row in rows {
            let (row, sealed): (Uuid, Vec<u8>) = (row.get(0), row.get(1));
            last = row;
            if sealing::key_id(&sealed)? == keys.newest().id() {
                continue;
            }
            let place = FieldLocation { column, row };
            let plain = sealing::open(keys, place, &sealed)?;
            let renewed = sealing::seal(keys.newest(), place, &plain, rng);
            count += tx.execute(&update, params![&renewed, row, &sealed]).await?;
        }
        tx.commit().await?;
    }
}

/// Returns the id of the current encryption key, and locks its row: a key rotation waits until this transaction, which
/// seals a value, has ended.
pub(super) async fn lock_current_key_id(tx: &mut Tx) -> Result<Option<KeyId>> {
    current_key_id(tx, " FOR SHARE").await
}

/// Returns the id of the current encryption key. `lock` is a locking clause or empty.
async fn current_key_id(tx: &mut Tx, lock: &str) -> Result<Option<KeyId>> {
    let sql = format!("SELECT value FROM secrets WHERE name = $1{lock}");
    let id: Option<Vec<u8>> = tx.first(&sql, params![CURRENT_KEY_ROW]).await?;
    Ok(id.and_then(|id| KeyId::from_bytes(&id)))
}

async fn has_sealed_values(tx: &mut Tx) -> Result<bool> {
    for column in SealedColumn::ALL {
        let sql = format!("SELECT 1 FROM {} LIMIT 1", column.table());
        if tx.row(&sql, params![]).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}
