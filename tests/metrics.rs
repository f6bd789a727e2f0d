//! `/metrics` on the operators' listener: its counters, the data that it never contains, and the existence of every
//! metric that the dashboard and the alert rules use.

mod running_site;
pub(crate) mod scrape;

use std::collections::BTreeSet;

use account::testing::outbox::queues;
use futures_util::future::join_all;
use serde_json::json;

use crate::old_accounts::old;
use crate::support::actors::form;
use crate::support::browser::API;
use crate::support::process::{Caller, Process, run_to_exit};
use crate::support::smtp::{Behaviour, Smtp};
use crate::support::{Database, Site, free_address};
use running_site::start_site;
use scrape::Scrape;

on_both_databases!(rows_are_counted_at_most_every_ten_seconds);
async fn rows_are_counted_at_most_every_ten_seconds(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let empty = site.scrape().await;
    assert_eq!(empty.value("account_database_up", &[]), 1.0);
    assert_eq!(empty.value("account_sessions", &[]), 0.0);
    site.joined_and_signed_in("ada").await;
    site.browser().post("/register", &form("bob")).await;
    site.import_accounts(&[old("cleo"), old("dora")]).await;
    let early = site.scrape().await;
    assert_eq!(
        early.value("account_sessions", &[]),
        0.0,
        "the last count is recent enough"
    );
    site.advance("90s");
    let now = site.scrape().await;
    assert_eq!(now.value("account_sessions", &[]), 1.0);
    assert_eq!(now.value("account_outbox_mails", &[]), 1.0);
    assert_eq!(now.value("account_outbox_oldest_age_seconds", &[]), 90.0);
    assert_eq!(now.value("account_outbox_given_up_mails", &[]), 0.0);
    for (step, accounts) in [("imported", 2.0), ("invited", 0.0), ("migrated", 0.0)] {
        let found = now.value("account_migration_accounts", &[("step", step)]);
        assert_eq!(found, accounts, "{step}");
    }
    let at = now.value("account_counted_timestamp_seconds", &[]);
    assert_eq!(at, (site.now() / 1000) as f64);
    // The cached counts are not kept until a clock that was set back has caught up.
    site.set_clock("2026-11-21T09:00:00Z");
    site.signed_in("erin").await;
    assert_eq!(site.scrape().await.value("account_sessions", &[]), 2.0);
    site.advance("8d");
    assert_eq!(
        site.scrape().await.value("account_sessions", &[]),
        0.0,
        "the idle sessions have expired"
    );
}

on_both_databases!(mail_alerts_depend_on_the_number_of_mails);
async fn mail_alerts_depend_on_the_number_of_mails(db: Database) {
    db.allow_unread_mails();
    let away = format!("smtp://{}", free_address());
    let site = db
        .site_with(|c| c.mail.smtp_url = Some(away.parse().unwrap()))
        .await;
    for name in ["ada", "bob"] {
        site.browser().post("/register", &form(name)).await;
    }
    site.advance("1m");
    let early = site.scrape().await;
    assert_eq!(early.value("account_outbox_late_mails", &[]), 0.0);
    assert_eq!(early.value("account_outbox_deferred_mails", &[]), 0.0);
    queues::drain_mails(&site.app).await.unwrap();
    site.advance("10m");
    let late = site.scrape().await;
    assert_eq!(late.value("account_outbox_late_mails", &[]), 2.0);
    assert_eq!(late.value("account_outbox_deferred_mails", &[]), 2.0);
    for name in [
        "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
        "process_max_fds",
    ] {
        assert!(late.value(name, &[]) > 0.0, "{name}");
    }
    let cpu = late.value("process_cpu_seconds_total", &[]);
    assert!(site.scrape().await.value("process_cpu_seconds_total", &[]) >= cpu);
    assert!(
        !ALERTS.contains("outbox_oldest_age"),
        "a single undeliverable mail would page"
    );
}

