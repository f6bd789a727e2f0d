//! The download of all data of an account.

mod bounds;

use std::io::{Cursor, Read};

use account::params;
use account::testing::error::ErrorCode;
use account::testing::i18n::{Language, catalogue};
use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use uuid::Uuid;
use zip::ZipArchive;

use crate::activity::event_kinds;
use crate::old_accounts::old;
use crate::passkeys;
use crate::second_factor;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Person, Response, Site};

/// The two files of an archive.
struct Export {
    json: String,
    html: String,
}

fn unzip(response: &Response) -> Export {
    assert_eq!(response.status, 200);
    response.assert_header("content-type", "application/zip");
    let mut archive = ZipArchive::new(Cursor::new(response.body.to_vec())).unwrap();
    let names: Vec<_> = archive
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    assert_eq!(names, ["account.json", "index.html"]);
    let mut read = |name: &str| {
        let mut text = String::new();
        let mut file = archive.by_name(name).unwrap();
        file.read_to_string(&mut text).unwrap();
        text
    };
    Export {
        json: read("account.json"),
        html: read("index.html"),
    }
}

async fn export(browser: &Browser) -> Export {
    unzip(&browser.get("/data-export").await)
}

async fn export_in_language(browser: &Browser, language: Language) -> Export {
    let request = browser.fetch(Method::GET, "/data-export");
    let request = request.header("accept-language", language.code());
    unzip(&browser.send(request).await)
}

on_both_databases!(the_archive_contains_all_data_of_the_account);
async fn the_archive_contains_all_data_of_the_account(db: Database) {
    let site = db.site().await;
    let mut key = Authenticator::synced();
    let ada = passkeys::person_with_passkey(&site, "ada", &mut key).await;
    site.advance("1m");
    let chosen = json!({"consent": true});
    ada.browser.put("/marketing-consent", &chosen).await;
    site.advance("1m");
    let response = ada.browser.get("/data-export").await;
    assert_eq!(
        response.header("content-disposition"),
        Some("attachment; filename=\"account-ada-2026-11-21.zip\"")
    );
    let export = unzip(&response);
    let document: Value = serde_json::from_str(&export.json).unwrap();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["exported_at"], "2026-11-21T12:02:00Z");
    let account = &document["account"];
    assert_eq!(account["email"], ada.email);
    assert_eq!(account["id"], ada.user().await["id"]);
    assert_eq!(account["birthday"].as_str().unwrap().len(), 10);
    assert_eq!(account["marketing_consent"], true);
    assert_eq!(document["devices"].as_array().unwrap().len(), 1);
    let session = &document["sessions"][0];
    assert_eq!(session["methods"], json!(["password", "passkey"]));
    assert_eq!(session["device_id"], document["devices"][0]["id"]);
    let passkeys = ada.browser.get("/passkeys").await.json();
    assert_eq!(
        document["passkeys"][0]["name"],
        passkeys["passkeys"][0]["name"]
    );
    let off = json!({"on": false, "recovery_codes_left": 0, "reset_at": null});
    assert_eq!(document["second_factor"], off);
    let responses: Vec<_> = document["consents"].as_array().unwrap().iter().collect();
    assert_eq!(responses.len(), 2);
    assert_eq!(
        *responses[1],
        json!({"consent": true, "text_version": 1, "language": "en", "at": "2026-11-21T12:01:00Z"})
    );
    let kinds = document["activity"].as_array().unwrap().iter();
    let mut kinds: Vec<_> = kinds.map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "data_exported");
    // The remaining events have equal timestamps.
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            "data_exported", "email_verified", "marketing_consent_changed", "passkey_added",
            "registered", "signed_in"
        ]
    );
    let waiting = json!([{"kind": "data_exported", "at": "2026-11-21T12:02:00Z"}]);
    assert_eq!(document["mails"], waiting);
    assert_eq!(document["older_account"], Value::Null);
    // The HTML file is for people: it formats times in the time zone of the region.
    assert!(export.html.contains("7:01"), "{}", export.html);
    assert!(!export.html.contains("2026-11-21T"), "{}", export.html);
    let mail = site.mail_to(&ada.email).await;
    mail.assert_subject_contains("was downloaded");
}

