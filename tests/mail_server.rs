//! Failures of the mail server, as opposed to failures of one mail: the retries, their duration and their order.

use account::testing::legacy::invite::{self, Invitations};
use account::testing::outbox::{queues, retry};

use crate::old_accounts::old;
use crate::outbox::{assert_attempts, register, register_many, run_mail_worker};
use crate::prelude::*;
use crate::support::smtp::{Behaviour, Smtp};

on_both_databases!(
    after_a_wrong_smtp_password_every_mail_is_retried,
    a_mail_with_damaged_details_is_given_up,
    failures_before_rcpt_are_not_counted_for_the_recipient,
    mails_survive_an_smtp_outage_of_five_days,
    only_an_unknown_mailbox_marks_an_account_as_bounced,
    a_reset_mail_is_sent_before_hundreds_of_queued_invitations
);
on_sqlite!(
    every_reply_that_smtp_allows_is_understood,
    a_mail_server_is_reached_by_its_ipv6_address,
    a_slow_recipient_delays_no_other_mail,
    the_message_id_ends_with_the_public_host,
    ehlo_sends_an_existing_host_name
);
on_postgres!(a_claim_is_never_larger_than_the_free_slots);

async fn site_with_smtp(db: &Database) -> (Site, Smtp) {
    let smtp = Smtp::start().await;
    let site = db.site_with_mail_url(&smtp.url_with_password()).await;
    (site, smtp)
}

async fn send_invitations(site: &Site) -> u64 {
    let wanted = Invitations::default();
    invite::run(&site.app, &wanted, |_| {}).await.unwrap()
}

/// Runs `account mail retry` for the mails of this time. Returns their number.
pub async fn retry_given_up(site: &Site, time: &str) -> u64 {
    let time = time.parse().unwrap();
    retry::retry_given_up(&site.app, time).await.unwrap()
}

async fn last_error(site: &Site) -> String {
    site.value("SELECT last_error FROM outbox").await
}

async fn after_a_wrong_smtp_password_every_mail_is_retried(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    smtp.set_behaviour(Behaviour::RespondsTo("AUTH", "535 5.7.8 wrong password"));
    register(&site, "ada").await;
    for _ in 0..100 {
        run_mail_worker(&site).await;
        site.advance("15m");
    }
    assert_eq!(smtp.recipient_count(), 0);
    assert_eq!(last_error(&site).await, "AUTH: 535 5.7.8");
    site.assert_count("outbox WHERE attempts = 0", 1).await;
    smtp.set_behaviour(Behaviour::Accepts);
    assert_attempts(&site, 1).await;
    assert_eq!(smtp.received()[0].to, ["ada@example.org"]);
}

async fn a_mail_with_damaged_details_is_given_up(db: Database) {
    db.allow_unread_mails();
    let (sending, smtp) = site_with_smtp(&db).await;
    let capturing = db.site().await;
    for (site, name) in [(&sending, "ada"), (&capturing, "bob")] {
        register(site, name).await;
        db.run_script("UPDATE outbox SET details = '{'").await;
        assert_attempts(site, 1).await;
        assert_eq!(
            last_error(site).await,
            "the details of the mail are damaged"
        );
        site.assert_count("outbox WHERE failed_at IS NOT NULL", 1)
            .await;
        assert_attempts(site, 0).await;
        db.run_script("DELETE FROM outbox").await;
    }
    assert!(smtp.received().is_empty());
    sending.assert_count("kept_mail", 0).await;
    sending.assert_count("tokens", 0).await;
}

async fn the_message_id_ends_with_the_public_host(db: Database) {
    let smtp = Smtp::start().await;
    for (name, public_url, host) in [
        ("ada", "http://[::1]", "[::1]"),
        ("bob", "http://[::1]:8080", "[::1]"),
        ("cleo", "http://localhost:8080", "localhost"),
    ] {
        let url = smtp.url_with_password();
        let site = db.site_with(|c| {
            c.mail.smtp_url = Some(url.parse().unwrap());
            c.server.public_url = public_url.into();
        });
        let site = site.await;
        register(&site, name).await;
        assert_attempts(&site, 1).await;
        let mails = smtp.received();
        let id = mails[0].header("Message-ID");
        assert!(id.ends_with(&format!("@{host}>")), "{public_url}: {id}");
    }
}

