//! Migration of a legacy account by mailed link: requested, confirmed, and protected from others.

use account::config::Profile;

use crate::migration_completion::completion_token;
use crate::old_accounts::{old, old_with};
use crate::support::database::Kind;
use crate::support::fixture::Fixture;
use crate::support::prelude::*;

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

const EMAIL: &str = "ada@example.org";

/// A site with the old account `ada`, a browser, and the token of the account's migration link.
struct Waiting(Site, Browser, String);

impl Waiting {
    async fn at(site: Site) -> Waiting {
        site.import_accounts(&[old("ada")]).await;
        let token = migration_token(&site, EMAIL).await;
        let browser = site.browser();
        Waiting(site, browser, token)
    }
}

impl Fixture for Waiting {
    async fn of(db: &Database) -> Waiting {
        Waiting::at(db.site().await).await
    }
}

/// Requests a migration link for an account with all details, and returns its token.
async fn migration_token(site: &Site, email: &str) -> String {
    let asked = site.browser();
    assert_json!(
        request_migration(&asked, email),
        200,
        &request_body_response()
    );
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

pub async fn confirm(browser: &Browser, token: &str, password: &str) -> Response {
    let body = json!({"token": token, "password": password});
    browser.post("/migration/confirm", &body).await
}

/// Migrates an old account with all details by its mailed link. Returns the browser.
pub async fn migrate(site: &Site, email: &str, password: &str) -> Browser {
    let browser = site.browser();
    request_migration(&browser, email).await;
    let token = site.mail_to(email).await.token();
    assert_ok!(confirm(&browser, &token, password));
    browser
}

/// The person of such an account, which has this username.
pub async fn migrated_person(site: &Site, email: &str, name: &str) -> Person {
    Person {
        name: name.to_owned(),
        email: email.to_owned(),
        browser: migrate(site, email, PASSWORD).await,
    }
}

on_both_databases!(
    a_request_gives_one_response_and_mails_only_old_accounts,
    a_confirmation_migrates_all_details,
    a_migrated_account_keeps_only_address_ids_and_dates,
    a_link_stays_valid_after_refused_passwords,
    only_the_newest_link_works,
    a_link_of_another_purpose_is_invalid,
    of_parallel_confirmations_one_creates_the_account,
    a_minor_is_refused_and_the_legacy_account_kept,
    a_missing_taken_or_invalid_username_is_replaced,
    the_username_of_an_old_account_is_reserved,
    links_of_the_old_account_end_with_its_migration,
);

// security: EN-4
async fn a_request_gives_one_response_and_mails_only_old_accounts(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let n = profile as u8;
        site.import_accounts(&[
            old(&format!("ada{n}")),
            old_with(&format!("bob{n}"), &json!({"zipcode": null})),
        ])
        .await;
        site.member(&format!("kim{n}")).await;
        for email in [
            format!("ADA{n}@Example.org"),
            format!("bob{n}@example.org"),
            format!("kim{n}@example.org"),
            "no@example.org".to_owned(),
        ] {
            let asked = site.browser();
            assert_json!(
                request_migration(&asked, &email),
                200,
                &request_body_response()
            );
        }
        let mut mails = site.mails().await;
        mails.sort_by_key(|mail| mail.link().len());
        let links = mails
            .iter()
            .map(|mail| mail.link().split_once("ken=").unwrap().0);
        let page = "http://localhost:8080/account/migration";
        let [incomplete, complete] = ["-confirmation?migration_to", "?email=adaN%40example.org&to"]
            .map(|rest| format!("{page}{}", rest.replace('N', &n.to_string())));
        assert_eq!(links.collect::<Vec<_>>(), [&incomplete, &complete]);
        // The browser's language is English; that of the legacy account takes precedence.
        let subject = &mails[1].subject;
        assert!(subject.starts_with("Zieh mit deinem Konto"), "{subject}");
    }
}

async fn a_confirmation_migrates_all_details(Waiting(site, browser, token): Waiting) {
    let me = json!({"email": EMAIL, "username": "ada"});
    let response = confirm(&browser, &token, NEW_PASSWORD).await;
    response.assert_json(200, &me);
    assert!(response.set_cookie("session").is_none(), "no session yet");
    // The link proves the browser.
    assert!(response.set_cookie("device").is_some());
    let row = "accounts WHERE country = 'de' AND zipcode = '10115' AND birthday = '1990-11-30' AND first_name = 'Ada'
        AND last_name = 'Ampère' AND marketing_consent = 1 AND language = 'en' AND email_verified_at = ";
    site.assert_count(&format!("{row}{}", site.now()), 1).await;
    let migrated_at = site.legacy_timestamp("migrated_at", EMAIL).await;
    assert_eq!(migrated_at, Some(site.now()));
    assert_json!(browser.try_sign_in(EMAIL, NEW_PASSWORD), 200, &me);
    assert_refused!(confirm(&browser, &token, NEW_PASSWORD), InvalidToken);
}

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
    assert_ok!(confirm(&site.browser(), &token, NEW_PASSWORD));
    let days = ["imported_at", "migrated_at", "opened_at"];
    let ids = ["account_id", "email", "email_key", "id", "legacy_id"];
    let mut expected = [&days[..], &ids[..]].concat();
    expected.sort_unstable();
    assert_eq!(kept().await, expected);
}