on_both_databases!(failed_mails_are_counted_by_reason);
async fn failed_mails_are_counted_by_reason(db: Database) {
    db.allow_unread_mails();
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    for (name, reaction) in [
        ("ada", Behaviour::Refuses("550 5.1.1 no such mailbox")),
        ("bob", Behaviour::Refuses("450 4.2.1 not now")),
        (
            "cleo",
            Behaviour::RespondsTo("MAIL", "550 5.7.1 sender not allowed"),
        ),
        ("dora", Behaviour::RespondsTo("MAIL", "421 4.3.2 closing")),
    ] {
        smtp.set_behaviour(reaction);
        site.browser().post("/register", &form(name)).await;
        queues::drain_mails(&site.app).await.unwrap();
    }
    let bounced = "UPDATE accounts SET bounced_at = 1 WHERE username = 'ada'";
    site.execute(bounced, &[]).await;
    let seen = site.scrape().await;
    assert_eq!(seen.value("account_bounced_accounts", &[]), 1.0);
    for (state, reason, mails) in [
        ("given_up", "no_such_address", 1.0),
        ("waiting", "no_such_address", 0.0),
        ("waiting", "recipient", 1.0),
        ("waiting", "sender", 1.0),
        ("waiting", "connection", 1.0),
        ("waiting", "certificate", 0.0),
    ] {
        let labels = [("state", state), ("reason", reason)];
        let found = seen.value("account_outbox_failed_mails", &labels);
        assert_eq!(found, mails, "{state} {reason}");
    }
    // Once they are sent, nothing fails any more.
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("1h");
    queues::drain_mails(&site.app).await.unwrap();
    let later = site.scrape().await;
    assert_eq!(
        later.sum("account_outbox_failed_mails", &[("state", "waiting")]),
        0.0
    );
}

on_both_databases!(no_input_adds_a_time_series);
async fn no_input_adds_a_time_series(db: Database) {
    let site = db.site().await;
    let knock = async |word: String| {
        let browser = site.browser();
        browser.open(&format!("/{word}")).await;
        browser.open(&format!("/account/{word}")).await;
        browser.get(&format!("/{word}?token={word}")).await;
        let method = axum::http::Method::from_bytes(word.as_bytes()).unwrap();
        browser.send(browser.fetch(method, "/users/me")).await;
        let credentials = json!({"email": format!("{word}@example.org"), "password": word});
        browser.post("/login", &credentials).await;
    };
    knock("first".into()).await;
    let before = site.scrape().await.samples.len();
    join_all((0..50).map(|n| knock(format!("word{n}")))).await;
    let after = site.scrape().await;
    assert_eq!(after.samples.len(), before);
    let labels = [("method", "GET"), ("route", "none"), ("status", "404")];
    assert_eq!(after.value("account_http_requests_total", &labels), 51.0);
    assert!(!after.text.contains("word7"));
}

on_both_databases!(refused_hashes_and_limits_are_counted_by_name);
async fn refused_hashes_and_limits_are_counted_by_name(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    let wrong = json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"});
    for _ in 0..7 {
        browser.post("/login", &wrong).await;
    }
    let seen = site.scrape().await;
    let limit = [("limit", "login_failed_account")];
    assert_eq!(seen.value("account_limits_hit_total", &limit), 2.0);
    let login = "/account/account-api/login";
    for (status, times) in [("401", 5.0), ("429", 2.0)] {
        let labels = [("method", "POST"), ("route", login), ("status", status)];
        assert_eq!(seen.value("account_http_requests_total", &labels), times);
    }
    assert_eq!(seen.value("account_hash_duration_seconds_count", &[]), 5.0);
    assert_eq!(seen.value("account_hash_wait_seconds_count", &[]), 5.0);
    assert_eq!(seen.value("account_hash_running", &[]), 0.0);
    assert_eq!(seen.value("account_hash_waiting", &[]), 0.0);
    assert_eq!(seen.value("account_hash_threads", &[]), 2.0);
    assert_eq!(seen.value("account_hash_refused_total", &[]), 0.0);
}

impl Site {
    pub(crate) async fn scrape(&self) -> Scrape {
        use tower::ServiceExt;
        let request = axum::http::Request::get("/metrics");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let response = account::testing::ops::router(self.app.clone()).oneshot(request);
        let response = assert_status!(crate::support::Response::read(response.await.unwrap()), 200);
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        response.assert_header("content-type", kind);
        Scrape::parse(response.text())
    }
}

