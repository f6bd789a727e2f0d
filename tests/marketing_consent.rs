//! The newsletter choice, and the records of each answer with the version of its text.

use crate::old_accounts::{OLD_PASSWORD, old_with};
use crate::passkeys::{self, person_and_passkey};
use crate::support::prelude::*;
use crate::support::response::assert_members;

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
    let state = browser.get_json("/security").await;
    assert_eq!(state["marketing_consent"], consent);
}

on_both_databases!(
    a_choice_is_stored_with_its_text_and_its_time,
    a_repeated_choice_adds_no_record,
    preferences_of_an_account_share_a_limit,
    a_newsletter_choice_requires_a_session_and_a_value,
    registration_and_migration_are_recorded,
);

async fn a_choice_is_stored_with_its_text_and_its_time((site, ada): (Site, Person)) {
    site.allow_unread_mails();
    let (started, browser) = (site.now(), &ada.browser);
    site.advance("1h");
    let chosen = site.now();
    choose_newsletter(browser, true).await;
    site.advance("1h");
    let request = browser.fetch(Method::PUT, "/marketing-consent");
    let request = request
        .header("content-type", "application/json")
        .header("accept-language", "pt-BR");
    let refusal = json!({"consent": false});
    assert_json!(
        browser.send_with(request, refusal.to_string()),
        200,
        &refusal
    );
    let record = |consent, language: &str, at| (consent, 1, Some(language.to_owned()), at);
    let expected = [
        record(false, "en", started),
        record(true, "en", chosen),
        record(false, "pt", site.now()),
    ];
    assert_eq!(consent_records(&site, &ada.email).await, expected);
    let row = "accounts WHERE marketing_consent = 0 AND marketing_consent_at = ";
    site.assert_count(&format!("{row}{}", site.now()), 1).await;
    let list = browser.get_json("/activity").await;
    for (at, consent) in [(0, false), (1, true)] {
        let expected =
            json!({"kind": "marketing_consent_changed", "details": {"consent": consent}});
        assert_members(&list["events"][at], &expected);
    }
}

async fn a_repeated_choice_adds_no_record(site: Site) {
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    for (choice, records) in [(false, 1), (true, 2), (true, 2)] {
        choose_newsletter(&ada.browser, choice).await;
        assert_eq!(consent_records(&site, &ada.email).await.len(), records);
    }
    assert_eq!(consent_records(&site, &bob.email).await.len(), 1);
    let state = bob.browser.get_json("/security").await;
    assert_eq!(state["marketing_consent"], false);
}

async fn preferences_of_an_account_share_a_limit(site: Site) {
    site.allow_unread_mails();
    let (ada, _) = person_and_passkey(&site, "ada").await;
    let bob = site.signed_in("bob").await;
    let passkey = passkeys::first_path(&ada.browser).await;
    let events = site.count("security_events").await + 58;
    for n in 0..29 {
        choose_newsletter(&ada.browser, n % 2 == 0).await;
        let name = json!({"name": format!("Key {n}")});
        assert_ok!(ada.browser.patch(&passkey, &name));
    }
    // An unchanged choice counts, too.
    for _ in 0..2 {
        choose_newsletter(&ada.browser, true).await;
    }
    site.assert_count("security_events", events).await;
    let (choice, name) = (json!({"consent": false}), json!({"name": "Key"}));
    assert_refused!(ada.browser.put("/marketing-consent", &choice), RateLimited);
    assert_refused!(ada.browser.patch(&passkey, &name), RateLimited);
    site.assert_count("security_events", events).await;
    choose_newsletter(&bob.browser, true).await;
    site.advance("1h");
    choose_newsletter(&ada.browser, false).await;
}

async fn a_newsletter_choice_requires_a_session_and_a_value((site, ada): (Site, Person)) {
    let (path, choice) = ("/marketing-consent", json!({"consent": true}));
    assert_refused!(site.browser().put(path, &choice), Unauthenticated);
    for wrong in [
        json!({}),
        json!({"consent": "yes"}),
        json!({"consent": null}),
    ] {
        let response = ada.browser.put(path, &wrong).await;
        assert_eq!(response.status, 422, "{wrong}: {}", response.text());
    }
    assert_eq!(consent_records(&site, &ada.email).await.len(), 1);
}

async fn registration_and_migration_are_recorded(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.security.legacy_sign_in = account::config::LegacySignIn::Silent)
        .await;
    for (name, stored) in [
        ("yes", json!(true)),
        ("no", json!(false)),
        ("none", Value::Null),
    ] {
        site.advance("1h");
        let (consent, now) = (stored == true, site.now());
        let changes = json!({"marketing_consent": stored});
        assert_status!(site.browser().register(name, &changes), 201);
        let records = consent_records(&site, &format!("{name}@example.org")).await;
        assert_eq!(records, [(consent, 1, Some("en".to_owned()), now)]);
        let sql =
            "SELECT marketing_consent, marketing_consent_at FROM accounts WHERE username = $1";
        let row = &site.rows(sql, &[name.into()]).await[0];
        assert_eq!((row.get(0), row.get(1)), (consent, now));

        let old = format!("old{name}");
        site.import_accounts(&[old_with(&old, &changes)]).await;
        let email = format!("{old}@example.org");
        assert_ok!(site.browser().try_sign_in(&email, OLD_PASSWORD));
        assert_eq!(
            consent_records(&site, &email).await,
            [(consent, 0, None, now)]
        );
    }
}
