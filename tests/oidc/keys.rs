//! Signing keys: made once, published ahead, rotated, and withdrawn after a compromise.

use account::testing::jobs::key_rotation::rotate_due;
use account::testing::signing_keys::rotate_keys;

use super::{
    assert_oauth_error, enable_provider, fetch_jwks, provider_with_signed_in, refreshed,
    site_with_provider, text_value, verify_token, wiki,
};
use crate::prelude::*;

on_both_databases!(
    two_nodes_that_start_at_once_create_one_key_per_algorithm,
    an_immediate_rotation_withdraws_all_keys_while_another_node_adds_one,
    a_client_that_caches_the_key_set_for_an_hour_can_verify_every_token,
    a_key_created_by_a_node_with_a_fast_clock_signs_at_once,
    private_keys_are_sealed,
    a_key_set_that_cannot_be_read_is_an_error_of_the_server
);

fn kid(token: &Value, keys: &[Value]) -> String {
    let (header, _) =
        verify_token(keys, &text_value(token, "id_token")).expect("a client can verify it");
    text_value(&header, "kid")
}

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
async fn a_client_that_caches_the_key_set_for_an_hour_can_verify_every_token(db: Database) {
    db.allow_unread_mails();
    let settings = |c: &mut account::config::Config| {
        enable_provider(c);
        c.oidc.clients.truncate(1);
        c.oidc.key_lifetime = "36h".parse().unwrap();
    };
    let (site, other) = (db.site_with(settings).await, db.site_with(settings).await);
    let ada = site.signed_in("ada").await;
    let mut tokens = wiki().tokens(&site, &ada.browser).await;
    let (mut cached, mut fetched_at, mut seen) = (fetch_jwks(&site).await, site.now(), Vec::new());
    for step in 0..40 {
        site.advance(if step % 2 == 0 { "5h" } else { "40m" });
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
            tokens = refreshed(node, &tokens).await;
            seen.push(kid(&tokens, &cached));
        }
    }
    seen.dedup();
    assert_eq!(
        seen.len(),
        3,
        "113 hours with a key of 36 hours each: {seen:?}"
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
async fn a_key_created_by_a_node_with_a_fast_clock_signs_at_once(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    // The only key of its algorithm, as after `--rotate --now` on the other node.
    db.run_script("UPDATE oidc_keys SET active_at = active_at + 2000")
        .await;
    let tokens = wiki().tokens(&site, &ada.browser).await;
    kid(&tokens, &fetch_jwks(&site).await);
    // It counts as a hint too.
    let hint = format!("id_token_hint={}", text_value(&tokens, "id_token"));
    wiki().code_with(&ada.browser, &hint).await;
}

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
    let folder = folder();
    write(&folder, "a.toml", "[oidc]\nenabled = true\n");
    let run = |words: &str| run_to_success(&folder, &format!("{words} --config a.toml"), &[]).0;
    let states = |words: &str| -> Vec<String> {
        let keys: Value = serde_json::from_str(&run(&format!("oidc keys --json {words}"))).unwrap();
        let keys = keys["keys"].list();
        keys.iter().map(|key| text_value(key, "state")).collect()
    };
    run("migrate");
    // The provider is off.
    run_to_failure(&folder, "oidc keys --rotate", &[], 2, "");
    // The key file belongs to the server, which makes it at its first start.
    let rotate = "oidc keys --rotate --config a.toml";
    let (_, _, errors) = run_to_exit(&folder, rotate, &[]);
    assert_contains!(errors, "encryption_key_file");
    assert_eq!(errors.lines().count(), 1, "{errors}");
    run_to_success(&folder, "keys rotate --prepare", &[]);
    assert_eq!(states(""), Vec::<String>::new());
    assert_eq!(states("--rotate --now"), ["signing"]);
    assert_eq!(states("--rotate"), ["signing", "next"]);
    assert_eq!(states("--rotate"), ["signing", "next"]);
    assert_eq!(
        states("--rotate --now"),
        ["withdrawn", "withdrawn", "signing"]
    );
    assert_eq!(run("oidc keys").lines().count(), 3);
    assert_eq!(run_to_exit(&folder, "oidc keys --now", &[]).0, 2);
}

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