on_both_databases!(the_archive_contains_a_pending_reset_and_data_of_the_migration);
async fn the_archive_contains_a_pending_reset_and_data_of_the_migration(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let mut row = old("ada");
    row["legacy_id"] = json!("L-77");
    site.import_accounts(&[row]).await;
    let email = "ada@example.org";
    let person = Person {
        name: "ada".into(),
        email: email.into(),
        browser: crate::migration::migrate(&site, email, PASSWORD).await,
    };
    assert_status!(person.try_sign_in(&person.browser), 200);
    let member = second_factor::turn_on(&site, person).await;
    site.advance("30s");
    let stranger = site.browser();
    let token = member.first_step(&stranger).await;
    let requested = assert_status!(stranger.request_factor_reset(&token), 202);
    let export = export(&member.person.browser).await;
    let document: Value = serde_json::from_str(&export.json).unwrap();
    assert_eq!(
        document["second_factor"]["reset_at"],
        requested.json()["at"]
    );
    let older = &document["older_account"];
    assert_eq!(
        (&older["legacy_id"], &older["email"]),
        (&json!("L-77"), &json!(email))
    );
    assert!(older["migrated_at"].is_string(), "{older}");
    let kinds = document["mails"].as_array().unwrap().iter();
    let mut kinds: Vec<_> = kinds.map(|mail| mail["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            "data_exported", "second_factor_reset_ready", "second_factor_reset_reminder",
            "second_factor_reset_requested"
        ]
    );
}

/// Every secret and every hash of a secret in the database, in each encoding that could occur.
async fn stored_secrets(site: &Site) -> Vec<String> {
    let mut forms = Vec::new();
    for (table, column) in [
        ("sessions", "id_hash"),
        ("devices", "cookie_hash"),
        ("security_events", "device_hash"),
        ("tokens", "token_hash"),
        ("credentials", "credential_id"),
        ("totp", "secret"),
        ("recovery_codes", "code_hash"),
        ("secrets", "value"),
        ("limits", "key"),
    ] {
        let sql = format!("SELECT {column} FROM {table} WHERE {column} IS NOT NULL");
        let rows = site.rows(&sql, &[]).await;
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            let bytes: Vec<u8> = row.get(0);
            forms.push(bytes.iter().map(|byte| format!("{byte:02x}")).collect());
            forms.push(STANDARD_NO_PAD.encode(&bytes));
            forms.push(URL_SAFE_NO_PAD.encode(&bytes));
        }
    }
    for sql in [
        "SELECT password_hash FROM accounts",
        "SELECT data FROM credentials",
    ] {
        forms.extend(site.rows(sql, &[]).await.iter().map(|row| row.get(0)));
    }
    forms
}

on_both_databases!(the_archive_contains_no_secret_and_no_data_of_others);
// security: MD-1
async fn the_archive_contains_no_secret_and_no_data_of_others(db: Database) {
    let site = db.allow_unread_mails().site().await;
    site.mails().await;
    let bob: Person = site.joined_and_signed_in("bob").await;
    let mut key = Authenticator::device_bound();
    let ada = passkeys::person_with_passkey(&site, "ada", &mut key).await;
    ada.browser.request_reset(&ada.email).await;
    let link = site.mail_to(&ada.email).await.token();
    let ada = second_factor::turn_on(&site, ada).await;
    let mut private = stored_secrets(&site).await;
    private.extend(["session", "device"].map(|name| ada.person.browser.cookie(name).unwrap()));
    private.extend(ada.codes.iter().cloned());
    private.extend([PASSWORD.to_owned(), link, "public_key".to_owned()]);
    let others = bob.user().await["id"].as_str().unwrap().to_owned();
    private.extend([others, bob.email.clone(), "\"bob\"".to_owned()]);
    let sql =
        "SELECT id FROM devices JOIN (SELECT id AS owner FROM accounts WHERE email = $1) AS bob
               ON owner = account_id";
    for row in site.rows(sql, params![&bob.email]).await {
        private.push(row.get::<Uuid>(0).to_string());
    }
    let export = export(&ada.person.browser).await;
    for text in private {
        assert!(text.len() > 4, "{text:?} is too short to be searched for");
        assert!(!export.json.contains(&text), "account.json has {text}");
        assert!(!export.html.contains(&text), "index.html has {text}");
    }
    let document: Value = serde_json::from_str(&export.json).unwrap();
    let on = json!({"on": true, "recovery_codes_left": 10, "reset_at": null});
    assert_eq!(document["second_factor"], on);
}

on_both_databases!(user_input_in_the_archive_is_escaped);
// security: MD-4
async fn user_input_in_the_archive_is_escaped(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let mut key = Authenticator::synced();
    let ada = passkeys::person_with_passkey(&site, "ada", &mut key).await;
    let evil = "<script>alert(1)</script>\"'&";
    let id = ada.browser.get("/passkeys").await.json()["passkeys"][0]["id"].clone();
    let path = format!("/passkeys/{}", id.as_str().unwrap());
    assert_status!(ada.browser.patch(&path, &json!({"name": evil})), 200);
    let sql = "UPDATE accounts SET first_name = $1, last_name = $1";
    site.execute(sql, params![evil]).await;
    let export = export(&ada.browser).await;
    assert!(!export.html.contains("<script"));
    assert_eq!(export.html.matches("&#60;script&#62;").count(), 3);
    let document: Value = serde_json::from_str(&export.json).unwrap();
    assert_eq!(document["passkeys"][0]["name"], evil);
    assert_eq!(document["account"]["first_name"], evil);
}

