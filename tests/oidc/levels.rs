//! The level, the methods and the time of the proof that an ID token states.

use account::params;

use super::{
    RelyingParty, code_in, enable_provider, fetch_jwks, id_token, query_value, resume, text_value,
    vault, verify_token, wiki,
};
use crate::nodes::browser_on_node;
use crate::passkeys;
use crate::prelude::*;
use crate::strong_factors::{Factors, Holder, holder};

on_both_databases!(
    an_id_token_states_the_strongest_proof_that_is_as_recent_as_requested,
    a_preferred_level_asks_only_an_account_that_can_prove_it
);

/// A proof in a session: its level, its methods as in the column, `amr` and its age in seconds.
type Proof = (u8, &'static str, &'static [&'static str], i64);

const OLD_PASSWORD: Proof = (1, "password", &["pwd"], 600);
const PASSWORD: Proof = (1, "password", &["pwd"], 30);
const OLD_PASSKEY: Proof = (2, "passkey_synced", &["swk", "mfa"], 600);
const PASSKEY: Proof = (2, "passkey_synced", &["swk", "mfa"], 30);
const OLD_CODE: Proof = (2, "password,totp", &["pwd", "otp", "mfa"], 600);
const OLD_BOTH: Proof = (2, "password,passkey_synced", &["pwd", "swk", "mfa"], 600);

/// The last proof, and the last proof at level 2, of a session.
const SESSIONS: [(Proof, Option<Proof>); 6] = [
    (OLD_PASSWORD, None),
    (PASSWORD, None),
    (OLD_PASSKEY, Some(OLD_PASSKEY)),
    (PASSKEY, Some(PASSKEY)),
    (PASSWORD, Some(OLD_PASSKEY)),
    (PASSWORD, Some(OLD_CODE)),
];

const MAX_AGES: [Option<i64>; 5] = [None, Some(29), Some(30), Some(599), Some(600)];
const ACR_VALUES: [&str; 4] = ["", "aal2", "urn:example:gold aal2 aal1", "aal1 aal2"];

/// Two nodes without limits.
pub async fn nodes(db: &Database) -> [Site; 2] {
    db.allow_unread_mails();
    let settings = |config: &mut account::config::Config| {
        enable_provider(config);
        config.limits.enabled = false;
    };
    [db.site_with(settings).await, db.site_with(settings).await]
}

/// Writes the proofs into the only session of the account.
async fn store(site: &Site, name: &str, latest: Proof, level_two: Option<(Proof, bool)>) {
    let methods = match level_two {
        // Version 1.0 stored the methods of both proofs together.
        Some((strong, true)) => strong.1,
        _ => latest.1,
    };
    let level_two_methods = level_two.filter(|(_, is_old_row)| !is_old_row);
    let at = |proof: Proof| site.now() - proof.3 * 1000;
    let mut tx = site.app.store.write().await.unwrap();
    let sql = "UPDATE sessions SET methods = $1, authenticated_at = $2, level_two_at = $3,
                 level_two_methods = $4
               WHERE account_id IN (SELECT id FROM accounts WHERE username = $5)";
    let values = params![
        methods,
        at(latest),
        level_two.map(|(proof, _)| at(proof)),
        level_two_methods.map(|(proof, _)| proof.1),
        name
    ];
    assert_eq!(tx.execute(sql, values).await.unwrap(), 1);
    tx.commit().await.unwrap();
}

/// The answer to `prompt=none`: `acr`, `amr` and the age of the proof, or the error.
async fn answer(site: &Site, keys: &[Value], browser: &Browser, request: &Request) -> Value {
    let mut changes = format!("prompt=none&acr_values={}", request.acr_values);
    if let Some(age) = request.max_age {
        changes += &format!("&max_age={age}");
    }
    let party = &request.party;
    let url = party.redirect(browser, &changes).await;
    if let Some(error) = query_value(&url, "error") {
        return json!(error);
    }
    let tokens = party.redeem(site, &code_in(&url)).await;
    let (_, claims) = verify_token(keys, &text_value(&tokens, "id_token")).unwrap();
    let age = site.now() / 1000 - claims["auth_time"].as_i64().unwrap();
    json!([claims["acr"], claims["amr"], age])
}

struct Request {
    party: RelyingParty,
    max_age: Option<i64>,
    acr_values: &'static str,
}

fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for max_age in MAX_AGES {
        for acr_values in ACR_VALUES {
            for party in [wiki(), vault()] {
                all.push(Request {
                    party,
                    max_age,
                    acr_values,
                });
            }
        }
    }
    all
}

/// What the request must get from a session with these proofs.
fn expected(request: &Request, proofs: &[Proof], has_factor: bool) -> Value {
    let prefers_two = matches!(request.acr_values, "aal2" | "urn:example:gold aal2 aal1");
    let needs_two = request.party.id == "vault" || (prefers_two && has_factor);
    let level = if needs_two { 2 } else { 1 };
    let is_recent = |proof: &&Proof| request.max_age.is_none_or(|age| proof.3 <= age);
    let strong = || proofs.iter().filter(|proof| proof.0 >= level);
    let best = strong().filter(is_recent);
    match best.max_by_key(|proof| (proof.0, -proof.3)) {
        Some((level, _, amr, age)) => json!([format!("aal{level}"), amr, age]),
        None if request.party.id == "vault"
            && strong().count() == 0
            && proofs.iter().any(|proof| is_recent(&proof)) =>
        {
            json!("interaction_required")
        }
        None => json!("login_required"),
    }
}

// security: LV-6, LV-7
async fn an_id_token_states_the_strongest_proof_that_is_as_recent_as_requested(db: Database) {
    let nodes = nodes(&db).await;
    let keys = fetch_jwks(&nodes[0]).await;
    for (name, factors) in [("ada", Factors::Passkey), ("kim", Factors::None)] {
        let has_factor = factors.has_passkey();
        let Holder { person, .. } = holder(&nodes[0], name, factors).await;
        let sessions = SESSIONS
            .into_iter()
            .map(|(latest, strong)| (latest, strong.map(|proof| (proof, false))));
        let old_row = (PASSWORD, Some((OLD_BOTH, true)));
        for (latest, level_two) in sessions.chain([old_row]) {
            if level_two.is_some() && !has_factor {
                continue;
            }
            store(&nodes[0], name, latest, level_two).await;
            let strong = level_two.map(|(proof, _)| proof);
            let proofs: Vec<_> = [latest].into_iter().chain(strong).collect();
            for (number, request) in requests().iter().enumerate() {
                let node = &nodes[number % 2];
                let browser = browser_on_node(node, &person.browser);
                let found = answer(node, &keys, &browser, request).await;
                assert_eq!(
                    found,
                    expected(request, &proofs, has_factor),
                    "{name} {proofs:?} {} {:?} {}",
                    request.party.id,
                    request.max_age,
                    request.acr_values
                );
            }
        }
    }
}

// security: LV-7
async fn a_preferred_level_asks_only_an_account_that_can_prove_it(db: Database) {
    let [site, _] = nodes(&db).await;
    let wiki = wiki();
    let strong = "acr_values=aal2";
    let claims = async |url: &url::Url| {
        let tokens = wiki.redeem(&site, &code_in(url)).await;
        let (_, claims) = id_token(&site, &tokens).await;
        json!([claims["acr"], claims["amr"]])
    };
    let kim = site.signed_in("kim").await;
    let url = wiki.redirect(&kim.browser, strong).await;
    assert_eq!(claims(&url).await, json!(["aal1", ["pwd"]]));

    let mut owner = holder(&site, "ada", Factors::Passkey).await;
    let browser = &owner.person.browser;
    browser.post_empty("/logout").await.assert_empty();
    let ticket = wiki.ticket(browser, strong, "/account/").await;
    owner.person.sign_in(browser).await;
    let next = resume(browser, &ticket).await;
    assert_eq!(next.path(), "/account/settings/security/two-step");
    let options = passkeys::reauthentication_options(browser).await;
    let proof = owner.authenticator.assertion_response(&options);
    browser.reauthenticate(&proof).await;
    let url = resume(browser, &ticket).await;
    assert_eq!(claims(&url).await, json!(["aal2", ["swk", "mfa"]]));
}
