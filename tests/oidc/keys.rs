//! Signing keys: made once, published ahead, rotated, and withdrawn after a compromise.

use account::testing::jobs::key_rotation::rotate_due;
use account::testing::signing_keys::rotate_keys;
use serde_json::Value;

use super::{
    assert_oauth_error, enable_provider, fetch_jwks, provider_with_signed_in, query_value,
    redirect_target, refresh, site_with_provider, text_value, verify_token, wiki,
};
use crate::support::process::run;
use crate::support::{Database, Site};

fn kid(token: &Value, keys: &[Value]) -> String {
    let (header, _) =
        verify_token(keys, &text_value(token, "id_token")).expect("a client can verify it");
    text_value(&header, "kid")
}

async fn refresh_tokens(site: &Site, token: &mut String) -> Value {
    let response = assert_status!(refresh(site, token), 200);
    *token = text_value(&response.json(), "refresh_token");
    response.json()
}

on_both_databases!(two_nodes_that_start_at_once_create_one_key_per_algorithm);
async fn two_nodes_that_start_at_once_create_one_key_per_algorithm(db: Database) {
    let (one, other) = tokio::join!(db.site_with(enable_provider), db.site_with(enable_provider));
    let keys = fetch_jwks(&one).await;
    assert_eq!(keys, fetch_jwks(&other).await);
    let mut algorithms: Vec<_> = keys.iter().map(|key| text_value(key, "alg")).collect();
    algorithms.sort();
    assert_eq!(algorithms, ["ES256", "EdDSA", "RS256"]);
    for key in &keys {
        assert_eq!(key["use"], "sig");
        for private in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            assert_eq!(key.get(private), None, "{private}");
        }
    }
    assert_eq!(rotate_due(&one.app).await.unwrap(), 0);
}

// security: OP-12
on_both_databases!(an_immediate_rotation_withdraws_all_keys_while_another_node_adds_one);
async fn an_immediate_rotation_withdraws_all_keys_while_another_node_adds_one(db: Database) {
    let (one, other) = (
        site_with_provider(&db).await,
        db.site_with(enable_provider).await,
    );
    // Both read the same newest key, so that the slower one finds its number taken.
    let added = tokio::join!(rotate_keys(&one.app), rotate_keys(&other.app));
    assert_eq!((added.0.unwrap(), added.1.unwrap()), (3, 3));
    let sql =
        "SELECT algorithm, number FROM oidc_keys WHERE withdrawn_at IS NULL ORDER BY algorithm";
    let signing = one.rows(sql, &[]).await;
    let signing: Vec<(String, i64)> = signing.iter().map(|row| (row.get(0), row.get(1))).collect();
    let expected = ["ES256", "EdDSA", "RS256"].map(|algorithm| (algorithm.to_owned(), 3));
    assert_eq!(signing, expected);
}

// security: OP-12
on_both_databases!(a_client_that_caches_the_key_set_for_an_hour_can_verify_every_token);
async fn a_client_that_caches_the_key_set_for_an_hour_can_verify_every_token(db: Database) {
    db.allow_unread_mails();
    let settings = |c: &mut account::config::Config| {
        enable_provider(c);
        c.oidc.clients.truncate(1);
        c.oidc.key_lifetime = "6h".parse().unwrap();
        c.oidc.key_prepublish = "2h".parse().unwrap();
    };
    let (site, other) = (db.site_with(settings).await, db.site_with(settings).await);
    let ada = site.signed_in("ada").await;
    let mut token = text_value(&wiki().tokens(&site, &ada.browser).await, "refresh_token");
    let (mut cached, mut fetched_at, mut seen) = (fetch_jwks(&site).await, site.now(), Vec::new());
    for step in 0..40 {
        site.advance("30m");
        let (node, peer) = if step % 2 == 0 {
            (&site, &other)
        } else {
            (&other, &site)
        };
        let made = tokio::join!(rotate_due(&node.app), rotate_due(&peer.app));
        assert!(
            made.0.unwrap() + made.1.unwrap() <= 1,
            "one node makes the key"
        );
        if site.now() - fetched_at >= 3_600_000 {
            (cached, fetched_at) = (fetch_jwks(node).await, site.now());
        }
        assert!(cached.len() <= 3, "{cached:?}");
        for node in [&site, &other] {
            seen.push(kid(&refresh_tokens(node, &mut token).await, &cached));
        }
    }
    seen.dedup();
    assert_eq!(
        seen.len(),
        4,
        "20 hours with a key of 6 hours each: {seen:?}"
    );
    // A retired key leaves the set when its last token has expired, and counts as a hint for 30 days.
    site.assert_count("oidc_keys", 4).await;
    assert!(
        !fetch_jwks(&site)
            .await
            .iter()
            .any(|key| key["kid"] == seen[0].as_str())
    );
    site.advance("31d");
    rotate_due(&site.app).await.unwrap();
    site.run_expiry().await;
    let kept = site.count("oidc_keys").await;
    assert!(kept <= 2, "{kept}");
}

