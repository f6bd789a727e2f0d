//! Recent activity: every change records an event, the list contains only the caller's events, and "That wasn't me".

use serde_json::{Value, json};

use crate::device_approval::request_approval_by_phone;
use crate::password_change::change_password;
use crate::second_factor::{person_with_second_factor, second_step};
use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Person, Response, allow_new_devices};

async fn fetch_activity(browser: &Browser) -> Vec<Value> {
    let response = assert_status!(browser.get("/activity"), 200);
    response.json()["events"].as_array().unwrap().clone()
}

/// The kinds in the list, oldest first.
pub(crate) async fn event_kinds(browser: &Browser) -> Vec<String> {
    let events = fetch_activity(browser).await;
    let kinds = events.iter().rev();
    kinds
        .map(|event| event["kind"].as_str().unwrap().to_owned())
        .collect()
}

async fn disown(browser: &Browser, event: &Value) -> Response {
    let id = event["id"].as_str().unwrap();
    browser.post_empty(&format!("/activity/{id}/not-me")).await
}

on_both_databases!(a_change_is_listed_with_time_device_and_network);
// security: MD-1
async fn a_change_is_listed_with_time_device_and_network(db: Database) {
    let site = db.site().await;
    let ada = site.member("ada").await;
    site.advance("1m");
    ada.try_sign_in(&ada.browser).await;
    let mut before = event_kinds(&ada.browser).await;
    assert_eq!(before.pop().unwrap(), "signed_in");
    before.sort();
    assert_eq!(before, ["email_verified", "registered"]);
    let newest = fetch_activity(&ada.browser).await[0].clone();
    let keys: Vec<_> = newest.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "actor", "at", "current", "details", "device", "id", "kind", "network"
        ]
    );
    assert_eq!(newest["device"], "Firefox · Linux");
    assert_eq!(newest["current"], true);
    assert_eq!(newest["actor"], "self");
    assert_eq!(newest["details"], json!({"methods": ["password"]}));
    assert!(newest["network"].as_str().unwrap().ends_with(".0/24"));
    let at: jiff::Timestamp = newest["at"].as_str().unwrap().parse().unwrap();
    assert_eq!(at.as_second(), site.now() / 1000);
}

on_both_databases!(every_flow_writes_its_event);
async fn every_flow_writes_its_event(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.signed_in("ada").await;
    site.advance("1m");
    change_password(&ada.browser, PASSWORD, "Orange-Tree-43").await;
    site.mails().await;
    site.advance("1m");
    ada.browser.request_email_change("new@example.org").await;
    let link = site.mail_to("new@example.org").await.token();
    site.advance("1m");
    ada.browser.confirm_email_change(&link).await;
    site.advance("1m");
    ada.browser.sign_out_everywhere().await;
    let undo = site.mail_to(&ada.email).await.token();
    site.advance("1m");
    ada.browser.undo_email_change(&undo).await;
    site.advance("1m");
    ada.sign_in_with(&ada.browser, "Orange-Tree-43").await;
    assert_eq!(
        event_kinds(&ada.browser).await[3..],
        [
            "password_changed", "email_change_requested", "email_changed", "signed_out_everywhere",
            "email_change_undone", "signed_in"
        ]
    );
}

on_both_databases!(a_sign_in_blocked_by_a_policy_is_listed_with_its_reason);
async fn a_sign_in_blocked_by_a_policy_is_listed_with_its_reason(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    site.advance("1m");
    ada.assert_needs_approval(&ada.new_browser()).await;
    let newest = fetch_activity(&ada.browser).await[0].clone();
    assert_eq!(newest["kind"], "sign_in_blocked");
    assert_eq!(newest["details"], json!({"reason": "new_device"}));
    assert_eq!(newest["current"], false);
}

// The browser that answered the mail would otherwise look like the approved or refused device.
on_both_databases!(a_decision_about_a_device_names_that_device);
async fn a_decision_about_a_device_names_that_device(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    for (approve, kind) in [(true, "device_approved"), (false, "device_refused")] {
        site.advance("1m");
        request_approval_by_phone(&ada, &ada.new_browser()).await;
        let link = site.mail_to(&ada.email).await.token();
        site.advance("1m");
        assert_status!(ada.browser.decide_device(&link, approve), 200);
        let newest = fetch_activity(&ada.browser).await[0].clone();
        assert_eq!(newest["kind"], kind);
        assert_eq!(newest["device"], newest["details"]["device"]);
        assert_ne!(newest["device"], "Firefox · Linux");
        assert_eq!(newest["current"], false);
    }
}

