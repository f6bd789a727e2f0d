//! `[oidc]` as an operator writes it.

use account::config;

use crate::prelude::*;

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = folder();
    write(&folder, "a.toml", text);
    write(&folder, "digest", format!("{}\n", "5e".repeat(32)));
    write(&folder, "wrong", "hush-s3cret");
    folder
}

/// Runs `check-config` with this configuration.
fn check_config(text: &str) -> (i32, String, String) {
    run_to_exit(folder_with(text), "check-config --config a.toml", &[])
}

const OWN: &str = "redirect_uris = ['https://wiki.example.org/callback']";

fn wiki(lines: &str) -> String {
    format!(
        "[oidc]\nenabled = true\n[[oidc.clients]]\nid = 'wiki'\nname = 'Wiki'\n{OWN}\n{lines}\n"
    )
}

// security: OP-9
#[test]
fn the_digest_of_a_secret_comes_from_the_setting_or_from_a_file_and_is_never_shown() {
    let digest = "5e".repeat(32);
    for line in [
        &*format!("secret_sha256 = '{digest}'"),
        "secret_sha256_file = 'digest'",
    ] {
        let (code, out, errors) = check_config(&wiki(line));
        assert_eq!(code, 0, "{errors}");
        assert_contains!(out, "secret_sha256 = \"***\"");
        assert!(!out.contains(&digest) && !errors.contains(&digest));
    }
}

#[test]
fn an_error_of_a_client_is_one_line_that_names_client_and_field() {
    for (lines, key) in [
        (
            "secret_sha256 = 'hush-s3cret'", "oidc.clients[0].secret_sha256",
        ),
        ("secret_sha256 = '5E5E'", "oidc.clients[0].secret_sha256"),
        (
            "secret_sha256_file = 'wrong'",
            "oidc.clients[0].secret_sha256_file",
        ),
        (
            "secret_sha256_file = 'missing'",
            "oidc.clients[0].secret_sha256_file",
        ),
        ("secret = 'hush-s3cret'", "secret"),
        ("pkce = 'optional'", "oidc.clients.wiki.pkce"),
        ("pkce = 'none'", "oidc.clients[0].pkce"),
        ("scopes = ['profile']", "oidc.clients.wiki.scopes"),
        ("scopes = ['openid', 'address']", "oidc.clients[0].scopes"),
        ("id_token_alg = 'none'", "oidc.clients[0].id_token_alg"),
        ("id_token_alg = 'HS256'", "oidc.clients[0].id_token_alg"),
        ("region = 'nowhere'", "oidc.clients.wiki.region"),
        ("aal = 3", "oidc.clients[0].aal"),
        (
            "backchannel_logout_uri = 'http://wiki.example.org/out'",
            "oidc.clients.wiki.backchannel_logout_uri",
        ),
        (
            "post_logout_redirect_uris = ['/bye']",
            "oidc.clients.wiki.post_logout_redirect_uris",
        ),
        (
            "[[oidc.clients]]\nid = 'wiki'\nname = 'W'\nredirect_uris = ['https://w.example/']",
            "oidc.clients.wiki.id",
        ),
        (
            "[[oidc.clients]]\nid = 'a b'\nname = 'W'\nredirect_uris = ['https://w.example/']",
            "oidc.clients.a b.id",
        ),
        (
            "[[oidc.clients]]\nid = 'two'\nname = ''\nredirect_uris = ['https://w.example/']",
            "oidc.clients.two.name",
        ),
        (
            "[[oidc.clients]]\nid = 'two'\nname = 'W'\nredirect_uris = []",
            "oidc.clients.two.redirect_uris",
        ),
    ] {
        let (code, _, errors) = check_config(&wiki(lines));
        let problem = errors.lines().find(|line| line.starts_with("account: "));
        assert!(
            code == 2 && problem.is_some_and(|line| line.contains(key)),
            "{lines}: {errors}"
        );
        assert_lacks!(errors, "hush-s3cret");
    }
}

// security: OP-1
#[test]
fn redirect_uris_are_https_or_loopback() {
    for (uri, is_accepted) in [
        ("https://wiki.example.org/a?b=c", true),
        ("http://127.0.0.1:3000/callback", true),
        ("http://[::1]/callback", true),
        ("http://localhost:3000/callback", true),
        ("http://wiki.example.org/", false),
        ("https://wiki.example.org/#part", false),
        ("https://me:secret@wiki.example.org/", false),
        ("https://wiki.example.org/a b", false),
        ("com.example.app:/callback", false),
        ("javascript:alert(1)", false),
        ("/callback", false),
        ("https://*.example.org/callback", false),
        ("https://wiki.example.org/*", false),
        ("https:///callback", false),
        ("https:/wiki.example.org/callback", false),
        ("https:wiki.example.org/callback", false),
        ("https://wiki.example.org./callback", false),
        ("https://.example.org/callback", false),
        ("https://a..example.org/callback", false),
        ("http://127.0.0.1/a*/callback", false),
        ("https://wiki.example.org/a?b=*", true),
    ] {
        for lines in [
            format!("redirect_uris = ['{uri}']"),
            format!("{OWN}\npost_logout_redirect_uris = ['{uri}']"),
            format!("{OWN}\nbackchannel_logout_uri = '{uri}'"),
        ] {
            let client = format!("[oidc]\n[[oidc.clients]]\nid = 'a'\nname = 'A'\n{lines}\n");
            let folder = folder_with(&client);
            let file = folder.path().join("a.toml");
            let config = config::load(Some(&file), std::iter::empty());
            let is_valid = config.is_ok_and(|config| config::problems(&config).is_empty());
            assert_eq!(is_valid, is_accepted, "{lines}");
        }
    }
}

#[test]
fn lifetimes_are_checked() {
    for (line, key) in [
        ("code = '0s'", "oidc.code"),
        ("access_token = '0s'", "oidc.access_token"),
        ("key_prepublish = '90d'", "oidc.key_prepublish"),
    ] {
        let (code, _, errors) = check_config(&format!("[oidc]\n{line}\n"));
        assert!(code == 2 && errors.contains(key), "{errors}");
    }
}

#[test]
fn a_secret_is_printed_once_with_its_digest() {
    let folder = folder();
    let (out, _) = run_to_success(&folder, "oidc client-secret", &[]);
    let out: toml::Table = out.parse().unwrap();
    let digest = super::digest(out["secret"].as_str().unwrap());
    assert_eq!(out["secret_sha256"].as_str(), Some(&*digest));
    let kept = std::fs::read_dir(folder).unwrap();
    assert_eq!(kept.count(), 0, "nothing is kept");
}