on_both_databases!(a_scrape_is_consistent_and_has_no_personal_data);
// security: LG-1
async fn a_scrape_is_consistent_and_has_no_personal_data(db: Database) {
    let live = start_site(&db).await;
    live.generate_traffic().await;
    let seen = live.scrape().await;
    seen.assert_histograms_add_up();
    for route in ["login", "register", "confirm-email", "users/me"] {
        let route = format!("{API}/{route}");
        let labels = [("route", route.as_str())];
        let answered = seen.sum("account_http_requests_total", &labels);
        let timed = seen.sum("account_http_request_duration_seconds_count", &labels);
        assert!(
            answered > 0.0 && answered == timed,
            "{route}: {answered} {timed}"
        );
    }
    let kept = [("kind", "verify_email"), ("result", "kept")];
    assert_eq!(seen.value("account_mails_total", &kept), 1.0);
    let kind = [(
        "database",
        if db.url().starts_with("sqlite") {
            "sqlite"
        } else {
            "postgres"
        },
    )];
    assert_eq!(seen.sum("account_build_info", &kind), 1.0);
    for private in [
        "quentin", "nobody", "example.org", "abcdef", "token", "127.0.0.1", "Wrong",
    ] {
        assert!(!seen.text.contains(private), "{private} in\n{}", seen.text);
    }
    assert!(seen.samples.len() < 1000, "{} series", seen.samples.len());
}

const DASHBOARD: &str = include_str!("../deploy/grafana/account.json");
const ALERTS: &str = include_str!("../deploy/prometheus/alerts.yml");

/// The names of metrics in a file of queries.
fn metric_names(queries: &str) -> BTreeSet<&str> {
    let words = queries.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with("account_") || word.starts_with("process_"))
        .collect()
}

/// The beginnings of the values that the queries compare labels with. A run without faults has no server errors, and
/// `job` and `instance` are labels of Prometheus.
fn label_values(queries: &str) -> impl Iterator<Item = (&str, &str)> {
    let matchers = queries.split(['{', ',']).filter_map(|matcher| {
        let (label, rest) = matcher.split_once('=')?;
        let (values, _) = rest
            .trim_start_matches('~')
            .strip_prefix('"')?
            .split_once('"')?;
        Some((label.trim(), values))
    });
    matchers
        .filter(|(label, _)| !["job", "instance"].contains(label))
        .flat_map(|(label, values)| values.split('|').map(move |value| (label, value)))
        .map(|(label, value)| (label, value.trim_end_matches(".*")))
        .filter(|(label, value)| *label != "status" || !value.starts_with('5'))
}

on_both_databases!(dashboard_and_alerts_use_existing_metrics);
async fn dashboard_and_alerts_use_existing_metrics(db: Database) {
    let live = start_site(&db).await;
    live.generate_traffic().await;
    let seen = live.scrape().await;
    let queries = DASHBOARD.replace("\\\"", "\"") + ALERTS;
    let used = metric_names(&queries);
    for name in &used {
        let exists = seen.samples.iter().any(|sample| sample.name == *name);
        assert!(exists, "no metric {name}");
    }
    for family in seen.types.keys() {
        let is_shown = used.iter().any(|name| name.starts_with(family.as_str()));
        assert!(is_shown, "{family} is in no panel and no rule");
    }
    for (label, value) in label_values(&queries) {
        let has = |labels: &scrape::Labels| labels.get(label).is_some_and(|v| v.starts_with(value));
        let exists = seen.samples.iter().any(|sample| has(&sample.labels));
        assert!(exists, "no label {label}={value}");
    }
}

// security: FI-7
#[tokio::test]
async fn the_operators_listener_serves_metrics_alone_and_stops_with_the_site() {
    let db = tempfile::tempdir().unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ops = free.local_addr().unwrap().to_string();
    let settings = [("ACCOUNT_SERVER__OPS_LISTEN", ops.as_str())];
    let both = [settings[0], ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0")];
    let (code, _, errors) = run_to_exit(db.path(), &["serve"], &both);
    assert_eq!(code, 1, "the port is taken");
    let problem = format!("server.ops_listen: cannot listen on {ops}");
    assert!(
        errors.contains(&problem) && errors.lines().count() == 1,
        "{errors}"
    );
    drop(free);

    let mut site = Process::serve(db.path(), &settings).await;
    let caller = Caller::new();
    for (url, status) in [
        (format!("http://{ops}/metrics"), 200),
        (format!("http://{ops}/"), 404),
        (format!("http://{ops}/account/"), 404),
        (format!("http://{ops}{API}/users/me"), 404),
        (format!("{}/metrics", site.url), 404),
    ] {
        let response = caller.get(&url).await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{url}");
    }
    // A host name that a stranger points at this machine would make the metrics readable to the stranger's page.
    for (host, status) in [("localhost:1", 200), ("evil.example", 421)] {
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let request = client.get(format!("http://{ops}/metrics"));
        let response = request.header("host", host).send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{host}");
    }
    site.terminate();
    site.assert_exits_within(5).await;
    assert!(tokio::net::TcpStream::connect(&ops).await.is_err());
}
