//! A rolling upgrade: the new release takes over the rows of the old one, which continues to write beside it.

use account::testing::db::Store;
use account::testing::domain::secret::Secret;
use account::testing::domain::session_id::SessionId;
use account::testing::rng::Rng;
use argon2::PasswordHasher;
use refinery::Migration;

use crate::outbox::{register, run_mail_worker};
use crate::prelude::*;
use crate::support::database::{self, Kind};
use crate::support::process::run_account;
use crate::support::site::NOON;
use crate::support::smtp::Smtp;
use crate::webhooks::{deliver, site_with_receiver};

on_both_databases!(
    a_database_of_the_previous_release_is_upgraded,
    rows_of_the_previous_release_survive_the_next_migration,
    acts_that_wait_in_release_1_0_wait_after_the_upgrade,
    the_previous_release_keeps_writing_after_the_next_migration,
    a_failed_or_changed_migration_leaves_the_schema_unchanged,
    mails_of_a_newer_release_wait_for_its_nodes,
    captured_mails_of_a_newer_release_wait_for_its_nodes,
    deliveries_of_a_newer_release_wait_for_its_nodes
);
on_sqlite!(the_command_sqlite3_changes_an_upgraded_database);

/// The statements of the previous release. Each release with a migration adds a file of its own.
const STATEMENTS: &str = include_str!("../../testdata/upgrade/V0001.sql");
/// The migration of the previous release.
const PREVIOUS_MIGRATION: &str = "V0001__init";

/// The version of this release's newest migration.
pub fn newest_version() -> usize {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
    std::fs::read_dir(folder).unwrap().count()
}

/// A migration of an invented release that follows this one.
pub fn later_migration() -> Migration {
    let sql = "ALTER TABLE accounts ADD COLUMN nickname TEXT;
        ALTER TABLE sessions ADD COLUMN place TEXT NOT NULL DEFAULT 'somewhere';
        CREATE INDEX IF NOT EXISTS accounts_nickname ON accounts (nickname);\n";
    Migration::unapplied(&format!("V{}__invented", newest_version() + 1), sql).unwrap()
}