async fn failures_before_rcpt_are_not_counted_for_the_recipient(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    site.import_accounts(&[old("ada")]).await;
    assert_eq!(send_invitations(&site).await, 1);
    for (command, response) in [
        ("EHLO", "554 5.7.1 go away"),
        ("MAIL", "550 5.1.8 no such sender"),
        ("MAIL", "553 5.1.7 not a sender"),
        (
            "RCPT",
            "550 5.1.8 <no-reply@fans.example>: Sender address rejected: Domain not found",
        ),
        ("RCPT", "450 4.1.7 sender unverified"),
        ("RCPT", "421 4.3.2 shutting down"),
        ("RCPT", "530 5.7.0 authentication required"),
    ] {
        smtp.set_behaviour(Behaviour::RespondsTo(command, response));
        for _ in 0..20 {
            assert_eq!(run_mail_worker(&site).await, 1, "{command} {response}");
            site.advance("15m");
        }
    }
    site.assert_count("legacy_accounts WHERE bounced_at IS NOT NULL", 0)
        .await;
    smtp.set_behaviour(Behaviour::Accepts);
    assert_attempts(&site, 1).await;
    assert_eq!(smtp.received().len(), 1);
}

// RFC 5321 sections 2.4, 4.1.1.1 and 4.2: a reply may have no text, and keywords have any case.
async fn every_reply_that_smtp_allows_is_understood(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    let replies = [
        ("CONNECT", "220"),
        ("CONNECT", "220-sink\r\n220-\r\n220"),
        ("EHLO", "250-sink\r\n250 auth plain login"),
        ("EHLO", "250-sink\r\n250-8bitmime\r\n250-Auth Login\r\n250"),
        ("AUTH", "235"),
        ("AUTH", "235-2.7.0\r\n235"),
        ("MAIL", "250"),
        ("MAIL", "250-2.1.0\r\n250 ok"),
        ("RCPT", "250"),
        ("RCPT", "251-moved\r\n251"),
        ("DATA", "354"),
        ("DATA", "354-go\r\n354 on"),
        (".", "250"),
        (".", "250 "),
        (".", "250-a\r\n250-\r\n250"),
    ];
    for (at, (command, response)) in replies.into_iter().enumerate() {
        smtp.set_behaviour(Behaviour::RespondsTo(command, response));
        let name = format!("ada{at}");
        register(&site, &name).await;
        assert_eq!(run_mail_worker(&site).await, 1, "{command} {response}");
        site.advance("1d");
        assert_eq!(run_mail_worker(&site).await, 0, "{command} {response}");
        let sent = smtp.recipients();
        assert_eq!(
            sent,
            [format!("{name}@example.org")],
            "{command} {response}"
        );
    }
}

async fn a_mail_server_is_reached_by_its_ipv6_address(db: Database) {
    db.allow_unread_mails();
    let smtp = Smtp::start_on("[::1]:0").await;
    let site = db.site_with_mail_server(&smtp).await;
    register(&site, "ada").await;
    assert_attempts(&site, 1).await;
    assert_eq!(smtp.recipients(), ["ada@example.org"]);
    let away = Smtp::start_on("[::1]:0")
        .await
        .url()
        .replace("smtp://", "smtps://");
    let site = db.site_with_mail_url(&away).await;
    register(&site, "bob").await;
    run_mail_worker(&site).await;
    let (error, host) = (last_error(&site).await, away.trim_start_matches("smtps://"));
    assert!(error.ends_with(&format!(" ({host})")), "{error}");
}

async fn mails_survive_an_smtp_outage_of_five_days(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with_mail_url(&format!("smtp://{}", free_address()))
        .await;
    register(&site, "ada").await;
    for wait in [
        "5s", "10s", "20s", "40s", "80s", "160s", "320s", "640s", "15m", "15m",
    ] {
        assert_eq!(run_mail_worker(&site).await, 1, "{wait}");
        site.advance(wait);
    }
    site.advance("4d 22h");
    run_mail_worker(&site).await;
    site.assert_count("outbox WHERE failed_at IS NULL", 1).await;
    site.advance("2h");
    run_mail_worker(&site).await;
    site.assert_count("outbox WHERE failed_at IS NULL", 0).await;

    // A mail that was given up and put back by the operator is sent like a new one.
    let (back, smtp) = site_with_smtp(&db).await;
    back.advance("2d");
    assert_eq!(retry_given_up(&back, "1d").await, 0);
    assert_eq!(retry_given_up(&back, "3d").await, 1);
    assert_attempts(&back, 1).await;
    let token = smtp.received()[0].token();
    assert_status!(back.browser().confirm_email(&token), 200);
}

