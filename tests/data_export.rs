//! The download of all data of an account.

mod bounds;

use std::io::{Cursor, Read};

use account::testing::i18n::{Language, catalogue};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use uuid::Uuid;
use zip::ZipArchive;

use crate::activity::event_kinds;
use crate::migration::migrated_person;
use crate::old_accounts::old_with;
use crate::passkeys::{self, person_and_passkey};
use crate::second_factor;
use crate::support::prelude::*;
use crate::support::response::assert_members;

/// The two files of an archive.
struct Export {
    json: String,
    document: Value,
    html: String,
}

fn unzip(response: &Response) -> Export {
    assert_eq!(response.status, 200);
    response.assert_header("content-type", "application/zip");
    let mut archive = ZipArchive::new(Cursor::new(response.body.to_vec())).unwrap();
    let names = archive.file_names().map(|name| name.unwrap().into_owned());
    assert_eq!(names.collect::<Vec<_>>(), ["account.json", "index.html"]);
    let mut read = |name: &str| {
        let mut text = String::new();
        let mut file = archive.by_name(name).unwrap();
        file.read_to_string(&mut text).unwrap();
        text
    };
    let json = read("account.json");
    Export {
        document: serde_json::from_str(&json).unwrap(),
        json,
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

on_both_databases!(
    the_archive_contains_all_data_of_the_account,
    the_archive_contains_a_pending_reset_and_data_of_the_migration,
    the_archive_contains_no_secret_and_no_data_of_others,
    an_export_requires_recent_authentication_and_is_rate_limited,
);

on_sqlite!(
    user_input_in_the_archive_is_escaped,
    every_event_kind_has_a_text_in_every_language,
    the_page_has_the_birthday_and_the_language_in_words,
    a_link_or_image_of_another_site_starts_no_export,
);

async fn the_archive_contains_all_data_of_the_account(site: Site) {
    let (ada, _) = person_and_passkey(&site, "ada").await;
    site.advance("1m");
    let chosen = json!({"consent": true});
    ada.browser.put("/marketing-consent", &chosen).await;
    site.advance("1m");
    let response = ada.browser.get("/data-export").await;
    let name = "attachment; filename=\"account-ada-2026-11-21.zip\"";
    response.assert_header("content-disposition", name);
    let Export { document, html, .. } = unzip(&response);
    let passkeys = ada.browser.get_json("/passkeys").await;
    let now = "2026-11-21T12:02:00Z";
    let expected = json!({
        "schema": 1,
        "exported_at": now,
        "account": {
            "email": ada.email, "id": ada.user().await["id"], "birthday": "1990-07-05",
            "marketing_consent": true,
        },
        "second_factor": {"on": false, "recovery_codes_left": 0, "reset_at": null},
        "mails": [{"kind": "data_exported", "at": now}],
        "older_account": null,
    });
    assert_members(&document, &expected);
    let [devices, sessions, keys, consents] = ["devices", "sessions", "passkeys", "consents"]
        .map(|name| document[name].as_array().unwrap());
    assert_eq!((devices.len(), consents.len()), (1, 2));
    let session = json!({"methods": ["password", "passkey"], "device_id": devices[0]["id"]});
    assert_members(&sessions[0], &session);
    assert_eq!(keys[0]["name"], passkeys["passkeys"][0]["name"]);
    let consent =
        json!({"consent": true, "text_version": 1, "language": "en", "at": "2026-11-21T12:01:00Z"});
    assert_eq!(consents[1], consent);
    let mut kinds = kinds_in(&document["activity"]);
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
    // The HTML file is for people: it formats times in the time zone of the region.
    assert!(
        html.contains("7:01") && !html.contains("2026-11-21T"),
        "{html}"
    );
    ada.mail().await.assert_subject_contains("was downloaded");
}

fn kinds_in(list: &Value) -> Vec<&str> {
    let kinds = list.as_array().unwrap().iter();
    kinds.map(|entry| entry["kind"].as_str().unwrap()).collect()
}

async fn the_archive_contains_a_pending_reset_and_data_of_the_migration(site: Site) {
    site.allow_unread_mails();
    site.import_accounts(&[old_with("ada", &json!({"legacy_id": "L-77"}))])
        .await;
    let ada = migrated_person(&site, "ada@example.org", "ada").await;
    assert_ok!(ada.try_sign_in(&ada.browser));
    let ada = second_factor::turn_on(&site, ada).await;
    site.advance("30s");
    let stranger = site.browser();
    let token = ada.first_step(&stranger).await;
    let requested = assert_status!(stranger.request_factor_reset(&token), 202);
    let Export { document, .. } = export(&ada.browser).await;
    let expected = json!({
        "second_factor": {"reset_at": requested.json()["at"]},
        "older_account": {"legacy_id": "L-77", "email": ada.email},
    });
    assert_members(&document, &expected);
    assert!(
        document["older_account"]["migrated_at"].is_string(),
        "{document}"
    );
    let mut kinds = kinds_in(&document["mails"]);
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

// security: MD-1
async fn the_archive_contains_no_secret_and_no_data_of_others(site: Site) {
    site.allow_unread_mails();
    let bob = site.joined_and_signed_in("bob").await;
    let mut key = Authenticator::device_bound();
    let ada = passkeys::person_with_passkey(&site, "ada", &mut key).await;
    let link = ada.reset_token(&ada.browser).await;
    let ada = second_factor::turn_on(&site, ada).await;
    let mut private = stored_secrets(&site).await;
    private.extend(["session", "device"].map(|name| ada.browser.cookie(name).unwrap()));
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
    let export = export(&ada.browser).await;
    for text in private {
        assert!(text.len() > 4, "{text:?} is too short to be searched for");
        assert!(!export.json.contains(&text), "account.json has {text}");
        assert!(!export.html.contains(&text), "index.html has {text}");
    }
    let on = json!({"on": true, "recovery_codes_left": 10, "reset_at": null});
    assert_eq!(export.document["second_factor"], on);
}

// security: MD-4
async fn user_input_in_the_archive_is_escaped(site: Site) {
    site.allow_unread_mails();
    let (ada, _) = person_and_passkey(&site, "ada").await;
    let evil = "<script>alert(1)</script>\"'&";
    let path = passkeys::first_path(&ada.browser).await;
    assert_ok!(ada.browser.patch(&path, &json!({"name": evil})));
    let sql = "UPDATE accounts SET first_name = $1, last_name = $1";
    site.execute(sql, params![evil]).await;
    let export = export(&ada.browser).await;
    assert!(!export.html.contains("<script"));
    assert_eq!(export.html.matches("&#60;script&#62;").count(), 3);
    assert_eq!(export.document["passkeys"][0]["name"], evil);
    assert_eq!(export.document["account"]["first_name"], evil);
}

// security: MD-5
async fn every_event_kind_has_a_text_in_every_language((site, ada): (Site, Person)) {
    site.allow_unread_mails();
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
            let is_listed = export.html.contains(&format!("<h3>{sentence}</h3>"))
                && export.json.contains(&format!("\"kind\": \"{kind}\""));
            assert!(is_listed, "{kind}");
        }
    }
}

async fn the_page_has_the_birthday_and_the_language_in_words((site, ada): (Site, Person)) {
    site.allow_unread_mails();
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
        let account = json!({"birthday": "1990-07-05", "language": code});
        assert_members(&export.document["account"], &account);
    }
}

