//! A whole site without a network: built like that of production, with a manual clock.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use account::app::{App, SharedApp};
use account::config::{Config, Duration};
use account::http::{router, site};
use account::testing::auth::deletion::purge;
use account::testing::clock::Clock;
use account::testing::db::{Column, Param, Row};
use account::testing::jobs::{deletion, expiry};
use account::testing::rate_limit::LimitedAction;
use account::testing::rng::Rng;
use axum::Router;
use uuid::Uuid;

use super::Browser;

/// 2026-11-21 12:00 UTC: the time at which every test begins.
pub const NOON: i64 = 1_795_262_400_000;

#[derive(Clone)]
pub struct Site(Arc<Inner>);

pub struct Inner {
    pub app: SharedApp,
    pub router: Router,
    pub world: Arc<World>,
}

/// Shared by the sites on one database: clock, network addresses and mailboxes.
pub struct World {
    clock: Arc<AtomicI64>,
    browsers: AtomicU32,
    pub read: Mutex<HashSet<Uuid>>,
    /// Whether unread mails fail the test.
    pub checks_mails: AtomicBool,
}

impl Default for World {
    fn default() -> World {
        World {
            clock: Arc::new(AtomicI64::new(NOON)),
            browsers: AtomicU32::new(1),
            read: Mutex::default(),
            checks_mails: AtomicBool::new(true),
        }
    }
}

impl std::ops::Deref for Site {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Site {
    pub async fn start(config: Config, world: Arc<World>) -> Site {
        // Only the first call in a process installs the provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let app = App::build(config, Clock::Manual(world.clock.clone()), Rng::System);
        let app = app.await.expect("the site starts");
        Site(Arc::new(Inner {
            router: router::build(site::Site::build(app.clone()).expect("the pages are built")),
            app,
            world,
        }))
    }

    /// For a test that is not about mails: unread mails do not fail it.
    pub fn allow_unread_mails(&self) {
        self.world.checks_mails.store(false, Ordering::SeqCst);
    }

    /// A new browser at a network address of its own.
    pub fn browser(&self) -> Browser {
        let number = self.world.browsers.fetch_add(1, Ordering::SeqCst);
        Browser::new(self.clone(), (0x0a00_0000 + number).into())
    }

    pub fn now(&self) -> i64 {
        self.world.clock.load(Ordering::SeqCst)
    }

    /// Advances the clock: `1s`, `7d`, `30m 1s`.
    pub fn advance(&self, time: &str) {
        let time: Duration = time.parse().unwrap();
        self.world.clock.fetch_add(time.millis(), Ordering::SeqCst);
    }

    pub fn set_clock(&self, moment: &str) {
        let moment: jiff::Timestamp = moment.parse().unwrap();
        self.world
            .clock
            .store(moment.as_millisecond(), Ordering::SeqCst);
    }

    pub fn set_clock_back(&self, time: &str) {
        let time: Duration = time.parse().unwrap();
        self.world.clock.fetch_sub(time.millis(), Ordering::SeqCst);
    }

    /// Clears the counter of this action.
    pub async fn reset_limit(&self, action: LimitedAction<'_>) {
        let mut tx = self.app.store.write().await.unwrap();
        let reset = self.app.rate_limiter.reset(&mut tx, &[action]).await;
        reset.unwrap();
        tx.commit().await.unwrap();
    }

    /// Runs the expiry job once. Returns the number of deleted rows.
    pub async fn run_expiry(&self) -> u64 {
        let (_go, stop) = tokio::sync::watch::channel(false);
        expiry::delete_expired(&self.app, &stop).await.unwrap()
    }

    /// Runs the job that deletes accounts once, with the purge after it. Returns the number of deleted accounts.
    pub async fn run_deletion(&self) -> u64 {
        let (_go, stop) = tokio::sync::watch::channel(false);
        deletion::announce_inactive(&self.app, &stop).await.unwrap();
        let deleted = deletion::delete_due(&self.app, &stop).await.unwrap();
        assert!(purge(&self.app).await, "a reader prevents the purge");
        deleted
    }

    /// The id of the account with this username.
    pub async fn id_of(&self, username: &str) -> Uuid {
        let sql = "SELECT id FROM accounts WHERE username = $1";
        self.rows(sql, account::params![username]).await[0].get(0)
    }

    /// Queries the database.
    pub async fn rows(&self, sql: &str, params: &[Param<'_>]) -> Vec<Row> {
        let mut tx = self.app.store.read().await.unwrap();
        tx.rows(sql, params).await.unwrap()
    }

    /// The values of the first column of a query without parameters.
    pub async fn column<T: Column>(&self, sql: &str) -> Vec<T> {
        let rows = self.rows(sql, &[]).await;
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// The only value of a query without parameters.
    pub async fn value<T: Column>(&self, sql: &str) -> T {
        self.column(sql).await.remove(0)
    }

    /// Changes the database in a transaction of its own.
    pub async fn execute(&self, sql: &str, params: &[Param<'_>]) {
        let mut tx = self.app.store.write().await.unwrap();
        tx.execute(sql, params).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Runs statements in one transaction.
    pub async fn execute_all(&self, statements: &[&str]) {
        let mut tx = self.app.store.write().await.unwrap();
        for sql in statements {
            tx.execute(sql, &[]).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    /// Removes all accounts, so that the next accounts can have the same names.
    pub async fn remove_accounts(&self) {
        self.execute_all(&["DELETE FROM accounts", "DELETE FROM names"])
            .await;
    }

    /// The number of rows of a table, or of a part of it: `accounts`, `sessions WHERE …`.
    pub async fn count(&self, table: &str) -> i64 {
        self.value(&format!("SELECT COUNT(*) FROM {table}")).await
    }

    pub async fn assert_count(&self, table: &str, rows: i64) {
        assert_eq!(self.count(table).await, rows, "{table}");
    }
}
