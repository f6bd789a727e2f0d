//! The proof that each change requires, and attacks with a weaker one.

use account::config::NewDevice;
use account::params;
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use super::{Factors, Holder, add_factors, holder, with_password};
use crate::second_factor::{fetch_security, first_step, second_step};
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Response, Site};
use crate::{passkeys, support_view};

/// The proofs of identity in a session: at level 1 and at level 2, each at most ten minutes old or older.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    PasswordFresh,
    PasswordOld,
    StrongFresh,
    StrongOld,
    /// A passkey or a code long ago, and the password just now.
    StrongOldPasswordFresh,
}

impl Proof {
    const ALL: [Proof; 5] = [
        Proof::PasswordFresh,
        Proof::PasswordOld,
        Proof::StrongFresh,
        Proof::StrongOld,
        Proof::StrongOldPasswordFresh,
    ];

    /// Writes the proof into the sessions of the account.
    async fn store(self, site: &Site, name: &str) {
        let (fresh, old) = (site.now() - 599_000, site.now() - 600_000);
        let (methods, at, level_two_at) = match self {
            Proof::PasswordFresh => ("password", fresh, None),
            Proof::PasswordOld => ("password", old, None),
            Proof::StrongFresh => ("password,passkey_synced", fresh, Some(fresh)),
            Proof::StrongOld => ("password,passkey_synced", old, Some(old)),
            Proof::StrongOldPasswordFresh => ("password,passkey_synced", fresh, Some(old)),
        };
        let mut tx = site.app.store.write().await.unwrap();
        let sql = "UPDATE sessions SET methods = $1, authenticated_at = $2, level_two_at = $3
                   WHERE account_id IN (SELECT id FROM accounts WHERE username = $4)";
        let values = params![methods, at, level_two_at, name];
        assert_eq!(tx.execute(sql, values).await.unwrap(), 1);
        tx.commit().await.unwrap();
    }

    fn is_fresh(self) -> bool {
        !matches!(self, Proof::PasswordOld | Proof::StrongOld)
    }
}

/// The calls that change the ways to sign in, in an order in which none changes the outcome of the next, and the status
/// of each once its proof is accepted.
const CHANGES: [(&str, &str); 7] = [
    ("POST", "/passkeys/options"),
    ("POST", "/passkeys"),
    ("DELETE", "/passkeys/0190b0a0-0000-7000-8000-000000000000"),
    ("POST", "/second-factor/totp/confirm"),
    ("POST", "/second-factor/recovery-codes"),
    ("POST", "/second-factor/totp"),
    ("DELETE", "/second-factor"),
];

fn accepted_status(path: &str, factors: Factors) -> u16 {
    match path {
        "/passkeys/options" => 200,
        // The state belongs to another account.
        "/passkeys" => 400,
        // No set-up has begun.
        "/second-factor/totp/confirm" => 400,
        "/second-factor/recovery-codes" | "/second-factor/totp" => {
            match (factors.has_app(), path.ends_with("totp")) {
                (true, false) | (false, true) => 200,
                (true, true) | (false, false) => 409,
            }
        }
        "/second-factor" => 204,
        _ => 404,
    }
}

async fn call(browser: &Browser, method: &str, path: &str, foreign: &Value) -> Response {
    match (method, path) {
        ("DELETE", _) => browser.delete(path).await,
        (_, "/passkeys") => browser.post(path, foreign).await,
        (_, "/second-factor/totp/confirm") => browser.post(path, &json!({"code": "123456"})).await,
        _ => browser.post(path, &json!({})).await,
    }
}

/// The methods that a refusal lists.
fn methods_of(factors: Factors) -> Value {
    match factors {
        Factors::None => json!(["password"]),
        Factors::App => json!(["password", "totp"]),
        Factors::Passkey => json!(["passkey"]),
        Factors::Both => json!(["passkey", "password", "totp"]),
    }
}

// security: LV-1, TF-8, WA-7
on_both_databases!(a_change_of_the_ways_to_sign_in_requires_a_proof_at_the_level_of_the_account);
async fn a_change_of_the_ways_to_sign_in_requires_a_proof_at_the_level_of_the_account(
    db: Database,
) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let other = site.signed_in("other").await;
    let options = other.browser.post("/passkeys/options", &json!({})).await;
    let foreign = Authenticator::synced().creation_response(&options.json());
    for (factor, factors) in Factors::ALL.into_iter().enumerate() {
        for (number, proof) in Proof::ALL.into_iter().enumerate() {
            let name = format!("case{factor}{number}");
            let holder = holder(&site, &name, factors).await;
            proof.store(&site, &name).await;
            let is_enough = match factors {
                Factors::None => proof.is_fresh(),
                _ => proof == Proof::StrongFresh,
            };
            for (method, path) in CHANGES {
                let what = format!("{factors:?} {proof:?} {method} {path}");
                let response = call(&holder.person.browser, method, path, &foreign).await;
                let expected = match is_enough {
                    true => accepted_status(path, factors),
                    false => 403,
                };
                assert_eq!(response.status, expected, "{what}: {}", response.text());
                if !is_enough {
                    assert_eq!(response.json()["methods"], methods_of(factors), "{what}");
                }
            }
        }
    }
}

