//! Invitations: sent in waves, never twice, with an unsubscribe link.

use account::testing::legacy::invite::{self, Invitations};
use account::testing::legacy::status;
use axum::http::{Method, Request};
use serde_json::json;

use crate::old_accounts::{old, old_with};
use crate::support::{Database, Site};

async fn send_invitations(site: &Site, most: Option<u64>) -> u64 {
    let wanted = Invitations {
        max_mails: most,
        ..Invitations::default()
    };
    invite::run(&site.app, &wanted, |_| {}).await.unwrap()
}

on_both_databases!(invitation_waves_reach_every_account_once);
async fn invitation_waves_reach_every_account_once(db: Database) {
    let site = db.site_with(|c| c.limits.enabled = true).await;
    let rows: Vec<_> = (0..450).map(|n| old(&format!("fan{n}"))).collect();
    site.import_accounts(&rows).await;
    let dry = Invitations {
        dry_run: true,
        ..Invitations::default()
    };
    assert_eq!(invite::run(&site.app, &dry, |_| {}).await.unwrap(), 450);
    assert_eq!(send_invitations(&site, Some(300)).await, 300);
    assert_eq!(send_invitations(&site, None).await, 150);
    assert_eq!(send_invitations(&site, None).await, 0);
    let mut to: Vec<_> = site.mails().await.into_iter().map(|mail| mail.to).collect();
    assert_eq!(to.len(), 450);
    to.sort_unstable();
    to.dedup();
    assert_eq!(to.len(), 450, "nobody twice");
    let all = status::count(&site.app.store).await.unwrap();
    assert_eq!((all.total.imported, all.total.invited), (450, 450));
}

on_both_databases!(parallel_invite_commands_send_no_duplicates);
async fn parallel_invite_commands_send_no_duplicates(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let rows: Vec<_> = (0..600).map(|n| old(&format!("fan{n}"))).collect();
    site.import_accounts(&rows).await;
    let (one, two) = tokio::join!(send_invitations(&site, None), send_invitations(&site, None));
    // On PostgreSQL each run skips rows that the other one has locked, so a third run sends the remaining ones.
    let rest = send_invitations(&site, None).await;
    assert_eq!(one + two + rest, 600);
    assert_eq!(site.count("outbox").await, 600);
}

on_both_databases!(migrated_unsubscribed_and_minor_accounts_are_not_invited);
async fn migrated_unsubscribed_and_minor_accounts_are_not_invited(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[
        old("moved"),
        old("bounced"),
        old_with("kid", &json!({"birthday_year": 2010})),
        old("stays"),
    ])
    .await;
    site.execute_all(&[
        "UPDATE legacy_accounts SET migrated_at = 1 WHERE username = 'moved'",
        "UPDATE legacy_accounts SET bounced_at = 1 WHERE username = 'bounced'",
    ])
    .await;
    assert_eq!(send_invitations(&site, None).await, 1);
    site.mail_to("stays@example.org").await;
    // The minor has come of age.
    site.set_clock("2028-12-01T00:00:00Z");
    assert_eq!(send_invitations(&site, None).await, 1);
    site.mail_to("kid@example.org").await;
}

on_both_databases!(an_invitation_is_in_the_accounts_language_and_can_be_unsubscribed);
async fn an_invitation_is_in_the_accounts_language_and_can_be_unsubscribed(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    send_invitations(&site, None).await;
    let mail = site.mail_to("ada@example.org").await;
    let page = "http://localhost:8080/account/migration?email=ada%40example.org";
    assert!(mail.text.contains(page), "{}", mail.text);
    mail.assert_subject_contains("umgezogen");
    let (way_out, token) = mail.link().split_once("?token=").unwrap();
    assert_eq!(way_out, "http://localhost:8080/account/unsubscribe");
    let done = json!({"message": "Done. We won’t send you any more invitations."});
    for _ in 0..2 {
        let body = json!({"token": token});
        assert_json!(site.browser().post("/unsubscribe", &body), 200, &done);
    }
    let when = site
        .legacy_timestamp("unsubscribed_at", "ada@example.org")
        .await;
    assert_eq!(when, Some(site.now()));
    for token in ["", "x", &"a".repeat(43)] {
        let response = site
            .browser()
            .post("/unsubscribe", &json!({"token": token}))
            .await;
        assert_eq!(response.status, 400);
    }
    // An account without an invitation can still migrate.
    site.browser()
        .post("/migration", &json!({"email": "ada@example.org"}))
        .await;
    site.mail_to("ada@example.org").await;
}

