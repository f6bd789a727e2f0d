//! Migration of a legacy account by mailed link: requested, confirmed, and protected from others.

use account::config::{NewDevice, Profile};
use account::params;
use account::testing::error::{ErrorCode, FieldRule};
use serde_json::{Value, json};

use crate::old_accounts::{old, old_with};
use crate::support::database::Kind;
use crate::support::{Browser, Database, Response, Site};

const NEW_PASSWORD: &str = "Orange-Tree-42";

fn request_body_response() -> Value {
    json!({
        "message": "If there’s an account to move for this address, the instructions are on their way to your inbox.",
        "code": "migration_sent",
    })
}

async fn request_migration(browser: &Browser, email: &str) -> Response {
    browser.post("/migration", &json!({"email": email})).await
}

/// Requests a migration link for an account with all details, and returns its token.
async fn migration_token(site: &Site, email: &str) -> String {
    request_migration(&site.browser(), email)
        .await
        .assert_json(200, &request_body_response());
    let mail = site.mail_to(email).await;
    let (page, _) = mail.link().split_once('?').unwrap();
    assert_eq!(page, "http://localhost:8080/account/migration");
    mail.token()
}

/// Asserts that the mailed link migrates this account, with this username.
async fn assert_migrates_as(site: &Site, email: &str, username: &str) {
    let token = migration_token(site, email).await;
    let me = json!({"email": email, "username": username});
    assert_json!(confirm(&site.browser(), &token, NEW_PASSWORD), 200, &me);
}

pub(crate) async fn confirm(browser: &Browser, token: &str, password: &str) -> Response {
    let body = json!({"token": token, "password": password});
    browser.post("/migration/confirm", &body).await
}

/// Migrates an old account with all details by its mailed link. Returns the browser.
pub(crate) async fn migrate(site: &Site, email: &str, password: &str) -> Browser {
    let browser = site.browser();
    request_migration(&browser, email).await;
    let token = site.mail_to(email).await.token();
    assert_status!(confirm(&browser, &token, password), 200);
    browser
}

// security: EN-4
on_both_databases!(a_request_gives_one_response_and_mails_only_old_accounts);
async fn a_request_gives_one_response_and_mails_only_old_accounts(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let n = profile as u8;
        site.import_accounts(&[
            old(&format!("ada{n}")),
            old_with(&format!("bob{n}"), &json!({"zipcode": null})),
        ])
        .await;
        let member = site.member(&format!("kim{n}")).await;
        let waiting = [format!("ADA{n}@Example.org"), format!("bob{n}@example.org")];
        for email in [
            waiting[0].as_str(),
            &waiting[1],
            &member.email,
            "no@example.org",
        ] {
            request_migration(&site.browser(), email)
                .await
                .assert_json(200, &request_body_response());
        }
        let mut mails = site.mails().await;
        mails.sort_by_key(|mail| mail.link().len());
        let links: Vec<_> = mails
            .iter()
            .map(|mail| mail.link().split_once("ken=").unwrap().0)
            .collect();
        let page = "http://localhost:8080/account/migration";
        let complete = format!("{page}?email=ada{n}%40example.org&to");
        assert_eq!(
            links,
            [
                &format!("{page}-confirmation?migration_to"),
                complete.as_str(),
            ]
        );
        // The browser's language is English; that of the legacy account takes precedence.
        assert!(
            mails[1].subject.starts_with("Zieh mit deinem Konto"),
            "{}",
            mails[1].subject
        );
    }
}

// `validation.rs` tests the rules of the email address and of the password.
on_both_databases!(a_request_without_an_address_is_refused);
async fn a_request_without_an_address_is_refused(db: Database) {
    let site = db.site().await;
    let request = site.browser().post("/migration", &json!({})).await;
    request.assert_error(ErrorCode::ValidationFailed);
}