on_both_databases!(data_requires_a_recent_proof_and_with_an_app_one_at_level_two);
async fn data_requires_a_recent_proof_and_with_an_app_one_at_level_two(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    for (factor, factors) in Factors::ALL.into_iter().enumerate() {
        for (number, proof) in Proof::ALL.into_iter().enumerate() {
            let name = format!("case{factor}{number}");
            let holder = holder(&site, &name, factors).await;
            proof.store(&site, &name).await;
            let is_enough = match factors.has_app() {
                true => proof == Proof::StrongFresh,
                false => proof.is_fresh(),
            };
            let browser = &holder.person.browser;
            let exported = browser.get("/data-export").await.status;
            let deleted = browser.post("/delete-account", &json!({})).await.status;
            let expected = if is_enough { (200, 202) } else { (403, 403) };
            let found = (exported.as_u16(), deleted.as_u16());
            assert_eq!(found, expected, "{factors:?} {proof:?}");
        }
    }
}

/// Sets a new password with a mailed link.
async fn reset_password(site: &Site, thief: &Browser, email: &str, revoke_others: bool) -> Value {
    site.mails().await;
    thief.request_reset(email).await;
    let token = site.mail_to(email).await.token();
    let form = json!({"token": token, "new_password": "Orange-Tree-43",
        "confirm_password": "Orange-Tree-43", "revoke_others": revoke_others});
    let done = assert_status!(thief.post("/reset-password/confirm", &form), 200);
    done.json()
}

// security: LV-1, LV-6, TF-3, AD-5
on_both_databases!(the_mailbox_alone_reaches_no_level_two_of_an_account_with_a_passkey);
async fn the_mailbox_alone_reaches_no_level_two_of_an_account_with_a_passkey(db: Database) {
    db.allow_unread_mails();
    let nodes = [support_view::site(&db).await, support_view::site(&db).await];
    let site = &nodes[0];
    let mut owner = holder(site, "ada", Factors::Passkey).await;
    support_view::give_role(site, "ada", Some("admin")).await;
    for node in &nodes {
        let thief = node.browser();
        node.advance("1h");
        let done = reset_password(node, &thief, &owner.person.email, true).await;
        assert_eq!(done["passkeys"].as_array().unwrap().len(), 1, "{done}");
        let credentials = owner.person.credentials_with("Orange-Tree-43");
        assert_json!(thief.post("/login", &credentials), 200, &owner.person.me());
        let list = thief.get("/passkeys").await.json();
        let own = format!("/passkeys/{}", list["passkeys"][0]["id"].as_str().unwrap());
        for (method, path) in CHANGES.into_iter().chain([("DELETE", own.as_str())]) {
            if path != "/passkeys" {
                let refused = call(&thief, method, path, &json!({})).await;
                refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
            }
        }
        // Another proof by the password changes nothing.
        let proof = json!({"password": "Orange-Tree-43"});
        thief.reauthenticate(&proof).await;
        let refused = thief.post("/second-factor/totp", &json!({})).await;
        refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
        let refused = thief.get("/support/me").await;
        refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
        assert_eq!(fetch_security(&thief).await["aal"], 1);
        thief.post_empty("/logout").await.assert_empty();
        // The next reset needs another password than the current one.
        let hash = "UPDATE accounts SET password_hash = 'x' WHERE username = 'ada'";
        site.execute(hash, &[]).await;
    }
    let signed_in = passkeys::sign_in(&owner.person.browser, &mut owner.authenticator).await;
    signed_in.assert_json(200, &owner.person.user().await);
}

/// A site on which a password signs in from every browser.
async fn site_of(db: &Database) -> Site {
    db.site_with(|config| config.security.new_device = NewDevice::Off)
        .await
}

// security: LV-2, WA-7
on_both_databases!(a_ceremony_begun_with_the_password_cannot_end_after_a_second_factor_was_set_up);
async fn a_ceremony_begun_with_the_password_cannot_end_after_a_second_factor_was_set_up(
    db: Database,
) {
    db.allow_unread_mails();
    let nodes = [site_of(&db).await, site_of(&db).await];
    let owner = nodes[0].signed_in("ada").await;
    let thief = with_password(&owner).await;
    let options = thief.post("/passkeys/options", &json!({})).await.json();
    crate::second_factor::turn_on(&nodes[0], owner).await;
    let answer = Authenticator::synced().creation_response(&options);
    for node in &nodes {
        let there = crate::nodes::browser_on_node(node, &thief);
        let refused = there.post("/passkeys", &answer).await;
        refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
        let refused = there
            .post("/second-factor/totp/confirm", &json!({"code": "123456"}))
            .await;
        refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    }
    assert_eq!(nodes[0].count("credentials").await, 0);
}

