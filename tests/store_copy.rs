//! `account store copy` in both directions: completeness, refused repetitions, restarts after a kill, and databases
//! that it must not touch.

mod killed;

use account::testing::rng::Rng;
use account::testing::store::copy::{self, CopyError, CopyOutcome, TABLES, TableCount};

use crate::nodes::browser_on_node;
use crate::oidc;
use crate::old_accounts::old;
use crate::passkeys;
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::prelude::*;
use crate::second_factor;
use crate::support::authenticator::Authenticator;
use crate::support::database::{Kind, run, settings};
use crate::support::receiver::Receiver;
use crate::webhooks;

/// A SQLite and a PostgreSQL database.
async fn with_two_databases(test: impl AsyncFnOnce(Database, Database)) {
    run(Kind::Sqlite, async |sqlite: Database| {
        run(Kind::Postgres, async |postgres: Database| {
            sqlite.allow_unread_mails();
            postgres.allow_unread_mails();
            test(sqlite, postgres).await;
        })
        .await;
    })
    .await;
}

async fn run_copy(from: &str, to: &str) -> Result<CopyOutcome, CopyError> {
    copy::run(&settings(from), &settings(to), &Rng::System, |_, _| {}).await
}

#[track_caller]
fn expect_copied(done: Result<CopyOutcome, CopyError>) -> Vec<TableCount> {
    match done {
        Ok(CopyOutcome::Copied(counted)) => counted,
        Ok(CopyOutcome::AlreadyThere(_)) => panic!("it was there already"),
        Err(error) => panic!("{error}"),
    }
}

/// A site with a row in every table, and a browser that is signed in.
async fn site_with_all_tables(db: &Database) -> (Site, Browser) {
    let site = db.site_with(oidc::enable_provider).await;
    let member = second_factor::person_with_second_factor(&site, "ada").await;
    let ada = &member.person;
    passkeys::add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    ada.mail().await;
    site.registered("kim").await;
    reserve_a_username(db).await;
    queue_event(db).await;
    add_deleted_account(&site).await;
    let changed = change_password(&ada.browser, PASSWORD, "Orange-Tree-43");
    assert_status!(changed, 200);
    ada.mail().await;
    site.import_accounts(&[old("oldie")]).await;
    for key in ["a0", "b1"] {
        let former = "INSERT INTO names (key, kind, account_id, until)
                      SELECT $1, 'former_email', id, 1 FROM legacy_accounts";
        site.execute(former, account::params![key]).await;
    }
    let request = site.browser();
    let credentials = ada.credentials_with("Orange-Tree-43");
    let refusal = request.post("/login", &credentials).await.json();
    let lost = json!({"token": refusal["second_factor_token"]});
    request.post("/second-factor/reset", &lost).await;
    ada.mail().await;
    request.request_reset(&ada.email).await;
    let role = "INSERT INTO support_roles (account_id, role, granted_at)
                SELECT id, 'support', 0 FROM accounts WHERE username = 'kim'";
    let entry = "INSERT INTO support_audit (id, at, operator, action)
                 SELECT id, 0, 'root', 'find' FROM accounts WHERE username = 'kim'";
    // Release 1.0 has written this table.
    let reset = "INSERT INTO second_factor_resets (account_id, requested_at, due_at, expires_at)
                 SELECT id, 0, 0, 0 FROM accounts WHERE username = 'kim'";
    site.execute_all(&[role, entry, reset]).await;
    oidc::wiki().tokens(&site, &ada.browser).await;
    for table in TABLES {
        assert!(site.count(table).await > 0, "{table}");
    }
    (site, member.person.browser)
}

/// Starts a node with a webhook endpoint, and queues an event that is not sent yet.
async fn queue_event(db: &Database) {
    let receiver = Receiver::start().await;
    let hooks = vec![webhooks::endpoint(&receiver, &["*"])];
    let site = db.site_with(|c| c.webhooks = hooks).await;
    site.registered("max").await;
}

/// Only profile `strict` reserves usernames.
async fn reserve_a_username(db: &Database) {
    let site = db.strict_site().await;
    assert_status!(site.browser().post("/register", &form("lou")), 201);
    site.mail_to("lou@example.org").await;
}

