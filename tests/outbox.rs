//! Delivery of mail over a real SMTP conversation, with each of its failures.

mod recovery;

use std::collections::HashSet;

use account::testing::outbox::queues;
use account::testing::store::outbox::{self, Priority};
use futures_util::future::join_all;

use crate::prelude::*;
use crate::support::database::contains;
use crate::support::smtp::{Behaviour, Smtp};

on_both_databases!(
    a_mail_has_one_recipient_and_all_headers,
    the_database_contains_no_usable_secret,
    a_temporary_refusal_is_retried_with_backoff,
    a_permanent_refusal_gives_up_and_keeps_the_mail,
    a_mail_is_given_up_after_twelve_attempts,
    a_mail_lost_after_data_is_resent_with_the_same_id,
    registrations_during_an_smtp_outage_are_mailed_after_it,
    a_crashed_worker_loses_no_mail,
    parallel_workers_send_each_mail_once,
    captured_mails_are_readable_only_without_an_smtp_server,
    a_bounce_marks_the_account_until_its_address_changes,
    a_bounce_marks_the_final_recipient_if_the_original_one_is_unknown
);
on_sqlite!(a_silent_smtp_server_times_out_without_using_an_attempt);

async fn site_with_smtp(db: &Database) -> (Site, Smtp) {
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    (site, smtp)
}

pub async fn register(site: &Site, name: &str) {
    assert_status!(site.browser().post("/register", &form(name)), 201);
}

/// Registers `name0`, `name1` … at once, because the program pads each response to 50 ms.
pub async fn register_many(site: &Site, name: &str, count: usize) {
    let names: Vec<_> = (0..count).map(|n| format!("{name}{n}")).collect();
    join_all(names.iter().map(|name| register(site, name))).await;
}

/// Runs the worker once. Returns the number of attempted mails.
pub async fn run_mail_worker(site: &Site) -> usize {
    queues::drain_mails(&site.app).await.unwrap()
}

/// The mails that the worker sends, one attempt each.
pub async fn assert_attempts(site: &Site, expected: usize) {
    assert_eq!(run_mail_worker(site).await, expected);
}

async fn register_and_send(site: &Site) {
    register(site, "ada").await;
    assert_attempts(site, 1).await;
}

/// Verifies the address with the link of the first mail that has arrived.
async fn verify_email(site: &Site, smtp: &Smtp) {
    let token = smtp.received()[0].token();
    assert_status!(site.browser().confirm_email(&token), 200);
}

// security: IN-3
async fn a_mail_has_one_recipient_and_all_headers(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    register_and_send(&site).await;
    let mails = smtp.received();
    assert_eq!(mails.len(), 1);
    let mail = &mails[0];
    assert_eq!(mail.from, "account@localhost");
    assert_eq!(mail.to, ["ada@example.org"]);
    for (name, value) in [
        ("From", "Account <account@localhost>"),
        ("To", "ada@example.org"),
        ("Subject", "Verify your email for localhost"),
        ("Auto-Submitted", "auto-generated"),
    ] {
        assert_eq!(mail.header(name), value);
    }
    let id = mail.header("Message-ID");
    assert!(id.starts_with('<') && id.ends_with("@localhost>"), "{id}");
    assert!(
        mail.header("Content-Type")
            .starts_with("multipart/alternative")
    );
    assert_contains!(
        mail.message,
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8"
    );
    assert_attempts(&site, 0).await;
    assert_status!(site.browser().confirm_email(&mail.token()), 200);
}

// security: TK-9, TK-7
async fn the_database_contains_no_usable_secret(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    let browser = site.browser();
    let joined = browser.post("/register", &form("ada")).await;
    run_mail_worker(&site).await;
    let token = smtp.received()[0].token();
    let verified = browser.confirm_email(&token).await;
    let signed_in = assert_status!(browser.try_sign_in("ada@example.org", PASSWORD), 200);
    let request = browser.request_reset("ada@example.org").await;
    run_mail_worker(&site).await;
    let reset = smtp.received()[0].token();
    for response in [joined, verified, signed_in, request] {
        let whole = format!("{:?} {}", response.headers, response.text());
        assert!(!whole.contains(&token) && !whole.contains(&reset));
    }
    let secrets = [
        token,
        reset,
        browser.cookie("session").unwrap(),
        browser.cookie("device").unwrap(),
        PASSWORD.to_owned(),
    ];
    let stored = db.bytes(&site).await;
    assert!(
        contains(&stored, b"ada@example.org"),
        "the search finds stored text"
    );
    for secret in secrets {
        assert!(!contains(&stored, secret.as_bytes()), "{secret}");
    }
}

