//! Lookups and actions of an agent, and their records in the audit and in the activity of the account.

use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use serde_json::{Value, json};

use super::{act_on_account, agent, find_account, id_of, site};
use crate::old_accounts::old;
use crate::support::{Browser, Database, Person, Site};

pub(super) async fn fetch_audit(admin: &Browser) -> Vec<Value> {
    admin.site.advance("1s");
    let response = assert_status!(admin.get("/support/audit"), 200);
    response.json()["entries"].as_array().unwrap().clone()
}

/// Kind, actor and action of the events of support in a person's own list, the oldest first.
async fn support_events(person: &Person) -> Vec<(String, Value)> {
    let response = person.browser.get("/activity").await.json();
    let events = response["events"].as_array().unwrap().iter().rev();
    let events = events.filter(|event| event["actor"] == "support");
    events
        .map(|event| {
            assert_eq!(
                (&event["device"], &event["network"]),
                (&Value::Null, &Value::Null)
            );
            (
                event["kind"].as_str().unwrap().to_owned(),
                event["details"]["action"].clone(),
            )
        })
        .collect()
}

on_both_databases!(an_account_lookup_is_exact_masked_and_recorded);
// security: AD-4
async fn an_account_lookup_is_exact_masked_and_recorded(db: Database) {
    let site = site(&db).await;
    let admin = agent(&site, "admin1", "admin").await;
    site.member("target").await;
    site.import_accounts(&[old("oldie")]).await;
    let id = id_of(&site, "target").await;
    let by_name = find_account(&admin, "Target").await;
    assert_eq!(by_name["email"], "t…@e….org");
    assert_eq!(find_account(&admin, &id).await, by_name);
    let by_email = find_account(&admin, " target@EXAMPLE.org ").await;
    assert_eq!(by_email["email"], "target@example.org");
    let keys: Vec<_> = by_name.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "brand", "created_at", "deletion_at", "devices", "email", "id", "language",
            "last_seen_day", "legacy", "passkeys", "region", "second_factor", "state", "username",
            "verified"
        ]
    );
    assert_eq!(by_name["state"], "active");
    assert_eq!(by_name["brand"], "localhost");
    assert_eq!(by_name["last_seen_day"], "2026-11-21");
    for nothing in ["targe", "target%", "target@example", "t*", "nobody", "''--"] {
        assert_eq!(
            find_account(&admin, nothing).await,
            Value::Null,
            "{nothing}"
        );
    }
    let waiting = find_account(&admin, "oldie@example.org").await;
    assert_eq!(
        (&waiting["state"], &waiting["legacy"]),
        (&json!("legacy"), &json!(true))
    );
    site.registered("kim").await;
    assert_eq!(find_account(&admin, "kim").await["state"], "unverified");
    assert_refused!(admin.get("/support/accounts"), BadRequest);
    assert_refused!(admin.get("/support/accounts?query=%20"), BadRequest);

    let entries = fetch_audit(&admin).await;
    assert_eq!(
        entries.len(),
        12,
        "eleven lookups and the look at the audit"
    );
    let found = entries.iter().filter(|entry| entry["account"] == json!(id));
    assert_eq!(found.count(), 3);
    for entry in &entries[1..] {
        assert_eq!(
            (&entry["actor"], &entry["action"]),
            (&json!("admin1"), &json!("find"))
        );
    }
}

on_both_databases!(lookups_are_limited_by_agent_and_a_refused_lookup_is_in_the_audit);
// security: AD-4
async fn lookups_are_limited_by_agent_and_a_refused_lookup_is_in_the_audit(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| {
            c.support.enabled = true;
            c.limits.support_lookup = "2/h".parse().unwrap();
        })
        .await;
    let one = agent(&site, "support1", "support").await;
    let other = agent(&site, "support2", "support").await;
    for _ in 0..2 {
        find_account(&one, "nobody").await;
    }
    site.advance("1s");
    one.get("/support/accounts?query=nobody")
        .await
        .assert_error_with_data(ErrorCode::RateLimited);
    find_account(&other, "nobody").await;
    let sql = "SELECT refusal FROM support_audit ORDER BY id";
    let rows = site.rows(sql, &[]).await;
    let refusals: Vec<Option<String>> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(
        refusals,
        [None, None, Some("rate_limited".to_owned()), None]
    );
}

