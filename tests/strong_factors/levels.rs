//! The proof that each change requires, and attacks with a weaker one.

use super::{Factors, Holder, add_factors, holder, with_password};
use crate::second_factor::{confirm, fetch_security};
use crate::support::prelude::*;
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
        _ => browser.post_defaults(path).await,
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

on_both_databases!(
    a_change_of_the_ways_to_sign_in_requires_a_proof_at_the_level_of_the_account,
    the_mailbox_alone_reaches_no_level_two_of_an_account_with_a_passkey,
    a_ceremony_begun_with_the_password_cannot_end_after_a_second_factor_was_set_up,
    a_set_up_belongs_to_its_session_and_ends_with_five_wrong_codes,
    every_addition_of_a_way_to_sign_in_counts_towards_one_limit,
    the_first_strong_factor_raises_the_session_and_rotates_its_id,
);

// security: LV-1, TF-8, WA-7
async fn a_change_of_the_ways_to_sign_in_requires_a_proof_at_the_level_of_the_account(
    Unlimited(site): Unlimited,
) {
    site.allow_unread_mails();
    let other = site.signed_in("other").await;
    let options = other.browser.post_defaults("/passkeys/options").await;
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
                let response = call(&holder.browser, method, path, &foreign).await;
                let expected = match is_enough {
                    true => accepted_status(path, factors),
                    false => 403,
                };
                assert_eq!(response.status, expected, "{what}: {}", response.text());
                if !is_enough {
                    assert_eq!(response.json()["methods"], methods_of(factors), "{what}");
                }
            }
            // The data need a recent proof, and with an app one at level two.
            let is_enough = match factors.has_app() {
                true => is_enough,
                false => proof.is_fresh(),
            };
            let browser = &holder.browser;
            let exported = browser.get("/data-export").await.status.as_u16();
            let deleted = browser
                .post_defaults("/delete-account")
                .await
                .status
                .as_u16();
            let expected = if is_enough { (200, 202) } else { (403, 403) };
            assert_eq!((exported, deleted), expected, "{factors:?} {proof:?}");
        }
    }
}

// security: LV-1, LV-6, TF-3, AD-5
async fn the_mailbox_alone_reaches_no_level_two_of_an_account_with_a_passkey(db: Database) {
    db.allow_unread_mails();
    let nodes = [support_view::site(&db).await, support_view::site(&db).await];
    let site = &nodes[0];
    let mut owner = holder(site, "ada", Factors::Passkey).await;
    support_view::give_role(site, "ada", Some("admin")).await;
    let new = "Orange-Tree-43";
    for node in &nodes {
        let thief = node.browser();
        node.advance("1h");
        site.mails().await;
        let token = owner.reset_token(&thief).await;
        let form = json!({"token": token, "new_password": new, "confirm_password": new,
            "revoke_others": true});
        let done = assert_ok!(thief.post("/reset-password/confirm", &form)).json();
        assert_eq!(done["passkeys"].as_array().unwrap().len(), 1, "{done}");
        owner.sign_in_with(&thief, new).await;
        let own = passkeys::first_path(&thief).await;
        for (method, path) in CHANGES.into_iter().chain([("DELETE", own.as_str())]) {
            if path != "/passkeys" {
                assert_code!(
                    call(&thief, method, path, &json!({})),
                    ReauthenticationRequired
                );
            }
        }
        // Another proof by the password changes nothing.
        thief.reauthenticate(&json!({"password": new})).await;
        assert_code!(
            thief.post_defaults("/second-factor/totp"),
            ReauthenticationRequired
        );
        assert_code!(thief.get("/support/me"), ReauthenticationRequired);
        assert_eq!(fetch_security(&thief).await["aal"], 1);
        thief.post_empty("/logout").await.assert_empty();
        // The next reset needs another password than the current one.
        let hash = "UPDATE accounts SET password_hash = 'x' WHERE username = 'ada'";
        site.execute(hash, &[]).await;
    }
    let browser = &owner.person.browser;
    assert_ok!(passkeys::sign_in(browser, &mut owner.authenticator));
}

