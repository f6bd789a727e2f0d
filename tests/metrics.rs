//! `/metrics` on the operators' listener: its counters, the data that it never contains, and the existence of every
//! metric that the dashboard and the alert rules use.

mod running_site;
pub mod scrape;

use std::collections::BTreeSet;

use account::testing::outbox::queues;
use futures_util::future::join_all;

use crate::old_accounts::old;
use crate::prelude::*;
use crate::support::process::Caller;
use crate::support::smtp::{Behaviour, Smtp};
use running_site::start_site;
use scrape::Scrape;

on_both_databases!(
    rows_are_counted_at_most_every_ten_seconds,
    mail_alerts_depend_on_the_number_of_mails,
    failed_mails_are_counted_by_reason,
    refused_hashes_and_limits_are_counted_by_name,
    a_scrape_is_consistent_and_has_no_personal_data,
    dashboard_and_alerts_use_existing_metrics
);
on_sqlite!(no_input_adds_a_time_series);

async fn rows_are_counted_at_most_every_ten_seconds(UnreadMails(site): UnreadMails<Site>) {
    let empty = "account_database_up 1\naccount_sessions 0";
    site.scrape().await.assert_lines(empty);
    site.joined_and_signed_in("ada").await;
    site.browser().post("/register", &form("bob")).await;
    site.import_accounts(&[old("cleo"), old("dora")]).await;
    // The last count is recent enough.
    site.scrape().await.assert_lines("account_sessions 0");
    site.advance("90s");
    let seconds = site.now() / 1000;
    site.scrape().await.assert_lines(&format!(
        "account_sessions 1
         account_outbox_mails 1
         account_outbox_oldest_age_seconds 90
         account_outbox_given_up_mails 0
         account_migration_accounts{{step=\"imported\"}} 2
         account_migration_accounts{{step=\"invited\"}} 0
         account_migration_accounts{{step=\"migrated\"}} 0
         account_counted_timestamp_seconds {seconds}"
    ));
    // The cached counts are not kept until a clock that was set back has caught up.
    site.set_clock("2026-11-21T09:00:00Z");
    site.signed_in("erin").await;
    site.scrape().await.assert_lines("account_sessions 2");
    site.advance("8d");
    // The idle sessions have expired.
    site.scrape().await.assert_lines("account_sessions 0");
}

async fn mail_alerts_depend_on_the_number_of_mails(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with_mail_url(&format!("smtp://{}", free_address()))
        .await;
    for name in ["ada", "bob"] {
        site.browser().post("/register", &form(name)).await;
    }
    site.advance("1m");
    let none = "account_outbox_late_mails 0\naccount_outbox_deferred_mails 0";
    site.scrape().await.assert_lines(none);
    queues::drain_mails(&site.app).await.unwrap();
    site.advance("10m");
    let late = site.scrape().await;
    late.assert_lines("account_outbox_late_mails 2\naccount_outbox_deferred_mails 2");
    for name in [
        "process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
        "process_max_fds",
    ] {
        assert!(late.value(name) > 0.0, "{name}");
    }
    let cpu = late.value("process_cpu_seconds_total");
    assert!(site.scrape().await.value("process_cpu_seconds_total") >= cpu);
    assert!(
        !ALERTS.contains("outbox_oldest_age"),
        "a single undeliverable mail would page"
    );
}

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
    site.scrape().await.assert_lines(
        r#"account_bounced_accounts 1
        account_outbox_failed_mails{state="given_up",reason="no_such_address"} 1
        account_outbox_failed_mails{state="waiting",reason="no_such_address"} 0
        account_outbox_failed_mails{state="waiting",reason="recipient"} 1
        account_outbox_failed_mails{state="waiting",reason="sender"} 1
        account_outbox_failed_mails{state="waiting",reason="connection"} 1
        account_outbox_failed_mails{state="waiting",reason="certificate"} 0"#,
    );
    // Once they are sent, nothing fails any more.
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("1h");
    queues::drain_mails(&site.app).await.unwrap();
    let later = site.scrape().await;
    let waiting = r#"account_outbox_failed_mails{state="waiting"}"#;
    assert_eq!(later.sum(waiting), 0.0);
}

async fn no_input_adds_a_time_series(site: Site) {
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
    after.assert_lines(r#"account_http_requests_total{method="GET",route="none",status="404"} 51"#);
    assert!(!after.text.contains("word7"));
}

async fn refused_hashes_and_limits_are_counted_by_name(site: Site) {
    let browser = site.browser();
    let wrong = json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"});
    for _ in 0..7 {
        browser.post("/login", &wrong).await;
    }
    site.scrape().await.assert_lines(
        r#"account_limits_hit_total{limit="login_failed_account"} 2
        account_http_requests_total{method="POST",route="/account/account-api/login",status="401"} 5
        account_http_requests_total{method="POST",route="/account/account-api/login",status="429"} 2
        account_hash_duration_seconds_count 5
        account_hash_wait_seconds_count 5
        account_hash_running 0
        account_hash_waiting 0
        account_hash_threads 2
        account_hash_refused_total 0"#,
    );
}

impl Site {
    pub async fn scrape(&self) -> Scrape {
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

// security: LG-1
async fn a_scrape_is_consistent_and_has_no_personal_data(db: Database) {
    let live = start_site(&db).await;
    live.generate_traffic().await;
    let seen = live.scrape().await;
    seen.assert_histograms_add_up();
    for route in ["login", "register", "confirm-email", "users/me"] {
        let labels = format!("{{route=\"{API}/{route}\"}}");
        let answered = seen.sum(&format!("account_http_requests_total{labels}"));
        let timed = seen.sum(&format!(
            "account_http_request_duration_seconds_count{labels}"
        ));
        assert!(
            answered > 0.0 && answered == timed,
            "{route}: {answered} {timed}"
        );
    }
    seen.assert_lines(r#"account_mails_total{kind="verify_email",result="kept"} 1"#);
    let (database, _) = db.url().split_once(':').unwrap();
    let build = format!("account_build_info{{database=\"{database}\"}}");
    assert_eq!(seen.sum(&build), 1.0);
    assert_lacks!(
        seen.text, "quentin", "nobody", "example.org", "abcdef", "token", "127.0.0.1", "Wrong"
    );
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
    let db = folder();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ops = free.local_addr().unwrap().to_string();
    let settings = [("ACCOUNT_SERVER__OPS_LISTEN", ops.as_str())];
    let both = [settings[0], ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0")];
    let problem = format!("server.ops_listen: cannot listen on {ops}");
    run_to_failure(&db, "serve", &both, 1, &problem);
    drop(free);

    let mut site = Process::serve(&db, &settings).await;
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
