//! Events that one account can cause at will: a newer one replaces a waiting one.

use account::testing::outbox::queues;

use super::{deliver, endpoint, site_with_receiver};
use crate::prelude::*;
use crate::support::database::Kind;
use crate::support::receiver::{Reaction, Receiver};

on_both_databases!(
    one_update_and_one_end_of_sessions_wait_for_an_account_and_endpoint,
    an_event_that_happens_while_another_one_is_sent_is_sent_too,
    a_full_queue_keeps_the_events_that_end_access,
    registrations_of_a_stranger_leave_no_event_for_an_endpoint_that_is_down
);

async fn toggle_newsletter(person: &Person, times: usize) {
    for n in 0..times {
        let choice = json!({"consent": n % 2 == 0});
        assert_status!(person.browser.put("/marketing-consent", &choice), 200);
    }
}

async fn one_update_and_one_end_of_sessions_wait_for_an_account_and_endpoint(db: Database) {
    db.allow_unread_mails();
    let (one, two) = (Receiver::start().await, Receiver::start().await);
    let hooks = vec![endpoint(&one, &["*"]), endpoint(&two, &["account.updated"])];
    let site = db.site_with(|c| c.webhooks = hooks).await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    deliver(&site).await;
    one.set_reaction(Reaction::With(503));
    two.set_reaction(Reaction::With(503));
    for person in [&ada, &bob] {
        toggle_newsletter(person, 10).await;
        deliver(&site).await;
        site.mails().await;
        let new = format!("{}@example.net", person.name);
        crate::email_change::change_email(&person.browser, &new).await;
        for _ in 0..3 {
            person.browser.post_empty("/logout").await;
            let mut credentials = person.credentials();
            credentials["email"] = json!(new);
            assert_status!(person.browser.post("/login", &credentials), 200);
        }
    }
    // Two accounts, an update for two endpoints and an end of sessions for one.
    site.assert_count("deliveries", 2 * 3).await;
    let earlier = one.received_requests();
    one.set_reaction(Reaction::With(200));
    // The first success makes the waiting ones due, one after the other.
    for _ in 0..3 {
        deliver(&site).await;
        site.advance("5m");
    }
    let sent = one.received_requests();
    let sent: Vec<_> = sent[earlier.len()..].iter().collect();
    assert_eq!(sent.len(), 4);
    for request in &sent {
        let event = request.json();
        if event["type"] == "account.updated" {
            assert_eq!(
                event["data"]["fields"],
                json!(["email", "marketing_consent"])
            );
        }
        // A receiver ignores an id that it has seen.
        let id = request.header("webhook-id");
        let same_id = earlier.iter().filter(|old| old.header("webhook-id") == id);
        for old in same_id {
            assert_eq!(old.body, request.body);
        }
    }
}

// security: WH-1
async fn an_event_that_happens_while_another_one_is_sent_is_sent_too(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    let ada = site.signed_in("ada").await;
    deliver(&site).await;
    let before = receiver.received_requests().len();
    toggle_newsletter(&ada, 1).await;
    receiver.set_reaction(Reaction::Never);
    let app = site.app.clone();
    let sending = tokio::spawn(async move { queues::drain_requests(&app).await });
    eventually("the request is on its way", async || {
        receiver.received_requests().len() == before + 1
    })
    .await;
    let choice = json!({"consent": false});
    ada.browser.put("/marketing-consent", &choice).await;
    eventually("the second request is on its way", async || {
        receiver.received_requests().len() == before + 2
    })
    .await;
    sending.abort();
    let all = receiver.received_requests();
    let ids = [before, before + 1].map(|n| all[n].header("webhook-id"));
    assert_ne!(ids[0], ids[1]);
}

// security: WH-3
async fn a_full_queue_keeps_the_events_that_end_access(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    receiver.set_reaction(Reaction::With(503));
    site.signed_in("ada").await;
    deliver(&site).await;
    site.execute("DELETE FROM deliveries WHERE facts LIKE '%verified%'", &[])
        .await;
    let (many, id) = match db.kind() {
        Kind::Sqlite => (
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000) SELECT n FROM numbers",
            "randomblob(16)",
        ),
        Kind::Postgres => (
            "SELECT n FROM generate_series(1, 4000) AS n",
            "gen_random_uuid()",
        ),
    };
    // Each type has 4,000 waiting events, the most important types the oldest ones.
    let types = [
        ("account.disabled", 0),
        ("account.verified", 10_000),
        ("account.created", 20_000),
        ("account.updated", 30_000),
    ];
    for (name, age) in types {
        db.run_script(&format!(
            "INSERT INTO deliveries (id, kind, endpoint, facts, created_at, due_at, attempts, merge_key)
             SELECT {id}, kind, endpoint, REPLACE(facts, 'account.created', '{name}'),
               created_at + {age} + n, due_at, 0, NULL
             FROM (SELECT * FROM deliveries WHERE attempts > 0 LIMIT 1) AS one, ({many}) AS numbers"
        ))
        .await;
    }
    deliver(&site).await;
    let mut left = Vec::new();
    for (name, _) in types {
        left.push(
            site.count(&format!("deliveries WHERE facts LIKE '%{name}%'"))
                .await,
        );
    }
    assert_eq!(left, [4_000, 4_000, 0, 2_000]);
}

// security: WH-3
async fn registrations_of_a_stranger_leave_no_event_for_an_endpoint_that_is_down(db: Database) {
    db.allow_unread_mails();
    let (site, receiver) = site_with_receiver(&db).await;
    receiver.set_reaction(Reaction::With(503));
    let stranger = site.browser();
    let mut corrected = json!(null);
    for n in 0..8 {
        let changes = match n {
            0 => json!({}),
            _ => json!({"corrected_email": corrected}),
        };
        let form = form_with(&format!("stranger{n}"), &changes);
        corrected = form["email"].clone();
        assert_status!(stranger.post("/register", &form), 201);
        if n % 2 == 0 {
            deliver(&site).await;
        }
    }
    site.assert_count("accounts", 1).await;
    site.assert_count("deliveries", 1).await;
    // An endpoint that has received the registration learns of its end.
    receiver.set_reaction(Reaction::With(204));
    site.advance("10m");
    deliver(&site).await;
    site.assert_count("deliveries", 0).await;
    let before = receiver.event_types().len();
    let form = form_with("stranger9", &json!({"corrected_email": corrected}));
    assert_status!(stranger.post("/register", &form), 201);
    deliver(&site).await;
    let arrived = receiver.event_types();
    assert_eq!(arrived.len(), before + 2);
    let deleted = arrived.iter().filter(|name| *name == "account.deleted");
    assert_eq!(deleted.count(), 1);
}