on_both_databases!(a_mail_program_unsubscribes_by_one_click);
async fn a_mail_program_unsubscribes_by_one_click(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    send_invitations(&site, None).await;
    let token = site.mail_to("ada@example.org").await.token();
    let post = |token: String| {
        Request::builder()
            .method(Method::POST)
            .uri(format!("/account/unsubscribe?token={token}"))
            .header("content-type", "application/x-www-form-urlencoded")
    };
    let body = "List-Unsubscribe=One-Click";
    assert_status!(site.browser().send_with(post("x".into()), body), 400);
    for _ in 0..2 {
        let response = site.browser().send_with(post(token.clone()), body).await;
        assert_eq!((response.status.as_u16(), response.text()), (200, ""));
    }
    let when = site
        .legacy_timestamp("unsubscribed_at", "ada@example.org")
        .await;
    assert_eq!(when, Some(site.now()));
}

on_both_databases!(the_migration_status_counts_every_step_by_day);
async fn the_migration_status_counts_every_step_by_day(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada"), old("bob"), old("kim")])
        .await;
    site.advance("24h");
    assert_eq!(send_invitations(&site, Some(2)).await, 2);
    site.mails().await;
    crate::migration::migrate(&site, "ada@example.org", "Orange-Tree-42").await;
    let counted = status::count(&site.app.store).await.unwrap();
    assert_eq!(
        serde_json::to_value(&counted).unwrap(),
        json!({
            "imported": 3, "invited": 2, "opened": 1, "migrated": 1,
            "refused": 0, "bounced": 0, "unsubscribed": 0,
            "days": [
                {"day": "2026-11-21", "imported": 3, "invited": 0, "opened": 0, "migrated": 0,
                 "refused": 0, "bounced": 0, "unsubscribed": 0},
                {"day": "2026-11-22", "imported": 0, "invited": 2, "opened": 1, "migrated": 1,
                 "refused": 0, "bounced": 0, "unsubscribed": 0},
            ],
        })
    );
    let bar = |chars| "█".repeat(chars);
    let shown = [
        format!("imported              3  100.0 %  {}", bar(30)),
        format!("invited               2   66.7 %  {}", bar(20)),
        format!("opened                1   33.3 %  {}", bar(10)),
        format!("migrated              1   33.3 %  {}", bar(10)),
        "refused               0    0.0 %".into(),
        "bounced               0    0.0 %".into(),
        "unsubscribed          0    0.0 %".into(),
        String::new(),
        "day (UTC)     imported   invited    opened  migrated".into(),
        "2026-11-21           3         0         0         0".into(),
        format!(
            "2026-11-22           0         2         1         1  {}",
            bar(30)
        ),
        String::new(),
    ];
    assert_eq!(counted.to_string(), shown.join("\n"));
}

on_both_databases!(a_refused_account_that_migrates_is_no_longer_counted_as_refused);
async fn a_refused_account_that_migrates_is_no_longer_counted_as_refused(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("kid"), old("grown")]).await;
    site.execute_all(&[
        "UPDATE legacy_accounts SET refused_at = imported_at",
        "UPDATE legacy_accounts SET migrated_at = imported_at WHERE email_key = 'grown@example.org'",
    ])
    .await;
    let all = status::count(&site.app.store).await.unwrap().total;
    assert_eq!((all.migrated, all.refused), (1, 1));
}
