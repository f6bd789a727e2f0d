//! The program, with requests that make it count.

use serde_json::{Value, json};

use super::API;
use super::scrape::Scrape;
use crate::support::actors::{PASSWORD, form};
use crate::support::process::{Caller, Process};
use crate::support::{Database, free_address};

/// The program with an operators' listener.
pub(super) struct RunningSite {
    site: Process,
    ops: String,
    _folder: tempfile::TempDir,
}

/// Starts the program on this database.
pub(super) async fn start_site(db: &Database) -> RunningSite {
    db.allow_unread_mails();
    let folder = tempfile::tempdir().unwrap();
    let ops = free_address().to_string();
    let settings = [
        ("ACCOUNT_SERVER__OPS_LISTEN", ops.as_str()),
        ("ACCOUNT_DATABASE__URL", db.url()),
        ("ACCOUNT_DATABASE__MAX_CONNECTIONS", "8"),
        ("ACCOUNT_DATABASE__BACKUP_FOLDER", "backups"),
    ];
    // An endpoint without a listener, so that the metrics of endpoints exist.
    let secret = format!("whsec_{}", "A".repeat(32));
    let hook = format!("[[webhooks]]\nurl = \"http://localhost:9/\"\nsecret = \"{secret}\"\n");
    std::fs::write(folder.path().join("account.toml"), hook).unwrap();
    let arguments = ["serve", "--config", "account.toml"];
    let site = Process::serve_with(folder.path(), &arguments, &settings).await;
    RunningSite {
        site,
        ops: format!("http://{ops}"),
        _folder: folder,
    }
}

impl RunningSite {
    pub(super) async fn scrape(&self) -> Scrape {
        let response = Caller::new().get(&format!("{}/metrics", self.ops)).await;
        Scrape::parse(&response.unwrap().text().await.unwrap())
    }

    async fn post(&self, path: &str, body: &Value) -> u16 {
        let url = format!("{}{API}{path}", self.site.url);
        Caller::new()
            .post(&url, body)
            .await
            .unwrap()
            .status()
            .as_u16()
    }

    async fn get(&self, path: &str) -> (u16, String) {
        let url = format!("{}{path}", self.site.url);
        let response = Caller::new().get(&url).await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Registers, verifies the address, signs in with a wrong and a right password; another client guesses passwords.
    pub(super) async fn generate_traffic(&self) {
        assert_eq!(self.post("/register", &form("quentin")).await, 201);
        let (_, mails) = self.get("/account/dev/mail/messages").await;
        let mails: Value = serde_json::from_str(&mails).unwrap();
        let (_, token) = mails[0]["text"]
            .as_str()
            .unwrap()
            .split_once("token=")
            .unwrap();
        let confirm = format!("{API}/confirm-email?token={}", &token[..43]);
        assert_eq!(self.get(&confirm).await.0, 200);
        let right = json!({"email": "quentin@example.org", "password": PASSWORD});
        assert_eq!(self.post("/login", &right).await, 200);
        assert_eq!(self.get(&format!("{API}/users/me")).await.0, 401);
        assert_eq!(
            self.get("/account/reset-password?token=abcdef").await.0,
            200
        );
        let wrong = json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"});
        for n in 0..7 {
            let status = self.post("/login", &wrong).await;
            assert_eq!(status, if n < 5 { 401 } else { 429 });
        }
    }
}
