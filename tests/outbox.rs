//! Delivery of mail over a real SMTP conversation, with each of its failures.

mod recovery;

use account::testing::outbox::queues;
use account::testing::store::outbox::{self, Priority};
use futures_util::future::join_all;

use crate::support::actors::PASSWORD;
use crate::support::database::contains;
use crate::support::process::{run_account, run_to_exit};
use crate::support::smtp::{Behaviour, Smtp};
use crate::support::{Database, Site, form, free_address};

async fn site_with_smtp(db: &Database) -> (Site, Smtp) {
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_server(&smtp).await;
    (site, smtp)
}

pub(crate) async fn register(site: &Site, name: &str) {
    assert_status!(site.browser().post("/register", &form(name)), 201);
}

/// Registers `name0`, `name1` … at once, because the program pads each response to 50 ms.
pub(crate) async fn register_many(site: &Site, name: &str, count: usize) {
    let names: Vec<_> = (0..count).map(|n| format!("{name}{n}")).collect();
    join_all(names.iter().map(|name| register(site, name))).await;
}

/// Runs the worker once. Returns the number of attempted mails.
pub(crate) async fn run_mail_worker(site: &Site) -> usize {
    queues::drain_mails(&site.app).await.unwrap()
}

async fn verify_email(site: &Site, token: &str) -> u16 {
    site.browser().confirm_email(token).await.status.as_u16()
}

on_both_databases!(a_mail_has_one_recipient_and_all_headers);
// security: IN-3
async fn a_mail_has_one_recipient_and_all_headers(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    register(&site, "ada").await;
    assert_eq!(run_mail_worker(&site).await, 1);
    let mails = smtp.received();
    assert_eq!(mails.len(), 1);
    let mail = &mails[0];
    assert_eq!(
        (mail.from.as_str(), mail.to.as_slice()),
        (
            "account@localhost",
            ["ada@example.org".to_owned()].as_slice()
        )
    );
    assert_eq!(mail.header("From"), "Account <account@localhost>");
    assert_eq!(mail.header("To"), "ada@example.org");
    assert_eq!(mail.header("Subject"), "Verify your email for localhost");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    let id = mail.header("Message-ID");
    assert!(id.starts_with('<') && id.ends_with("@localhost>"), "{id}");
    assert!(
        mail.header("Content-Type")
            .starts_with("multipart/alternative")
    );
    for part in [
        "Content-Type: text/plain; charset=utf-8",
        "Content-Type: text/html; charset=utf-8",
    ] {
        assert!(mail.message.contains(part), "{}", mail.message);
    }
    assert_eq!(run_mail_worker(&site).await, 0);
    assert_eq!(verify_email(&site, &mail.token()).await, 200);
}

on_both_databases!(the_database_contains_no_usable_secret);
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

on_both_databases!(a_temporary_refusal_is_retried_with_backoff);
async fn a_temporary_refusal_is_retried_with_backoff(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Refuses("421 come back later"));
    register(&site, "ada").await;
    assert_eq!(run_mail_worker(&site).await, 1);
    for wait in ["4s 999ms", "9s 999ms", "19s 999ms"] {
        site.advance(wait);
        assert_eq!(run_mail_worker(&site).await, 0, "{wait}");
        site.advance("1ms");
        assert_eq!(run_mail_worker(&site).await, 1, "{wait}");
    }
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("40s");
    assert_eq!(run_mail_worker(&site).await, 1);
    assert_eq!(verify_email(&site, &smtp.received()[0].token()).await, 200);
}

on_both_databases!(a_permanent_refusal_gives_up_and_keeps_the_mail);
async fn a_permanent_refusal_gives_up_and_keeps_the_mail(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    db.allow_unread_mails();
    smtp.set_behaviour(Behaviour::Refuses("550 no such mailbox ada@example.org"));
    register(&site, "ada").await;
    assert_eq!(run_mail_worker(&site).await, 1);
    site.advance("1d");
    assert_eq!(
        (run_mail_worker(&site).await, smtp.recipient_count()),
        (0, 1)
    );
    let row = &site
        .rows("SELECT last_error, failed_at FROM outbox", &[])
        .await[0];
    assert_eq!(row.get::<String>(0), "RCPT TO: 550");
    assert!(row.get::<Option<i64>>(1).is_some());
    site.advance("13d");
    site.run_expiry().await;
    assert_eq!(site.count("outbox").await, 1);
    site.advance("1s");
    site.run_expiry().await;
    assert_eq!(site.count("outbox").await, 0);
}

