//! The same figures with ten thousand and with five million accounts, with two sessions each.
//!
//! `make bench-growth` needs some gigabytes in the folder for temporary files; other sizes: `make bench-growth
//! SIZES="10000 1000000"`. The rows are written directly into the database, because registering five million people
//! would take a day.

use std::path::Path;
use std::time::Duration;

use account::testing::domain::secret::Secret;
use account::testing::domain::session_id::SessionId;
use account::testing::rng::Rng;
use uuid::Uuid;

use super::client::load_awake;
use super::report::{Report, median};
use super::server::{Database, Server};
use super::site;

const ROUNDS: usize = 5;
const DURATION: Duration = Duration::from_secs(3);
/// Sessions whose cookie is known, distributed over all accounts.
const KNOWN_SESSIONS: usize = 4096;
/// Hashes of negligible cost: the rest of a sign-in is the share of the database.
const SETTINGS: [(&str, &str); 4] = [
    ("ACCOUNT_PASSWORD__MEMORY_KIB", "8"),
    ("ACCOUNT_PASSWORD__ITERATIONS", "1"),
    ("ACCOUNT_LIFETIMES__SWEEP", "1h"),
    ("ACCOUNT_LIFETIMES__SESSION_IDLE", "30d"),
];

/// The costs at one number of accounts.
struct Cost {
    check: f64,
    sign_in: f64,
    bytes: f64,
}

pub async fn run(mut report: Report, sizes: &[String]) {
    report.section("growth");
    let sizes: Vec<usize> = match sizes {
        [] => vec![10_000, 5_000_000],
        given => given
            .iter()
            .map(|size| size.parse().expect("a number"))
            .collect(),
    };
    for name in ["SQLite", "PostgreSQL"] {
        let mut first: Option<Cost> = None;
        for &size in &sizes {
            let database = match name {
                "SQLite" => Some(Database::Sqlite),
                _ => Database::postgres(&format!("bench_growth_{size}")).await,
            };
            let Some(database) = database else { continue };
            let cost = measure(&database, size).await;
            report_rows(&mut report, name, size, &cost, first.as_ref());
            first.get_or_insert(cost);
        }
    }
    report.write();
}

fn report_rows(report: &mut Report, name: &str, size: usize, cost: &Cost, first: Option<&Cost>) {
    let what = format!("{name}, {size} accounts, {} sessions", 2 * size);
    let first = first.unwrap_or(cost);
    for (call, own, base) in [
        ("`GET /users/me`", cost.check, first.check),
        ("sign-in less its hash", cost.sign_in, first.sign_in),
    ] {
        report.times(
            &format!("{what}: {call}"),
            own,
            ("smallest size", base),
            1.5,
        );
    }
    let (what, bytes) = (format!("{what}: bytes an account, all in"), cost.bytes);
    report.row(&what, &format!("{bytes:.0}"), "", "stated", true);
}

async fn measure(database: &Database, size: usize) -> Cost {
    let server = Server::start(database, &SETTINGS).await;
    site::register_people(server.address, 1).await;
    let folder = server.stop().await;
    let cookies: Vec<Secret> = (0..KNOWN_SESSIONS)
        .map(|_| Secret::generate(&Rng::System))
        .collect();
    let file = folder.path().join("data/account.db");
    let bytes = match database {
        Database::Sqlite => fill_sqlite(&file, size, &cookies),
        Database::Postgres(_) => fill_postgres(database, size, &cookies).await,
    };
    let (server, _) = Server::start_in(folder, database, &SETTINGS).await;
    let (mut checks, mut sign_ins) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let cookies = cookies.clone();
        let check = load_awake(server.address, 32, DURATION, move |connection, number| {
            let nth = (connection * 131 + number) % KNOWN_SESSIONS;
            let account = Uuid::from_u128((nth * size / KNOWN_SESSIONS + 1) as u128);
            let id = SessionId::new(account, cookies[nth].clone());
            let cookie = format!("session={}", id.expose());
            site::get("/account/account-api/users/me", &cookie)
        });
        checks.push(server.measure(200, check).await.0);
        let sign_in = load_awake(server.address, 8, DURATION, move |connection, number| {
            // Each sign-in is to another account, distributed over the whole table.
            let nth = (round * 7 + connection * 104_729 + number * 15_485_863) % size + 1;
            site::sign_in(&format!("mass{nth}"), "")
        });
        sign_ins.push(server.measure(200, sign_in).await.0);
    }
    Cost {
        check: median(checks),
        sign_in: median(sign_ins),
        bytes: bytes / size as f64,
    }
}

/// The columns whose SQL is equal on both databases; `id` is the id of the nth account, `n.i` its number.
const ACCOUNTS: &str = "INSERT INTO accounts (id, email, email_key, username, username_key,
    password_hash, password_changed_at, language, region, country, zipcode, birthday,
    marketing_consent, marketing_consent_at, email_verified_at, first_sign_in_at, created_at)
  SELECT {id}, 'mass' || n.i || '@example.org', 'mass' || n.i || '@example.org', 'mass' || n.i,
    'mass' || n.i, a.password_hash, a.created_at, 'en', a.region, 'us', '12345', '1990-02-01',
    a.marketing_consent, a.created_at, a.created_at, a.created_at, a.created_at
  FROM {numbers}, (SELECT * FROM accounts LIMIT 1) a";
