//! The program, with requests that make it count.

use super::scrape::Scrape;
use crate::prelude::*;
use crate::support::process::Caller;

/// The program with an operators' listener.
pub struct RunningSite {
    site: Process,
    ops: String,
    _folder: tempfile::TempDir,
}

/// Starts the program on this database.
pub async fn start_site(db: &Database) -> RunningSite {
    db.allow_unread_mails();
    let folder = folder();
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
    write(&folder, "account.toml", hook);
    let arguments = "serve --config account.toml";
    let site = Process::serve_with(&folder, arguments, &settings).await;
    RunningSite {
        site,
        ops: format!("http://{ops}"),
        _folder: folder,
    }
}

impl RunningSite {
    pub async fn scrape(&self) -> Scrape {
        let response = Caller::new().get(&format!("{}/metrics", self.ops)).await;
        Scrape::parse(&response.unwrap().text().await.unwrap())
    }

    /// Registers, verifies the address, signs in with a wrong and a right password; another client guesses passwords.
    pub async fn generate_traffic(&self) {
        let (site, email) = (&self.site, "quentin@example.org");
        let registered = site.post("/register", &form("quentin")).await;
        assert_eq!(registered.status(), 201);
        let tokens = site.mailed_tokens(email).await;
        assert_eq!(site.confirm_email(&tokens[0]).await.status(), 200);
        let right = json!({"email": email, "password": PASSWORD});
        assert_eq!(site.post("/login", &right).await.status(), 200);
        let me = site.get(&format!("{API}/users/me")).await;
        assert_eq!(me.status(), 401);
        let page = site.get("/account/reset-password?token=abcdef").await;
        assert_eq!(page.status(), 200);
        let wrong = json!({"email": "nobody@example.org", "password": "Wrong-Horse-7"});
        for n in 0..7 {
            let response = site.post("/login", &wrong).await;
            assert_eq!(response.status(), if n < 5 { 401 } else { 429 });
        }
    }
}