async fn two_sessions_on_two_nodes(db: &Database) -> ([Site; 2], Person, Browser) {
    db.allow_unread_mails();
    let nodes = [
        db.site_with(allow_new_devices).await,
        db.site_with(allow_new_devices).await,
    ];
    let owner = nodes[0].signed_in("ada").await;
    let thief = with_password(&owner).await;
    (nodes, owner, thief)
}

// security: LV-2, WA-7
async fn a_ceremony_begun_with_the_password_cannot_end_after_a_second_factor_was_set_up(
    db: Database,
) {
    let (nodes, owner, thief) = two_sessions_on_two_nodes(&db).await;
    let options = thief.post_defaults("/passkeys/options").await.json();
    crate::second_factor::turn_on(&nodes[0], owner).await;
    let answer = Authenticator::synced().creation_response(&options);
    for node in &nodes {
        let there = crate::nodes::browser_on_node(node, &thief);
        for path in ["/passkeys", "/second-factor/totp/confirm"] {
            assert_code!(
                call(&there, "POST", path, &answer),
                ReauthenticationRequired
            );
        }
    }
    nodes[0].assert_count("credentials", 0).await;
}

// security: LV-3, TF-6
async fn a_set_up_belongs_to_its_session_and_ends_with_five_wrong_codes(db: Database) {
    let (nodes, owner, thief) = two_sessions_on_two_nodes(&db).await;
    let there = crate::nodes::browser_on_node(&nodes[1], &thief);
    let app = crate::second_factor::begin_setup(&owner.browser).await;
    let now = nodes[0].now();
    let (right, wrong) = (app.code(now), app.wrong_code(now));
    // Another session of the account neither confirms the set-up, with the right code, nor uses up its tries.
    for code in [&right, &right, &wrong, &wrong] {
        assert_code!(confirm(&there, code), InvalidToken);
    }
    for _ in 0..4 {
        assert_refused!(confirm(&owner.browser, &wrong), CodeInvalid);
    }
    // A new proof of identity rotates the id of the session, and the set-up stays with it.
    owner.browser.reauthenticate(&owner.credentials()).await;
    assert_refused!(confirm(&owner.browser, &wrong), CodeInvalid);
    assert_code!(confirm(&owner.browser, &right), InvalidToken);
    assert_eq!(fetch_security(&owner.browser).await["second_factor"], false);
}

// security: LV-4, RL-5
async fn every_addition_of_a_way_to_sign_in_counts_towards_one_limit(db: Database) {
    db.allow_unread_mails();
    let site = db
        .site_with(|c| c.limits.credential_change_account = "1/h".parse().unwrap())
        .await;
    let other = site.signed_in("other").await;
    let options = other.browser.post_defaults("/passkeys/options").await;
    let foreign = Authenticator::synced().creation_response(&options.json());
    for (number, (method, path)) in CHANGES.into_iter().skip(1).enumerate() {
        let browser = site.signed_in(&format!("person{number}")).await.browser;
        let first = call(&browser, method, path, &foreign).await;
        let expected = accepted_status(path, Factors::None);
        assert_eq!(first.status, expected, "{path}: {}", first.text());
        let second = call(&browser, method, path, &foreign).await;
        if method == "DELETE" {
            // What was added bounds the removals, and the owner must be able to end it.
            assert_eq!(second.status, expected, "{path}: {}", second.text());
            continue;
        }
        second.assert_error(ErrorCode::RateLimited);
        assert!(second.headers.contains_key("retry-after"), "{path}");
        assert_refused!(
            browser.post_defaults("/second-factor/recovery-codes"),
            RateLimited
        );
    }
}

async fn the_first_strong_factor_raises_the_session_and_rotates_its_id(site: Site) {
    site.allow_unread_mails();
    for factors in [Factors::App, Factors::Passkey] {
        let person = site.signed_in(&format!("{factors:?}").to_lowercase()).await;
        let before = person.browser.copy();
        site.advance("9m");
        let Holder { person, .. } = add_factors(&site, person, factors).await;
        let browser = &person.browser;
        assert_eq!(fetch_security(browser).await["aal"], 2, "{factors:?}");
        before.assert_signed_out().await;
        assert_ok!(browser.post_defaults("/passkeys/options"));
        // The proof is as old as the password that permitted the factor.
        site.advance("1m");
        assert_code!(
            browser.post_defaults("/passkeys/options"),
            ReauthenticationRequired
        );
    }
}
