//! Recent activity: every change records an event, the list contains only the caller's events, and "That wasn't me".

use crate::device_approval::request_approval_by_phone;
use crate::email_change::change_link;
use crate::password_change::change_password;
use crate::second_factor::turn_on;
use crate::support::prelude::*;
use crate::support::response::assert_members;

async fn fetch_activity(browser: &Browser) -> Vec<Value> {
    let response = assert_ok!(browser.get("/activity"));
    response.json()["events"].as_array().unwrap().clone()
}

/// The kinds in the list, oldest first.
pub async fn event_kinds(browser: &Browser) -> Vec<String> {
    let events = fetch_activity(browser).await;
    let kinds = events.iter().rev().map(|event| event["kind"].as_str());
    kinds.map(|kind| kind.unwrap().to_owned()).collect()
}

async fn disown(browser: &Browser, event: &Value) -> Response {
    let id = event["id"].as_str().unwrap();
    browser.post_empty(&format!("/activity/{id}/not-me")).await
}

on_both_databases!(
    a_change_is_listed_with_time_device_and_network,
    every_flow_writes_its_event,
    the_activity_lists_every_change_of_the_second_factor,
    a_sign_in_blocked_by_a_policy_is_listed_and_its_link_can_be_ended,
    a_decision_about_a_device_names_that_device,
    the_list_is_paged_and_contains_only_the_callers_events,
    that_was_not_me_ends_the_sessions_of_the_device_and_their_email_change,
    that_was_not_me_cancels_a_second_factor_reset,
    only_sign_ins_of_the_caller_can_be_disowned,
    activity_expires_after_its_lifetime,
);

// security: MD-1
async fn a_change_is_listed_with_time_device_and_network(Member(site, ada): Member) {
    site.advance("1m");
    ada.try_sign_in(&ada.browser).await;
    let mut before = event_kinds(&ada.browser).await;
    assert_eq!(before.pop().unwrap(), "signed_in");
    before.sort();
    assert_eq!(before, ["email_verified", "registered"]);
    let newest = fetch_activity(&ada.browser).await[0].clone();
    let expected = json!({
        "actor": "self", "at": rfc3339(site.now()), "current": true,
        "details": {"methods": ["password"]}, "device": "Firefox · Linux", "id": newest["id"],
        "kind": "signed_in", "network": newest["network"],
    });
    assert_eq!(newest, expected);
    assert!(newest["network"].as_str().unwrap().ends_with(".0/24"));
}

async fn every_flow_writes_its_event(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let browser = &ada.browser;
    site.advance("1m");
    change_password(browser, PASSWORD, "Orange-Tree-43").await;
    site.mails().await;
    site.advance("1m");
    let link = change_link(browser, "new@example.org").await;
    site.advance("1m");
    browser.confirm_email_change(&link).await;
    site.advance("1m");
    browser.sign_out_everywhere().await;
    let undo = ada.mailed_token().await;
    site.advance("1m");
    browser.undo_email_change(&undo).await;
    site.advance("1m");
    ada.sign_in_with(browser, "Orange-Tree-43").await;
    assert_eq!(
        event_kinds(browser).await[3..],
        [
            "password_changed", "email_change_requested", "email_changed", "signed_out_everywhere",
            "email_change_undone", "signed_in"
        ]
    );
}

async fn a_sign_in_blocked_by_a_policy_is_listed_and_its_link_can_be_ended(
    (site, ada): (Site, Person),
) {
    site.advance("1m");
    let thief = ada.new_browser();
    ada.assert_needs_approval(&thief).await;
    let link = ada.mailed_token().await;
    let blocked = fetch_activity(&ada.browser).await[0].clone();
    let details = json!({"reason": "new_device"});
    let expected = json!({"kind": "sign_in_blocked", "details": details, "current": false});
    assert_members(&blocked, &expected);
    assert_ok!(disown(&ada.browser, &blocked));
    thief.assert_email_link_ended(&link).await;
}