async fn an_export_requires_recent_authentication_and_is_rate_limited(site: Site) {
    site.allow_unread_mails();
    assert_refused!(site.browser().get("/data-export"), Unauthenticated);
    let ada = site.joined_and_signed_in("ada").await;
    site.advance("10m");
    assert_code!(ada.browser.get("/data-export"), ReauthenticationRequired);
    ada.browser.reauthenticate(&ada.credentials()).await;
    for _ in 0..5 {
        export(&ada.browser).await;
    }
    assert_refused!(ada.browser.get("/data-export"), RateLimited);
    let kinds = event_kinds(&ada.browser).await;
    let exports = kinds.iter().filter(|kind| *kind == "data_exported");
    assert_eq!(exports.count(), 5);
}

async fn a_link_or_image_of_another_site_starts_no_export((_, ada): (Site, Person)) {
    for (place, mode, dest) in [
        ("cross-site", "navigate", "document"),
        ("cross-site", "no-cors", "image"),
        ("none", "navigate", "document"),
    ] {
        let request = Request::get("/account/account-api/data-export")
            .header("sec-fetch-site", place)
            .header("sec-fetch-mode", mode)
            .header("sec-fetch-dest", dest);
        let response = ada.browser.send(request).await;
        let message = match place {
            "none" => Message::ErrorOwnPageOnly,
            _ => ErrorCode::CrossSite.into(),
        };
        response.assert_error_with_message(ErrorCode::CrossSite, message);
    }
    assert_eq!(event_kinds(&ada.browser).await.len(), 3);
}