async fn add_deleted_account(site: &Site) {
    let sql = "INSERT INTO deleted_accounts (id, deleted_at) VALUES ($1, $2)";
    let values = account::params![site.app.rng.id(site.now()), 1];
    site.execute(sql, values).await;
    let former = "INSERT INTO former_emails (account_id, email_hash, changed_at)
                  SELECT id, $1, 1 FROM accounts";
    let values = account::params![&[7_u8; 32]];
    site.execute(former, values).await;
}

fn path_in_folder(db: &Database, name: &str) -> String {
    db.folder().join(name).display().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_keeps_sessions_and_a_round_trip_changes_nothing() {
    with_two_databases(async |sqlite, postgres| {
        let (site, browser) = site_with_all_tables(&sqlite).await;
        let mut expected = Vec::new();
        for table in TABLES {
            let rows = site.count(table).await as u64;
            expected.push(TableCount { table, rows });
        }
        let counted = expect_copied(run_copy(sqlite.url(), postgres.url()).await);
        assert_eq!(counted, expected);
        let back = path_in_folder(&sqlite, "back.db");
        let counted = expect_copied(run_copy(postgres.url(), &format!("sqlite://{back}")).await);
        assert_eq!(counted, expected);

        // Not by our own sums: SQLite compares.
        let both = rusqlite::Connection::open(path_in_folder(&sqlite, "account.db")).unwrap();
        both.execute("ATTACH $1 AS back", [&back]).unwrap();
        for table in TABLES {
            for (one, other) in [("main", "back"), ("back", "main")] {
                let sql = format!(
                    "SELECT COUNT(*) FROM (SELECT * FROM {one}.{table}
                       EXCEPT SELECT * FROM {other}.{table})"
                );
                let left: i64 = both.query_row(&sql, [], |row| row.get(0)).unwrap();
                assert_eq!(left, 0, "{table} in {one}");
            }
        }

        let there = postgres.site().await;
        let me = site.user("ada").await;
        assert_json!(browser_on_node(&there, &browser).get("/users/me"), 200, &me);
        assert_eq!(
            there.app.signed_text_keys.cookies,
            site.app.signed_text_keys.cookies
        );
        // The mail that waited is sent from there, and its link works. The clock there is behind.
        there.advance("1m");
        let mails = there.mails().await;
        let reset = mails
            .iter()
            .find(|m| m.text.contains("reset-password"))
            .unwrap();
        let confirmed = confirm_reset(&there.browser(), &reset.token(), "Third-Tree-44").await;
        confirmed.assert_status(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_copy_is_refused_once_the_target_is_used() {
    with_two_databases(async |sqlite, postgres| {
        site_with_all_tables(&sqlite).await;
        let counted = expect_copied(run_copy(sqlite.url(), postgres.url()).await);
        match run_copy(sqlite.url(), postgres.url()).await {
            Ok(CopyOutcome::AlreadyThere(again)) => assert_eq!(again, counted),
            _ => panic!("all of it is there"),
        }
        let there = postgres.site().await;
        assert_status!(there.browser().post("/register", &form("eve")), 201);
        let refused = run_copy(sqlite.url(), postgres.url()).await;
        assert!(matches!(refused, Err(CopyError::NotEmpty("accounts"))));
        there.assert_count("accounts", 5).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changing_source_is_detected_and_its_partial_copy_refused() {
    with_two_databases(async |sqlite, postgres| {
        let (site, browser) = site_with_all_tables(&sqlite).await;
        let writer = rusqlite::Connection::open(path_in_folder(&sqlite, "account.db")).unwrap();
        let (from, to) = (settings(sqlite.url()), settings(postgres.url()));
        let copied_once = copy::run(&from, &to, &Rng::System, |what, _| {
            if what == "copying sessions" {
                let sql = "UPDATE accounts SET zipcode = '10115'";
                writer.execute(sql, []).unwrap();
            }
        });
        match copied_once.await {
            Err(CopyError::Differs {
                table, here, there, ..
            }) => {
                assert_eq!((table, here, there), ("accounts", 4, 4));
            }
            _ => panic!("the source changed"),
        }
        let mut config = account::config::load(None, std::iter::empty()).unwrap();
        config.database.url = postgres.url().parse().unwrap();
        let clock = account::testing::clock::Clock::System;
        let Err(refused) = account::app::App::build(config, clock, Rng::System).await else {
            panic!("a half copy must not be served")
        };
        assert!(refused.to_string().contains("unfinished copy"), "{refused}");
        let back = format!("sqlite://{}", path_in_folder(&sqlite, "back.db"));
        let refused = run_copy(postgres.url(), &back).await;
        assert!(matches!(refused, Err(CopyError::UnfinishedSource)));

        expect_copied(run_copy(sqlite.url(), postgres.url()).await);
        let there = postgres.site().await;
        assert_status!(browser_on_node(&there, &browser).get("/users/me"), 200);
        there
            .assert_count("accounts WHERE zipcode = '10115'", 4)
            .await;
        drop(site);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_impossible_copy_exits_with_2_and_changes_nothing() {
    with_two_databases(async |sqlite, postgres| {
        let folder = sqlite.folder();
        let assert_refused = |from: &str, to: &str, part: &str| {
            let line = format!("store copy --from {from} --to {to}");
            run_to_failure(folder, &line, &[], 2, part)
        };
        assert_refused(sqlite.url(), "sqlite://other.db", "SQLite to PostgreSQL");
        assert_refused("sqlite://none.db", postgres.url(), "none.db");
        let secret = "postgres://me:a@hush@db/account";
        let error = assert_refused(sqlite.url(), secret, "--to: write @");
        assert_lacks!(error, "hush");
        postgres.remove_tables().await;
        let unknown = "not a database of this program";
        assert_refused(postgres.url(), "sqlite://other.db", unknown);
        assert!(!folder.join("none.db").exists() && !folder.join("other.db").exists());

        sqlite.site().await;
        let db = rusqlite::Connection::open(path_in_folder(&sqlite, "account.db")).unwrap();
        let sql = "INSERT INTO refinery_schema_history
                   VALUES (9000, 'later', '2030-01-01T00:00:00Z', '1')";
        db.execute(sql, []).unwrap();
        assert_refused(sqlite.url(), postgres.url(), "V9000 later");
        let sql = "DELETE FROM refinery_schema_history WHERE version = 9000";
        db.execute(sql, []).unwrap();

        drop(postgres.migrated().await);
        postgres
            .run_script("DROP TABLE refinery_schema_history")
            .await;
        let others = "tables of another program";
        assert_refused(sqlite.url(), postgres.url(), others);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_the_target_refuses_is_named() {
    with_two_databases(async |sqlite, postgres| {
        let site = sqlite.site().await;
        site.member("kim").await;
        site.member("ada").await;
        let sql = "UPDATE accounts SET first_name = 'a' || char(0) WHERE username = 'ada'";
        site.execute(sql, &[]).await;
        let Err(error) = run_copy(sqlite.url(), postgres.url()).await else {
            panic!("PostgreSQL stores no U+0000");
        };
        let id = site.id_of("ada").await;
        let row = format!("accounts, the row with id = {id}: database: 22021: ");
        assert!(error.to_string().starts_with(&row), "{error}");
        assert!(!error.is_usage_error());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_is_copied() {
    with_two_databases(async |sqlite, postgres| {
        let (one, other) = (sqlite.site().await, postgres.site().await);
        let own = "name NOT LIKE 'sqlite_%' AND name <> 'refinery_schema_history'";
        let sql = format!("SELECT name FROM sqlite_schema WHERE type = 'table' AND {own}");
        let here = one.column::<String>(&sql).await;
        let sql = "SELECT table_name::text FROM information_schema.tables
                   WHERE table_schema = current_schema()
                     AND table_name <> 'refinery_schema_history'";
        let there = other.column::<String>(sql).await;
        let mut tables = TABLES.to_vec();
        tables.sort_unstable();
        for mut names in [here, there] {
            names.sort_unstable();
            assert_eq!(names, tables);
        }
    })
    .await;
}