/// Replaces the database by one with the tables of release 1.0 and these rows.
async fn make_previous(db: &Database, rows: Vec<String>) {
    let (folder, number) = match db.kind() {
        Kind::Sqlite => ("sqlite", "int4"),
        Kind::Postgres => ("postgres", "INTEGER"),
    };
    let folder = format!("{}/migrations/{folder}", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(format!("{folder}/{PREVIOUS_MIGRATION}.sql")).unwrap();
    let migration = Migration::unapplied(PREVIOUS_MIGRATION, &schema).unwrap();
    let (checksum, rows) = (migration.checksum(), rows.join(";"));
    db.replace_schema(&format!(
        "{schema}
         CREATE TABLE refinery_schema_history (version {number} PRIMARY KEY, name VARCHAR(255),
           applied_on VARCHAR(255), checksum VARCHAR(255));
         INSERT INTO refinery_schema_history VALUES (1, 'init', '2026-11-20T12:00:00Z', '{checksum}');
         {rows}"
    ))
    .await;
}

/// Migrates the database like a later release.
async fn migrate_further(db: &Database, later: &[Migration]) -> Result<(), String> {
    let opened = Store::open_with(&database::settings(db.url()), later).await;
    opened.map(|_| ()).map_err(|error| error.to_string())
}

/// The person that [`STATEMENTS`] create.
struct Olga {
    session: SessionId,
    device: Secret,
    token: Secret,
}

impl Olga {
    fn new() -> Olga {
        let secret = || Secret::generate(&Rng::System);
        let account = uuid::uuid!("0190a0a0-0000-7000-8000-000000000001");
        Olga {
            session: SessionId::new(account, secret()),
            device: secret(),
            token: secret(),
        }
    }

    /// The rows of the person.
    fn statements(&self, kind: Kind) -> Vec<String> {
        self.fill_in(STATEMENTS, kind)
    }

    /// The statements in the dialect of the database.
    fn fill_in(&self, statements: &str, kind: Kind) -> Vec<String> {
        let cheap = argon2::Params::new(64, 1, 1, None).unwrap();
        let argon2 =
            argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, cheap);
        let hash = argon2
            .hash_password_with_salt(PASSWORD.as_bytes(), b"salt of the test")
            .unwrap();
        let lines = statements.lines().filter(|line| !line.starts_with("--"));
        let mut sql = lines.collect::<Vec<_>>().join(
            "
",
        );
        for (name, value) in [
            ("$password_hash", hash.to_string()),
            ("$session_hash", hex(&self.session.hash())),
            ("$device_hash", hex(&self.device.hash())),
            ("$token_hash", hex(&self.token.hash())),
            ("$now", NOON.to_string()),
            ("$later", (NOON + 3_600_000).to_string()),
        ] {
            sql = sql.replace(name, &value);
        }
        let (id, bytes) = match kind {
            Kind::Sqlite => ("X'", "X'"),
            Kind::Postgres => ("UUID '", "BYTEA '\\x"),
        };
        let sql = replace_literals(&replace_literals(&sql, "id('", id), "bytes('", bytes);
        let statements = sql.split(';').filter(|one| !one.trim().is_empty());
        statements.map(str::to_owned).collect()
    }

    /// Asserts that the new release accepts every row of the old one.
    async fn assert_served_by(&self, site: &Site) {
        let browser = site.browser();
        browser.set_cookie("session", &self.session.expose());
        browser.set_cookie("device", self.device.expose());
        let me = assert_status!(browser.get("/users/me"), 200);
        assert_eq!(me.json()["username"], "Olga");
        // A session of the old release has no authentication method, so its assurance level is 1.
        assert_eq!(browser.get("/security").await.json()["aal"], 1);
        assert_status!(browser.get("/activity"), 200);
        assert_eq!(
            browser.get("/devices").await.json()["devices"][0]["current"],
            true
        );
        assert_status!(browser.try_sign_in("olga@example.org", PASSWORD), 200);
        let mail = site.mail_to("Olga@example.org").await;
        mail.assert_subject_contains("password was changed");
        let reset = json!({"token": self.token.expose(), "new_password": "Orange-Tree-43",
            "confirm_password": "Orange-Tree-43"});
        assert_status!(browser.post("/reset-password/confirm", &reset), 200);
        site.mails().await;
        let old = json!({"email": "old@example.org"});
        assert_status!(site.browser().post("/migration", &old), 200);
        site.mail_to("old@example.org").await;
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces `name('…')` by a literal of the database. UUID literals of SQLite have no hyphens.
fn replace_literals(sql: &str, name: &str, literal: &str) -> String {
    let mut parts = sql.split(name);
    let mut written = parts.next().unwrap().to_owned();
    for part in parts {
        let (value, rest) = part.split_once("')").unwrap();
        written.push_str(literal);
        written.push_str(&match literal {
            "X'" => value.replace('-', ""),
            _ => value.to_owned(),
        });
        written.push('\'');
        written.push_str(rest);
    }
    written
}

async fn a_database_of_the_previous_release_is_upgraded(db: Database) {
    let olga = Olga::new();
    make_previous(&db, olga.statements(db.kind())).await;
    let (code, text, _) = run_account(&db, "migrate --status");
    let states: Vec<_> = text.lines().map(|line| line.rsplit(' ').next()).collect();
    let pending = vec![Some("pending"); newest_version() - 1];
    assert_eq!(
        (code, states),
        (1, [vec![Some("applied")], pending].concat())
    );
    let (first, second) = tokio::join!(db.site(), db.site());
    drop(second);
    assert_eq!(run_account(&db, "migrate --status").0, 0);
    olga.assert_served_by(&first).await;
}

/// The SQLite of the command may lack functions of the program's SQLite, which a schema must then not use.
async fn the_command_sqlite3_changes_an_upgraded_database(db: Database) {
    make_previous(&db, Olga::new().statements(db.kind())).await;
    drop(db.migrated().await);
    let sql = "UPDATE accounts SET language = 'de'; UPDATE legacy_accounts SET language = 'de';
               VACUUM; PRAGMA integrity_check; SELECT language FROM accounts;";
    let file = db.folder().join("account.db");
    let ran = std::process::Command::new("sqlite3")
        .arg(file)
        .arg(sql)
        .output()
        .unwrap();
    let texts = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text));
    assert_eq!(texts, ["ok\nde\n", ""]);
}

