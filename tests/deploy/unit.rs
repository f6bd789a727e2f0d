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
    let verified = service.find("store verify").unwrap();
    assert!(
        verified < service.find("-delete").unwrap(),
        "only a whole backup replaces old ones"
    );
}
