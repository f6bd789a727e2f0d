//! TF-5: running programs during a key rotation by a separate process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use account::params;
use account::testing::db::Tx;
use account::testing::rng::Rng;
use account::testing::sealing;
use account::testing::store::sealed::SealingError;
use uuid::Uuid;

use super::{
    SECRET, STORE_VALUE, key_path, open_all, open_all_with_key_file, read_keys, run_command, seal,
    sealed_values, secret_place, site_with_keys,
};
use crate::prelude::*;

on_both_databases!(
    running_programs_seal_and_open_values_during_rotations,
    a_rotation_waits_for_a_value_that_is_being_sealed,
    an_unknown_key_is_looked_up_at_most_once_per_second
);
on_sqlite!(without_a_key_file_nothing_is_sealed_and_the_error_names_it);

async fn store_and_commit(mut tx: Tx, account: Uuid, value: &[u8]) {
    let done = tx.execute(STORE_VALUE, params![value, account]).await;
    done.unwrap();
    tx.commit().await.unwrap();
}

/// Seals the secret of an account again, as a new enrolment would.
async fn seal_again(site: &Site, account: Uuid) {
    let mut tx = site.app.store.write().await.unwrap();
    let value = seal(site, &mut tx, account).await;
    store_and_commit(tx, account, &value).await;
}

/// Two nodes seal and open secrets until `stop`, and count the rounds.
async fn seal_and_open_until(nodes: [Site; 2], stop: Arc<AtomicBool>, rounds: Arc<AtomicU64>) {
    let sql = "SELECT account_id FROM totp ORDER BY account_id";
    let accounts = nodes[0].column::<Uuid>(sql).await;
    while !stop.load(Ordering::SeqCst) {
        seal_again(&nodes[0], accounts[0]).await;
        open_all(&nodes[1]).await;
        seal_again(&nodes[1], accounts[1]).await;
        open_all(&nodes[0]).await;
        rounds.fetch_add(1, Ordering::SeqCst);
    }
}

// security: TF-5
async fn running_programs_seal_and_open_values_during_rotations(db: Database) {
    let site = site_with_keys(&db).await;
    let other = db
        .site_with(|config| config.security.encryption_key_file = key_path(&db))
        .await;
    let (stop, rounds) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
    let nodes = [site.clone(), other];
    let working = tokio::spawn(seal_and_open_until(nodes, stop.clone(), rounds.clone()));
    for _ in 0..5 {
        tokio::task::block_in_place(|| run_command(&db, "keys rotate"));
        let before = rounds.load(Ordering::SeqCst);
        eventually("the programs continue after the rotation", async || {
            working.is_finished() || rounds.load(Ordering::SeqCst) > before + 1
        })
        .await;
    }
    stop.store(true, Ordering::SeqCst);
    working.await.unwrap();
    open_all_with_key_file(&site, &db).await;
}

// security: TF-5
async fn a_rotation_waits_for_a_value_that_is_being_sealed(db: Database) {
    let site = site_with_keys(&db).await;
    let account = sealed_values(&site).await[0].0;
    let old = read_keys(&key_path(&db));
    let mut tx = site.app.store.write().await.unwrap();
    let value = seal(&site, &mut tx, account).await;
    assert!(sealing::open(&old, secret_place(account), &value).is_ok());

    let rotating = {
        let db = db.clone();
        tokio::task::spawn_blocking(move || run_command(&db, "keys rotate"))
    };
    if db.kind() == crate::support::database::Kind::Postgres {
        eventually(
            "the rotation has written a new key to the file",
            async || {
                let keys = read_keys(&key_path(&db));
                keys.newest().id() != old.newest().id()
            },
        )
        .await;
    }
    assert!(!rotating.is_finished());
    store_and_commit(tx, account, &value).await;
    rotating.await.unwrap();
    let new = read_keys(&key_path(&db));
    assert!(new.find(old.newest().id()).is_none());
    open_all_with_key_file(&site, &db).await;
}

async fn an_unknown_key_is_looked_up_at_most_once_per_second(db: Database) {
    let site = site_with_keys(&db).await;
    let (path, elsewhere) = (key_path(&db), db.folder().join("elsewhere.key"));
    let theirs = sealing::create(&elsewhere, &Rng::System).unwrap();
    let account = sealed_values(&site).await[0].0;
    let value = sealing::seal(theirs.newest(), secret_place(account), SECRET, &Rng::System);
    let open = || site.app.sealing.open(secret_place(account), &value);

    let error = open().unwrap_err();
    assert!(matches!(error, SealingError::WrongKey(..)), "{error}");
    assert!(error.to_string().contains(&path.display().to_string()));
    let own = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, own + &std::fs::read_to_string(&elsewhere).unwrap()).unwrap();
    assert!(open().is_err(), "the file is read at most once a second");
    site.advance("1s");
    assert_eq!(*open().unwrap(), SECRET);

    // A running program keeps the keys that it has read when the file is removed.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(*open().unwrap(), SECRET);
    open_all(&site).await;
}

async fn without_a_key_file_nothing_is_sealed_and_the_error_names_it(db: Database) {
    db.allow_unread_mails();
    // No file can be created through a dangling symlink, not even by root.
    let blocked = db.folder().join("blocked");
    std::os::unix::fs::symlink("missing/folder", &blocked).unwrap();
    let site = db
        .site_with(|config| config.security.encryption_key_file = blocked.join("account.key"))
        .await;
    let mut tx = site.app.store.write().await.unwrap();
    let sealing = &site.app.sealing;
    let error = sealing
        .seal(&mut tx, secret_place(Uuid::nil()), SECRET)
        .await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("security.encryption_key_file: "),
        "{error}"
    );
    assert_contains!(error, "could not be created");
}
