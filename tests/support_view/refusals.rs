//! Refused attempts of agents and operators are in the audit; attempts of strangers are not.

use account::testing::error::ErrorCode;

use super::accounts::fetch_audit;
use super::{act_on_account, agent, give_role, id_of, site};
use crate::prelude::*;

on_both_databases!(
    a_refused_attempt_is_in_the_audit_and_changes_nothing_else,
    an_attempt_without_a_role_leaves_no_row_in_the_audit
);

const UNKNOWN: &str = "0190b0a0-0000-7000-8000-000000000000";

// security: AD-4
async fn a_refused_attempt_is_in_the_audit_and_changes_nothing_else(db: Database) {
    let site = site(&db).await;
    let support = agent(&site, "support1", "support").await;
    let admin = agent(&site, "admin1", "admin").await;
    let target = site.signed_in("target").await;
    let (id, agent_id) = (id_of(&site, "target").await, id_of(&site, "admin1").await);
    let mut expected = Vec::new();
    for (account, path, action, refusal) in [
        (&*agent_id, "sign-out", "sign_out", ErrorCode::NotAllowed),
        (
            &id,
            "cancel-deletion",
            "cancel_deletion",
            ErrorCode::NothingPending,
        ),
        (UNKNOWN, "sign-out", "sign_out", ErrorCode::NotFound),
    ] {
        act_on_account(&support, account, path)
            .await
            .assert_error(refusal);
        expected.push(json!([action, account, "ticket 17", refusal]));
    }
    // The role is checked before the body, so that the body tells nothing: the reason is not read.
    for (path, action) in [("disable", "disable"), ("enable", "enable")] {
        assert_refused!(act_on_account(&support, &id, path), NotFound);
        expected.push(json!([action, id, null, "not_found"]));
    }
    let of_account = |list| format!("/support/accounts/{UNKNOWN}/{list}");
    for (path, action, account) in [
        ("/support/audit", "read_audit", Value::Null),
        (&of_account("activity"), "view_activity", json!(UNKNOWN)),
        (&of_account("mails"), "view_mails", json!(UNKNOWN)),
    ] {
        site.advance("1s");
        assert_refused!(support.get(path), NotFound);
        expected.push(json!([action, account, null, "not_found"]));
    }

    assert_status!(target.browser.get("/users/me"), 200);
    let events = target.browser.get("/activity").await.json();
    let events = events["events"].list().iter();
    assert_eq!(
        events.filter(|event| event["actor"] == "support").count(),
        0
    );

    let entries = fetch_audit(&admin).await;
    assert_eq!(entries[0]["refusal"], Value::Null, "the look at the audit");
    let keys = ["action", "account", "reason", "refusal"];
    let found = entries[1..].iter().rev().map(|entry| {
        assert_eq!(entry["actor"], "support1");
        json!(keys.map(|key| &entry[key]))
    });
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

// security: AD-4
async fn an_attempt_without_a_role_leaves_no_row_in_the_audit(db: Database) {
    let site = site(&db).await;
    site.member("target").await;
    let id = id_of(&site, "target").await;
    let holder = crate::second_factor::person_with_second_factor(&site, "holder").await;
    let revoked = agent(&site, "revoked", "admin").await;
    give_role(&site, "revoked", None).await;
    for browser in [&site.browser(), &holder.person.browser, &revoked] {
        assert_refused!(act_on_account(browser, &id, "disable"), NotFound);
        assert_refused!(browser.get("/support/audit"), NotFound);
    }
    site.assert_count("support_audit", 0).await;
}