// security: OP-12
on_both_databases!(a_key_created_by_a_node_with_a_fast_clock_signs_at_once);
async fn a_key_created_by_a_node_with_a_fast_clock_signs_at_once(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    // The only key of its algorithm, as after `--rotate --now` on the other node.
    db.run_script("UPDATE oidc_keys SET active_at = active_at + 2000")
        .await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    kid(&tokens, &fetch_jwks(&site).await);
    // It counts as a hint too.
    let hint = text_value(&tokens, "id_token");
    let request = wiki().request(&[("id_token_hint", &hint)]);
    let url = redirect_target(&ada.browser.open(&request).await);
    assert!(query_value(&url, "code").is_some(), "{url}");
}

on_both_databases!(private_keys_are_sealed);
async fn private_keys_are_sealed(db: Database) {
    let site = site_with_provider(&db).await;
    let rows = site.rows("SELECT private_key FROM oidc_keys", &[]).await;
    assert_eq!(rows.len(), 3);
    for row in rows {
        let sealed: Vec<u8> = row.get(0);
        // Version 1 of src/crypto/sealing.rs; PKCS #8 begins with 0x30.
        assert_eq!(sealed[0], 1);
        let version_and_algorithm = [2, 1, 0, 48];
        assert!(!sealed.windows(4).any(|part| part == version_and_algorithm));
    }
}

#[test]
fn the_keys_command_lists_rotates_and_withdraws_keys() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("a.toml"), "[oidc]\nenabled = true\n").unwrap();
    let run_keys = |arguments: &[&str]| {
        let output = run(here, &[arguments, &["--config", "a.toml"]].concat(), &[]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{errors}");
        String::from_utf8(output.stdout).unwrap()
    };
    let states = |arguments: &[&str]| -> Vec<String> {
        let keys: Value =
            serde_json::from_str(&run_keys(&[arguments, &["--json"]].concat())).unwrap();
        let keys = keys["keys"].as_array().unwrap();
        keys.iter().map(|key| text_value(key, "state")).collect()
    };
    run_keys(&["migrate"]);
    let none = run(here, &["oidc", "keys", "--rotate"], &[]);
    assert_eq!(none.status.code(), Some(2), "the provider is off");
    // The key file belongs to the server, which makes it at its first start.
    let missing = run(
        here,
        &["oidc", "keys", "--rotate", "--config", "a.toml"],
        &[],
    );
    let errors = String::from_utf8(missing.stderr).unwrap();
    assert!(errors.contains("encryption_key_file"), "{errors}");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    let prepared = run(here, &["keys", "rotate", "--prepare"], &[]);
    assert_eq!(prepared.status.code(), Some(0));
    assert_eq!(states(&["oidc", "keys"]), Vec::<String>::new());
    assert_eq!(states(&["oidc", "keys", "--rotate", "--now"]), ["signing"]);
    assert_eq!(states(&["oidc", "keys", "--rotate"]), ["signing", "next"]);
    assert_eq!(states(&["oidc", "keys", "--rotate"]), ["signing", "next"]);
    let after = states(&["oidc", "keys", "--rotate", "--now"]);
    assert_eq!(after, ["withdrawn", "withdrawn", "signing"]);
    assert_eq!(run_keys(&["oidc", "keys"]).lines().count(), 3);
    let alone = run(here, &["oidc", "keys", "--now"], &[]);
    assert_eq!(alone.status.code(), Some(2));
}

on_both_databases!(a_key_set_that_cannot_be_read_is_an_error_of_the_server);
async fn a_key_set_that_cannot_be_read_is_an_error_of_the_server(db: Database) {
    let site = site_with_provider(&db).await;
    db.run_script("ALTER TABLE oidc_keys RENAME TO missing_keys")
        .await;
    let response = site.browser().open("/account/oidc/jwks").await;
    // The next test uses the same schema.
    db.run_script("ALTER TABLE missing_keys RENAME TO oidc_keys")
        .await;
    assert_oauth_error(&response, 500, "server_error");
}