on_both_databases!(the_list_is_paged_and_contains_only_the_callers_events);
// security: MD-1
async fn the_list_is_paged_and_contains_only_the_callers_events(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    for _ in 0..4 {
        site.advance("1m");
        ada.browser.post_empty("/logout").await.assert_empty();
        ada.try_sign_in(&ada.browser).await;
    }
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let part = ada.browser.get(&format!("/activity?limit=3{before}")).await;
        let part = part.json();
        let events = part["events"].as_array().unwrap();
        assert!(!events.is_empty() && events.len() <= 3);
        seen.extend(events.iter().map(|event| event["id"].clone()));
        match part["next"].as_str() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), 11);
    let whole = fetch_activity(&ada.browser).await;
    let whole: Vec<_> = whole.iter().map(|event| event["id"].clone()).collect();
    assert_eq!(seen, whole);
    assert_eq!(fetch_activity(&bob.browser).await.len(), 3);
    for wrong in ["before=x", "limit=0", "limit=-1", "limit=many"] {
        assert_refused!(ada.browser.get(&format!("/activity?{wrong}")), BadRequest);
    }
    assert_status!(ada.browser.get("/activity?limit=100000"), 200);
    assert_refused!(site.browser().get("/activity"), Unauthenticated);
}

on_both_databases!(that_was_not_me_forgets_the_device_and_ends_its_sessions);
async fn that_was_not_me_forgets_the_device_and_ends_its_sessions(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    site.advance("1m");
    let thief = ada.new_browser();
    ada.sign_in(&thief).await;
    let events = fetch_activity(&ada.browser).await;
    let foreign = events.iter().find(|event| event["current"] == false);
    let foreign = foreign.unwrap();
    site.advance("1m");
    assert_status!(disown(&ada.browser, foreign), 200);
    thief.assert_signed_out().await;
    ada.assert_signed_in(&ada.browser).await;
    assert_eq!(
        event_kinds(&ada.browser).await.last().unwrap(),
        "device_signed_out"
    );
}

on_both_databases!(that_was_not_me_ends_the_approval_link_of_a_blocked_sign_in);
async fn that_was_not_me_ends_the_approval_link_of_a_blocked_sign_in(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.advance("1m");
    let thief = ada.new_browser();
    ada.assert_needs_approval(&thief).await;
    let link = site.mail_to(&ada.email).await.token();
    let blocked = fetch_activity(&ada.browser).await[0].clone();
    assert_eq!(disown(&ada.browser, &blocked).await.status, 200);
    thief.assert_email_link_ended(&link).await;
}

/// Disowns the sign-in of the other browser.
async fn disown_foreign_sign_in(browser: &Browser) {
    let events = fetch_activity(browser).await;
    let is_foreign = |event: &&Value| event["kind"] == "signed_in" && event["current"] == false;
    let foreign = events.iter().find(is_foreign).unwrap();
    assert_status!(disown(browser, foreign), 200);
}

on_both_databases!(that_was_not_me_cancels_the_email_change_of_the_disowned_session);
async fn that_was_not_me_cancels_the_email_change_of_the_disowned_session(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    site.advance("1m");
    let thief = ada.new_browser();
    ada.sign_in(&thief).await;
    assert_status!(thief.request_email_change("thief@example.net"), 200);
    let link = site.mail_to("thief@example.net").await.token();
    disown_foreign_sign_in(&ada.browser).await;
    assert_refused!(thief.confirm_email_change(&link), InvalidToken);
    let state = ada.browser.get("/security").await.json();
    assert_eq!(state.get("pending_email"), None);
}

on_both_databases!(that_was_not_me_cancels_a_second_factor_reset);
async fn that_was_not_me_cancels_a_second_factor_reset(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let thief = site.browser();
    let token = ada.first_step(&thief).await;
    assert_status!(second_step(&thief, &token, &ada.codes[0]), 200);
    let reset = thief.post("/second-factor/reset", &json!({})).await;
    assert_eq!(reset.status, 202, "{}", reset.text());
    disown_foreign_sign_in(&ada.person.browser).await;
    let state = ada.person.browser.get("/security").await.json();
    assert_eq!(state["second_factor_reset_at"], Value::Null);
    let kinds = event_kinds(&ada.person.browser).await;
    assert!(kinds.contains(&"second_factor_reset_cancelled".to_owned()));
}

on_both_databases!(only_sign_ins_of_the_caller_can_be_disowned);
async fn only_sign_ins_of_the_caller_can_be_disowned(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    let own = fetch_activity(&ada.browser).await;
    let registered = own.iter().find(|event| event["kind"] == "registered");
    assert_refused!(disown(&ada.browser, registered.unwrap()), NotFound);
    let foreign = fetch_activity(&bob.browser).await[0].clone();
    assert_refused!(disown(&ada.browser, &foreign), NotFound);
    assert_refused!(
        ada.browser.post_empty("/activity/nonsense/not-me"),
        NotFound
    );
    bob.assert_signed_in(&bob.browser).await;
}

on_both_databases!(activity_expires_after_its_lifetime);
async fn activity_expires_after_its_lifetime(db: Database) {
    let site = db.site().await;
    let ada: Person = site.signed_in("ada").await;
    site.advance("180d");
    site.run_expiry().await;
    assert_eq!(site.count("security_events").await, 3, "a moment early");
    site.advance("1ms");
    site.run_expiry().await;
    assert_eq!(site.count("security_events").await, 0);
    drop(ada);
}
