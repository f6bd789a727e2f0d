//! `[oidc]` as an operator writes it.

use crate::support::process::run;

fn check_config(text: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), text).unwrap();
    std::fs::write(
        folder.path().join("digest"),
        format!("{}\n", "5e".repeat(32)),
    )
    .unwrap();
    std::fs::write(folder.path().join("wrong"), "hush-s3cret").unwrap();
    let output = run(folder.path(), &["check-config", "--config", "a.toml"], &[]);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn wiki(lines: &str) -> String {
    let uris = "redirect_uris = ['https://wiki.example.org/callback']";
    format!(
        "[oidc]\nenabled = true\n[[oidc.clients]]\nid = 'wiki'\nname = 'Wiki'\n{uris}\n{lines}\n"
    )
}

// security: OP-9
#[test]
fn the_digest_of_a_secret_comes_from_the_setting_or_from_a_file_and_is_never_shown() {
    let digest = "5e".repeat(32);
    for line in [
        format!("secret_sha256 = '{digest}'"),
        "secret_sha256_file = 'digest'".to_owned(),
    ] {
        let (code, out, errors) = check_config(&wiki(&line));
        assert_eq!(code, 0, "{errors}");
        assert!(out.contains("secret_sha256 = \"***\""), "{out}");
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
        let problems = errors
            .lines()
            .find(|line| line.starts_with("account: "))
            .unwrap_or_default();
        assert_eq!(code, 2, "{lines}: {errors}");
        assert!(problems.contains(key), "{lines}: {errors}");
        assert!(!errors.contains("hush-s3cret"), "{errors}");
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
        for key in [
            "redirect_uris", "post_logout_redirect_uris", "backchannel_logout_uri",
        ] {
            let own = "redirect_uris = ['https://wiki.example.org/']\n";
            let own = if key == "redirect_uris" { "" } else { own };
            let value = match key {
                "backchannel_logout_uri" => format!("'{uri}'"),
                _ => format!("['{uri}']"),
            };
            let text =
                format!("[oidc]\n[[oidc.clients]]\nid = 'a'\nname = 'A'\n{own}{key} = {value}\n");
            let (code, _, errors) = check_config(&text);
            assert_eq!(code, if is_accepted { 0 } else { 2 }, "{uri}: {errors}");
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
        assert_eq!(code, 2);
        assert!(errors.contains(key), "{errors}");
    }
}

#[test]
fn a_secret_is_printed_once_with_its_digest() {
    use sha2::{Digest, Sha256};
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["oidc", "client-secret"], &[]);
    let out: toml::Table = String::from_utf8(output.stdout).unwrap().parse().unwrap();
    let hash = Sha256::digest(out["secret"].as_str().unwrap());
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(out["secret_sha256"].as_str(), Some(hex.as_str()));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is kept"
    );
}
