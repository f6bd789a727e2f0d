//! The newsletter choice, and the records of each answer with the version of its text.

use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::old_accounts::{OLD_PASSWORD, old_with};
use crate::passkeys;
use crate::support::actors::form_with;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Person, Site};

/// The records of an account, oldest first: answer, version and language of the text, time.
async fn consent_records(site: &Site, email: &str) -> Vec<(bool, i64, Option<String>, i64)> {
    let sql = "SELECT consent, text_version, consents.language, at FROM consents
               JOIN accounts ON account_id = accounts.id
               WHERE email = $1 ORDER BY consents.id";
    let rows = site.rows(sql, &[email.into()]).await;
    let read = rows.iter();
    read.map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
        .collect()
}

async fn choose_newsletter(browser: &Browser, consent: bool) {
    let choice = json!({"consent": consent});
    assert_json!(browser.put("/marketing-consent", &choice), 200, &choice);
    let state = browser.get("/security").await.json();
    assert_eq!(state["marketing_consent"], consent);
}

on_both_databases!(a_choice_is_stored_with_its_text_and_its_time);
async fn a_choice_is_stored_with_its_text_and_its_time(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let started = site.now();
    let ada: Person = site.signed_in("ada").await;
    site.advance("1h");
    choose_newsletter(&ada.browser, true).await;
    site.advance("1h");
    let request = ada
        .browser
        .fetch(axum::http::Method::PUT, "/marketing-consent");
    let request = request
        .header("content-type", "application/json")
        .header("accept-language", "pt-BR");
    let response = ada
        .browser
        .send_with(request, r#"{"consent": false}"#)
        .await;
    response.assert_json(200, &json!({"consent": false}));
    let hour = 3_600_000;
    let records = consent_records(&site, &ada.email).await;
    assert_eq!(records[0], (false, 1, Some("en".to_owned()), started));
    assert_eq!(
        records[1],
        (true, 1, Some("en".to_owned()), site.now() - hour)
    );
    assert_eq!(records[2], (false, 1, Some("pt".to_owned()), site.now()));
    let sql = "SELECT marketing_consent, marketing_consent_at FROM accounts";
    let row = &site.rows(sql, &[]).await[0];
    assert_eq!((row.get::<bool>(0), row.get::<i64>(1)), (false, site.now()));
    let list = ada.browser.get("/activity").await.json();
    let details = |at: usize| (&list["events"][at]["kind"], &list["events"][at]["details"]);
    let kind = json!("marketing_consent_changed");
    assert_eq!(details(0), (&kind, &json!({"consent": false})));
    assert_eq!(details(1), (&kind, &json!({"consent": true})));
}

on_both_databases!(a_repeated_choice_adds_no_record);
async fn a_repeated_choice_adds_no_record(db: Database) {
    let site = db.site().await;
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    choose_newsletter(&ada.browser, false).await;
    assert_eq!(consent_records(&site, &ada.email).await.len(), 1);
    choose_newsletter(&ada.browser, true).await;
    choose_newsletter(&ada.browser, true).await;
    assert_eq!(consent_records(&site, &ada.email).await.len(), 2);
    assert_eq!(consent_records(&site, &bob.email).await.len(), 1);
    assert_eq!(
        bob.browser.get("/security").await.json()["marketing_consent"],
        false
    );
}

on_both_databases!(preferences_of_an_account_share_a_limit);
async fn preferences_of_an_account_share_a_limit(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let mut key = Authenticator::synced();
    let ada = passkeys::person_with_passkey(&site, "ada", &mut key).await;
    let bob = site.signed_in("bob").await;
    let id = ada.browser.get("/passkeys").await.json()["passkeys"][0]["id"].clone();
    let passkey = format!("/passkeys/{}", id.as_str().unwrap());
    let events_before = site.count("security_events").await;
    for n in 0..29 {
        choose_newsletter(&ada.browser, n % 2 == 0).await;
        let name = json!({"name": format!("Key {n}")});
        assert_eq!(ada.browser.patch(&passkey, &name).await.status, 200);
    }
    // An unchanged choice counts, too.
    choose_newsletter(&ada.browser, true).await;
    choose_newsletter(&ada.browser, true).await;
    assert_eq!(site.count("security_events").await, events_before + 58);
    let choice = json!({"consent": false});
    for refused in [
        ada.browser.put("/marketing-consent", &choice).await,
        ada.browser.patch(&passkey, &json!({"name": "Key"})).await,
    ] {
        refused.assert_error(ErrorCode::RateLimited);
    }
    assert_eq!(site.count("security_events").await, events_before + 58);
    choose_newsletter(&bob.browser, true).await;
    site.advance("1h");
    choose_newsletter(&ada.browser, false).await;
}

on_both_databases!(a_newsletter_choice_requires_a_session_and_a_value);
async fn a_newsletter_choice_requires_a_session_and_a_value(db: Database) {
    let site = db.site().await;
    assert_refused!(
        site.browser()
            .put("/marketing-consent", &json!({"consent": true})),
        Unauthenticated
    );
    let ada = site.signed_in("ada").await;
    for wrong in [
        json!({}),
        json!({"consent": "yes"}),
        json!({"consent": null}),
    ] {
        let response = ada.browser.put("/marketing-consent", &wrong).await;
        assert_eq!(response.status, 422, "{wrong}: {}", response.text());
    }
    assert_eq!(consent_records(&site, &ada.email).await.len(), 1);
}

on_both_databases!(registration_and_migration_are_recorded);
async fn registration_and_migration_are_recorded(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.security.legacy_sign_in = account::config::LegacySignIn::Silent)
        .await;
    let form = form_with("ada", &json!({"marketing_consent": true}));
    assert_eq!(site.browser().post("/register", &form).await.status, 201);
    let given = (true, 1, Some("en".to_owned()), site.now());
    assert_eq!(consent_records(&site, "ada@example.org").await, [given]);
    let responses = [("hal", json!(true), true), ("ida", Value::Null, false)];
    for (name, stored, consent) in responses {
        site.import_accounts(&[old_with(name, &json!({"marketing_consent": stored}))])
            .await;
        let email = format!("{name}@example.org");
        assert_status!(site.browser().try_sign_in(&email, OLD_PASSWORD), 200);
        assert_eq!(
            consent_records(&site, &email).await,
            [(consent, 0, None, site.now())]
        );
    }
}
