//! Files of SQLite that an operator moves, deletes or replaces while the program runs.

use std::fs;
use std::path::Path;

use crate::prelude::*;

const FILES: [&str; 3] = ["account.db", "account.db-wal", "account.db-shm"];

/// Moves these files from one folder to another.
fn move_files(from: &Path, to: &Path, files: &[&str]) {
    for file in files {
        fs::rename(from.join(file), to.join(file)).unwrap();
    }
}

/// The status of a registration, which must have the code `unavailable` if it is 503.
async fn register(site: &Process, name: &str) -> u16 {
    let response = site.post("/register", &form(name)).await;
    let status = response.status().as_u16();
    if status == 503 {
        assert_eq!(response.headers()["retry-after"], "2");
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        assert_eq!(body["code"], "unavailable", "{body}");
    }
    status
}

async fn readiness(site: &Process) -> u16 {
    site.get("/readyz").await.status().as_u16()
}

/// Waits for this number of errors in the log. Returns all of them.
async fn error_messages(site: &Process, count: usize) -> Vec<String> {
    eventually_some("the errors are logged", async || {
        let events = site.events().into_iter();
        let errors = events.filter(|event| event["level"] == "ERROR");
        let errors: Vec<_> = errors.map(|event| event["message"].to_string()).collect();
        (errors.len() >= count).then_some(errors)
    })
    .await
}

#[tokio::test]
async fn no_change_is_accepted_while_a_file_of_the_database_is_away() {
    let folder = folder();
    let (data, away) = (folder.path().join("data"), folder.path().join("away"));
    fs::create_dir(&away).unwrap();
    let site = Process::serve(&folder, &[("ACCOUNT_LOG__FORMAT", "json")]).await;
    assert_eq!(register(&site, "ada").await, 201);
    for (at, files) in [&FILES[..], &FILES[..1], &FILES[1..2], &FILES[2..]]
        .iter()
        .enumerate()
    {
        move_files(&data, &away, files);
        if at % 2 == 0 {
            assert_eq!(register(&site, "late").await, 503, "{files:?}");
        }
        assert_eq!(readiness(&site).await, 503, "{files:?}");
        assert_eq!(register(&site, "late").await, 503, "{files:?}");
        let left: Vec<_> = FILES
            .iter()
            .filter(|file| data.join(file).exists())
            .collect();
        assert_eq!(
            left.len(),
            FILES.len() - files.len(),
            "no file is made anew"
        );
        let errors = error_messages(&site, at + 1).await;
        assert_eq!(errors.len(), at + 1, "{errors:?}");
        let path = data.join(files[0]).display().to_string();
        assert!(errors[at].contains(&path), "{errors:?}");

        move_files(&away, &data, files);
        eventually("the site is ready again", async || {
            readiness(&site).await == 200
        })
        .await;
        assert_eq!(
            register(&site, &format!("back{at}")).await,
            201,
            "{files:?}"
        );
    }
}

#[tokio::test]
async fn a_restored_file_is_used_only_after_a_restart() {
    let folder = folder();
    let data = folder.path().join("data");
    let settings = [("ACCOUNT_LOG__FORMAT", "json")];
    let site = Process::serve(&folder, &settings).await;
    assert_eq!(register(&site, "ada").await, 201);
    let backup = folder.path().join("backup.db");
    let source = rusqlite::Connection::open(data.join("account.db")).unwrap();
    source
        .execute("VACUUM INTO ?1", [backup.to_str().unwrap()])
        .unwrap();
    drop(source);

    fs::rename(&backup, data.join("account.db")).unwrap();
    assert_eq!(register(&site, "bob").await, 503);
    assert_eq!(readiness(&site).await, 503);
    assert_eq!(error_messages(&site, 1).await.len(), 1);
    drop(site);
    for suffix in ["-wal", "-shm"] {
        // The killed process left the files, which belong to the replaced database.
        fs::remove_file(data.join(format!("account.db{suffix}"))).unwrap();
    }

    let site = Process::serve(&folder, &settings).await;
    let body = json!({"email": "ada@example.org", "password": crate::support::actors::PASSWORD});
    let known = site.post("/login", &body).await.text().await.unwrap();
    assert_contains!(known, "email_not_verified");
    assert_eq!(register(&site, "bob").await, 201);
}
