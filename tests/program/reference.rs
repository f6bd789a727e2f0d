//! The generated descriptions of the commands: help, completions of shells, manual pages.

use crate::prelude::*;

#[test]
fn every_command_has_a_help_text() {
    let folder = folder();
    let (help, _) = run_to_success(&folder, "--help", &[]);
    for command in [
        "serve", "check-config", "check-translations", "migrate", "openapi",
    ] {
        assert_contains!(help, command);
        let (help, errors) = run_to_success(&folder, &format!("{command} --help"), &[]);
        assert_eq!(errors, "", "{command}");
        assert_contains!(help, "Usage: account");
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let folder = folder();
    for (command, parts) in [
        ("completions bash", ["check-config", "sign-out"]),
        ("completions zsh", ["check-config", "sign-out"]),
        ("completions fish", ["check-config", "sign-out"]),
        ("completions elvish", ["check-config", "sign-out"]),
        ("completions powershell", ["check-config", "sign-out"]),
        ("man", [".TH account 1", "users"]),
    ] {
        let (out, errors) = run_to_success(&folder, command, &[]);
        assert_eq!(errors, "", "{command}");
        assert_contains!(out, parts[0], parts[1]);
    }
    let (out, _) = run_to_success(&folder, "man --output .", &[]);
    assert_eq!(out, "");
    for name in [
        "account.1", "account-users-show.1", "account-support-grant.1",
    ] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    run_to_failure(&folder, "man --output none", &[], 1, "");
}