// security: LV-3, TF-6
on_both_databases!(a_set_up_belongs_to_its_session_and_ends_with_five_wrong_codes);
async fn a_set_up_belongs_to_its_session_and_ends_with_five_wrong_codes(db: Database) {
    db.allow_unread_mails();
    let nodes = [site_of(&db).await, site_of(&db).await];
    let site = &nodes[0];
    let owner = site.signed_in("ada").await;
    let thief = with_password(&owner).await;
    let there = crate::nodes::browser_on_node(&nodes[1], &thief);
    let app = crate::second_factor::begin_setup(&owner.browser).await;
    let confirm = |browser: Browser, code: String| async move {
        browser
            .post("/second-factor/totp/confirm", &json!({"code": code}))
            .await
    };
    // Another session of the account neither confirms the set-up, with the right code, nor uses up its tries.
    for code in [app.code(site.now()), app.wrong_code(site.now())] {
        for _ in 0..2 {
            let refused = confirm(there.copy(), code.clone()).await;
            refused.assert_error_with_data(ErrorCode::InvalidToken);
        }
    }
    for _ in 0..4 {
        assert_refused!(
            confirm(owner.browser.copy(), app.wrong_code(site.now())),
            CodeInvalid
        );
    }
    // A new proof of identity rotates the id of the session, and the set-up stays with it.
    let proof = json!({"password": PASSWORD});
    owner.browser.reauthenticate(&proof).await;
    assert_refused!(
        confirm(owner.browser.copy(), app.wrong_code(site.now())),
        CodeInvalid
    );
    let spent = confirm(owner.browser.copy(), app.code(site.now())).await;
    spent.assert_error_with_data(ErrorCode::InvalidToken);
    assert_eq!(fetch_security(&owner.browser).await["second_factor"], false);
}

// security: LV-4, RL-5
on_both_databases!(every_addition_of_a_way_to_sign_in_counts_towards_one_limit);
async fn every_addition_of_a_way_to_sign_in_counts_towards_one_limit(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.limits.credential_change_account = "1/h".parse().unwrap())
        .await;
    let other = site.signed_in("other").await;
    let options = other.browser.post("/passkeys/options", &json!({})).await;
    let foreign = Authenticator::synced().creation_response(&options.json());
    let changes = CHANGES
        .into_iter()
        .filter(|(_, path)| *path != "/passkeys/options");
    for (number, (method, path)) in changes.enumerate() {
        let person = site.signed_in(&format!("person{number}")).await;
        let first = call(&person.browser, method, path, &foreign).await;
        let expected = accepted_status(path, Factors::None);
        assert_eq!(first.status, expected, "{path}: {}", first.text());
        let second = call(&person.browser, method, path, &foreign).await;
        if method == "DELETE" {
            // What was added bounds the removals, and the owner must be able to end it.
            assert_eq!(second.status, expected, "{path}: {}", second.text());
            continue;
        }
        second.assert_error(ErrorCode::RateLimited);
        assert!(second.headers.contains_key("retry-after"), "{path}");
        assert_refused!(
            person
                .browser
                .post("/second-factor/recovery-codes", &json!({})),
            RateLimited
        );
    }
}

on_both_databases!(the_first_strong_factor_raises_the_session_and_rotates_its_id);
async fn the_first_strong_factor_raises_the_session_and_rotates_its_id(db: Database) {
    let site = db.allow_unread_mails().site().await;
    for factors in [Factors::App, Factors::Passkey] {
        let name = format!("{factors:?}").to_lowercase();
        let person = site.signed_in(&name).await;
        let before = person.browser.copy();
        site.advance("9m");
        let Holder { person, .. } = add_factors(&site, person, factors).await;
        assert_eq!(
            fetch_security(&person.browser).await["aal"],
            2,
            "{factors:?}"
        );
        before.assert_signed_out().await;
        person
            .browser
            .post("/passkeys/options", &json!({}))
            .await
            .json();
        // The proof is as old as the password that permitted the factor.
        site.advance("1m");
        let refused = person.browser.post("/passkeys/options", &json!({})).await;
        refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    }
}

on_both_databases!(a_code_and_a_passkey_prove_the_level_of_the_account);
async fn a_code_and_a_passkey_prove_the_level_of_the_account(db: Database) {
    db.allow_unread_mails();
    let site = site_of(&db).await;
    let mut owner = holder(&site, "ada", Factors::Both).await;
    site.advance("30s");
    let app = owner.app.as_ref().unwrap();
    // A sign-in with a code.
    let browser = owner.person.new_browser();
    let token = first_step(&owner.person, &browser).await;
    let signed_in = second_step(&browser, &token, &app.code(site.now())).await;
    assert_eq!(signed_in.status, 200);
    assert_status!(browser.post("/passkeys/options", &json!({})), 200);
    // A passkey in a session whose proof is old.
    site.advance("10m");
    let options = passkeys::reauthentication_options(&browser).await;
    let proof = owner.authenticator.assertion_response(&options);
    browser.reauthenticate(&proof).await;
    assert_status!(browser.post("/passkeys/options", &json!({})), 200);
}
