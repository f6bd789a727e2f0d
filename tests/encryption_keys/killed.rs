//! TF-5: `account keys rotate`, killed at any moment, loses no value and leaves no files behind.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use account::params;
use account::testing::rng::Rng;
use account::testing::store::sealed::prepare_rotation;

use super::{
    SECRET, command_settings, key_path, open_all, open_all_with_key_file, read_keys, run_command,
    seal, sealed_values, secret_place, site_with_keys, start_error,
};
use crate::prelude::*;
use crate::support::process::start;

on_both_databases!(
    a_rotation_killed_at_any_moment_loses_nothing,
    a_prepared_rotation_uses_the_new_key_only_after_it_was_distributed
);

/// Enough accounts for several transactions of one rotation.
const ACCOUNTS: i64 = 1000;

const KILLS: u32 = 10;

/// Copies an account with its sealed secret.
async fn add_accounts(site: &Site) {
    let mut tx = site.app.store.write().await.unwrap();
    let copy = "INSERT INTO accounts (id, email, email_key, username, username_key, password_hash,
          password_changed_at, language, region, country, zipcode, birthday, marketing_consent,
          marketing_consent_at, created_at)
        SELECT $1, $2, $2, $2, $2, password_hash, password_changed_at, language, region, country,
          zipcode, birthday, marketing_consent, marketing_consent_at, created_at
        FROM accounts WHERE username = 'ada'";
    let insert =
        "INSERT INTO totp (account_id, secret, created_at, last_step) VALUES ($1, $2, 0, 0)";
    for id in Rng::System.ids(site.now(), ACCOUNTS as usize) {
        let name = format!("{}@example.org", id.simple());
        tx.execute(copy, params![id, &name]).await.unwrap();
        let value = seal(site, &mut tx, id).await;
        tx.execute(insert, params![id, &value]).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Starts a rotation and kills it after this time. Returns whether it was still running.
fn rotate_and_kill_after(db: &Database, time: Duration) -> bool {
    let keys = key_path(db).display().to_string();
    let settings = command_settings(db, &keys);
    let mut child = start(db.folder(), "keys rotate", &settings, Stdio::null());
    std::thread::sleep(time);
    let is_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    is_running
}

fn draft_count(path: &Path) -> usize {
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
    files.count() - 1
}

async fn assert_opens_on_all_nodes(site: &Site, db: &Database) {
    site.assert_count("totp", ACCOUNTS + 2).await;
    open_all_with_key_file(site, db).await;
    open_all(site).await;
}

// security: TF-5
async fn a_rotation_killed_at_any_moment_loses_nothing(db: Database) {
    let site = site_with_keys(&db).await;
    add_accounts(&site).await;
    let path = key_path(&db);
    let started = Instant::now();
    tokio::task::block_in_place(|| run_command(&db, "keys rotate"));
    let mut whole = started.elapsed();
    let first = read_keys(&path);

    let (mut killed, mut missed) = (0, 0);
    while killed < KILLS {
        // Each kill interrupts the rotation at another moment.
        let time = whole.mul_f64(f64::from(killed) / f64::from(KILLS));
        match tokio::task::block_in_place(|| rotate_and_kill_after(&db, time)) {
            true => killed += 1,
            false => {
                missed += 1;
                whole = whole.mul_f64(0.9);
            }
        }
        assert!(missed < 50, "rotations end before they are killed");
        assert_opens_on_all_nodes(&site, &db).await;
        assert_eq!(start_error(&site).await, None);
        assert_eq!(draft_count(&path), 0);
    }
    let keys = path.display().to_string();
    let settings = command_settings(&db, &keys);
    let rotate = || run_to_exit(db.folder(), "keys rotate", &settings);
    eventually("a rotation succeeds", async || {
        tokio::task::block_in_place(rotate).0 == 0
    })
    .await;
    assert_opens_on_all_nodes(&site, &db).await;
    let last = std::fs::read_to_string(&path).unwrap();
    assert_eq!(last.lines().count(), 1);
    let last = read_keys(&path);
    assert_ne!(last.newest().id(), first.newest().id());
    assert_eq!(draft_count(&path), 0);
}

// security: TF-5
async fn a_prepared_rotation_uses_the_new_key_only_after_it_was_distributed(db: Database) {
    let site = site_with_keys(&db).await;
    let path = key_path(&db);
    let other = db.folder().join("other.key");
    std::fs::copy(&path, &other).unwrap();
    let node = db
        .site_with(|config| config.security.encryption_key_file.clone_from(&other))
        .await;
    let before = sealed_values(&site).await;

    run_command(&db, "keys rotate --prepare");
    assert_eq!(sealed_values(&site).await, before);
    let prepared = std::fs::read(&path).unwrap();
    // A second call changes nothing.
    prepare_rotation(&site.app.store, &path, &Rng::System)
        .await
        .unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), prepared);
    // Until the rotation, values are sealed under the old key, so nodes without the new key can open them.
    let account = before[0].0;
    let mut tx = site.app.store.write().await.unwrap();
    let value = seal(&site, &mut tx, account).await;
    drop(tx);
    let place = secret_place(account);
    assert_eq!(*node.app.sealing.open(place, &value).unwrap(), SECRET);

    std::fs::write(&other, &prepared).unwrap();
    run_command(&db, "keys rotate");
    assert_ne!(sealed_values(&site).await, before);
    open_all(&node).await;
    let file = std::fs::read_to_string(&path).unwrap();
    assert_eq!(file.lines().count(), 1);
}