on_both_databases!(a_confirmation_migrates_all_details);
async fn a_confirmation_migrates_all_details(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    let browser = site.browser();
    let token = migration_token(&site, "ada@example.org").await;
    let me = json!({"email": "ada@example.org", "username": "ada"});
    let response = confirm(&browser, &token, NEW_PASSWORD).await;
    response.assert_json(200, &me);
    assert!(response.set_cookie("session").is_none(), "no session yet");
    assert!(
        response.set_cookie("device").is_some(),
        "the link proves the browser"
    );

    let row = &site
        .rows(
            "SELECT country, zipcode, birthday, first_name, last_name, marketing_consent, language,
               email_verified_at FROM accounts",
            &[],
        )
        .await[0];
    let text = |at| row.get::<Option<String>>(at).unwrap();
    assert_eq!(
        (text(0), text(1), text(2)),
        ("de".into(), "10115".into(), "1990-11-30".into())
    );
    assert_eq!((text(3), text(4)), ("Ada".into(), "Ampère".into()));
    assert_eq!((row.get(5), text(6)), (true, "en".into()));
    assert_eq!(row.get::<Option<i64>>(7), Some(site.now()));

    assert_eq!(
        site.legacy_timestamp("migrated_at", "ada@example.org")
            .await,
        Some(site.now())
    );
    let login = json!({"email": "ada@example.org", "password": NEW_PASSWORD});
    browser.post("/login", &login).await.assert_json(200, &me);
    assert_refused!(confirm(&browser, &token, NEW_PASSWORD), InvalidToken);
}

on_both_databases!(a_migrated_account_keeps_only_address_ids_and_dates);
async fn a_migrated_account_keeps_only_address_ids_and_dates(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    let columns = match db.kind() {
        Kind::Sqlite => "SELECT name FROM pragma_table_info('legacy_accounts')",
        Kind::Postgres => {
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = 'legacy_accounts'"
        }
    };
    let columns = site.rows(columns, &[]).await;
    let kept = async || {
        let mut kept = Vec::new();
        for column in &columns {
            let column: String = column.get(0);
            // PostgreSQL prints an empty byte string as `\x`.
            let filled = format!(
                "legacy_accounts WHERE COALESCE(CAST({column} AS text), '') NOT IN ('', '\\x')"
            );
            if site.count(&filled).await == 1 {
                kept.push(column);
            }
        }
        kept.sort();
        kept
    };
    // All columns except the later dates and the account.
    assert_eq!(kept().await.len(), 19);
    let token = migration_token(&site, "ada@example.org").await;
    assert_status!(confirm(&site.browser(), &token, NEW_PASSWORD), 200);
    let days = ["imported_at", "migrated_at", "opened_at"];
    let ids = ["account_id", "email", "email_key", "id", "legacy_id"];
    let mut expected = [&days[..], &ids[..]].concat();
    expected.sort_unstable();
    assert_eq!(kept().await, expected);
}

on_both_databases!(a_link_stays_valid_after_refused_passwords);
async fn a_link_stays_valid_after_refused_passwords(db: Database) {
    let site = db.site_without_limits().await;
    site.import_accounts(&[old("ada")]).await;
    let token = migration_token(&site, "ada@example.org").await;
    let browser = site.browser();
    let short = confirm(&browser, &token, "Short1").await;
    short.assert_broken_rule(FieldRule::PasswordTooShortMigration);
    let differing = json!({"token": token, "password": NEW_PASSWORD, "confirm_password": "x"});
    let response = browser.post("/migration/confirm", &differing).await;
    response.assert_broken_rule(FieldRule::PasswordsDiffer);
    // A migration requires only the length.
    assert_eq!(confirm(&browser, &token, "lemontree").await.status, 200);
}

on_both_databases!(only_the_newest_link_works);
async fn only_the_newest_link_works(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    let browser = site.browser();
    let first = migration_token(&site, "ada@example.org").await;
    let second = migration_token(&site, "ada@example.org").await;
    assert_refused!(confirm(&browser, &first, NEW_PASSWORD), InvalidToken);
    for nonsense in ["", "x", &"a".repeat(43)] {
        assert_refused!(confirm(&browser, nonsense, NEW_PASSWORD), InvalidToken);
    }
    let missing = json!({"password": NEW_PASSWORD});
    assert_refused!(browser.post("/migration/confirm", &missing), InvalidToken);
    assert_eq!(site.count("accounts").await, 0);
    assert_status!(confirm(&browser, &second, NEW_PASSWORD), 200);
}

on_both_databases!(a_link_of_another_purpose_is_invalid);
async fn a_link_of_another_purpose_is_invalid(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    site.import_accounts(&[old_with("ada", &json!({"country": null}))])
        .await;
    request_migration(&browser, "ada@example.org").await;
    let completion = site.mail_to("ada@example.org").await.token();
    assert_refused!(confirm(&browser, &completion, NEW_PASSWORD), InvalidToken);
    // After the import the account is complete, and the older completion link is invalid.
    site.import_accounts(&[old("ada")]).await;
    let token = migration_token(&site, "ada@example.org").await;
    let form = json!({"token": completion});
    let response = browser.post("/migration/complete", &form).await;
    response.assert_error_with_data(ErrorCode::InvalidToken);
    assert_eq!(confirm(&browser, &token, NEW_PASSWORD).await.status, 200);
}

