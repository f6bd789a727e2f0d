//! The generated descriptions of the commands: help, completions of shells, manual pages.

use super::folder;
use crate::support::process::run_to_exit;

#[test]
fn every_command_has_a_help_text() {
    let folder = folder();
    let (code, help, _) = run_to_exit(folder.path(), &["--help"], &[]);
    assert_eq!(code, 0);
    for command in [
        "serve", "check-config", "check-translations", "migrate", "openapi",
    ] {
        assert!(help.contains(command), "{help}");
        let (code, help, errors) = run_to_exit(folder.path(), &[command, "--help"], &[]);
        assert_eq!((code, errors.as_str()), (0, ""), "{command}");
        assert!(help.contains("Usage: account"), "{help}");
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, errors) = run_to_exit(folder.path(), &["completions", shell], &[]);
        assert_eq!((code, errors.as_str()), (0, ""), "{shell}");
        assert!(
            out.contains("check-config") && out.contains("sign-out"),
            "{shell}"
        );
    }
    let (code, page, errors) = run_to_exit(folder.path(), &["man"], &[]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(
        page.contains(".TH account 1") && page.contains("users"),
        "{page}"
    );
    let (code, out, _) = run_to_exit(folder.path(), &["man", "--output", "."], &[]);
    assert_eq!((code, out.as_str()), (0, ""));
    for name in [
        "account.1", "account-users-show.1", "account-support-grant.1",
    ] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let (code, _, errors) = run_to_exit(folder.path(), &["man", "--output", "none"], &[]);
    assert_eq!((code, errors.lines().count()), (1, 1), "{errors}");
}
