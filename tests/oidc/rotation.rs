//! Keys are rotated by the command while applications get tokens on two nodes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::program::{Installation, exchange_refresh_token};
use super::{text_value, verify_token};
use crate::prelude::*;
use crate::support::process::Caller;

on_both_databases!(every_token_is_verifiable_while_keys_rotate);

/// An application under way.
#[derive(Clone, Default)]
struct Application {
    /// The key of its last token.
    kid: Arc<Mutex<String>>,
    stop: Arc<AtomicBool>,
}

impl Application {
    /// Gets tokens from both nodes in turns, and verifies each: by the keys that it has, or, where they do not contain
    /// the key of the token, by those that the other node publishes.
    async fn run(self, nodes: [String; 2], mut token: String) {
        let caller = Caller::new();
        let mut keys = published_keys(&caller, &nodes[0]).await;
        let mut turn = 0;
        while !self.stop.load(Ordering::SeqCst) {
            let (node, other) = (&nodes[turn % 2], &nodes[(turn + 1) % 2]);
            let (status, response) = exchange_refresh_token(&caller, node, &token)
                .await
                .expect("a response");
            assert_eq!(status, 200, "{response}");
            token = text_value(&response, "refresh_token");
            let id_token = text_value(&response, "id_token");
            if verify_token(&keys, &id_token).is_none() {
                keys = published_keys(&caller, other).await;
            }
            let (header, _) = verify_token(&keys, &id_token).expect("its key is published");
            *self.kid.lock().unwrap() = text_value(&header, "kid");
            turn += 1;
        }
    }

    fn uses_key(&self, kid: &str) -> bool {
        *self.kid.lock().unwrap() == kid
    }
}

async fn published_keys(caller: &Caller, node: &str) -> Vec<Value> {
    let response = caller.get(&format!("{node}/account/oidc/jwks")).await;
    let response = response.expect("a response");
    assert_eq!(response.status(), 200);
    let set: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    set["keys"].list().clone()
}

// security: OP-12
async fn every_token_is_verifiable_while_keys_rotate(db: Database) {
    let installation = Installation::prepare(&db).await;
    let tokens = installation.sign_ins(3).await;
    let nodes = [installation.serve(&[]).await, installation.serve(&[]).await];
    let urls = [nodes[0].url.clone(), nodes[1].url.clone()];
    let stop = Arc::new(AtomicBool::new(false));
    let (mut applications, mut tasks) = (Vec::new(), Vec::new());
    for token in tokens {
        let application = Application {
            stop: stop.clone(),
            ..Application::default()
        };
        tasks.push(tokio::spawn(application.clone().run(urls.clone(), token)));
        applications.push(application);
    }
    let mut used = Vec::new();
    for arguments in [
        "", "--rotate", "--rotate --now", "--rotate --now", "--rotate",
    ] {
        let keys = tokio::task::block_in_place(|| installation.keys(arguments));
        let newest = text_value(keys.last().expect("a key"), "kid");
        let soon = "UPDATE oidc_keys SET active_at = created_at + 1000 WHERE active_at > created_at + 1000";
        installation.site.execute(soon, &[]).await;
        // A scheduled rotation leaves the old key in use for the moment.
        eventually(
            "each application has a token of the newest key",
            async || applications.iter().all(|one| one.uses_key(&newest)),
        )
        .await;
        used.push(newest);
    }
    stop.store(true, Ordering::SeqCst);
    for task in tasks {
        task.await.unwrap();
    }
    used.dedup();
    assert_eq!(used.len(), 5);
    let keys = installation.keys("");
    let states: Vec<_> = keys.iter().map(|key| text_value(key, "state")).collect();
    assert_eq!(
        states,
        ["withdrawn", "withdrawn", "withdrawn", "retired", "signing"]
    );
}
