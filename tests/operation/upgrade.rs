//! A rolling upgrade: the new release takes over the rows of the old one, which continues to write beside it.

use account::testing::db::Store;
use account::testing::domain::secret::Secret;
use account::testing::domain::session_id::SessionId;
use account::testing::outbox::queues;
use account::testing::rng::Rng;
use argon2::PasswordHasher;
use refinery::Migration;
use serde_json::json;

use crate::support::actors::PASSWORD;
use crate::support::database::{self, Kind};
use crate::support::process::run_account;
use crate::support::smtp::Smtp;
use crate::support::{Database, Site, form};
use crate::webhooks::{deliver, site_with_receiver};

/// The statements of the previous release. Each release with a migration adds a file of its own.
const STATEMENTS: &str = include_str!("../../testdata/upgrade/V0001.sql");
/// The migration of the previous release.
const PREVIOUS_MIGRATION: &str = "V0001__init";

/// The version of this release's newest migration.
pub(crate) fn newest_version() -> usize {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
    std::fs::read_dir(folder).unwrap().count()
}

/// A migration of an invented release that follows this one.
pub(super) fn later_migration() -> Migration {
    let sql = "ALTER TABLE accounts ADD COLUMN nickname TEXT;
        ALTER TABLE sessions ADD COLUMN place TEXT NOT NULL DEFAULT 'somewhere';
        CREATE INDEX IF NOT EXISTS accounts_nickname ON accounts (nickname);\n";
    Migration::unapplied(&format!("V{}__invented", newest_version() + 1), sql).unwrap()
}