const NAMES: &str = "INSERT INTO names (key, kind, account_id)
  SELECT 'mass' || n.i || s.suffix, s.kind, {id} FROM {numbers},
    (SELECT '@example.org' AS suffix, 'email' AS kind UNION ALL SELECT '', 'username') s";
const DEVICES: &str = "INSERT INTO devices (id, account_id, cookie_hash, name, enrolled_at,
    last_used_at)
  SELECT {id}, {id}, {hash}, 'Firefox on Windows', a.created_at, a.created_at
  FROM {numbers}, (SELECT * FROM accounts LIMIT 1) a";
const SESSIONS: &str = "INSERT INTO sessions (id_hash, account_id, device_id, created_at,
    last_used_at, idle_until, expires_at)
  SELECT {hash} AS hash, {id}, {id}, a.created_at, a.created_at, a.created_at + 2000000000,
    a.created_at + 2000000000
  FROM {numbers}, (SELECT * FROM accounts LIMIT 1) a";
const INDEXES: [(&str, &str); 2] = [
    ("sessions_device", "account_id, device_id"),
    ("sessions_idle_hour", "idle_hour"),
];

/// The ways in which a database writes the parts of these statements.
struct Dialect {
    id: &'static str,
    random_hash: &'static str,
    numbers: String,
    two: &'static str,
    order: &'static str,
}

impl Dialect {
    /// Statements that add accounts with two sessions each, and the sessions of these cookies.
    fn statements(&self, size: usize, cookies: &[Secret], hash_literal: [&str; 2]) -> Vec<String> {
        let fill = |text: &str, hash: &str, numbers: &str| {
            let text = text.replace("{id}", self.id).replace("{hash}", hash);
            text.replace("{numbers}", numbers)
        };
        let drops = INDEXES.map(|(name, _)| format!("DROP INDEX {name}"));
        let all =
            [ACCOUNTS, NAMES, DEVICES].map(|text| fill(text, self.random_hash, &self.numbers));
        let twice = format!("{}, {}", self.numbers, self.two);
        let sessions = fill(SESSIONS, self.random_hash, &twice) + self.order;
        let known = cookies.iter().enumerate().map(|(nth, cookie)| {
            let account = nth * size / cookies.len() + 1;
            let hash: String = cookie
                .hash()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            let [before, after] = hash_literal;
            let one = format!("(SELECT {account} AS i) n");
            fill(SESSIONS, &format!("{before}{hash}{after}"), &one)
        });
        let indexes =
            INDEXES.map(|(name, column)| format!("CREATE INDEX {name} ON sessions ({column})"));
        let sessions = [sessions].into_iter().chain(known);
        drops
            .into_iter()
            .chain(all)
            .chain(sessions)
            .chain(indexes)
            .collect()
    }
}

/// Fills an SQLite file. Returns its size in bytes.
fn fill_sqlite(file: &Path, size: usize, cookies: &[Secret]) -> f64 {
    let dialect = Dialect {
        id: "unhex(printf('%032x', n.i))",
        random_hash: "randomblob(32)",
        numbers: format!(
            "(WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {size})
              SELECT i FROM c) n"
        ),
        two: "(SELECT 1 UNION ALL SELECT 2)",
        order: " ORDER BY hash",
    };
    let database = rusqlite::Connection::open(file).expect("the database");
    let run = |text: &str| database.execute_batch(text).expect(text);
    run(
        "PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA foreign_keys = OFF;
         PRAGMA temp_store = FILE; BEGIN",
    );
    for statement in dialect.statements(size, cookies, ["x'", "'"]) {
        run(&statement);
    }
    run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    std::fs::metadata(file).expect("the database").len() as f64
}

/// Fills a PostgreSQL database. Returns its size in bytes.
async fn fill_postgres(database: &Database, size: usize, cookies: &[Secret]) -> f64 {
    let dialect = Dialect {
        id: "lpad(to_hex(n.i), 32, '0')::uuid",
        random_hash: "sha256(uuid_send(gen_random_uuid()))",
        numbers: format!("generate_series(1, {size}) n (i)"),
        two: "generate_series(1, 2) twice",
        order: "",
    };
    let client = database.client().await;
    let run = async |sql: &str| client.batch_execute(sql).await.expect(sql);
    run("SET session_replication_role = replica").await;
    for statement in dialect.statements(size, cookies, ["'\\x", "'::bytea"]) {
        run(&statement).await;
    }
    run("VACUUM ANALYZE").await;
    let size = "SELECT pg_database_size(current_database())";
    let row = client.query_one(size, &[]).await.expect("a size");
    row.get::<_, i64>(0) as f64
}