async fn rows_of_the_previous_release_survive_the_next_migration(db: Database) {
    let olga = Olga::new();
    drop(db.migrated().await);
    let statements = olga.statements(db.kind());
    db.run_script(&statements.join(";")).await;
    migrate_further(&db, &[later_migration()]).await.unwrap();
    let sql = "UPDATE refinery_schema_history SET applied_on = '2026-11-21T11:00:00Z'";
    db.run_script(sql).await;
    let site = db.site().await;
    site.assert_count("sessions WHERE place = 'somewhere'", 1)
        .await;
    olga.assert_served_by(&site).await;
}

/// The statements that leave an act of each kind waiting in the schema of release 1.0.
const WAITING_ACTS: &str = include_str!("../../testdata/upgrade/V0001_waiting_acts.sql");

async fn acts_that_wait_in_release_1_0_wait_after_the_upgrade(db: Database) {
    let olga = Olga::new();
    let mut statements = olga.statements(db.kind());
    statements.extend(olga.fill_in(WAITING_ACTS, db.kind()));
    make_previous(&db, statements).await;
    let site = db.allow_unread_mails().site().await;

    let sql = "SELECT act, number, requested_at, due_at, ends_at, email FROM pending_acts
               ORDER BY act";
    let acts = site.rows(sql, &[]).await;
    let acts = acts.iter().map(|row| {
        let (act, email) = (row.get::<String>(0), row.get::<Option<String>>(5));
        let times = [1, 2, 3].map(|at| row.get::<i64>(at));
        json!([act, times, row.get::<Option<i64>>(4), email])
    });
    let (now, later) = (NOON, NOON + 3_600_000);
    let announced = later - 60 * 86_400_000;
    assert_eq!(
        json!(acts.collect::<Vec<_>>()),
        json!([
            ["deletion", [now - 5, now - 5, later], null, null],
            [
                "email_change",
                [now - 3, now - 3, now - 3],
                later,
                "new@example.org"
            ],
            ["factor_reset", [now + 7, now + 7, later], later, null],
            ["inactivity", [announced, announced, later], null, null],
        ])
    );
    let sql = "SELECT change_number FROM accounts";
    assert_eq!(site.value::<i64>(sql).await, now + 7);
    let sql = "SELECT change_number FROM former_emails ORDER BY email_hash";
    let numbers = site.column::<Option<i64>>(sql).await;
    assert_eq!(numbers, [Some(now + 100_000), None, None]);
    for nothing in [
        "accounts WHERE deletion_due_at IS NOT NULL OR inactive_due_at IS NOT NULL",
        "second_factor_resets",
        "tokens WHERE change_number IS NULL OR requested_at IS NULL",
        "outbox WHERE change_number IS NULL",
        "tokens WHERE purpose = 'email_change'",
    ] {
        site.assert_count(nothing, 0).await;
    }
    let browser = site.browser();
    let refused = browser.try_sign_in("olga@example.org", PASSWORD).await;
    assert_eq!(refused.json()["code"], "deletion_pending");
}

// security: MN-7
async fn the_previous_release_keeps_writing_after_the_next_migration(db: Database) {
    let site = db.site().await;
    migrate_further(&db, &[later_migration()]).await.unwrap();
    let olga = Olga::new();
    let statements = olga.statements(db.kind());
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    site.execute_all(&statements).await;
    olga.assert_served_by(&site).await;
}

async fn a_failed_or_changed_migration_leaves_the_schema_unchanged(db: Database) {
    drop(db.migrated().await);
    let next = newest_version() + 1;
    let invented = |version: usize, name: &str, sql: &str| {
        Migration::unapplied(&format!("V{version}__{name}"), sql).unwrap()
    };
    let missing = "ALTER TABLE missing ADD COLUMN place TEXT;\n";
    let broken = invented(next + 1, "broken", missing);
    let failed = migrate_further(&db, &[later_migration(), broken]).await;
    assert!(failed.unwrap_err().contains("missing"));
    // Both migrations are one transaction, so the first of them can be applied again.
    migrate_further(&db, &[later_migration()]).await.unwrap();
    migrate_further(&db, &[later_migration()]).await.unwrap();
    let changed = invented(next, "invented", "CREATE TABLE badges (name TEXT);\n");
    let refused = migrate_further(&db, &[changed]).await.unwrap_err();
    assert_contains!(refused, "a released migration was changed");
    let refused = migrate_further(&db, &[]).await.unwrap_err();
    let newer = format!("newer schema (V{next})");
    assert_contains!(refused, &newer);
}