// The browser that answered the mail would otherwise look like the approved or refused device.
async fn a_decision_about_a_device_names_that_device((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    for (approve, kind) in [(true, "device_approved"), (false, "device_refused")] {
        site.advance("1m");
        request_approval_by_phone(&ada, &ada.new_browser()).await;
        let link = ada.mailed_token().await;
        site.advance("1m");
        assert_ok!(ada.browser.decide_device(&link, approve));
        let newest = fetch_activity(&ada.browser).await[0].clone();
        let device = newest["details"]["device"].clone();
        assert_members(
            &newest,
            &json!({"kind": kind, "device": device, "current": false}),
        );
        assert_ne!(device, "Firefox · Linux");
    }
}

// security: MD-1
async fn the_list_is_paged_and_contains_only_the_callers_events(site: Site) {
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
    assert_ok!(ada.browser.get("/activity?limit=100000"));
    assert_refused!(site.browser().get("/activity"), Unauthenticated);
}

async fn that_was_not_me_ends_the_sessions_of_the_device_and_their_email_change(db: Database) {
    let (site, ada) = db.site_with_ada(allow_new_devices).await;
    site.advance("1m");
    let thief = ada.new_browser();
    ada.sign_in(&thief).await;
    let link = change_link(&thief, "thief@example.net").await;
    site.advance("1m");
    disown_foreign_sign_in(&ada.browser).await;
    thief.assert_signed_out().await;
    ada.assert_still_signed_in().await;
    let kinds = event_kinds(&ada.browser).await;
    assert!(kinds.contains(&"device_signed_out".to_owned()), "{kinds:?}");
    assert_refused!(thief.confirm_email_change(&link), InvalidToken);
    let state = ada.browser.get_json("/security").await;
    assert_eq!(state.get("pending_email"), None);
}

/// Disowns the sign-in of the other browser.
async fn disown_foreign_sign_in(browser: &Browser) {
    let events = fetch_activity(browser).await;
    let is_foreign = |event: &&Value| event["kind"] == "signed_in" && event["current"] == false;
    let foreign = events.iter().find(is_foreign).unwrap();
    assert_ok!(disown(browser, foreign));
}

async fn that_was_not_me_cancels_a_second_factor_reset(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let thief = site.browser();
    assert_ok!(ada.try_code(&thief, &ada.codes[0]));
    assert_status!(thief.post_defaults("/second-factor/reset"), 202);
    disown_foreign_sign_in(&ada.browser).await;
    let state = ada.browser.get_json("/security").await;
    assert_eq!(state["second_factor_reset_at"], Value::Null);
    let kinds = event_kinds(&ada.browser).await;
    assert!(kinds.contains(&"second_factor_reset_cancelled".to_owned()));
}

async fn only_sign_ins_of_the_caller_can_be_disowned(site: Site) {
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    let own = fetch_activity(&ada.browser).await;
    let registered = own.iter().find(|event| event["kind"] == "registered");
    let foreign = &fetch_activity(&bob.browser).await[0];
    for event in [registered.unwrap(), foreign, &json!({"id": "nonsense"})] {
        assert_refused!(disown(&ada.browser, event), NotFound);
    }
    bob.assert_still_signed_in().await;
}

async fn activity_expires_after_its_lifetime((site, _): (Site, Person)) {
    for (wait, left) in [("180d", 3), ("1ms", 0)] {
        site.advance(wait);
        site.run_expiry().await;
        site.assert_count("security_events", left).await;
    }
}

async fn the_activity_lists_every_change_of_the_second_factor((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    site.advance("1m");
    let ada = turn_on(&site, ada).await;
    let browser = &ada.browser;
    site.advance("1m");
    assert_ok!(ada.try_code(browser, &ada.codes[0]));
    assert_ok!(browser.post_defaults("/second-factor/recovery-codes"));
    let stranger = site.browser();
    let token = ada.first_step(&stranger).await;
    stranger.request_factor_reset(&token).await;
    browser.delete("/second-factor").await.assert_empty();
    let kinds = event_kinds(browser).await;
    let mut kinds = kinds[kinds.len() - 7..].to_vec();
    // Events with the same timestamp have no order.
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            "recovery_code_used", "recovery_codes_regenerated", "second_factor_disabled",
            "second_factor_enabled", "second_factor_reset_cancelled",
            "second_factor_reset_requested", "signed_in",
        ]
    );
}
