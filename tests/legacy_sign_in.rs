//! Sign-in with a legacy account: the code `needs_migration`, or an immediate migration.

use account::config::{LegacySignIn, Profile};
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::old_accounts::{OLD_PASSWORD, old, old_with};
use crate::support::{Database, Response, Site};

async fn sign_in(site: &Site, name: &str, password: &str) -> Response {
    let body = json!({"email": format!("{name}@example.org"), "password": password});
    site.browser().post("/login", &body).await
}

#[track_caller]
fn assert_needs_migration(response: &Response) {
    response.assert_error(ErrorCode::NeedsMigration);
    response.assert_header("x-needs-migration", "true");
    assert_eq!(response.set_cookies().count(), 0);
}

// security: EN-8, AZ-6
on_both_databases!(only_the_right_legacy_password_returns_needs_migration);
async fn only_the_right_legacy_password_returns_needs_migration(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let name = format!("ada{}", profile as u8);
        site.import_accounts(&[old(&name)]).await;
        assert_needs_migration(&sign_in(&site, &name, OLD_PASSWORD).await);
        let response = sign_in(&site, &name, "Wrong-Password-1").await;
        response.assert_error(ErrorCode::InvalidCredentials);
        assert_eq!(response.header("x-needs-migration"), None);
    }
}

on_both_databases!(a_password_matches_in_the_form_that_its_system_hashed);
async fn a_password_matches_in_the_form_that_its_system_hashed(db: Database) {
    let site = db.site().await;
    #[rustfmt::skip]
    let cases = [
        ("django", "Lantern-42", "bcrypt_sha256$$2a$04$abcdefghijklmnopqrstuuKLbcneu1wa4/b7ltnISgzf35DrLTMgS"),
        ("kratos", "Lantern-42", "$scrypt$ln=16384,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$kHBxhKMzAzTIQvUkOABVRaq7fZrGBxg1KkfQvUTtOj0"),
        ("phpbb", "Salt&Pepper9", "$H$5abcdefghIvPiie0MFTsNdh71c3Uy51"),
        ("phpass", "O'Brian-2024", "$P$5abcdefgh.A3/Jd4craTxkSrTkXEi1/"),
        ("wordpress", "O'Brian-2024", "$wp$2y$04$abcdefghijklmnopqrstuuBZXgTy5wVwMJ/K6LzTj/Q1FtGtwaSEu"),
    ];
    for (name, password, hash) in cases {
        site.import_accounts(&[old_with(name, &json!({"password_hash": hash}))])
            .await;
        assert_needs_migration(&sign_in(&site, name, password).await);
        assert_refused!(
            sign_in(&site, name, &password.to_uppercase()),
            InvalidCredentials
        );
    }
}

on_both_databases!(without_a_legacy_hash_the_address_is_enough_except_in_strict);
async fn without_a_legacy_hash_the_address_is_enough_except_in_strict(db: Database) {
    let hidden = json!({"password_hash": "5f4dcc3b5aa765d61d8327deb882cf99"});
    let site = db.site().await;
    site.import_accounts(&[old_with("ada", &hidden)]).await;
    assert_needs_migration(&sign_in(&site, "ada", "Any-Password-1").await);
    let strict = db.strict_site().await;
    assert_refused!(
        sign_in(&strict, "ada", "Any-Password-1"),
        InvalidCredentials
    );
}

fn enable_silent_migration(config: &mut account::config::Config) {
    config.security.legacy_sign_in = LegacySignIn::Silent;
}

on_both_databases!(a_silent_migration_is_a_normal_sign_in);
async fn a_silent_migration_is_a_normal_sign_in(db: Database) {
    let site = db.site_with(enable_silent_migration).await;
    site.import_accounts(&[old("ada")]).await;
    assert_refused!(
        sign_in(&site, "ada", "Wrong-Password-1"),
        InvalidCredentials
    );
    let browser = site.browser();
    let body = json!({"email": "ada@example.org", "password": OLD_PASSWORD});
    let me = json!({"email": "ada@example.org", "username": "ada"});
    browser.post("/login", &body).await.assert_json(200, &me);
    let user = site.user("ada").await;
    browser.get("/users/me").await.assert_json(200, &user);
    // The old password does not prove that the mailbox is the person's, so a notice goes there.
    let notice = site.mail_to("ada@example.org").await;
    assert!(notice.subject.starts_with("Your account moved"));
    assert_eq!(
        site.legacy_timestamp("migrated_at", "ada@example.org")
            .await,
        Some(site.now())
    );
    let hash = site.rows("SELECT password_hash FROM accounts", &[]).await;
    assert!(hash[0].get::<String>(0).starts_with("$argon2id$"));
    browser.post("/login", &body).await.assert_json(200, &me);
}

