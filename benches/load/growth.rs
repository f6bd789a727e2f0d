//! The same figures with ten thousand and with five million accounts, with two sessions each.
//!
//! `make bench-growth` needs some gigabytes in the folder for temporary files; other sizes: `make bench-growth
//! SIZES="10000 1000000"`. The rows are written directly into the database, because registering five million people
//! would take a day.

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

pub(crate) async fn run(mut report: Report, sizes: &[String]) {
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
    for (call, own, base) in [
        ("`GET /users/me`", cost.check, first.map(|f| f.check)),
        (
            "sign-in less its hash",
            cost.sign_in,
            first.map(|f| f.sign_in),
        ),
    ] {
        let ratio = base.map_or(1.0, |base| own / base);
        report.row(
            &format!("{what}: {call}, server CPU"),
            &format!("{own:.1} µs, {ratio:.2} times"),
            &base.map_or(String::new(), |base| format!("smallest size {base:.1} µs")),
            "≤ 1.5 times",
            ratio <= 1.5,
        );
    }
    let bytes = format!("{:.0}", cost.bytes);
    report.row(
        &format!("{what}: bytes an account, all in"),
        &bytes,
        "",
        "stated",
        true,
    );
}

async fn measure(database: &Database, size: usize) -> Cost {
    let server = Server::start(database, &SETTINGS).await;
    site::register_people(server.address, 1).await;
    let folder = server.stop().await;
    let cookies: Vec<Secret> = (0..KNOWN_SESSIONS)
        .map(|_| Secret::generate(&Rng::System))
        .collect();
    let bytes = match database {
        Database::Sqlite => {
            sqlite::fill_database(&folder.path().join("data/account.db"), size, &cookies)
        }
        Database::Postgres(url) => postgres::fill_database(url, size, &cookies).await,
    };
    let (server, _) = Server::start_in(folder, database, &SETTINGS).await;
    let (mut checks, mut sign_ins) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let cookies = cookies.clone();
        let before = server.cpu();
        let outcome = load_awake(server.address, 32, DURATION, move |connection, number| {
            let nth = (connection * 131 + number) % KNOWN_SESSIONS;
            let account = Uuid::from_u128((nth * size / KNOWN_SESSIONS + 1) as u128);
            let id = SessionId::new(account, cookies[nth].clone());
            site::get(
                "/account/account-api/users/me",
                &format!("session={}", id.expose()),
            )
        });
        let outcome = outcome.await.expect_statuses(&[200]);
        let spent = (server.cpu() - before).as_secs_f64() * 1e6;
        checks.push(spent / outcome.count(200) as f64);
        let before = server.cpu();
        let outcome = load_awake(server.address, 8, DURATION, move |connection, number| {
            // Each sign-in is to another account, distributed over the whole table.
            let nth = (round * 7 + connection * 104_729 + number * 15_485_863) % size + 1;
            site::sign_in(&format!("mass{nth}"), "")
        });
        let outcome = outcome.await.expect_statuses(&[200]);
        let spent = (server.cpu() - before).as_secs_f64() * 1e6;
        sign_ins.push(spent / outcome.count(200) as f64);
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

/// `text` in the dialect of this database, for the numbers from 1 to this one.
fn to_dialect(text: &str, id: &str, hash: &str, numbers: &str) -> String {
    text.replace("{id}", id)
        .replace("{hash}", hash)
        .replace("{numbers}", numbers)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

mod sqlite {
    use std::path::Path;

    use super::{ACCOUNTS, DEVICES, INDEXES, NAMES, SESSIONS, Secret, hex, to_dialect};

    const ID: &str = "unhex(printf('%032x', n.i))";

    /// Returns the size of the file in bytes.
    pub(super) fn fill_database(file: &Path, size: usize, cookies: &[Secret]) -> f64 {
        let database = rusqlite::Connection::open(file).expect("the database");
        let numbers = format!(
            "(WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {size})
              SELECT i FROM c) n"
        );
        let run = |text: &str| database.execute_batch(text).expect(text);
        run(
            "PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA foreign_keys = OFF;
             PRAGMA temp_store = FILE; BEGIN",
        );
        for (name, _) in INDEXES {
            run(&format!("DROP INDEX {name}"));
        }
        run(&to_dialect(ACCOUNTS, ID, "", &numbers));
        run(&to_dialect(NAMES, ID, "", &numbers));
        run(&to_dialect(DEVICES, ID, "randomblob(32)", &numbers));
        let twice = format!("{numbers}, (SELECT 1 UNION ALL SELECT 2)");
        run(&(to_dialect(SESSIONS, ID, "randomblob(32)", &twice) + " ORDER BY hash"));
        for (nth, cookie) in cookies.iter().enumerate() {
            let account = nth * size / cookies.len() + 1;
            let hash = format!("x'{}'", hex(&cookie.hash()));
            run(&to_dialect(
                SESSIONS,
                ID,
                &hash,
                &format!("(SELECT {account} AS i) n"),
            ));
        }
        for (name, column) in INDEXES {
            run(&format!("CREATE INDEX {name} ON sessions ({column})"));
        }
        run("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
        std::fs::metadata(file).expect("the database").len() as f64
    }
}

mod postgres {
    use super::{ACCOUNTS, DEVICES, INDEXES, NAMES, SESSIONS, Secret, hex, to_dialect};

    const ID: &str = "lpad(to_hex(n.i), 32, '0')::uuid";
    const HASH: &str = "sha256(uuid_send(gen_random_uuid()))";

    /// Returns the size of the database in bytes.
    pub(super) async fn fill_database(url: &str, size: usize, cookies: &[Secret]) -> f64 {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
            .await
            .expect("PostgreSQL");
        tokio::spawn(connection);
        let numbers = format!("generate_series(1, {size}) n (i)");
        let mut steps: Vec<String> = INDEXES
            .iter()
            .map(|(name, _)| format!("DROP INDEX {name}"))
            .collect();
        steps.push("SET session_replication_role = replica".to_owned());
        steps.push(to_dialect(ACCOUNTS, ID, "", &numbers));
        steps.push(to_dialect(NAMES, ID, "", &numbers));
        steps.push(to_dialect(DEVICES, ID, HASH, &numbers));
        let twice = format!("{numbers}, generate_series(1, 2) twice");
        steps.push(to_dialect(SESSIONS, ID, HASH, &twice));
        for (nth, cookie) in cookies.iter().enumerate() {
            let account = nth * size / cookies.len() + 1;
            let hash = format!("'\\x{}'::bytea", hex(&cookie.hash()));
            let one = format!("(SELECT {account} AS i) n");
            steps.push(to_dialect(SESSIONS, ID, &hash, &one));
        }
        for (name, column) in INDEXES {
            steps.push(format!("CREATE INDEX {name} ON sessions ({column})"));
        }
        for step in steps {
            client.batch_execute(&step).await.expect(&step);
        }
        client
            .batch_execute("VACUUM ANALYZE")
            .await
            .expect("vacuum");
        let size = "SELECT pg_database_size(current_database())";
        let row = client.query_one(size, &[]).await.expect("a size");
        row.get::<_, i64>(0) as f64
    }
}