// security: TK-4
on_both_databases!(of_parallel_confirmations_one_creates_the_account);
async fn of_parallel_confirmations_one_creates_the_account(db: Database) {
    let site = db.site_without_limits().await;
    site.import_accounts(&[old("ada")]).await;
    let token = migration_token(&site, "ada@example.org").await;
    let browser = site.browser();
    let tries = (0..8).map(|_| confirm(&browser, &token, NEW_PASSWORD));
    let responses = futures_util::future::join_all(tries).await;
    let mut codes: Vec<_> = responses.iter().map(|a| a.status.as_u16()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [200, 400, 400, 400, 400, 400, 400, 400]);
    assert_eq!(site.count("accounts").await, 1);
}

on_both_databases!(a_minor_is_refused_and_the_legacy_account_kept);
async fn a_minor_is_refused_and_the_legacy_account_kept(db: Database) {
    let site = db.site().await;
    let born = json!({"birthday_year": 2009, "birthday_month": 12, "birthday_day": 30});
    site.import_accounts(&[old_with("kid", &born)]).await;
    let token = migration_token(&site, "kid@example.org").await;
    assert_refused!(confirm(&site.browser(), &token, NEW_PASSWORD), Underage);
    assert_eq!(site.count("accounts").await, 0);
    assert_eq!(
        site.legacy_timestamp("refused_at", "kid@example.org").await,
        Some(site.now())
    );
    assert_eq!(
        site.legacy_timestamp("migrated_at", "kid@example.org")
            .await,
        None
    );
    // The person may migrate on the day on which a registration would be accepted: 17 × 365.25 = 6209.25 days.
    site.set_clock("2026-12-30T00:00:00Z");
    let token = migration_token(&site, "kid@example.org").await;
    assert_refused!(confirm(&site.browser(), &token, NEW_PASSWORD), Underage);
    site.set_clock("2026-12-31T00:00:00Z");
    let token = migration_token(&site, "kid@example.org").await;
    assert_status!(confirm(&site.browser(), &token, NEW_PASSWORD), 200);
}

on_both_databases!(a_missing_taken_or_invalid_username_is_replaced);
async fn a_missing_taken_or_invalid_username_is_replaced(db: Database) {
    let site = db.site().await;
    site.member("ada").await;
    let moves = [
        ("a1", json!({"username": "ADA"}), "ADA2"),
        ("a2", json!({"username": "ada"}), "ada3"),
        ("a3", json!({"username": "móon_fan 😀"}), "moonfan"),
        ("a4", json!({"username": "月"}), "AdaAmpere"),
        ("a5", json!({"username": "月"}), "AdaAmpere2"),
    ];
    for (name, changes, made) in moves {
        site.import_accounts(&[old_with(name, &changes)]).await;
        assert_migrates_as(&site, &format!("{name}@example.org"), made).await;
    }
}

on_both_databases!(the_username_of_an_old_account_is_reserved);
async fn the_username_of_an_old_account_is_reserved(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[
        old_with("one", &json!({"username": "Moon"})),
        old_with("two", &json!({"username": "moon"})),
    ])
    .await;
    assert_migrates_as(&site, "two@example.org", "moon2").await;
    assert_migrates_as(&site, "one@example.org", "Moon").await;
}

on_both_databases!(links_of_the_old_account_end_with_its_migration);
async fn links_of_the_old_account_end_with_its_migration(db: Database) {
    let site = db
        .site_with(|c| c.security.new_device = NewDevice::Off)
        .await;
    site.import_accounts(&[old("ada")]).await;
    let token = migration_token(&site, "ada@example.org").await;
    confirm(&site.browser(), &token, NEW_PASSWORD).await;
    request_migration(&site.browser(), "ada@example.org")
        .await
        .assert_json(200, &request_body_response());
    assert!(
        site.mails().await.is_empty(),
        "an existing account gets no migration mail"
    );
    let sql = "SELECT 1 FROM tokens WHERE purpose = $1 AND spent_at IS NULL";
    assert!(site.rows(sql, params!["migration"]).await.is_empty());
    let response = site.browser().request_reset("ada@example.org").await;
    assert_eq!(response.json()["code"], "reset_sent");
    site.mail_to("ada@example.org").await;
}