async fn a_temporary_refusal_is_retried_with_backoff(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Refuses("421 come back later"));
    register_and_send(&site).await;
    for wait in ["4s 999ms", "9s 999ms", "19s 999ms"] {
        site.advance(wait);
        assert_eq!(run_mail_worker(&site).await, 0, "{wait}");
        site.advance("1ms");
        assert_eq!(run_mail_worker(&site).await, 1, "{wait}");
    }
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("40s");
    assert_attempts(&site, 1).await;
    verify_email(&site, &smtp).await;
}

async fn a_permanent_refusal_gives_up_and_keeps_the_mail(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    db.allow_unread_mails();
    smtp.set_behaviour(Behaviour::Refuses("550 no such mailbox ada@example.org"));
    register_and_send(&site).await;
    site.advance("1d");
    assert_eq!(
        (run_mail_worker(&site).await, smtp.recipient_count()),
        (0, 1)
    );
    let failed = "SELECT last_error FROM outbox WHERE failed_at IS NOT NULL";
    assert_eq!(site.value::<String>(failed).await, "RCPT TO: 550");
    site.advance("13d");
    site.run_expiry().await;
    site.assert_count("outbox", 1).await;
    site.advance("1s");
    site.run_expiry().await;
    site.assert_count("outbox", 0).await;
}

async fn a_mail_is_given_up_after_twelve_attempts(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    db.allow_unread_mails();
    smtp.set_behaviour(Behaviour::Refuses("451 not today"));
    register(&site, "ada").await;
    for _ in 0..20 {
        run_mail_worker(&site).await;
        site.advance("1h");
    }
    assert_eq!(smtp.recipient_count(), 12);
    site.assert_count("outbox WHERE failed_at IS NOT NULL", 1)
        .await;
}

// security: FI-9
async fn a_mail_lost_after_data_is_resent_with_the_same_id(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::DropsAfterData);
    register_and_send(&site).await;
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("5s");
    assert_attempts(&site, 1).await;
    let mails = smtp.received();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    // The link of the first copy works too.
    assert_status!(site.browser().confirm_email(&mails[0].token()), 200);
    site.advance("1d");
    assert_attempts(&site, 0).await;
    assert!(smtp.received().is_empty());
}

async fn registrations_during_an_smtp_outage_are_mailed_after_it(db: Database) {
    let away = free_address();
    let gone = db.site_with_mail_url(&format!("smtp://{away}")).await;
    register(&gone, "ada").await;
    assert_attempts(&gone, 1).await;
    gone.assert_count("outbox WHERE failed_at IS NULL", 1).await;
    let (back, smtp) = site_with_smtp(&db).await;
    back.advance("5s");
    assert_attempts(&back, 1).await;
    verify_email(&back, &smtp).await;
}

async fn a_crashed_worker_loses_no_mail(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    register(&site, "ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    let now = site.now();
    let claimed = outbox::claim(&mut tx, now, now + 60_000, 10, Priority::Bulk)
        .await
        .unwrap();
    assert_eq!(claimed.len(), 1);
    tx.commit().await.unwrap();
    assert_attempts(&site, 0).await;
    site.advance("1m");
    assert_attempts(&site, 1).await;
    verify_email(&site, &smtp).await;
}

// security: MN-6
async fn parallel_workers_send_each_mail_once(db: Database) {
    let (one, smtp) = site_with_smtp(&db).await;
    let two = db.site_with_mail_server(&smtp).await;
    register_many(&one, "n", 25).await;
    let sent = tokio::join!(
        run_mail_worker(&one),
        run_mail_worker(&two),
        run_mail_worker(&one),
        run_mail_worker(&two)
    );
    assert_eq!(sent.0 + sent.1 + sent.2 + sent.3, 25);
    let to = smtp.recipients();
    let distinct: HashSet<_> = to.iter().collect();
    assert_eq!((to.len(), distinct.len()), (25, 25));
}

async fn a_silent_smtp_server_times_out_without_using_an_attempt(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Hangs);
    register(&site, "ada").await;
    // A failure that is counted would be the last attempt.
    site.execute("UPDATE outbox SET attempts = 11", &[]).await;
    assert_attempts(&site, 1).await;
    let failed = "SELECT last_error FROM outbox WHERE failed_at IS NULL AND attempts = 11";
    assert_eq!(site.value::<String>(failed).await, "RCPT TO: timed out");
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("5s");
    assert_attempts(&site, 1).await;
    assert_eq!(smtp.received()[0].to, ["ada@example.org"]);
}