// `validation.rs` tests the rules of the email address and of the password.
async fn a_link_stays_valid_after_refused_passwords(Waiting(_, browser, token): Waiting) {
    assert_refused!(browser.post_defaults("/migration"), ValidationFailed);
    let short = confirm(&browser, &token, "Short1").await;
    short.assert_broken_rule(FieldRule::PasswordTooShortMigration);
    let differing = json!({"token": token, "password": NEW_PASSWORD, "confirm_password": "x"});
    let response = browser.post("/migration/confirm", &differing).await;
    response.assert_broken_rule(FieldRule::PasswordsDiffer);
    // A migration requires only the length.
    assert_ok!(confirm(&browser, &token, "lemontree"));
}

async fn only_the_newest_link_works(Waiting(site, browser, first): Waiting) {
    let second = migration_token(&site, EMAIL).await;
    for token in [&*first, "", "x", &"a".repeat(43)] {
        assert_refused!(confirm(&browser, token, NEW_PASSWORD), InvalidToken);
    }
    let missing = json!({"password": NEW_PASSWORD});
    assert_refused!(browser.post("/migration/confirm", &missing), InvalidToken);
    site.assert_count("accounts", 0).await;
    assert_ok!(confirm(&browser, &second, NEW_PASSWORD));
}

async fn a_link_of_another_purpose_is_invalid(site: Site) {
    site.import_accounts(&[old_with("ada", &json!({"country": null}))])
        .await;
    let completion = completion_token(&site, EMAIL).await;
    let confirm_with = async |token: &str| confirm(&site.browser(), token, NEW_PASSWORD).await;
    assert_refused!(confirm_with(&completion), InvalidToken);
    // After the import the account is complete, and the older completion link is invalid.
    let Waiting(_, browser, token) = Waiting::at(site.clone()).await;
    let form = json!({"token": completion});
    assert_code!(browser.post("/migration/complete", &form), InvalidToken);
    assert_ok!(confirm_with(&token));
}

// security: TK-4
async fn of_parallel_confirmations_one_creates_the_account(Unlimited(site): Unlimited) {
    let Waiting(site, browser, token) = Waiting::at(site).await;
    let tries = (0..8).map(|_| confirm(&browser, &token, NEW_PASSWORD));
    let responses = join_all(tries).await;
    let mut codes: Vec<_> = responses.iter().map(|a| a.status.as_u16()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [200, 400, 400, 400, 400, 400, 400, 400]);
    site.assert_count("accounts", 1).await;
}

async fn a_minor_is_refused_and_the_legacy_account_kept(site: Site) {
    let born = json!({"birthday_year": 2009, "birthday_month": 12, "birthday_day": 30});
    site.import_accounts(&[old_with("kid", &born)]).await;
    let email = "kid@example.org";
    let confirm = async || {
        let token = migration_token(&site, email).await;
        confirm(&site.browser(), &token, NEW_PASSWORD).await
    };
    assert_refused!(confirm(), Underage);
    site.assert_count("accounts", 0).await;
    let refused_at = site.legacy_timestamp("refused_at", email).await;
    assert_eq!(refused_at, Some(site.now()));
    assert_eq!(site.legacy_timestamp("migrated_at", email).await, None);
    // The person may migrate on the day on which a registration would be accepted: 17 × 365.25 = 6209.25 days.
    site.set_clock("2026-12-30T00:00:00Z");
    assert_refused!(confirm(), Underage);
    site.set_clock("2026-12-31T00:00:00Z");
    assert_ok!(confirm());
}

async fn a_missing_taken_or_invalid_username_is_replaced(site: Site) {
    site.member("ada").await;
    for (name, old_name, made) in [
        ("a1", "ADA", "ADA2"),
        ("a2", "ada", "ada3"),
        ("a3", "móon_fan 😀", "moonfan"),
        ("a4", "月", "AdaAmpere"),
        ("a5", "月", "AdaAmpere2"),
    ] {
        site.import_accounts(&[old_with(name, &json!({"username": old_name}))])
            .await;
        assert_migrates_as(&site, &format!("{name}@example.org"), made).await;
    }
}

async fn the_username_of_an_old_account_is_reserved(site: Site) {
    site.import_accounts(&[
        old_with("one", &json!({"username": "Moon"})),
        old_with("two", &json!({"username": "moon"})),
    ])
    .await;
    assert_migrates_as(&site, "two@example.org", "moon2").await;
    assert_migrates_as(&site, "one@example.org", "Moon").await;
}

async fn links_of_the_old_account_end_with_its_migration(Waiting(site, browser, token): Waiting) {
    confirm(&browser, &token, NEW_PASSWORD).await;
    assert_json!(
        request_migration(&browser, EMAIL),
        200,
        &request_body_response()
    );
    let mails = site.mails().await;
    assert!(
        mails.is_empty(),
        "an existing account gets no migration mail"
    );
    site.assert_count("tokens WHERE purpose = 'migration' AND spent_at IS NULL", 0)
        .await;
    let response = browser.request_reset(EMAIL).await;
    assert_eq!(response.json()["code"], "reset_sent");
    site.mail_to(EMAIL).await;
}