on_both_databases!(an_agent_sees_no_network_address_and_the_user_sees_the_lookup);
// security: MD-6
async fn an_agent_sees_no_network_address_and_the_user_sees_the_lookup(db: Database) {
    let site = site(&db).await;
    let support = agent(&site, "support1", "support").await;
    let target = site.joined_and_signed_in("target").await;
    site.mails().await;
    let id = id_of(&site, "target").await;
    find_account(&support, "target").await;
    let path = format!("/support/accounts/{id}/activity");
    site.advance("1s");
    let activity = support.get(&path).await;
    let events = activity.json()["events"].as_array().unwrap().clone();
    assert!(events.len() >= 3, "{events:?}");
    let keys: Vec<_> = events[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["actor", "at", "device", "id", "kind"]);
    site.advance("1s");
    let first = support.get(&format!("{path}?limit=1")).await.json();
    assert!(first["next"].is_string());
    site.advance("1s");
    let mails = support.get(&format!("/support/accounts/{id}/mails")).await;
    let mails = mails.json()["mails"].as_array().unwrap().clone();
    assert_eq!(mails[0]["kind"], "verify_email");
    assert!(mails[0]["sent_at"].is_string(), "{mails:?}");
    let keys: Vec<_> = mails[0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["error", "failed_at", "kind", "queued_at", "sent_at"]);
    assert_eq!(
        support_events(&target).await,
        [
            ("support_viewed".to_owned(), json!("find")),
            ("support_viewed".to_owned(), json!("view_activity")),
            ("support_viewed".to_owned(), json!("view_activity")),
            ("support_viewed".to_owned(), json!("view_mails")),
        ]
    );
    let unknown = "0190b0a0-0000-7000-8000-000000000000";
    for list in ["activity", "mails"] {
        assert_refused!(
            support.get(&format!("/support/accounts/{unknown}/{list}")),
            NotFound
        );
    }
}

on_both_databases!(the_last_mail_before_a_bounce_is_marked);
async fn the_last_mail_before_a_bounce_is_marked(db: Database) {
    let site = site(&db).await;
    site.joined("target").await;
    site.advance("1m");
    site.browser().request_reset("target@example.org").await;
    site.mails().await;
    site.advance("1m");
    let sql =
        "UPDATE accounts SET bounced_at = $1, bounce_status = '5.1.1' WHERE username = 'target'";
    site.execute(sql, account::params![site.now()]).await;
    site.advance("1h");
    site.browser().request_reset("target@example.org").await;
    site.mails().await;
    let support = agent(&site, "support1", "support").await;
    let id = id_of(&site, "target").await;
    let mails = support.get(&format!("/support/accounts/{id}/mails")).await;
    let mails = mails.json()["mails"].as_array().unwrap().clone();
    let errors: Vec<_> = mails.iter().map(|mail| mail["error"].as_str()).collect();
    assert_eq!(
        errors,
        [None, Some("the address returns mails: 5.1.1"), None],
        "{mails:?}"
    );
}

async fn resend(agent: &Browser, id: &str, kind: &str) -> crate::support::Response {
    let body = json!({"kind": kind, "reason": "ticket 17"});
    agent
        .post(&format!("/support/accounts/{id}/resend"), &body)
        .await
}

on_both_databases!(a_reason_is_one_line_of_visible_text);
async fn a_reason_is_one_line_of_visible_text(db: Database) {
    let site = site(&db).await;
    let admin = agent(&site, "admin1", "admin").await;
    site.signed_in("target").await;
    let id = id_of(&site, "target").await;
    let long = "x".repeat(501);
    for action in ["sign-out", "cancel-deletion", "disable", "enable", "resend"] {
        let path = format!("/support/accounts/{id}/{action}");
        for reason in [
            "", " ", "a\nb", "a\u{1b}[2K", "a\u{9b}", "a\u{202e}b", "a\u{2028}b", &long,
        ] {
            let body = json!({"reason": reason, "kind": "reset"});
            let refused = admin.post(&path, &body).await;
            assert_eq!(refused.status, 422, "{action} {reason:?}");
            assert_eq!(refused.json()["code"], "validation_failed");
        }
    }
    assert_eq!(site.count("support_audit").await, 0);
}

