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
use account::testing::sealing::{self, FieldLocation, Keys, SealedColumn};
use account::testing::store::sealed::rotate;
use uuid::Uuid;

use crate::prelude::*;

on_both_databases!(
    a_program_refuses_to_start_on_sealed_rows_without_their_key,
    a_rotation_seals_every_value_under_a_new_key_and_drops_the_old_one,
    a_rotation_that_fails_half_way_keeps_every_key_and_can_resume
);

const SECRET: &[u8] = b"12345678901234567890";

fn secret_place(row: Uuid) -> FieldLocation {
    FieldLocation {
        column: SealedColumn::TotpSecret,
        row,
    }
}

/// Gives every account an authenticator app with this secret.
pub async fn seal_secret_for_all(site: &Site, secret: &[u8]) {
    let keys = read_keys(&site.app.config.security.encryption_key_file);
    for account in site.column::<Uuid>("SELECT id FROM accounts").await {
        let sealed = sealing::seal(keys.newest(), secret_place(account), secret, &Rng::System);
        let sql =
            "INSERT INTO totp (account_id, secret, created_at, last_step) VALUES ($1, $2, 0, 0)";
        site.execute(sql, params![account, &sealed]).await;
    }
}

async fn sealed_values(site: &Site) -> Vec<(Uuid, Vec<u8>)> {
    let sql = "SELECT account_id, secret FROM totp ORDER BY account_id";
    let rows = site.rows(sql, &[]).await;
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

fn read_keys(path: &Path) -> Keys {
    sealing::read(path).unwrap().unwrap()
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
    let keys = read_keys(&key_path(db));
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

/// Runs a command that succeeds on the site's database. Returns its last line.
fn run_command(db: &Database, arguments: &str) -> String {
    let keys = key_path(db).display().to_string();
    let (_, said) = run_to_success(db.folder(), arguments, &command_settings(db, &keys));
    said.lines().last().unwrap_or_default().to_owned()
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
async fn a_program_refuses_to_start_on_sealed_rows_without_their_key(db: Database) {
    let site = site_with_keys(&db).await;
    assert_eq!(start_error(&site).await, None);
    let path = key_path(&db);
    let kept = std::fs::read(&path).unwrap();

    std::fs::remove_file(&path).unwrap();
    let keys = path.display().to_string();
    for command in ["serve", "keys rotate"] {
        let (code, _, errors) = run_to_exit(db.folder(), command, &command_settings(&db, &keys));
        assert_eq!(code, 2, "{command}: {errors}");
        assert_contains!(
            errors.lines().last().unwrap(),
            "security.encryption_key_file"
        );
    }
    assert!(
        !path.exists(),
        "a new key would hide the loss of the old one"
    );
    sealing::create(&path, &Rng::System).unwrap();
    let wrong = start_error(&site).await.unwrap();
    assert_contains!(wrong, "restore that file");
    std::fs::write(&path, "no key\n").unwrap();
    let malformed = start_error(&site).await.unwrap();
    assert_contains!(malformed, "line 1");

    std::fs::write(&path, kept).unwrap();
    assert_eq!(start_error(&site).await, None);
}

async fn a_rotation_seals_every_value_under_a_new_key_and_drops_the_old_one(db: Database) {
    let site = site_with_keys(&db).await;
    let path = key_path(&db);
    let old = read_keys(&path);
    let before = sealed_values(&site).await;

    assert_contains!(run_command(&db, "keys rotate"), "2 values");
    assert_eq!(file_mode(&path), 0o600);
    let new = read_keys(&path);
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

async fn a_rotation_that_fails_half_way_keeps_every_key_and_can_resume(db: Database) {
    let site = site_with_keys(&db).await;
    let path = key_path(&db);
    let old = read_keys(&path);
    let (row, value) = sealed_values(&site).await.pop().unwrap();
    store_value(&site, row, b"damaged").await;
    assert!(rotate(&site.app.store, &path, &Rng::System).await.is_err());
    let both = read_keys(&path);
    assert!(both.find(old.newest().id()).is_some());
    assert_eq!(start_error(&site).await, None);

    store_value(&site, row, &value).await;
    rotate(&site.app.store, &path, &Rng::System).await.unwrap();
    let last = read_keys(&path);
    assert_eq!(last.newest().id(), both.newest().id());
    assert!(last.find(old.newest().id()).is_none());
    open_all_with_key_file(&site, &db).await;
}

const STORE_VALUE: &str = "UPDATE totp SET secret = $1 WHERE account_id = $2";

async fn store_value(site: &Site, row: Uuid, value: &[u8]) {
    site.execute(STORE_VALUE, params![value, row]).await;
}

fn file_mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}
