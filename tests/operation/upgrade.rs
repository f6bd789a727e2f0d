//! A rolling upgrade: the new release takes over the rows of the old one, which continues to write beside it.

use std::path::Path;

use account::testing::db::Store;
use account::testing::domain::secret::Secret;
use account::testing::outbox::mails;
use account::testing::rng::Rng;
use argon2::password_hash::{PasswordHasher, SaltString};
use serde_json::json;

use crate::support::actors::PASSWORD;
use crate::support::database::Kind;
use crate::support::smtp::Smtp;
use crate::support::{Database, Site, form};
use crate::webhooks::{deliver, site_with_receiver};

/// The newest schema version of the previous release. Each release updates it and adds a file of the statements.
const PREVIOUS_VERSION: i64 = 8;
const STATEMENTS: &str = include_str!("../../testdata/upgrade/V0008.sql");

/// The person that [`STATEMENTS`] create.
struct Olga {
    session: Secret,
    device: Secret,
    token: Secret,
}

impl Olga {
    fn new() -> Olga {
        let secret = || Secret::generate(&Rng::System);
        Olga {
            session: secret(),
            device: secret(),
            token: secret(),
        }
    }

    /// The statements in the dialect of the database.
    fn statements(&self, kind: Kind, now: i64) -> Vec<String> {
        let salt = SaltString::encode_b64(b"salt of the test").unwrap();
        let cheap = argon2::Params::new(64, 1, 1, None).unwrap();
        let argon2 =
            argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, cheap);
        let hash = argon2.hash_password(PASSWORD.as_bytes(), &salt).unwrap();
        let mut sql: String = STATEMENTS
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
        browser.set_cookie("session", self.session.expose());
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

/// Resets the database to the empty schema of the previous release.
async fn create_previous_release(db: &Database) {
    let store = db.migrated().await;
    let history = "SELECT CAST(version AS TEXT), name, applied_on, checksum
        FROM refinery_schema_history ORDER BY version";
    let rows = store
        .read()
        .await
        .unwrap()
        .rows(history, &[])
        .await
        .unwrap();
    drop(store);
    let folder = match db.kind() {
        Kind::Sqlite => "sqlite",
        Kind::Postgres => "postgres",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("migrations")
        .join(folder);
    let mut script = "CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY,
        name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255));"
        .to_owned();
    for row in rows {
        let [version, name, at, checksum] = [0, 1, 2, 3].map(|at| row.get::<String>(at));
        let number: i64 = version.parse().unwrap();
        if number <= PREVIOUS_VERSION {
            let file = folder.join(format!("V{number:04}__{name}.sql"));
            script += &std::fs::read_to_string(file).unwrap();
            script += &format!(
                ";INSERT INTO refinery_schema_history VALUES ({version}, '{name}', '{at}', '{checksum}');"
            );
        }
    }
    db.replace_schema(&script).await;
}

on_both_databases!(the_new_release_reads_the_data_of_the_previous_one);
async fn the_new_release_reads_the_data_of_the_previous_one(db: Database) {
    create_previous_release(&db).await;
    let olga = Olga::new();
    let now = crate::support::site::NOON;
    db.run_script(&olga.statements(db.kind(), now).join(";"))
        .await;
    let site = db.site().await;
    olga.assert_served_by(&site).await;
    let sql = "SELECT COUNT(*) FROM consents JOIN accounts ON accounts.id = account_id
               WHERE consent = marketing_consent AND at = marketing_consent_at
                 AND text_version = 0 AND consents.language IS NULL";
    assert_eq!(site.rows(sql, &[]).await[0].get::<i64>(0), 1);
}

on_both_databases!(the_previous_release_keeps_writing_while_the_new_one_runs);
// security: MN-7
async fn the_previous_release_keeps_writing_while_the_new_one_runs(db: Database) {
    let site = db.site().await;
    let olga = Olga::new();
    execute(&site.app.store, &olga.statements(db.kind(), site.now())).await;
    olga.assert_served_by(&site).await;
}

#[test]
fn new_migrations_drop_and_rename_nothing() {
    for database in ["sqlite", "postgres"] {
        let folder = format!("{}/migrations/{database}", env!("CARGO_MANIFEST_DIR"));
        let mut checked = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.as_str() < "V0009" {
                continue;
            }
            checked += 1;
            let sql = std::fs::read_to_string(&path).unwrap();
            let lines = sql.lines().map(|line| line.split("--").next().unwrap());
            let sql = lines.collect::<Vec<_>>().join("\n").to_uppercase();
            for statement in sql.split(';') {
                for forbidden in ["DROP TABLE", "DROP COLUMN", "RENAME", "ALTER COLUMN"] {
                    assert!(!statement.contains(forbidden), "{name}: {statement}");
                }
                let adds = statement.contains("ADD COLUMN") && statement.contains("NOT NULL");
                assert!(
                    !adds || statement.contains("DEFAULT"),
                    "{name}: {statement}"
                );
            }
        }
        assert!(checked > 0);
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
    assert_eq!(mails::drain(&site.app).await.unwrap(), 2);
    assert_eq!(mails::drain(&site.app).await.unwrap(), 0, "not due");
    let waiting = "outbox WHERE failed_at IS NULL AND attempts = 0 AND deferred_since IS NULL";
    assert_eq!(site.count(waiting).await, 2);
    site.advance("1m");
    // A node of the newer release knows the kind.
    let known = "UPDATE outbox SET kind = 'verify_email' WHERE recipient = 'ada@example.org'";
    db.run_script(known).await;
    assert_eq!(mails::drain(&site.app).await.unwrap(), 2);
    let received: Vec<_> = smtp
        .received()
        .into_iter()
        .flat_map(|mail| mail.to)
        .collect();
    assert_eq!(received, ["ada@example.org"]);
    site.advance("5d");
    assert_eq!(mails::drain(&site.app).await.unwrap(), 1);
    assert_eq!(site.count("outbox WHERE failed_at IS NOT NULL").await, 1);
}

on_both_databases!(captured_mails_of_a_newer_release_wait_for_its_nodes);
async fn captured_mails_of_a_newer_release_wait_for_its_nodes(db: Database) {
    let site = db.site().await;
    assert_status!(site.browser().post("/register", &form("ada")), 201);
    db.run_script("UPDATE outbox SET kind = 'of_a_newer_release'")
        .await;
    assert_eq!(mails::drain(&site.app).await.unwrap(), 1);
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