on_both_databases!(a_mail_is_given_up_after_twelve_attempts);
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
    assert_eq!(site.count("outbox WHERE failed_at IS NOT NULL").await, 1);
}

on_both_databases!(a_mail_lost_after_data_is_resent_with_the_same_id);
// security: FI-9
async fn a_mail_lost_after_data_is_resent_with_the_same_id(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::DropsAfterData);
    register(&site, "ada").await;
    assert_eq!(run_mail_worker(&site).await, 1);
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("5s");
    assert_eq!(run_mail_worker(&site).await, 1);
    let mails = smtp.received();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    // The link of the first copy works too.
    assert_eq!(verify_email(&site, &mails[0].token()).await, 200);
    site.advance("1d");
    assert_eq!(run_mail_worker(&site).await, 0);
    assert!(smtp.received().is_empty());
}

on_both_databases!(registrations_during_an_smtp_outage_are_mailed_after_it);
async fn registrations_during_an_smtp_outage_are_mailed_after_it(db: Database) {
    let away = free_address();
    let gone = db
        .site_with(|c| c.mail.smtp_url = Some(format!("smtp://{away}").parse().unwrap()))
        .await;
    register(&gone, "ada").await;
    assert_eq!(run_mail_worker(&gone).await, 1);
    assert_eq!(gone.count("outbox WHERE failed_at IS NULL").await, 1);
    let (back, smtp) = site_with_smtp(&db).await;
    back.advance("5s");
    assert_eq!(run_mail_worker(&back).await, 1);
    assert_eq!(verify_email(&back, &smtp.received()[0].token()).await, 200);
}

on_both_databases!(a_crashed_worker_loses_no_mail);
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
    assert_eq!(run_mail_worker(&site).await, 0);
    site.advance("1m");
    assert_eq!(run_mail_worker(&site).await, 1);
    assert_eq!(verify_email(&site, &smtp.received()[0].token()).await, 200);
}

on_both_databases!(parallel_workers_send_each_mail_once);
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
    let mut to = smtp.recipients();
    to.sort();
    let count = to.len();
    to.dedup();
    assert_eq!((count, to.len()), (25, 25));
}

