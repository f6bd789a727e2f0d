//! Commands whose reader stops before the end, as `head` does.

use std::io::{Read, pipe};
use std::path::Path;
use std::process::Stdio;

use crate::prelude::*;
use crate::support::process::command;

/// Exit code and standard error of a command whose stdout is closed.
fn unread(folder: &Path, arguments: &str) -> (i32, String) {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let (mut errors, stderr) = pipe().unwrap();
    let mut command = command(folder, arguments, &[]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(stderr)
        .spawn()
        .unwrap();
    drop(command);
    let mut text = String::new();
    errors.read_to_string(&mut text).unwrap();
    (child.wait().unwrap().code().unwrap(), text)
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let folder = folder();
    run_to_success(&folder, "migrate", &[]);
    for arguments in [
        "openapi", "completions bash", "man", "--help", "check-config", "migrate --status",
        "legacy status --json", "oidc client-secret", "support list", "support audit",
    ] {
        let (_, errors) = run_to_success(&folder, arguments, &[]);
        assert_eq!(unread(folder.path(), arguments), (0, errors), "{arguments}");
    }
}

#[test]
fn the_exit_code_stays_that_of_the_work() {
    let folder = folder();
    write(&folder, "de.json", r#"{"unknown.key": "x"}"#);
    let arguments = "check-translations de.json";
    let (expected, out, errors) = run_to_exit(&folder, arguments, &[]);
    assert_eq!(expected, 2, "{errors}");
    assert!(out.lines().count() > 100, "{out}");
    assert_eq!(unread(folder.path(), arguments), (2, errors));
}
