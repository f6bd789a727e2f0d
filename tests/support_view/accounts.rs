//! Lookups and actions of an agent, and their records in the audit and in the activity of the account.

use account::testing::error::ErrorCode;
use account::testing::i18n::Message;
use uuid::Uuid;

use super::{act_on_account, agent, find_account, id_of, site};
use crate::old_accounts::old;
use crate::prelude::*;

on_both_databases!(
    an_account_lookup_is_exact_masked_and_recorded,
    lookups_are_limited_by_agent_and_a_refused_lookup_is_in_the_audit,
    an_agent_sees_no_network_address_and_the_user_sees_the_lookup,
    the_last_mail_before_a_bounce_is_marked,
    a_reason_is_one_line_of_visible_text,
    a_link_is_resent_to_the_stored_address_only,
    agents_end_sessions_and_disable_accounts,
    the_audit_survives_the_account_and_ends_after_its_lifetime
);

pub async fn fetch_audit(admin: &Browser) -> Vec<Value> {
    admin.site.advance("1s");
    let response = assert_status!(admin.get("/support/audit"), 200);
    response.json()["entries"].list().clone()
}

/// Kind and action of the events of support in a person's own list, the oldest first.
async fn support_events(person: &Person) -> Value {
    let response = person.browser.get("/activity").await.json();
    let events = response["events"].list().iter().rev();
    let events = events.filter(|event| event["actor"] == "support");
    let events = events.map(|event| {
        assert!(
            event["device"].is_null() && event["network"].is_null(),
            "{event}"
        );
        json!([event["kind"], event["details"]["action"]])
    });
    json!(events.collect::<Vec<_>>())
}

/// The mails of an account in the view.
async fn mails_of(agent: &Browser, id: &str) -> Vec<Value> {
    let mails = agent.get(&format!("/support/accounts/{id}/mails")).await;
    mails.json()["mails"].list().clone()
}

/// The names of the members of an object.
fn keys(object: &Value) -> Vec<&String> {
    object.members().keys().collect()
}

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
    assert_eq!(
        keys(&by_name),
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
        let found = find_account(&admin, nothing).await;
        assert!(found.is_null(), "{nothing}: {found}");
    }
    let waiting = find_account(&admin, "oldie@example.org").await;
    assert_eq!(
        json!([waiting["state"], waiting["legacy"]]),
        json!(["legacy", true])
    );
    site.registered("kim").await;
    assert_eq!(find_account(&admin, "kim").await["state"], "unverified");
    assert_refused!(admin.get("/support/accounts"), BadRequest);
    assert_refused!(admin.get("/support/accounts?query=%20"), BadRequest);

    let entries = fetch_audit(&admin).await;
    // Eleven lookups and the look at the audit.
    assert_eq!(entries.len(), 12);
    let found = entries.iter().filter(|entry| entry["account"] == json!(id));
    assert_eq!(found.count(), 3);
    for entry in &entries[1..] {
        assert_eq!(
            json!([entry["actor"], entry["action"]]),
            json!(["admin1", "find"])
        );
    }
}

// security: AD-4
async fn lookups_are_limited_by_agent_and_a_refused_lookup_is_in_the_audit(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_set("support.enabled = true\nlimits.support_lookup = '2/h'")
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
    let refusals = site.column::<Option<String>>(sql).await;
    assert_eq!(json!(refusals), json!([null, null, "rate_limited", null]));
}

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
    let events = activity.json()["events"].list().clone();
    assert!(events.len() >= 3, "{events:?}");
    assert_eq!(keys(&events[0]), ["actor", "at", "device", "id", "kind"]);
    site.advance("1s");
    let first = support.get(&format!("{path}?limit=1")).await.json();
    assert!(first["next"].is_string());
    site.advance("1s");
    let mails = mails_of(&support, &id).await;
    assert_eq!(mails[0]["kind"], "verify_email");
    assert!(mails[0]["sent_at"].is_string(), "{mails:?}");
    assert_eq!(
        keys(&mails[0]),
        ["error", "failed_at", "kind", "queued_at", "sent_at"]
    );
    assert_eq!(
        support_events(&target).await,
        json!([
            ["support_viewed", "find"],
            ["support_viewed", "view_activity"],
            ["support_viewed", "view_activity"],
            ["support_viewed", "view_mails"],
        ])
    );
    let unknown = "0190b0a0-0000-7000-8000-000000000000";
    for list in ["activity", "mails"] {
        assert_refused!(
            support.get(&format!("/support/accounts/{unknown}/{list}")),
            NotFound
        );
    }
}

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
    let mails = mails_of(&support, &id).await;
    let errors: Vec<_> = mails.iter().map(|mail| &mail["error"]).collect();
    let returned = "the address returns mails: 5.1.1";
    assert_eq!(json!(errors), json!([null, returned, null]));
}

async fn resend(agent: &Browser, id: &str, kind: &str) -> Response {
    let body = json!({"kind": kind, "reason": "ticket 17"});
    agent
        .post(&format!("/support/accounts/{id}/resend"), &body)
        .await
}

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
    site.assert_count("support_audit", 0).await;
}

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
        .text()
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

    let mut entries = fetch_audit(&admin).await;
    entries.reverse();
    let actions = entries
        .iter()
        .map(|entry| json!([entry["action"], entry["refusal"]]));
    assert_eq!(
        json!(actions.collect::<Vec<_>>()),
        json!([
            ["sign_out", null],
            ["disable", null],
            ["find", null],
            ["resend_reset", "not_allowed"],
            ["enable", null],
            ["find", null],
            ["cancel_deletion", "nothing_pending"],
            ["read_audit", null],
        ])
    );
}

async fn audit_rows(site: &Site) -> Vec<Value> {
    let sql = "SELECT id, at, action, account_id, reason FROM support_audit ORDER BY id";
    let rows = site.rows(sql, &[]).await;
    let values = rows.iter().map(|row| {
        let (id, account) = (row.get::<Uuid>(0), row.get::<Option<Uuid>>(3));
        let (action, reason) = (row.get::<String>(2), row.get::<Option<String>>(4));
        json!([id, row.get::<i64>(1), action, account, reason])
    });
    values.collect()
}

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
    assert!(audit_rows(&site).await.is_empty());
}
