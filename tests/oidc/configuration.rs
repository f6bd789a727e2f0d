//! `[oidc]` as an operator writes it.

use account::config;

use crate::prelude::*;

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = folder();
    write(&folder, "a.toml", text);
    write(&folder, "digest", format!("{}\n", "5e".repeat(32)));
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
            let config = config::parse(client.parse().unwrap()).unwrap();
            let found = config::problems(&config);
            assert_eq!(found.is_empty(), is_accepted, "{lines}: {found:?}");
        }
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