async fn captured_mails_are_readable_only_without_an_smtp_server(db: Database) {
    let keeping = db.site().await;
    register(&keeping, "ada").await;
    let browser = keeping.browser();
    let list = assert_status!(browser.open("/account/dev/mail/messages"), 200);
    list.assert_header("cache-control", "no-store");
    let mail = &list.json()[0];
    let keys: Vec<_> = mail.members().keys().cloned().collect();
    assert_eq!(keys, ["created_at", "html", "subject", "text", "to"]);
    assert_eq!(
        (&mail["to"], &mail["created_at"]),
        (&"ada@example.org".into(), &keeping.now().into())
    );
    let page = assert_status!(browser.open("/account/dev/mail"), 200);
    let link = "<a href=\"http://localhost:8080/account/verify-email?token=";
    assert_contains!(page.text(), link);
    assert!(page.text().contains(
        "sandbox=\"allow-top-navigation-by-user-activation\" srcdoc=\"&#60;!DOCTYPE html"
    ));
    keeping.mail_to("ada@example.org").await;

    let (sending, _) = site_with_smtp(&db).await;
    // Links of stored mails open accounts, so a public site must not show them.
    let public = db
        .site_set("server.public_url = 'https://www.example.org'")
        .await;
    for site in [sending, public] {
        for path in ["/account/dev/mail", "/account/dev/mail/messages"] {
            let response = site.browser().open(path).await;
            response.assert_status(404);
            assert!(!response.text().contains("ada@"));
        }
    }
    for url in [
        "http://127.0.0.1:8080", "http://[::1]:8080", "https://a.localhost",
    ] {
        let here = db.site_with(|c| c.server.public_url = url.into()).await;
        let response = here.browser().open("/account/dev/mail").await;
        assert_eq!(response.status, 200, "{url}");
    }
}

/// Runs `account mail bounces` with the file of this name. Returns what it says.
fn mark_bounces(db: &Database) -> String {
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    run_to_success(db.folder(), "mail bounces bounces", &url).1
}

async fn a_bounce_marks_the_account_until_its_address_changes(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    let lines = "{\"email\":\"Ada@example.org\",\"status\":\"5.1.1\"}\n\
        {\"email\":\"none@example.org\",\"status\":\"5.1.1\"}\n";
    write(db.folder(), "bounces", lines);
    let text = mark_bounces(&db);
    assert_contains!(text, "1 accounts and 0 old accounts", "1 addresses");
    let marked = "accounts WHERE bounced_at IS NOT NULL AND bounce_status = '5.1.1'";
    site.assert_count(marked, 1).await;
    // The owner can still reset the password.
    assert_status!(ada.new_browser().request_reset(&ada.email), 200);
    site.mails().await;
    crate::email_change::change_email(&ada.browser, "ada@example.net").await;
    site.assert_count("accounts WHERE bounced_at IS NOT NULL", 0)
        .await;
}

async fn a_bounce_marks_the_final_recipient_if_the_original_one_is_unknown(db: Database) {
    let site = db.allow_unread_mails().site().await;
    for name in ["ada", "bob", "cleo"] {
        site.member(name).await;
    }
    let recipients = [
        (
            "undisclosed-recipients:;", "ada@example.org", "Status: 5.1.1",
        ),
        (
            "none@example.org",
            "bob@example.org",
            "Diagnostic-Code: smtp; 550 5.1.1 no",
        ),
        ("none@example.org", "nobody@example.org", "Status: 5.1.1"),
        (
            "cleo@example.org", "ada@example.org", "Diagnostic-Code: smtp; 550 no",
        ),
    ];
    let groups = recipients.map(|(original, last, status)| {
        format!(
            "Original-Recipient: rfc822; {original}\nFinal-Recipient: rfc822; {last}\n\
             Action: failed\n{status}\n\n"
        )
    });
    write(db.folder(), "bounces", groups.concat());
    let text = mark_bounces(&db);
    assert_contains!(
        text, "2 accounts and 0 old accounts", "1 addresses are unknown", "1 with no status"
    );
    let marked = "SELECT username FROM accounts WHERE bounced_at IS NOT NULL ORDER BY username";
    assert_eq!(site.column::<String>(marked).await, ["ada", "bob"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_test_mail_prints_the_response_of_the_server() {
    let smtp = Smtp::start().await;
    let folder = folder();
    let url = smtp.url();
    let settings = [("ACCOUNT_MAIL__SMTP_URL", &*url)];
    run_to_success(&folder, "mail test ops@example.org", &settings);
    assert_eq!(smtp.received()[0].to, ["ops@example.org"]);
    for address in [
        "no address", "\"a b\"@example.org", "a@127.0.0.1", "a@example.invalid",
    ] {
        let command = ["mail", "test", address];
        let (code, _, text) = run_to_exit(&folder, &command, &settings);
        assert!(code == 2 && text.contains("ADDRESS"), "{address}: {text}");
    }
    smtp.set_behaviour(Behaviour::Refuses("550 5.1.1 no such mailbox"));
    let (code, _, text) = run_to_exit(&folder, "mail test ops@example.org", &settings);
    assert!(code == 1 && text.contains("RCPT TO"), "{text}");
}
