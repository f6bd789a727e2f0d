//! kill -9 during registrations: every acknowledged registration is complete after the restart.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::actors::{PASSWORD, form};
use crate::support::process::{Caller, Process};
use crate::support::{Database, eventually};

const API: &str = "/account/account-api";

on_both_databases!(acknowledged_registrations_survive_kill_9);
async fn acknowledged_registrations_survive_kill_9(db: Database) {
    let settings = [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_LIMITS__ENABLED", "false"),
    ];
    let mut site = Process::serve(db.folder(), &settings).await;
    let answered = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            tokio::spawn(register_until_killed(
                site.url.clone(),
                task,
                answered.clone(),
            ))
        })
        .collect();
    eventually("25 registrations", async || {
        answered.load(Ordering::SeqCst) >= 25
    })
    .await;
    site.kill();
    let mut joined = HashSet::new();
    for task in tasks {
        joined.extend(task.await.unwrap());
    }
    assert!(joined.len() >= 25);

    let site = Process::serve(db.folder(), &settings).await;
    let caller = Caller::new();
    let mails = caller
        .get(&format!("{}/account/dev/mail/messages", site.url))
        .await
        .unwrap();
    let mails: Vec<Value> = serde_json::from_str(&mails.text().await.unwrap()).unwrap();
    for email in &joined {
        let mine: Vec<_> = mails
            .iter()
            .filter(|mail| mail["to"] == email.as_str())
            .collect();
        assert_eq!(mine.len(), 1, "mails to {email}");
        let (_, rest) = mine[0]["text"]
            .as_str()
            .unwrap()
            .split_once("token=")
            .unwrap();
        let verify = format!("{}{API}/confirm-email?token={}", site.url, &rest[..43]);
        assert_eq!(caller.get(&verify).await.unwrap().status(), 200, "{email}");
        let credentials = json!({"email": email, "password": PASSWORD});
        let login = format!("{}{API}/login", site.url);
        assert_eq!(
            caller.post(&login, &credentials).await.unwrap().status(),
            200,
            "{email}"
        );
    }
}

/// Registers one person after another. Returns the acknowledged registrations.
pub(crate) async fn register_until_killed(
    url: String,
    task: usize,
    answered: Arc<AtomicUsize>,
) -> Vec<String> {
    let caller = Caller::new();
    let mut joined = Vec::new();
    for n in 0.. {
        let form = form(&format!("t{task}n{n}"));
        let Ok(response) = caller.post(&format!("{url}{API}/register"), &form).await else {
            break;
        };
        assert_eq!(response.status(), 201);
        answered.fetch_add(1, Ordering::SeqCst);
        joined.push(form["email"].as_str().unwrap().to_owned());
    }
    joined
}
