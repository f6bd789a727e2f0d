//! The provider as programs on the database of a test: nodes that can be killed, and commands beside them.

use account::testing::clock::{Clock, rfc3339};

use super::{CALLBACK, SECRET, TOKEN, basic_auth, digest, site_with_provider, text_value, wiki};
use crate::prelude::*;
use crate::support::process::Caller;

/// A lost response can be fetched again for an hour.
const SETTINGS: &str = "[oidc]\nenabled = true\nrefresh_grace = '1h'\n\
    [[oidc.clients]]\nid = 'wiki'\nname = 'wiki of ours'\n\
    scopes = ['openid', 'profile', 'email', 'offline_access']\n";

pub struct Installation {
    db: Database,
    /// Queries the database. Its clock is fixed at the start of the test.
    pub site: Site,
    key_file: String,
}

impl Installation {
    pub async fn prepare(db: &Database) -> Installation {
        // Sessions must be live by the clock of the programs.
        let now = rfc3339(Clock::System.millis());
        db.site().await.set_clock(&now);
        let site = site_with_provider(db).await;
        let secret = format!("secret_sha256 = '{}'", digest(SECRET));
        let settings = format!("{SETTINGS}{secret}\nredirect_uris = ['{CALLBACK}']\n");
        write(db.folder(), "account.toml", settings);
        let key_file = site.app.config.security.encryption_key_file.clone();
        Installation {
            db: db.clone(),
            site,
            key_file: key_file.to_str().unwrap().to_owned(),
        }
    }

    /// Signs a person in to the wiki `count` times. Returns the refresh tokens, each of its own family.
    pub async fn sign_ins(&self, count: usize) -> Vec<String> {
        let ada = self.site.signed_in("ada").await;
        let mut tokens = Vec::new();
        for _ in 0..count {
            let response = wiki().tokens(&self.site, &ada.browser).await;
            tokens.push(text_value(&response, "refresh_token"));
        }
        tokens
    }

    fn settings<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [
            ("ACCOUNT_DATABASE__URL", self.db.url()),
            ("ACCOUNT_LIMITS__ENABLED", "false"),
            ("ACCOUNT_SECURITY__ENCRYPTION_KEY_FILE", &self.key_file),
        ];
        [&own[..], more].concat()
    }

    pub async fn serve(&self, more: &[(&str, &str)]) -> Process {
        let line = "serve --config account.toml";
        Process::serve_with(self.db.folder(), line, &self.settings(more)).await
    }

    /// Runs `account oidc keys`. Returns the keys that sign with RS256, in their order.
    pub fn keys(&self, arguments: &str) -> Vec<Value> {
        let line = format!("oidc keys --json --config account.toml {arguments}");
        let (listed, _) = run_to_success(self.db.folder(), &line, &self.settings(&[]));
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let keys = listed["keys"].list().iter();
        keys.filter(|key| key["alg"] == "RS256").cloned().collect()
    }
}

/// Exchanges a refresh token. Returns status and body, or nothing if the server is killed meanwhile.
pub async fn exchange_refresh_token(
    caller: &Caller,
    url: &str,
    token: &str,
) -> Option<(u16, Value)> {
    let body = format!("grant_type=refresh_token&refresh_token={token}");
    let (address, proof) = (format!("{url}{TOKEN}"), basic_auth("wiki", SECRET));
    let response = caller.form(&address, &proof, body).await.ok()?;
    let status = response.status().as_u16();
    let body = response.text().await.ok()?;
    Some((status, serde_json::from_str(&body).unwrap()))
}