on_both_databases!(every_event_kind_has_a_text_in_every_language);
// security: MD-5
async fn every_event_kind_has_a_text_in_every_language(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.signed_in("ada").await;
    let document = serde_json::to_value(account::testing::openapi::document()).unwrap();
    let kinds = document["components"]["schemas"]["SecurityEvent"]["enum"].clone();
    let kinds: Vec<String> = serde_json::from_value(kinds).unwrap();
    assert!(kinds.len() > 30);
    let mut tx = site.app.store.write().await.unwrap();
    for (number, kind) in kinds.iter().enumerate() {
        let sql = "INSERT INTO security_events (id, account_id, kind, at, actor, details)
                   SELECT $1, id, $2, $3, 'self', '{}' FROM accounts";
        let id = Uuid::from_u128(number as u128);
        tx.execute(sql, params![id, kind, site.now()])
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    for language in Language::ALL {
        let export = export_in_language(&ada.browser, language).await;
        let words: Value = serde_json::from_str(catalogue(language)).unwrap();
        let start = format!("<html lang=\"{}\">", language.code());
        assert!(export.html.contains(&start));
        for kind in &kinds {
            let sentence = words["activity"][kind].as_str();
            let sentence = sentence.unwrap_or_else(|| panic!("activity.{kind} is missing"));
            assert!(
                export.html.contains(&format!("<h3>{sentence}</h3>")),
                "{kind}"
            );
            assert!(
                export.json.contains(&format!("\"kind\": \"{kind}\"")),
                "{kind}"
            );
        }
    }
}

on_both_databases!(the_page_has_the_birthday_and_the_language_in_words);
async fn the_page_has_the_birthday_and_the_language_in_words(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.signed_in("ada").await;
    // The birthday is in the language of the reader, and the name of a language is in that language.
    for (reader, birthday, code, name) in [
        (Language::En, "July 5, 1990", "de", "Deutsch"),
        (Language::De, "5. Juli 1990", "es", "Español"),
        (
            Language::Es,
            "5 de julio de 1990",
            "pt",
            "Português (Brasil)",
        ),
        (Language::Pt, "5 de julho de 1990", "en", "English"),
    ] {
        let sql = "UPDATE accounts SET language = $1";
        site.execute(sql, params![code]).await;
        let export = export_in_language(&ada.browser, reader).await;
        for shown in [birthday, name] {
            let fact = format!("<dd>{shown}</dd>");
            assert!(export.html.contains(&fact), "{fact} for {reader:?}");
        }
        let document: Value = serde_json::from_str(&export.json).unwrap();
        assert_eq!(document["account"]["birthday"], "1990-07-05");
        assert_eq!(document["account"]["language"], code);
    }
}

on_both_databases!(an_export_requires_recent_authentication_and_is_rate_limited);
async fn an_export_requires_recent_authentication_and_is_rate_limited(db: Database) {
    let site = db.allow_unread_mails().site().await;
    assert_refused!(site.browser().get("/data-export"), Unauthenticated);
    let ada = site.joined_and_signed_in("ada").await;
    site.advance("10m");
    ada.browser
        .get("/data-export")
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    let proof = json!({"password": PASSWORD});
    ada.browser.reauthenticate(&proof).await;
    for _ in 0..5 {
        export(&ada.browser).await;
    }
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
    let kinds = event_kinds(&ada.browser).await;
    let exports = kinds.iter().filter(|kind| *kind == "data_exported");
    assert_eq!(exports.count(), 5);
}

on_both_databases!(a_link_or_image_of_another_site_starts_no_export);
async fn a_link_or_image_of_another_site_starts_no_export(db: Database) {
    let site = db.site().await;
    let ada = site.joined_and_signed_in("ada").await;
    for (place, mode, dest) in [
        ("cross-site", "navigate", "document"),
        ("cross-site", "no-cors", "image"),
        ("none", "navigate", "document"),
    ] {
        let request = axum::http::Request::get("/account/account-api/data-export")
            .header("sec-fetch-site", place)
            .header("sec-fetch-mode", mode)
            .header("sec-fetch-dest", dest);
        let response = ada.browser.send(request).await;
        match place {
            "none" => response.assert_error_with_message(
                ErrorCode::CrossSite,
                account::testing::i18n::Message::ErrorOwnPageOnly,
            ),
            _ => response.assert_error(ErrorCode::CrossSite),
        };
    }
    assert_eq!(event_kinds(&ada.browser).await.len(), 3);
}
