//! kill -9 during registrations: every acknowledged registration is complete after the restart.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::task::JoinHandle;

use crate::support::actors::{PASSWORD, form};
use crate::support::browser::API;
use crate::support::process::{Caller, Process};
use crate::support::{Database, eventually};

on_both_databases!(acknowledged_registrations_survive_kill_9);
async fn acknowledged_registrations_survive_kill_9(db: Database) {
    let settings = [
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_LIMITS__ENABLED", "false"),
    ];
    let mut site = Process::serve(db.folder(), &settings).await;
    let answered = Arc::new(AtomicUsize::new(0));
    let tasks = register_until_killed(&site.url, 8, &answered);
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
    for email in &joined {
        let tokens = site.mailed_tokens(email).await;
        assert_eq!(tokens.len(), 1, "mails to {email}");
        let verified = site.confirm_email(&tokens[0]).await;
        assert_eq!(verified.status(), 200, "{email}");
        let credentials = json!({"email": email, "password": PASSWORD});
        let signed_in = site.post("/login", &credentials).await;
        assert_eq!(signed_in.status(), 200, "{email}");
    }
}

/// Starts tasks that register one person after another. They return the acknowledged registrations.
pub fn register_until_killed(
    url: &str,
    tasks: usize,
    answered: &Arc<AtomicUsize>,
) -> Vec<JoinHandle<Vec<String>>> {
    let start = |task| {
        let (url, answered) = (format!("{url}{API}/register"), answered.clone());
        tokio::spawn(async move {
            let (caller, mut joined) = (Caller::new(), Vec::new());
            for n in 0.. {
                let form = form(&format!("t{task}n{n}"));
                let Ok(response) = caller.post(&url, &form).await else {
                    break;
                };
                assert_eq!(response.status(), 201);
                answered.fetch_add(1, Ordering::SeqCst);
                joined.push(form["email"].as_str().unwrap().to_owned());
            }
            joined
        })
    };
    (0..tasks).map(start).collect()
}
