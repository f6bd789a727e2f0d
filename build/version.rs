//! Determines the version of the program, with the commit if it is known.

use std::env;
use std::path::Path;
use std::process::Command;

/// Sets `ACCOUNT_VERSION`, and `ACCOUNT_COMMIT_ID` if the commit is known. The commit comes from `ACCOUNT_COMMIT` for
/// builds outside of a repository, and from git in a release build. Debug builds omit the commit, because each new
/// commit would compile the program again.
pub(crate) fn set_version() {
    println!("cargo::rerun-if-env-changed=ACCOUNT_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let given = env::var("ACCOUNT_COMMIT").ok();
    let given =
        given.filter(|commit| !commit.is_empty() && commit.bytes().all(|c| c.is_ascii_hexdigit()));
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = given.or_else(|| is_release.then(commit_of_repository).flatten());
    match commit {
        Some(commit) => {
            println!("cargo::rustc-env=ACCOUNT_VERSION={version} ({commit})");
            println!("cargo::rustc-env=ACCOUNT_COMMIT_ID={commit}");
        }
        None => println!("cargo::rustc-env=ACCOUNT_VERSION={version}"),
    }
}

/// Returns the commit of the repository, or `None` if there is no git or no repository.
fn commit_of_repository() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Git's log file grows with each commit and checkout, so a change of the commit runs this script again. A path that
    // does not exist would run it at every build.
    if let Some(log) =
        git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists())
    {
        println!("cargo::rerun-if-changed={log}");
    }
    Some(commit)
}
