//! The settings in `deploy/kubernetes.yaml`. No test applies the manifest to a cluster.

use super::file;
use crate::prelude::*;

/// Secrets are files; this test stores them in its own folder.
#[test]
fn the_settings_are_accepted() {
    let manifest = file("deploy/kubernetes.yaml");
    let image = concat!("/account:", env!("CARGO_PKG_VERSION"), "\n");
    assert!(manifest.contains(image));
    let (_, block) = manifest.split_once("account.toml: |\n").unwrap();
    let (settings, _) = block.split_once("\n---").unwrap();
    let folder = folder();
    let secrets = folder.path().display().to_string();
    let settings = settings.replace("/run/secrets/account", &secrets);
    let database = "postgres://site:secret@db.example/account?sslmode=verify-full";
    for (name, text) in [
        ("account.toml", settings.as_str()),
        ("database-url", database),
        ("smtp-url", "smtps://mail.example"),
    ] {
        write(&folder, name, text);
    }
    let file = folder.path().join("account.toml");
    let address = "ACCOUNT_SERVER__OPS_LISTEN, value: \"$(POD_IP):9090\"";
    assert!(manifest.contains(address));
    let pod = [("ACCOUNT_SERVER__OPS_LISTEN".into(), "10.1.2.3:9090".into())];
    let config = account::config::load(Some(&file), pod.into_iter()).unwrap();
    assert_eq!(account::config::problems(&config), Vec::<String>::new());
    for warning in account::config::warnings(&config) {
        // In a pod the secrets are below /run/secrets.
        let is_of_the_test = warning.contains("_file ");
        assert!(warning.contains("example") || is_of_the_test, "{warning}");
    }
}