/// Replaces the database by one that the previous release has made, in which Olga has an account.
async fn make_previous(db: &Database, olga: &Olga) {
    let (folder, number) = match db.kind() {
        Kind::Sqlite => ("sqlite", "int4"),
        Kind::Postgres => ("postgres", "INTEGER"),
    };
    let folder = format!("{}/migrations/{folder}", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(format!("{folder}/{PREVIOUS_MIGRATION}.sql")).unwrap();
    let migration = Migration::unapplied(PREVIOUS_MIGRATION, &schema).unwrap();
    let (checksum, now) = (migration.checksum(), crate::support::site::NOON);
    let rows = olga.statements(db.kind(), now).join(";");
    db.replace_schema(&format!(
        "{schema}
         CREATE TABLE refinery_schema_history (version {number} PRIMARY KEY, name VARCHAR(255),
           applied_on VARCHAR(255), checksum VARCHAR(255));
         INSERT INTO refinery_schema_history VALUES (1, 'init', '2026-11-26T12:00:00Z', '{checksum}');
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

    fn statements(&self, kind: Kind, now: i64) -> Vec<String> {
        self.fill_in(STATEMENTS, kind, now)
    }

    /// The statements in the dialect of the database.
    fn fill_in(&self, statements: &str, kind: Kind, now: i64) -> Vec<String> {
        let cheap = argon2::Params::new(64, 1, 1, None).unwrap();
        let argon2 =
            argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, cheap);
        let hash = argon2
            .hash_password_with_salt(PASSWORD.as_bytes(), b"salt of the test")
            .unwrap();
        let mut sql: String = statements
            .lines()
            .filter(|line| !line.starts_with("--"))
            .collect::<Vec<_>>()
            .join("\n");
        for (name, value) in [
            ("$password_hash", hash.to_string()),
            ("$session_hash", hex(&self.session.hash())),
            ("$device_hash", hex(&self.device.hash())),
            ("$token_hash", hex(&self.token.hash())),
            ("$now", now.to_string()),
            ("$later", (now + 3_600_000).to_string()),
        ] {
            sql = sql.replace(name, &value);
        }
        let (id, bytes) = match kind {
            Kind::Sqlite => ("X'", "X'"),
            Kind::Postgres => ("UUID '", "BYTEA '\\x"),
        };
        sql.split(';')
            .map(|statement| {
                replace_literals(&replace_literals(statement, "id('", id), "bytes('", bytes)
            })
            .filter(|statement| !statement.trim().is_empty())
            .collect()
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
        assert!(browser.get("/activity").await.status == 200);
        assert_eq!(
            browser.get("/devices").await.json()["devices"][0]["current"],
            true
        );
        let credentials = json!({"email": "olga@example.org", "password": PASSWORD});
        assert_eq!(browser.post("/login", &credentials).await.status, 200);
        let mail = site.mail_to("Olga@example.org").await;
        mail.assert_subject_contains("password was changed");
        let reset = json!({"token": self.token.expose(), "new_password": "Orange-Tree-43",
            "confirm_password": "Orange-Tree-43"});
        assert_status!(browser.post("/reset-password/confirm", &reset), 200);
        site.mails().await;
        let old = json!({"email": "old@example.org"});
        assert_eq!(site.browser().post("/migration", &old).await.status, 200);
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

async fn execute(store: &Store, statements: &[String]) {
    let mut tx = store.write().await.unwrap();
    for sql in statements {
        let done = tx.execute(sql, &[]).await;
        done.unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
    tx.commit().await.unwrap();
}

on_both_databases!(a_database_of_the_previous_release_is_upgraded);
async fn a_database_of_the_previous_release_is_upgraded(db: Database) {
    let olga = Olga::new();
    make_previous(&db, &olga).await;
    let (code, text, _) = run_account(&db, &["migrate", "--status"]);
    let states: Vec<_> = text.lines().map(|line| line.rsplit(' ').next()).collect();
    let pending = vec![Some("pending"); newest_version() - 1];
    assert_eq!(
        (code, states),
        (1, [vec![Some("applied")], pending].concat())
    );
    let (first, second) = tokio::join!(db.site(), db.site());
    drop(second);
    assert_eq!(run_account(&db, &["migrate", "--status"]).0, 0);
    olga.assert_served_by(&first).await;
}

on_sqlite!(the_command_sqlite3_changes_an_upgraded_database);
/// The SQLite of the command may lack functions of the program's SQLite, which a schema must then not use.
async fn the_command_sqlite3_changes_an_upgraded_database(db: Database) {
    make_previous(&db, &Olga::new()).await;
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

on_both_databases!(rows_of_the_previous_release_survive_the_next_migration);
async fn rows_of_the_previous_release_survive_the_next_migration(db: Database) {
    let olga = Olga::new();
    drop(db.migrated().await);
    let now = crate::support::site::NOON;
    let statements = olga.statements(db.kind(), now).join(";");
    db.run_script(&statements).await;
    migrate_further(&db, &[later_migration()]).await.unwrap();
    let sql = "UPDATE refinery_schema_history SET applied_on = '2026-11-21T11:00:00Z'";
    db.run_script(sql).await;
    let site = db.site().await;
    assert_eq!(site.count("sessions WHERE place = 'somewhere'").await, 1);
    olga.assert_served_by(&site).await;
}

/// The statements that leave an act of each kind waiting in the schema of release 1.0.
const WAITING_ACTS: &str = include_str!("../../testdata/upgrade/V0001_waiting_acts.sql");

/// An act that waits: its name, its three times, its end and its email address.
type Act = (String, [i64; 3], Option<i64>, Option<String>);

on_both_databases!(acts_that_wait_in_release_1_0_wait_after_the_upgrade);
async fn acts_that_wait_in_release_1_0_wait_after_the_upgrade(db: Database) {
    let olga = Olga::new();
    let now = crate::support::site::NOON;
    db.replace_schema(&schema_of_release_1_0(db.kind())).await;
    let mut statements = olga.statements(db.kind(), now);
    statements.extend(olga.fill_in(WAITING_ACTS, db.kind(), now));
    db.run_script(&statements.join(";")).await;
    let site = db.allow_unread_mails().site().await;

    let sql =
        "SELECT act, number, requested_at, due_at, ends_at, email FROM pending_acts ORDER BY act";
    let acts: Vec<Act> = (site.rows(sql, &[]).await.iter())
        .map(|row| {
            (
                row.get(0),
                [row.get(1), row.get(2), row.get(3)],
                row.get(4),
                row.get(5),
            )
        })
        .collect();
    let later = now + 3_600_000;
    let announced = later - 60 * 86_400_000;
    let email = Some("new@example.org".to_owned());
    assert_eq!(
        acts,
        [
            ("deletion".to_owned(), [now - 5, now - 5, later], None, None),
            (
                "email_change".to_owned(),
                [now - 3, now - 3, now - 3],
                Some(later),
                email
            ),
            (
                "factor_reset".to_owned(),
                [now + 7, now + 7, later],
                Some(later),
                None
            ),
            (
                "inactivity".to_owned(),
                [announced, announced, later],
                None,
                None
            ),
        ]
    );
    let sql = "SELECT change_number FROM accounts";
    assert_eq!(site.rows(sql, &[]).await[0].get::<i64>(0), now + 7);
    let sql = "SELECT change_number FROM former_emails ORDER BY email_hash";
    let numbers = site.rows(sql, &[]).await;
    let numbers: Vec<Option<i64>> = numbers.iter().map(|row| row.get(0)).collect();
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
    let credentials = json!({"email": "olga@example.org", "password": PASSWORD});
    let refused = site.browser().post("/login", &credentials).await;
    assert_eq!(refused.json()["code"], "deletion_pending");
}

/// The tables of release 1.0, with the history of its migration.
fn schema_of_release_1_0(kind: Kind) -> String {
    let (folder, number) = match kind {
        Kind::Sqlite => ("sqlite", "int4"),
        Kind::Postgres => ("postgres", "INTEGER"),
    };
    let file = format!(
        "{}/migrations/{folder}/V0001__init.sql",
        env!("CARGO_MANIFEST_DIR")
    );
    let tables = std::fs::read_to_string(file).unwrap();
    let checksum = Migration::unapplied("V0001__init", &tables)
        .unwrap()
        .checksum();
    format!(
        "{tables}
         CREATE TABLE refinery_schema_history (version {number} PRIMARY KEY, name VARCHAR(255),
           applied_on VARCHAR(255), checksum VARCHAR(255));
         INSERT INTO refinery_schema_history
           VALUES (1, 'init', '2026-11-20T12:00:00Z', '{checksum}');"
    )
}

on_both_databases!(the_previous_release_keeps_writing_after_the_next_migration);
// security: MN-7
async fn the_previous_release_keeps_writing_after_the_next_migration(db: Database) {
    let site = db.site().await;
    migrate_further(&db, &[later_migration()]).await.unwrap();
    let olga = Olga::new();
    execute(&site.app.store, &olga.statements(db.kind(), site.now())).await;
    olga.assert_served_by(&site).await;
}

on_both_databases!(a_failed_or_changed_migration_leaves_the_schema_unchanged);
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
    assert!(
        refused.contains("a released migration was changed"),
        "{refused}"
    );
    let refused = migrate_further(&db, &[]).await.unwrap_err();
    let newer = format!("newer schema (V{next})");
    assert!(refused.contains(&newer), "{refused}");
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

on_both_databases!(mails_of_a_newer_release_wait_for_its_nodes);
async fn mails_of_a_newer_release_wait_for_its_nodes(db: Database) {
    db.allow_unread_mails();
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    for name in ["ada", "bob"] {
        assert_status!(site.browser().post("/register", &form(name)), 201);
    }
    db.run_script("UPDATE outbox SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 2);
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 0, "not due");
    let waiting = "outbox WHERE failed_at IS NULL AND attempts = 0 AND deferred_since IS NULL";
    assert_eq!(site.count(waiting).await, 2);
    site.advance("1m");
    // A node of the newer release knows the kind.
    let known = "UPDATE outbox SET kind = 'verify_email' WHERE recipient = 'ada@example.org'";
    db.run_script(known).await;
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 2);
    assert_eq!(smtp.recipients(), ["ada@example.org"]);
    site.advance("5d");
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 1);
    assert_eq!(site.count("outbox WHERE failed_at IS NOT NULL").await, 1);
}

on_both_databases!(captured_mails_of_a_newer_release_wait_for_its_nodes);
async fn captured_mails_of_a_newer_release_wait_for_its_nodes(db: Database) {
    let site = db.site().await;
    assert_status!(site.browser().post("/register", &form("ada")), 201);
    db.run_script("UPDATE outbox SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 1);
    assert_eq!(site.count("outbox WHERE failed_at IS NULL").await, 1);
    site.advance("1m");
    db.run_script("UPDATE outbox SET kind = 'verify_email'")
        .await;
    site.mail_to("ada@example.org").await;
}

on_both_databases!(deliveries_of_a_newer_release_wait_for_its_nodes);
async fn deliveries_of_a_newer_release_wait_for_its_nodes(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    assert_status!(site.browser().post("/register", &form("ada")), 201);
    db.run_script("UPDATE deliveries SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(deliver(&site).await, 0, "not due");
    assert_eq!(site.count("deliveries WHERE attempts = 0").await, 1);
    site.advance("1m");
    db.run_script("UPDATE deliveries SET kind = 'webhook'")
        .await;
    assert_eq!(deliver(&site).await, 1);
    assert_eq!(receiver.event_types(), ["account.created"]);
    assert_eq!(site.count("deliveries").await, 0);
}
