//! A separate database for each test: a file in a temporary folder, or a schema of the server in
//! `ACCOUNT_TEST_POSTGRES_URL` (`schema.rs`).

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use account::config::{Config, NewDevice};
use account::testing::db::Store;
use uuid::Uuid;

use super::Site;
use super::actors::Person;
use super::fixture::Fixture;
use super::schema::{Schema, run_folder, server, server_url};
use super::site::World;
use super::smtp::Smtp;

/// Makes a test of one `async fn name(fixture)` on each of these databases: `name::sqlite`, `name::postgres`.
/// A file lists its tests at its top.
macro_rules! on_databases {
    ($name:ident, $($database:ident: $kind:ident),*) => {
        mod $name {
            use crate::support::database::{Kind, run};

            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $database() {
                run(Kind::$kind, super::$name).await;
            })*
        }
    };
}

macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        $(on_databases!($name, sqlite: Sqlite, postgres: Postgres);)+
    };
}

/// For tests whose subject does not depend on the database.
macro_rules! on_sqlite {
    ($($name:ident),+ $(,)?) => {
        $(on_databases!($name, sqlite: Sqlite);)+
    };
}

macro_rules! on_postgres {
    ($($name:ident),+ $(,)?) => {
        $(on_databases!($name, postgres: Postgres);)+
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    kind: Kind,
    url: String,
    /// The schema of this test on PostgreSQL. `None` on SQLite.
    schema: Option<Schema>,
    /// Contains the SQLite file and other files of the test.
    folder: tempfile::TempDir,
    sites: Mutex<Vec<Site>>,
    world: Arc<World>,
}

/// Runs one test. Fails it if it leaves unread mails.
pub async fn run<F: Fixture>(kind: Kind, test: impl AsyncFnOnce(F)) {
    let db = Database::make(kind).await;
    test(F::of(&db).await).await;
    let sites = std::mem::take(&mut *db.0.sites.lock().unwrap());
    if db.0.world.checks_mails.load(Ordering::SeqCst) {
        for site in &sites {
            site.assert_all_mails_read().await;
        }
    }
    if let Some(site) = sites.first() {
        assert_names_of_accounts(site).await;
    }
    let Inner { schema, .. } = &*db.0;
    if let Some(schema) = schema {
        schema.release().await;
    }
}

/// Every name must belong to an account, which has the same email address and username.
async fn assert_names_of_accounts(site: &Site) {
    // Some tests damage or stop their database.
    let Ok(mut tx) = site.app.store.read().await else {
        return;
    };
    // Two queries, because Citus does not join these tables.
    let names = "SELECT account_id, kind, key FROM names WHERE kind IN ('email', 'username')";
    let accounts = "SELECT id, email_key, username_key FROM accounts";
    let (Ok(names), Ok(accounts)) = (tx.rows(names, &[]).await, tx.rows(accounts, &[]).await)
    else {
        return;
    };
    let owned: HashSet<(Uuid, String, String)> = accounts
        .iter()
        .flat_map(|row| {
            [("email", 1), ("username", 2)]
                .map(|(kind, at)| (row.get(0), kind.to_owned(), row.get(at)))
        })
        .collect();
    let lost: Vec<String> = names
        .iter()
        .filter(|row| !owned.contains(&(row.get(0), row.get(1), row.get(2))))
        .map(|row| row.get(2))
        .collect();
    assert!(lost.is_empty(), "names without an account: {lost:?}");
}

impl Database {
    async fn make(kind: Kind) -> Database {
        let folder = tempfile::tempdir().unwrap();
        let schema = match kind {
            Kind::Sqlite => None,
            Kind::Postgres => Some(Schema::claim().await),
        };
        let url = match &schema {
            None => {
                let file = folder.path().join("account.db");
                copy_template(&file).await;
                sqlite_url(&file)
            }
            Some(schema) => schema.url(),
        };
        Database(Arc::new(Inner {
            kind,
            url,
            schema,
            folder,
            sites: Mutex::default(),
            world: Arc::default(),
        }))
    }

    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    pub fn url(&self) -> &str {
        &self.0.url
    }

    pub fn folder(&self) -> &std::path::Path {
        self.0.folder.path()
    }

    /// For a test that is not about mails: unread mails do not fail it.
    pub fn allow_unread_mails(&self) -> &Database {
        self.0.world.checks_mails.store(false, Ordering::SeqCst);
        self
    }

    /// A site with the default settings, except a cheap password hash.
    pub async fn site(&self) -> Site {
        self.site_with(|_| {}).await
    }

    /// Starts a site with the default settings, and inserts a signed-in person.
    pub async fn site_with_signed_in(&self, name: &str) -> (Site, Person) {
        let site = self.site().await;
        let person = site.signed_in(name).await;
        (site, person)
    }

    /// A site with other settings, and the signed-in person `ada`.
    pub async fn site_with_ada(&self, change: impl FnOnce(&mut Config)) -> (Site, Person) {
        let site = self.site_with(change).await;
        let ada = site.signed_in("ada").await;
        (site, ada)
    }

    /// A site that mails over SMTP.
    pub async fn site_with_mail_server(&self, smtp: &Smtp) -> Site {
        self.site_with_mail_url(&smtp.url()).await
    }

    pub async fn site_with_mail_url(&self, url: &str) -> Site {
        let url = url.parse().unwrap();
        self.site_with(|c| c.mail.smtp_url = Some(url)).await
    }

    /// A site that limits no requests.
    pub async fn site_without_limits(&self) -> Site {
        self.site_set("limits.enabled = false").await
    }

    /// A site with the profile `strict`.
    pub async fn strict_site(&self) -> Site {
        self.site_set("security.profile = 'strict'").await
    }

    /// A site with these lines of a configuration.
    pub async fn site_set(&self, lines: &str) -> Site {
        let file = self.folder().join("site.toml");
        std::fs::write(&file, lines).unwrap();
        let config = account::config::load(Some(&file), std::iter::empty()).unwrap();
        self.start_site(config, |_| {}).await
    }

    /// A site with other settings. Several sites on one database are nodes of one installation.
    pub async fn site_with(&self, change: impl FnOnce(&mut Config)) -> Site {
        let config = account::config::load(None, std::iter::empty()).unwrap();
        self.start_site(config, change).await
    }

    async fn start_site(&self, mut config: Config, change: impl FnOnce(&mut Config)) -> Site {
        config.database.url = self.0.url.parse().unwrap();
        config.database.max_connections = 10;
        // One file for all tests. Parallel creation of the file is supported.
        let keys = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("account.key");
        config.security.encryption_key_file = keys;
        config.password.memory_kib = 64;
        config.password.iterations = 1;
        config.password.max_parallel = Some(2);
        change(&mut config);
        let site = Site::start(config, self.0.world.clone()).await;
        self.0.sites.lock().unwrap().push(site.clone());
        site
    }

    /// The database with the empty schema, as `account migrate` leaves it.
    pub async fn migrated(&self) -> Store {
        open(&self.0.url).await
    }

    /// Leaves a database as an operator creates it, without tables. A schema of PostgreSQL has them from the start.
    pub async fn remove_tables(&self) {
        self.replace_schema("").await;
    }

    /// Removes all tables, then runs statements.
    pub async fn replace_schema(&self, script: &str) {
        match &self.0.schema {
            None => {
                for name in ["account.db", "account.db-wal", "account.db-shm"] {
                    let _ = std::fs::remove_file(self.folder().join(name));
                }
                self.run_script(script).await;
            }
            Some(schema) => {
                let name = schema.name();
                schema
                    .run(&format!(
                        "DROP SCHEMA {name} CASCADE; CREATE SCHEMA {name};
                         SET search_path TO {name}; {script}"
                    ))
                    .await;
            }
        }
    }

    /// Runs statements without our program.
    pub async fn run_script(&self, script: &str) {
        match &self.0.schema {
            None => {
                let db = rusqlite::Connection::open(self.folder().join("account.db")).unwrap();
                db.execute_batch(script).unwrap();
            }
            Some(schema) => {
                // Two texts, because Citus refuses a text with a change of the schema and another statement.
                schema
                    .run(&format!("SET search_path TO {}", schema.name()))
                    .await;
                schema.run(script).await;
            }
        }
    }

    /// All bytes that a thief of the database would get: the SQLite files with their WAL, or every row.
    pub async fn bytes(&self, site: &Site) -> Vec<u8> {
        if self.0.kind == Kind::Sqlite {
            let files = std::fs::read_dir(self.folder()).unwrap();
            let files = files.map(|file| file.unwrap().path());
            // A program that is served from the folder creates a subfolder for its key.
            let files = files.filter(|path| path.is_file());
            return files
                .flat_map(|path| std::fs::read(path).unwrap())
                .collect();
        }
        let sql = "SELECT table_name::text FROM information_schema.tables
                   WHERE table_schema = current_schema()";
        let mut all = Vec::new();
        for table in site.rows(sql, &[]).await {
            let table: String = table.get(0);
            let sql = format!("SELECT t::text FROM {table} t");
            for row in site.rows(&sql, &[]).await {
                all.extend(row.get::<String>(0).into_bytes());
            }
        }
        all
    }
}

/// Whether the bytes of a database contain these bytes, also as hexadecimal text, which PostgreSQL returns for bytes.
pub fn contains(stored: &[u8], wanted: &[u8]) -> bool {
    let hex: String = wanted.iter().map(|byte| format!("{byte:02x}")).collect();
    let has = |wanted: &[u8]| stored.windows(wanted.len()).any(|part| part == wanted);
    has(wanted) || has(hex.as_bytes())
}

/// Turns off the approval of new browsers.
pub fn allow_new_devices(config: &mut Config) {
    config.security.new_device = NewDevice::Off;
}

/// Copies an SQLite file with the empty schema, which the first test makes for all: the migrations take a quarter of a
/// short test. Without the folder of `scripts/with-postgres.sh` each test migrates its own file.
async fn copy_template(file: &Path) {
    let Some(folder) = run_folder() else { return };
    let template = folder.join("account.db");
    if !template.exists() {
        let id = account::testing::rng::Rng::System.id(0).simple();
        let draft = folder.join(format!("{id}.db"));
        drop(open(&sqlite_url(&draft)).await);
        let db = rusqlite::Connection::open(&draft).unwrap();
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        db.query_row(checkpoint, [], |_| Ok(())).unwrap();
        db.close().unwrap();
        std::fs::rename(draft, &template).unwrap();
    }
    std::fs::copy(template, file).unwrap();
}

fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Opens the database and migrates it.
pub async fn open(url: &str) -> Store {
    Store::open(&settings(url)).await.unwrap()
}

pub fn settings(url: &str) -> account::config::Database {
    account::config::Database {
        url: url.parse().unwrap(),
        ..account::config::Config::default().database
    }
}

/// A whole database instead of a schema, for clients that cannot set a search path.
pub async fn with_database(test: impl AsyncFnOnce(&str)) {
    with_new_database("", test).await;
}

/// Creates the database with these options of `CREATE DATABASE`.
pub async fn with_new_database(options: &str, test: impl AsyncFnOnce(&str)) {
    let name = format!("test_{}", account::testing::rng::Rng::System.id(0).simple());
    let sql = format!("CREATE DATABASE {name} {options}");
    server().await.batch_execute(&sql).await.unwrap();
    let mut url = url::Url::parse(&server_url()).unwrap();
    url.set_path(&name);
    test(url.as_str()).await;
    let sql = format!("DROP DATABASE {name} WITH (FORCE)");
    server().await.batch_execute(&sql).await.unwrap();
}
