//! Encryption at rest: the key file at the start of the program, and `account keys rotate`.

mod killed;
mod running;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use account::app::App;
use account::params;
use account::testing::clock::Clock;
use account::testing::db::Tx;
use account::testing::rng::Rng;
use account::testing::sealing::{self, FieldLocation, SealedColumn};
use account::testing::store::sealed::rotate;
use uuid::Uuid;

use crate::support::process::run_to_exit;
use crate::support::{Database, Site};

const SECRET: &[u8] = b"12345678901234567890";

fn secret_place(row: Uuid) -> FieldLocation {
    FieldLocation {
        column: SealedColumn::TotpSecret,
        row,
    }
}

/// Gives every account an authenticator app with this secret.
pub(crate) async fn seal_secret_for_all(site: &Site, secret: &[u8]) {
    let path = &site.app.config.security.encryption_key_file;
    let keys = sealing::read(path).unwrap().unwrap();
    let mut tx = site.app.store.write().await.unwrap();
    let accounts = tx.rows("SELECT id FROM accounts", &[]).await.unwrap();
    for account in accounts.iter().map(|row| row.get(0)) {
        let sealed = sealing::seal(keys.newest(), secret_place(account), secret, &Rng::System);
        let sql =
            "INSERT INTO totp (account_id, secret, created_at, last_step) VALUES ($1, $2, 0, 0)";
        tx.execute(sql, params![account, &sealed]).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn sealed_values(site: &Site) -> Vec<(Uuid, Vec<u8>)> {
    let mut tx = site.app.store.write().await.unwrap();
    let sql = "SELECT account_id, secret FROM totp ORDER BY account_id";
    let rows = tx.rows(sql, &[]).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Seals the secret for this account.
async fn seal(site: &Site, tx: &mut Tx, account: Uuid) -> Vec<u8> {
    let place = secret_place(account);
    site.app.sealing.seal(tx, place, SECRET).await.unwrap()
}

/// Opens every secret with the keys of this node.
async fn open_all(node: &Site) {
    for (account, value) in sealed_values(node).await {
        let place = secret_place(account);
        assert_eq!(*node.app.sealing.open(place, &value).unwrap(), SECRET);
    }
}

/// Opens every secret with the keys of the file.
async fn open_all_with_key_file(site: &Site, db: &Database) {
    let keys = sealing::read(&key_path(db)).unwrap().unwrap();
    for (account, value) in sealed_values(site).await {
        let secret = sealing::open(&keys, secret_place(account), &value).unwrap();
        assert_eq!(*secret, SECRET);
    }
}

fn key_path(db: &Database) -> PathBuf {
    db.folder().join("keys/account.key")
}

async fn site_with_keys(db: &Database) -> Site {
    let path = key_path(db);
    let site = db
        .site_with(|config| config.security.encryption_key_file = path)
        .await;
    site.signed_in("ada").await;
    site.registered("kim").await;
    db.allow_unread_mails();
    seal_secret_for_all(&site, SECRET).await;
    site
}

/// Exit code and last line of a command on the site's database.
fn run_command(db: &Database, words: &[&str]) -> (i32, String) {
    let keys = key_path(db).display().to_string();
    let (code, _, errors) = run_to_exit(db.folder(), words, &command_settings(db, &keys));
    (code, errors.lines().last().unwrap_or_default().to_owned())
}

fn command_settings<'a>(db: &'a Database, keys: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_SECURITY__ENCRYPTION_KEY_FILE", keys),
        ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0"),
        ("ACCOUNT_LOG__LEVEL", "error"),
    ]
}

/// The error of a start, which a change of the settings must solve.
async fn start_error(site: &Site) -> Option<String> {
    let config = site.app.config.clone();
    let built = App::build(config, Clock::System, Rng::System).await;
    built.err().map(|error| {
        assert!(error.is_wrong_setting(), "{error}");
        error.to_string()
    })
}

// security: TF-5
on_both_databases!(a_program_refuses_to_start_on_sealed_rows_without_their_key);
async fn a_program_refuses_to_start_on_sealed_rows_without_their_key(db: Database) {
    let site = site_with_keys(&db).await;
    assert_eq!(start_error(&site).await, None);
    let path = key_path(&db);
    let kept = std::fs::read(&path).unwrap();

    std::fs::remove_file(&path).unwrap();
    for words in [&["serve"][..], &["keys", "rotate"]] {
        let (code, line) = run_command(&db, words);
        assert_eq!(code, 2, "{words:?}: {line}");
        assert!(line.contains("security.encryption_key_file"), "{line}");
    }
    assert!(
        !path.exists(),
        "a new key would hide the loss of the old one"
    );
    sealing::create(&path, &Rng::System).unwrap();
    let wrong = start_error(&site).await.unwrap();
    assert!(wrong.contains("restore that file"), "{wrong}");
    std::fs::write(&path, "no key\n").unwrap();
    let malformed = start_error(&site).await.unwrap();
    assert!(malformed.contains("line 1"), "{malformed}");

    std::fs::write(&path, kept).unwrap();
    assert_eq!(start_error(&site).await, None);
}

on_both_databases!(a_rotation_seals_every_value_under_a_new_key_and_drops_the_old_one);
async fn a_rotation_seals_every_value_under_a_new_key_and_drops_the_old_one(db: Database) {
    let site = site_with_keys(&db).await;
    let path = key_path(&db);
    let old = sealing::read(&path).unwrap().unwrap();
    let before = sealed_values(&site).await;

    let (code, line) = run_command(&db, &["keys", "rotate"]);
    assert_eq!(code, 0, "{line}");
    assert!(line.contains("2 values"), "{line}");
    assert_eq!(file_mode(&path), 0o600);
    let new = sealing::read(&path).unwrap().unwrap();
    assert!(new.find(old.newest().id()).is_none());
    let after = sealed_values(&site).await;
    assert_eq!(after.len(), before.len());
    for (row, value) in &after {
        let secret = sealing::open(&new, secret_place(*row), value).unwrap();
        assert_eq!(*secret, SECRET);
        assert!(sealing::open(&old, secret_place(*row), value).is_err());
    }
    assert_eq!(start_error(&site).await, None);
}

on_both_databases!(a_rotation_that_fails_half_way_keeps_every_key_and_can_resume);
async fn a_rotation_that_fails_half_way_keeps_every_key_and_can_resume(db: Database) {
    let site = site_with_keys(&db).await;
    let path = key_path(&db);
    let old = sealing::read(&path).unwrap().unwrap();
    let (row, value) = sealed_values(&site).await.pop().unwrap();
    store_value(&site, row, b"damaged").await;
    assert!(rotate(&site.app.store, &path, &Rng::System).await.is_err());
    let both = sealing::read(&path).unwrap().unwrap();
    assert!(both.find(old.newest().id()).is_some());
    assert_eq!(start_error(&site).await, None);

    store_value(&site, row, &value).await;
    rotate(&site.app.store, &path, &Rng::System).await.unwrap();
    let last = sealing::read(&path).unwrap().unwrap();
    assert_eq!(last.newest().id(), both.newest().id());
    assert!(last.find(old.newest().id()).is_none());
    open_all_with_key_file(&site, &db).await;
}

async fn store_value(site: &Site, row: Uuid, value: &[u8]) {
    let mut tx = site.app.store.write().await.unwrap();
    write_value(&mut tx, row, value).await;
    tx.commit().await.unwrap();
}

async fn write_value(tx: &mut Tx, account: Uuid, value: &[u8]) {
    let sql = "UPDATE totp SET secret = $1 WHERE account_id = $2";
    tx.execute(sql, params![value, account]).await.unwrap();
}

fn file_mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}
