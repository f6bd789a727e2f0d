//! `deploy/account.service`, verified by systemd itself.

use std::process::Command;

use super::file;

/// Ten times systemd's exposure level: systemd rates a network service below 2 as OK.
const EXPOSURE_THRESHOLD: &str = "20";

#[test]
fn systemd_accepts_the_unit_and_rates_it_as_confined() {
    let folder = tempfile::tempdir().unwrap();
    let unit = file("deploy/account.service");
    let installed = "/usr/local/bin/account";
    assert!(unit.contains(&format!("ExecStart={installed} serve --config ")));
    // systemd checks that the program exists, so the path becomes that of the program under test.
    let here = unit.replace(installed, env!("CARGO_BIN_EXE_account"));
    let path = folder.path().join("account.service");
    std::fs::write(&path, here).unwrap();
    let threshold = format!("--threshold={EXPOSURE_THRESHOLD}");
    for arguments in [
        &["verify"][..],
        &[
            "security",
            "--offline=yes",
            "--no-pager",
            threshold.as_str(),
        ],
    ] {
        let output = Command::new("systemd-analyze")
            .args(arguments)
            .arg(&path)
            .output()
            .expect("systemd-analyze; make test installs it");
        let text = String::from_utf8_lossy(&output.stderr);
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{arguments:?}: {text}{report}");
        // systemd reports an unknown setting as a warning.
        assert!(!text.contains("account.service:"), "{text}");
    }
}

#[test]
fn the_stop_timeout_of_the_unit_exceeds_the_grace_period() {
    let unit = file("deploy/account.service");
    let stop = unit.lines().find_map(|l| l.strip_prefix("TimeoutStopSec="));
    let stop: u64 = stop.unwrap().parse().unwrap();
    let grace = account::config::Server::default().shutdown_grace.0;
    assert!(grace.as_secs() < stop);
}

#[test]
fn systemd_accepts_the_backup_and_its_timer() {
    let folder = tempfile::tempdir().unwrap();
    let service = file("deploy/account-backup.service");
    let here = service.replace("/usr/local/bin/account", env!("CARGO_BIN_EXE_account"));
    std::fs::write(folder.path().join("account-backup.service"), here).unwrap();
    let timer = file("deploy/account-backup.timer");
    std::fs::write(folder.path().join("account-backup.timer"), timer).unwrap();
    let settings = folder.path().join("account-backup.service.d");
    std::fs::create_dir(&settings).unwrap();
    let postgres = file("deploy/account-backup-postgres.conf");
    std::fs::write(settings.join("postgres.conf"), postgres).unwrap();
    let output = Command::new("systemd-analyze")
        .arg("verify")
        .arg(folder.path().join("account-backup.timer"))
        .arg(folder.path().join("account-backup.service"))
        .output()
        .expect("systemd-analyze; make test installs it");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && !text.contains("account-backup"),
        "{text}"
    );
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
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    std::fs::create_dir(&backups).unwrap();
    std::fs::write(folder.path().join("account.toml"), "").unwrap();
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

    let migrated = Command::new(env!("CARGO_BIN_EXE_account"))
        .args(["migrate", "--config", "account.toml"])
        .current_dir(folder.path())
        .status();
    assert!(migrated.unwrap().success());
    let output = run();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("is complete"), "{text}");
    let left = names();
    assert_eq!(left[1..], ["notes", "recent.db"]);
    assert!(left[0].ends_with("Z.db"), "{left:?}");
}
