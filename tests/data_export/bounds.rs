//! The bounds of an export: the size of an account's history, and one export at a time.

use std::collections::BTreeMap;

use account::testing::db::Param;
use account::testing::rng::Rng;
use http_body_util::BodyExt;

use super::{export, unzip};
use crate::support::eventually;
use crate::support::prelude::*;

async fn assert_full(site: &Site) {
    site.assert_count("security_events", MAX_EVENTS as i64)
        .await;
    site.assert_count("consents", MAX_CONSENTS as i64).await;
}

const MAX_EVENTS: usize = 5_000;
const MAX_CONSENTS: usize = 1_000;

/// Adds rows to the account's history, a millisecond apart and older than the next event.
async fn fill(site: &Site, person: &Person, events: usize, consents: usize) {
    let account = site.id_of(&person.name).await;
    site.advance("1h");
    let (rng, now) = (Rng::System, site.now());
    let rows = |count: usize| (0..count as i64).map(move |n| now - 1_800_000 + n);
    let mut tx = site.app.store.write().await.unwrap();
    for (table, columns, values, count) in [
        (
            "security_events",
            "id, account_id, at, kind, actor, device_name, network, details",
            "'signed_in', 'self', 'Firefox · Linux', '10.0.0.0/24', '{}'",
            events,
        ),
        (
            "consents",
            "id, account_id, at, consent, text_version, language",
            "1, 1, 'en'",
            consents,
        ),
    ] {
        let times: Vec<i64> = rows(count).collect();
        // A statement for each row would keep the database server busy for seconds.
        for times in times.chunks(500) {
            let row =
                |n: usize| format!("(${}, ${}, ${}, {values})", 3 * n + 1, 3 * n + 2, 3 * n + 3);
            let all: Vec<_> = (0..times.len()).map(row).collect();
            let sql = format!("INSERT INTO {table} ({columns}) VALUES {}", all.join(", "));
            let ids: Vec<_> = times.iter().map(|at| rng.id(*at)).collect();
            let params: Vec<Param<'_>> = ids
                .iter()
                .zip(times)
                .flat_map(|(id, at)| [Param::from(*id), Param::from(account), Param::from(*at)])
                .collect();
            tx.execute(&sql, &params).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
    person.browser.reauthenticate(&person.credentials()).await;
}

on_both_databases!(
    a_full_history_is_exported_and_its_oldest_rows_go,
    events_that_a_session_repeats_remove_no_event_of_another_kind,
    a_history_of_an_earlier_version_is_read_up_to_its_bound,
    parallel_events_do_not_exceed_the_bound,
    an_account_has_one_export_at_a_time_on_all_nodes,
    a_process_has_four_exports_at_a_time,
    an_export_that_is_broken_off_lets_the_next_one_begin,
    the_turn_of_a_killed_process_ends_after_two_minutes,
    an_export_also_takes_turns_where_limits_are_off,
);

async fn a_full_history_is_exported_and_its_oldest_rows_go((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    fill(&site, &ada, MAX_EVENTS + 7, MAX_CONSENTS + 7).await;
    let choice = json!({"consent": true});
    ada.browser.put("/marketing-consent", &choice).await;
    assert_full(&site).await;
    let export = export(&ada.browser).await;
    let activity = export.document["activity"].as_array().unwrap();
    assert_eq!(activity.len(), MAX_EVENTS);
    // Events of the same time have no order.
    let newest = &activity[..2];
    assert!(newest.iter().any(|event| event["kind"] == "data_exported"));
    let mut times: Vec<&str> = activity.iter().map(|e| e["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|a, b| a >= b), "newest first");
    times.dedup();
    assert!(times.len() > 3, "no page is repeated");
    let consents = export.document["consents"].as_array().unwrap();
    assert_eq!(consents.len(), MAX_CONSENTS);
    assert_eq!(
        consents[0]["at"], "2026-11-21T12:00:00Z",
        "the first one stays"
    );
    assert_eq!(
        consents[MAX_CONSENTS - 1]["at"],
        export.document["exported_at"]
    );
    assert_eq!(
        export.html.matches("<h3>").count(),
        MAX_EVENTS + MAX_CONSENTS + 1
    );
}

async fn events_that_a_session_repeats_remove_no_event_of_another_kind(
    (site, ada): (Site, Person),
) {
    site.allow_unread_mails();
    let counts = async || -> BTreeMap<String, i64> {
        let sql = "SELECT kind, COUNT(*) FROM security_events GROUP BY kind";
        let rows = site.rows(sql, &[]).await;
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    };
    fill(&site, &ada, MAX_EVENTS, 0).await;
    let mut expected = counts().await;
    for n in 0..12 {
        let choice = json!({"consent": n % 2 == 0});
        assert_ok!(ada.browser.put("/marketing-consent", &choice));
    }
    expected.insert("marketing_consent_changed".into(), 12);
    let others: i64 = expected.values().sum::<i64>() - expected["signed_in"];
    expected.insert("signed_in".into(), MAX_EVENTS as i64 - others);
    assert_eq!(counts().await, expected);
}

async fn a_history_of_an_earlier_version_is_read_up_to_its_bound((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    fill(&site, &ada, 2 * MAX_EVENTS, 3 * MAX_CONSENTS).await;
    let export = export(&ada.browser).await;
    assert_eq!(
        export.document["activity"].as_array().unwrap().len(),
        MAX_EVENTS
    );
    let consents = export.document["consents"].as_array().unwrap();
    assert_eq!(consents.len(), MAX_CONSENTS);
    assert_eq!(consents[0]["at"], "2026-11-21T12:00:00Z");
}

async fn parallel_events_do_not_exceed_the_bound((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    fill(&site, &ada, MAX_EVENTS, MAX_CONSENTS).await;
    let all = (0..12).map(|n| {
        let browser = ada.browser.copy();
        async move {
            browser
                .put("/marketing-consent", &json!({"consent": n % 2 == 0}))
                .await
        }
    });
    for response in join_all(all).await {
        response.assert_status(200);
    }
    assert_full(&site).await;
}

/// Begins an export whose body is not read.
async fn begin(person: &Person) -> axum::response::Response {
    let browser = &person.browser;
    let request = browser.request(browser.fetch(Method::GET, "/data-export"), String::new());
    let router = browser.site.router.clone();
    let response = tower::ServiceExt::oneshot(router, request).await.unwrap();
    assert_eq!(response.status(), 200);
    response
}

async fn an_account_has_one_export_at_a_time_on_all_nodes(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let other_node = db.site().await;
    let ada = site.signed_in("ada").await;
    let bob = site.signed_in("bob").await;
    let running = begin(&ada).await;
    let elsewhere = crate::nodes::browser_on_node(&other_node, &ada.browser);
    for browser in [&ada.browser, &elsewhere] {
        let refused = browser.get("/data-export").await;
        refused.assert_error(ErrorCode::RateLimited);
        let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=120).contains(&wait), "{wait}");
    }
    export(&bob.browser).await;
    let events = "security_events WHERE kind = 'data_exported'";
    assert_eq!(site.count(events).await, 2, "a refused one leaves no event");
    let whole = Response::read(running).await;
    unzip(&whole);
    // Refused ones did not count, so four of the five of a day are left.
    for _ in 0..4 {
        unzip(&elsewhere.get("/data-export").await);
    }
    assert_refused!(elsewhere.get("/data-export"), RateLimited);
}

async fn a_process_has_four_exports_at_a_time(site: Site) {
    site.allow_unread_mails();
    let mut running = Vec::new();
    for n in 0..4 {
        running.push(begin(&site.signed_in(&format!("reader{n}")).await).await);
    }
    let ada = site.signed_in("ada").await;
    // Refused ones do not count, so the five of a day are left.
    for _ in 0..6 {
        let refused = ada.browser.get("/data-export").await;
        refused.assert_error(ErrorCode::Busy);
        refused.assert_header("retry-after", "2");
    }
    unzip(&Response::read(running.pop().unwrap()).await);
    unzip(&ada.browser.get("/data-export").await);
    drop(running);
    for _ in 0..4 {
        unzip(&ada.browser.get("/data-export").await);
    }
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
}

async fn an_export_that_is_broken_off_lets_the_next_one_begin((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    drop(begin(&ada).await);
    let turn = format!("limits WHERE ends_at = {}", site.now() + 120_000);
    eventually("the turn ends", async || site.count(&turn).await == 0).await;
    unzip(&ada.browser.get("/data-export").await);
}

async fn the_turn_of_a_killed_process_ends_after_two_minutes((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let killed = begin(&ada).await;
    site.advance("1m 59s");
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
    site.advance("1s");
    let next = begin(&ada).await;
    // The first one is broken off, and does not end the turn of the second one.
    let broken = killed.into_body().collect().await;
    assert!(broken.is_err());
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
    unzip(&Response::read(next).await);
}

async fn an_export_also_takes_turns_where_limits_are_off(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let running = begin(&ada).await;
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
    unzip(&Response::read(running).await);
}
