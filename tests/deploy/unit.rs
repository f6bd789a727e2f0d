//! `deploy/account.service`, verified by systemd itself.

use std::ffi::OsString;
use std::process::Command;

use tempfile::TempDir;

use super::file;
use crate::prelude::*;

/// Ten times systemd's exposure level: systemd rates a network service below 2 as OK.
const EXPOSURE_THRESHOLD: &str = "20";

/// Runs `systemd-analyze` in the folder. Returns its messages.
fn analyze(folder: &TempDir, arguments: &str) -> String {
    let output = Command::new("systemd-analyze")
        .args(
            arguments
                .split(' ')
                .map(|word| match word.starts_with("account") {
                    true => folder.path().join(word).into(),
                    false => OsString::from(word),
                }),
        )
        .output()
        .expect("systemd-analyze; make test installs it");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{arguments}: {text}{report}");
    text
}

#[test]
fn systemd_accepts_the_unit_and_rates_it_as_confined() {
    let folder = folder();
    let unit = file("deploy/account.service");
    let installed = "/usr/local/bin/account";
    assert!(unit.contains(&format!("ExecStart={installed} serve --config ")));
    // systemd checks that the program exists, so the path becomes that of the program under test.
    let here = unit.replace(installed, env!("CARGO_BIN_EXE_account"));
    write(&folder, "account.service", here);
    let threshold = format!("security --offline=yes --no-pager --threshold={EXPOSURE_THRESHOLD}");
    for command in ["verify", &threshold] {
        // systemd reports an unknown setting as a warning.
        let said = analyze(&folder, &format!("{command} account.service"));
        assert_lacks!(said, "account.service:");
    }
}

#[test]
fn the_stop_timeout_of_the_unit_exceeds_the_grace_period() {
    let unit = file("deploy/account.service");
    let stop = unit.lines().find_map(|l| l.strip_prefix("TimeoutStopSec="));
    let stop: u64 = stop.unwrap().parse().unwrap();
    let grace = account::config::Config::default().server.shutdown_grace.0;
    assert!(grace.as_secs() < stop);
}

#[test]
fn systemd_accepts_the_backup_and_its_timer() {
    let folder = folder();
    let service = file("deploy/account-backup.service");
    let here = service.replace("/usr/local/bin/account", env!("CARGO_BIN_EXE_account"));
    write(&folder, "account-backup.service", here);
    let timer = file("deploy/account-backup.timer");
    write(&folder, "account-backup.timer", timer);
    std::fs::create_dir(folder.path().join("account-backup.service.d")).unwrap();
    let postgres = file("deploy/account-backup-postgres.conf");
    write(&folder, "account-backup.service.d/postgres.conf", postgres);
    let said = analyze(
        &folder,
        "verify account-backup.timer account-backup.service",
    );
    assert_lacks!(said, "account-backup");
}

/// The command of the backup service, as systemd passes it to the shell, with the program and the folder of the test.
fn backup_script(settings: &str) -> String {
    let service = file("deploy/account-backup.service");
    let (_, script) = service.split_once("ExecStart=/bin/sh -ec '").unwrap();
    let (script, _) = script.split_once('\'').unwrap();
    script
        .replace("\\\n", "")
        .replace("$$", "$")
        .replace("%%", "%")
        .replace("/usr/local/bin/account", env!("CARGO_BIN_EXE_account"))
        .replace("/etc/account/account.toml", settings)
}

#[test]
fn a_verified_backup_replaces_old_ones_and_copies_of_killed_backups() {
    let folder = folder();
    let backups = folder.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    write(&folder, "account.toml", "");
    for (name, days) in [
        ("old.db", 30),
        ("recent.db", 2),
        ("killed.db.partial", 1),
        ("killed.db.partial-journal", 1),
        ("killed.db.partial-shm", 1),
        ("killed.db.partial-wal", 1),
        ("notes", 30),
    ] {
        let written = std::fs::File::create(backups.join(name)).unwrap();
        let age = std::time::Duration::from_secs(days * 24 * 3600);
        let now = written.metadata().unwrap().modified().unwrap();
        written.set_modified(now - age).unwrap();
    }
    let names = || {
        let entries = std::fs::read_dir(&backups).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let run = || {
        Command::new("/bin/sh")
            .args(["-ec", &backup_script("account.toml")])
            .current_dir(folder.path())
            .envs([("FOLDER", backups.to_str().unwrap()), ("KEEP_DAYS", "14")])
            .output()
            .unwrap()
    };
    assert!(!run().status.success(), "there is no database");
    assert_eq!(names(), ["notes", "old.db", "recent.db"]);

    run_to_success(&folder, "migrate --config account.toml", &[]);
    let output = run();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert_contains!(text, "is complete");
    let left = names();
    assert_eq!(left[1..], ["notes", "recent.db"]);
    assert!(left[0].ends_with("Z.db"), "{left:?}");
}