on_both_databases!(an_account_with_missing_details_is_not_migrated_silently);
async fn an_account_with_missing_details_is_not_migrated_silently(db: Database) {
    let site = db.site_with(enable_silent_migration).await;
    site.member("taken").await;
    // MD5 of "lemon", a password that is too weak for a migration.
    let weak = ":A:3f24e567591e9cbab2a7d2f1f748a1d4";
    let cases: [(&str, Value, &str); 5] = [
        ("a1", json!({"zipcode": null}), OLD_PASSWORD),
        ("a2", json!({"username": "moon_fan"}), OLD_PASSWORD),
        ("a3", json!({"username": "Taken"}), OLD_PASSWORD),
        ("a4", json!({"birthday_year": 2012}), OLD_PASSWORD),
        ("a5", json!({"password_hash": weak}), "lemon"),
    ];
    for (name, changes, password) in cases {
        site.import_accounts(&[old_with(name, &changes)]).await;
        assert_needs_migration(&sign_in(&site, name, password).await);
    }
    assert_eq!(site.count("accounts").await, 1);
}

on_both_databases!(a_right_legacy_password_does_not_count_as_a_failure);
async fn a_right_legacy_password_does_not_count_as_a_failure(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    let browser = site.browser();
    let body = json!({"email": "ada@example.org", "password": OLD_PASSWORD});
    for _ in 0..12 {
        assert_needs_migration(&browser.post("/login", &body).await);
    }
    let wrong = json!({"email": "ada@example.org", "password": "Wrong-Password-1"});
    for _ in 0..5 {
        assert_refused!(browser.post("/login", &wrong), InvalidCredentials);
    }
    assert_refused!(browser.post("/login", &body), RateLimited);
}

/// Makes the next `times` inserts into `accounts` fail as if a parallel transaction had inserted the same key. The
/// count is a sequence, which no rollback restores.
async fn simulate_parallel_inserts(site: &Site, constraint: &str, times: u32) {
    let function = format!(
        "CREATE OR REPLACE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('collisions') <= {times} THEN
             RAISE EXCEPTION 'duplicate key' USING ERRCODE = '23505', CONSTRAINT = '{constraint}';
           END IF;
           RETURN NEW;
         END $$"
    );
    site.execute_all(&[
        "DROP TRIGGER IF EXISTS collide ON accounts",
        "DROP SEQUENCE IF EXISTS collisions",
        "CREATE SEQUENCE collisions",
        &function,
        "CREATE TRIGGER collide BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION collide()",
    ])
    .await;
}

// Only PostgreSQL runs two writing transactions at a time.
on_postgres!(a_silent_migration_survives_a_parallel_insert);
async fn a_silent_migration_survives_a_parallel_insert(db: Database) {
    db.allow_unread_mails();
    let site = db.site_with(enable_silent_migration).await;
    for (name, constraint, times, expected) in [
        ("ada", "names_username", 1, None),
        ("bob", "names_username", 1000, Some(ErrorCode::Busy)),
        ("cleo", "names_email", 1000, Some(ErrorCode::Busy)),
    ] {
        site.import_accounts(&[old(name)]).await;
        simulate_parallel_inserts(&site, constraint, times).await;
        let response = sign_in(&site, name, OLD_PASSWORD).await;
        match expected {
            None => assert_eq!(response.status, 200, "{name}: {}", response.text()),
            Some(code) => {
                response.assert_error(code);
            }
        }
    }
    assert_eq!(site.count("accounts").await, 1);
}