/// Returns the statement of a migration that breaks the previous release, which runs beside the new one, or that fails
/// if an operator has created an index in advance.
fn breaking_statement(sql: &str) -> Option<String> {
    let lines = sql.lines().map(|line| line.split("--").next().unwrap());
    let sql = lines.collect::<Vec<_>>().join("\n").to_uppercase();
    let breaks = |statement: &&str| {
        let has = |text: &str| statement.contains(text);
        let removes = ["DROP TABLE", "DROP COLUMN", "RENAME", "ALTER COLUMN"];
        removes.into_iter().any(has)
            || has("ADD COLUMN") && has("NOT NULL") && !has("DEFAULT")
            || has("CREATE") && has("INDEX") && !has("IF NOT EXISTS")
    };
    sql.split(';').find(breaks).map(str::to_owned)
}

#[test]
fn later_migrations_only_add() {
    for database in ["sqlite", "postgres"] {
        let folder = format!("{}/migrations/{database}", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.as_str() >= "V0002" {
                let sql = std::fs::read_to_string(&path).unwrap();
                assert_eq!(breaking_statement(&sql), None, "{name}");
            }
        }
    }
    assert_eq!(breaking_statement(later_migration().sql().unwrap()), None);
    for breaking in [
        "SELECT 1; DROP TABLE devices;",
        "ALTER TABLE devices RENAME TO browsers;",
        "ALTER TABLE devices ADD COLUMN place TEXT NOT NULL;",
        "CREATE UNIQUE INDEX devices_place ON devices (place);",
    ] {
        assert!(breaking_statement(breaking).is_some(), "{breaking}");
    }
}

async fn mails_of_a_newer_release_wait_for_its_nodes(db: Database) {
    db.allow_unread_mails();
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    for name in ["ada", "bob"] {
        register(&site, name).await;
    }
    db.run_script("UPDATE outbox SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(run_mail_worker(&site).await, 2);
    assert_eq!(run_mail_worker(&site).await, 0, "not due");
    let waiting = "outbox WHERE failed_at IS NULL AND attempts = 0 AND deferred_since IS NULL";
    site.assert_count(waiting, 2).await;
    site.advance("1m");
    // A node of the newer release knows the kind.
    let known = "UPDATE outbox SET kind = 'verify_email' WHERE recipient = 'ada@example.org'";
    db.run_script(known).await;
    assert_eq!(run_mail_worker(&site).await, 2);
    assert_eq!(smtp.recipients(), ["ada@example.org"]);
    site.advance("5d");
    assert_eq!(run_mail_worker(&site).await, 1);
    site.assert_count("outbox WHERE failed_at IS NOT NULL", 1)
        .await;
}

async fn captured_mails_of_a_newer_release_wait_for_its_nodes(db: Database) {
    let site = db.site().await;
    register(&site, "ada").await;
    db.run_script("UPDATE outbox SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(run_mail_worker(&site).await, 1);
    site.assert_count("outbox WHERE failed_at IS NULL", 1).await;
    site.advance("1m");
    db.run_script("UPDATE outbox SET kind = 'verify_email'")
        .await;
    site.mail_to("ada@example.org").await;
}

async fn deliveries_of_a_newer_release_wait_for_its_nodes(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    register(&site, "ada").await;
    db.run_script("UPDATE deliveries SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(deliver(&site).await, 0, "not due");
    site.assert_count("deliveries WHERE attempts = 0", 1).await;
    site.advance("1m");
    db.run_script("UPDATE deliveries SET kind = 'webhook'")
        .await;
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(receiver.event_types(), ["account.created"]);
    site.assert_count("deliveries", 0).await;
}
