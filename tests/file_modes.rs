//! The permissions of files that the program writes: private to its own user.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::process::Process;

fn file_mode(path: &Path) -> u32 {
    let found = path
        .metadata()
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    found.permissions().mode() & 0o777
}

fn set_file_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// Every file below the folder.
fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Runs a command with the usual umask of 022.
fn run_with_usual_umask(folder: &Path, words: &str) {
    let line = format!(
        "umask 022 && exec {} {words}",
        env!("CARGO_BIN_EXE_account")
    );
    let done = Command::new("sh")
        .args(["-c", &line])
        .env_clear()
        .current_dir(folder)
        .status();
    assert!(done.unwrap().success(), "{words}");
}

#[tokio::test]
async fn only_the_owner_can_read_the_database_its_folder_and_its_backup() {
    let folder = tempfile::tempdir().unwrap();
    set_file_mode(folder.path(), 0o755);
    run_with_usual_umask(folder.path(), "migrate");
    let data = folder.path().join("data");
    assert_eq!(file_mode(&data), 0o700);
    let site = Process::serve(folder.path(), &[]).await;
    assert_eq!(site.get("/readyz").await.status(), 200);
    let names = ["account.db", "account.db-wal", "account.db-shm"];
    for name in names {
        assert_eq!(file_mode(&data.join(name)), 0o600, "{name}");
    }
    run_with_usual_umask(folder.path(), "store backup copy.db");
    assert_eq!(file_mode(&folder.path().join("copy.db")), 0o600);
    assert_eq!(
        file_mode(folder.path()),
        0o755,
        "a folder with other files keeps its mode"
    );
}

#[tokio::test]
async fn files_of_an_earlier_release_are_made_private() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut killed = Process::serve(folder.path(), &[]).await;
    // The killed program leaves a WAL beside the database.
    killed.kill();
    // Earlier releases had no key file.
    std::fs::remove_file(data.join("account.key")).unwrap();
    let left = files_below(&data);
    assert!(left.len() >= 3, "{left:?}");
    for file in &left {
        set_file_mode(file, 0o644);
    }
    set_file_mode(&data, 0o755);
    let _site = Process::serve(folder.path(), &[]).await;
    for file in files_below(&data) {
        assert_eq!(file_mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!(file_mode(&data), 0o700);
}

#[tokio::test]
async fn a_key_file_that_others_can_read_causes_a_warning_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("data/account.key");
    let warns = |site: &Process| {
        let lines = site.log();
        lines
            .iter()
            .any(|l| l.contains("security.encryption_key_file can be read"))
    };
    let mut first = Process::serve(folder.path(), &[]).await;
    assert_eq!(file_mode(&key), 0o600);
    assert!(!warns(&first));
    first.kill();
    set_file_mode(&key, 0o644);
    let second = Process::serve(folder.path(), &[]).await;
    assert!(warns(&second), "{:?}", second.log());
    assert_eq!(file_mode(&key), 0o644, "the operator's file keeps its mode");
}

#[test]
fn a_database_in_a_shared_folder_is_private_and_the_folder_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("data");
    std::fs::create_dir(&shared).unwrap();
    std::fs::write(shared.join("notes.txt"), "of another program").unwrap();
    set_file_mode(&shared, 0o755);
    run_with_usual_umask(folder.path(), "migrate");
    assert_eq!(file_mode(&shared), 0o755);
    assert_eq!(file_mode(&shared.join("account.db")), 0o600);
    assert_ne!(file_mode(&shared.join("notes.txt")), 0o600);
}