on_both_databases!(a_link_is_resent_to_the_stored_address_only);
// security: AD-3
async fn a_link_is_resent_to_the_stored_address_only(db: Database) {
    let site = site(&db).await;
    let support = agent(&site, "support1", "support").await;
    site.member("target").await;
    site.registered("kim").await;
    site.import_accounts(&[old("oldie")]).await;
    site.mails().await;
    let target = id_of(&site, "target").await;
    let kim = id_of(&site, "kim").await;
    let oldie = find_account(&support, "oldie").await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (id, kind, address, page) in [
        (
            &target, "reset", "target@example.org", "/account/reset-password?",
        ),
        (&kim, "verify", "kim@example.org", "/account/verify-email?"),
        (
            &oldie, "migration", "oldie@example.org", "/account/migration?",
        ),
    ] {
        let response = resend(&support, id, kind).await;
        assert_eq!(
            (response.status.as_u16(), response.text()),
            (202, ""),
            "{kind}"
        );
        assert!(site.mail_to(address).await.link().contains(page), "{kind}");
    }
    for (id, kind) in [
        (&target, "verify"),
        (&target, "migration"),
        (&oldie, "reset"),
    ] {
        assert_refused!(resend(&support, id, kind), NothingPending);
    }
    assert!(site.mails().await.is_empty());
    for body in [
        json!({"kind": "reset"}),
        json!({"kind": "all", "reason": "x"}),
    ] {
        assert_refused!(
            support.post(&format!("/support/accounts/{target}/resend"), &body),
            ValidationFailed
        );
    }
    let body = json!({"kind": "reset", "reason": "  "});
    let response = support
        .post(&format!("/support/accounts/{target}/resend"), &body)
        .await;
    response.assert_broken_rule(Message::ErrorMissingField);
}

on_both_databases!(agents_end_sessions_and_disable_accounts);
async fn agents_end_sessions_and_disable_accounts(db: Database) {
    let site = site(&db).await;
    let admin = agent(&site, "admin1", "admin").await;
    let target = site.signed_in("target").await;
    let id = id_of(&site, "target").await;
    act_on_account(&admin, &id, "sign-out").await.assert_empty();
    target.browser.assert_signed_out().await;

    act_on_account(&admin, &id, "disable").await.assert_empty();
    assert_eq!(find_account(&admin, "target").await["state"], "disabled");
    assert_refused!(target.try_sign_in(&target.browser), AccountDisabled);
    site.advance("1s");
    assert_refused!(resend(&admin, &id, "reset"), NotAllowed);
    act_on_account(&admin, &id, "enable").await.assert_empty();
    assert_eq!(find_account(&admin, "target").await["state"], "active");
    assert_refused!(
        act_on_account(&admin, &id, "cancel-deletion"),
        NothingPending
    );

    let actions: Vec<_> = fetch_audit(&admin).await.into_iter().rev().collect();
    let actions: Vec<_> = actions
        .iter()
        .map(|entry| (entry["action"].as_str().unwrap(), entry["refusal"].as_str()))
        .collect();
    assert_eq!(
        actions,
        [
            ("sign_out", None),
            ("disable", None),
            ("find", None),
            ("resend_reset", Some("not_allowed")),
            ("enable", None),
            ("find", None),
            ("cancel_deletion", Some("nothing_pending")),
            ("read_audit", None),
        ]
    );
}

async fn audit_rows(
    site: &Site,
) -> Vec<(uuid::Uuid, i64, String, Option<uuid::Uuid>, Option<String>)> {
    let sql = "SELECT id, at, action, account_id, reason FROM support_audit ORDER BY id";
    let rows = site.rows(sql, &[]).await;
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4)))
        .collect()
}

on_both_databases!(the_audit_survives_the_account_and_ends_after_its_lifetime);
// security: AD-4
async fn the_audit_survives_the_account_and_ends_after_its_lifetime(db: Database) {
    let site = site(&db).await;
    let admin = agent(&site, "admin1", "admin").await;
    site.member("target").await;
    let id = id_of(&site, "target").await;
    find_account(&admin, "target").await;
    act_on_account(&admin, &id, "disable").await.assert_empty();
    let before = audit_rows(&site).await;
    assert_eq!(before.len(), 2);
    site.remove_accounts().await;
    assert_eq!(audit_rows(&site).await, before);
    site.advance("399d");
    site.run_expiry().await;
    assert_eq!(audit_rows(&site).await, before);
    site.advance("1d 1s");
    site.run_expiry().await;
    assert_eq!(audit_rows(&site).await, []);
}