async fn only_an_unknown_mailbox_marks_an_account_as_bounced(db: Database) {
    db.allow_unread_mails();
    let (site, smtp) = site_with_smtp(&db).await;
    site.import_accounts(&[old("ada")]).await;
    let state = async || {
        let sql = "SELECT COUNT(invited_at), COUNT(bounced_at) FROM legacy_accounts";
        let row = &site.rows(sql, &[]).await[0];
        (row.get::<i64>(0), row.get::<i64>(1))
    };
    for response in [
        "550 we do not like you", "550 5.7.1 relaying denied", "552 5.2.2 full",
    ] {
        smtp.set_behaviour(Behaviour::Refuses(response));
        assert_eq!(send_invitations(&site).await, 1, "{response}");
        assert_eq!(state().await, (1, 0));
        assert_attempts(&site, 1).await;
        assert_eq!(state().await, (0, 0), "{response}");
    }
    // After `mail retry` the account counts as invited, so it gets no second invitation.
    assert_eq!(retry_given_up(&site, "1d").await, 1);
    assert_eq!(send_invitations(&site).await, 0);
    smtp.set_behaviour(Behaviour::Refuses("550 5.1.1 no such user"));
    assert_attempts(&site, 1).await;
    assert_eq!(state().await, (1, 1));
    assert_eq!(send_invitations(&site).await, 0);
    site.assert_count("outbox", 1).await;
}

async fn a_reset_mail_is_sent_before_hundreds_of_queued_invitations(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    db.allow_unread_mails();
    register(&site, "ada").await;
    run_mail_worker(&site).await;
    site.browser()
        .confirm_email(&smtp.received()[0].token())
        .await
        .assert_status(200);
    let rows: Vec<_> = (0..300).map(|n| old(&format!("fan{n}"))).collect();
    site.import_accounts(&rows).await;
    assert_eq!(send_invitations(&site).await, 300);
    site.advance("1m");
    assert_status!(site.browser().request_reset("ada@example.org"), 200);
    // One claim, as by a worker with ten slots.
    let mut tx = site.app.store.write().await.unwrap();
    let now = site.now();
    let lowest = account::testing::store::outbox::Priority::Bulk;
    let first = account::testing::store::outbox::claim(&mut tx, now, now, 10, lowest)
        .await
        .unwrap();
    assert_eq!(
        (first[0].kind.as_str(), first.len()),
        ("reset_password", 10)
    );
    drop(tx);
    smtp.connections();
    assert_attempts(&site, 301).await;
    let to = smtp.recipients();
    assert_eq!(to.len(), 301);
    // The reset is claimed first (above). Slots deliver in any order, because the machine may halt one of them.
    assert!(to.contains(&"ada@example.org".to_owned()));
    // Ten slots; each connection sends one mail after the other.
    let connections = smtp.connections();
    assert!(connections <= 10, "{connections} connections");
}

async fn a_slow_recipient_delays_no_other_mail(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    db.allow_unread_mails();
    smtp.set_behaviour(Behaviour::HangsFor("slow@example.org"));
    register(&site, "slow").await;
    register_many(&site, "n", 25).await;
    let app = site.app.clone();
    let sending = tokio::spawn(async move { queues::drain_mails(&app).await });
    // While the slow mail occupies its slot, all others arrive, and so does one that is queued meanwhile.
    let arrived = std::sync::atomic::AtomicUsize::new(0);
    let arrive = async |all: usize| {
        eventually(&format!("{all} mails have arrived"), async || {
            let new = smtp.received().len();
            arrived.fetch_add(new, std::sync::atomic::Ordering::Relaxed) + new == all
        })
        .await;
    };
    arrive(25).await;
    register(&site, "late").await;
    arrive(26).await;
    assert!(!sending.is_finished());
    smtp.set_behaviour(Behaviour::Accepts);
    sending.await.unwrap().unwrap();
}

async fn ehlo_sends_an_existing_host_name(db: Database) {
    for (public_url, from, path, name) in [
        (
            "https://fans.example.org", "a@mail.example.net", "", "fans.example.org",
        ),
        (
            "http://localhost:8080", "a@mail.example.net", "", "mail.example.net",
        ),
        (
            "http://127.0.0.1:8080", "a@mail.example.net", "", "mail.example.net",
        ),
        (
            "https://fans.example.org", "a@b.example", "/node1.example.org", "node1.example.org",
        ),
    ] {
        let smtp = Smtp::start().await;
        let site = db
            .site_with(|c| {
                let url = format!("{}{path}", smtp.url());
                c.mail.smtp_url = Some(url.parse().unwrap());
                c.mail.from = from.into();
                c.server.public_url = public_url.into();
            })
            .await;
        site.remove_accounts().await;
        register(&site, "ada").await;
        run_mail_worker(&site).await;
        assert_eq!(smtp.ehlo_names(), [name]);
    }
}

// Only PostgreSQL can run a subquery more than once.
async fn a_claim_is_never_larger_than_the_free_slots(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    register(&site, "ada").await;
    // The planner then expects one row, and runs a subquery once for each row.
    db.run_script("ANALYZE outbox").await;
    register_many(&site, "fan", 30).await;
    assert_attempts(&site, 31).await;
    assert_eq!(smtp.recipient_count(), 31);
}