on_sqlite!(a_silent_smtp_server_times_out_without_using_an_attempt);
async fn a_silent_smtp_server_times_out_without_using_an_attempt(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::Hangs);
    register(&site, "ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    // A failure that is counted would be the last attempt.
    let sql = "UPDATE outbox SET attempts = 11";
    assert_eq!(tx.execute(sql, &[]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert_eq!(run_mail_worker(&site).await, 1);
    let sql = "SELECT last_error, attempts FROM outbox WHERE failed_at IS NULL";
    let row = &site.rows(sql, &[]).await[0];
    let stored = (row.get::<String>(0), row.get::<i64>(1));
    assert_eq!(stored, ("RCPT TO: timed out".into(), 11));
    smtp.set_behaviour(Behaviour::Accepts);
    site.advance("5s");
    assert_eq!(run_mail_worker(&site).await, 1);
    assert_eq!(smtp.received()[0].to, ["ada@example.org"]);
}

on_both_databases!(captured_mails_are_readable_only_without_an_smtp_server);
async fn captured_mails_are_readable_only_without_an_smtp_server(db: Database) {
    let keeping = db.site().await;
    register(&keeping, "ada").await;
    let browser = keeping.browser();
    let list = browser.open("/account/dev/mail/messages").await;
    assert_eq!(
        (list.status.as_u16(), list.header("cache-control")),
        (200, Some("no-store"))
    );
    let mail = &list.json()[0];
    let keys: Vec<_> = mail.as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["created_at", "html", "subject", "text", "to"]);
    assert_eq!(
        (&mail["to"], &mail["created_at"]),
        (&"ada@example.org".into(), &keeping.now().into())
    );
    let page = assert_status!(browser.open("/account/dev/mail"), 200);
    let link = "<a href=\"http://localhost:8080/account/verify-email?token=";
    assert!(page.text().contains(link), "{}", page.text());
    assert!(page.text().contains(
        "sandbox=\"allow-top-navigation-by-user-activation\" srcdoc=\"&#60;!DOCTYPE html"
    ));
    keeping.mail_to("ada@example.org").await;

    let (sending, _) = site_with_smtp(&db).await;
    // Links of stored mails open accounts, so a public site must not show them.
    let public = db
        .site_with(|c| c.server.public_url = "https://www.example.org".into())
        .await;
    for site in [sending, public] {
        for path in ["/account/dev/mail", "/account/dev/mail/messages"] {
            let response = site.browser().open(path).await;
            assert_eq!(response.status, 404, "{path}");
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

on_both_databases!(a_bounce_marks_the_account_until_its_address_changes);
async fn a_bounce_marks_the_account_until_its_address_changes(db: Database) {
    let (site, ada) = db.allow_unread_mails().site_with_signed_in("ada").await;
    let lines = "{\"email\":\"Ada@example.org\",\"status\":\"5.1.1\"}\n\
        {\"email\":\"none@example.org\",\"status\":\"5.1.1\"}\n";
    std::fs::write(db.folder().join("bounces"), lines).unwrap();
    let (code, _, text) = run_account(&db, &["mail", "bounces", "bounces"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("1 accounts and 0 old accounts") && text.contains("1 addresses"),
        "{text}"
    );
    let marked = "accounts WHERE bounced_at IS NOT NULL AND bounce_status = '5.1.1'";
    assert_eq!(site.count(marked).await, 1);
    // The owner can still reset the password.
    assert_status!(ada.new_browser().request_reset(&ada.email), 200);
    site.mails().await;
    crate::email_change::change_email(&ada.browser, "ada@example.net").await;
    assert_eq!(site.count("accounts WHERE bounced_at IS NOT NULL").await, 0);
}

on_both_databases!(a_bounce_marks_the_final_recipient_if_the_original_one_is_unknown);
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
    std::fs::write(db.folder().join("bounces"), groups.concat()).unwrap();
    let (code, _, text) = run_account(&db, &["mail", "bounces", "bounces"]);
    assert_eq!(code, 0, "{text}");
    for part in [
        "2 accounts and 0 old accounts", "1 addresses are unknown", "1 with no status",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let marked = "SELECT username FROM accounts WHERE bounced_at IS NOT NULL ORDER BY username";
    let marked = site.rows(marked, &[]).await;
    let marked: Vec<String> = marked.iter().map(|row| row.get(0)).collect();
    assert_eq!(marked, ["ada", "bob"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_test_mail_prints_the_response_of_the_server() {
    let smtp = Smtp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let url = smtp.url();
    let send_test_mail = |address: &str| {
        let settings = [("ACCOUNT_MAIL__SMTP_URL", &*url)];
        run_to_exit(folder.path(), &["mail", "test", address], &settings)
    };
    let (code, _, text) = send_test_mail("ops@example.org");
    assert_eq!(code, 0, "{text}");
    assert_eq!(smtp.received()[0].to, ["ops@example.org"]);
    for address in [
        "no address", "\"a b\"@example.org", "a@127.0.0.1", "a@example.invalid",
    ] {
        let (code, _, text) = send_test_mail(address);
        assert!(code == 2 && text.contains("ADDRESS"), "{address}: {text}");
    }
    smtp.set_behaviour(Behaviour::Refuses("550 5.1.1 no such mailbox"));
    let (code, _, text) = send_test_mail("ops@example.org");
    assert!(code == 1 && text.contains("RCPT TO"), "{text}");
}
