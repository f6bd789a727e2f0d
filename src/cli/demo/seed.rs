//! The sample accounts of the demo: new ones, and old ones in several hash formats.

use std::path::Path;

use jiff::civil::date;
use serde_json::json;

use super::{DemoError, failed};
use crate::accounts::deletion;
use crate::app::App;
use crate::auth::second_factor::totp::TotpSecret;
use crate::auth::security_log::Actor;
use crate::domain::consent::MarketingConsent;
use crate::domain::email::Email;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::support_role::SupportRole;
use crate::domain::username::Username;
use crate::error::Failure;
use crate::i18n::Language;
use crate::legacy::import::{self, ImportOptions, Progress};
use crate::store::accounts::{self, NewAccount};
use crate::store::totp;
use crate::support::lookup::AccountKey;
use crate::support::roles;

/// The password of the new accounts.
pub(super) const PASSWORD: &str = "Moonrise-7";
/// The password of all old accounts: their hashes were made by other programs
/// (scripts/make_hash_vectors.py).
pub(super) const OLD_PASSWORD: &str = "Password1";

const OLD_ACCOUNTS: &str = include_str!("old-accounts.jsonl");

/// Creates an account that can sign in, one whose address is not verified, and one that will be deleted.
pub(super) async fn accounts(app: &App) -> Result<(), DemoError> {
    account(app, "verified", true).await?;
    account(app, "unverified", false).await?;
    leaving_account(app).await
}

/// Creates an account whose deletion is pending. One of an earlier demo may have been kept by hand since.
async fn leaving_account(app: &App) -> Result<(), DemoError> {
    if !account(app, "leaving", true).await? {
        return Ok(());
    }
    let email = Email::parse("leaving@demo.example").map_err(|rule| failed(rule.as_str()))?;
    let mut tx = app.store.write().await.map_err(failed)?;
    let found = accounts::by_email(&mut tx, email.key()).await;
    if let Some(account) = found.map_err(failed)? {
        let requested = deletion::request(app, &mut tx, &account, Actor::System, json!({})).await;
        requested.map_err(failed)?;
    }
    tx.commit().await.map_err(failed)
}

/// Makes the account `agent` an agent of the support view, and an admin. Returns its authenticator app.
pub(super) async fn support_agent(app: &App) -> Result<Option<DemoApp>, DemoError> {
    let authenticator = with_authenticator(app, "agent").await?;
    let email = Email::parse("agent@demo.example").map_err(|rule| failed(rule.as_str()))?;
    let role = SupportRole::Admin;
    let granted = roles::grant(app, "demo", &AccountKey::Email(email), role).await;
    granted.map_err(|failure| failed(failure.code.as_str()))?;
    Ok(authenticator)
}

/// The authenticator app of an account of the demo.
pub(super) struct DemoApp {
    /// Base32.
    pub secret: String,
    /// The code of this half minute.
    pub code: String,
}

/// Creates an account with an authenticator app. An account of an earlier demo keeps its app.
pub(super) async fn two_step_account(app: &App) -> Result<Option<DemoApp>, DemoError> {
    with_authenticator(app, "twostep").await
}

async fn with_authenticator(app: &App, name: &str) -> Result<Option<DemoApp>, DemoError> {
    account(app, name, true).await?;
    let email = Email::parse(&format!("{name}@demo.example"));
    let email = email.map_err(|rule| failed(rule.as_str()))?;
    let broken = |failure: Failure| failed(failure.code.as_str());
    let mut tx = app.store.write().await.map_err(failed)?;
    let found = accounts::by_email(&mut tx, email.key()).await;
    let Some(account) = found.map_err(failed)? else {
        return Ok(None);
    };
    if totp::find(&mut tx, account.id)
        .await
        .map_err(failed)?
        .is_none()
    {
        let secret = TotpSecret::generate(app);
        secret
            .begin(app, &mut tx, account.id)
            .await
            .map_err(broken)?;
        let confirmed = totp::confirm(&mut tx, account.id, 0, app.clock.millis()).await;
        confirmed.map_err(failed)?;
    }
    let stored = totp::find(&mut tx, account.id).await.map_err(failed)?;
    tx.commit().await.map_err(failed)?;
    let Some(stored) = stored else {
        return Ok(None);
    };
    let secret = TotpSecret::open(app, account.id, &stored).map_err(broken)?;
    Ok(Some(DemoApp {
        code: secret.code_at(app.clock.millis()),
        secret: secret.base32(),
    }))
}

/// Creates an account. Returns false if there is one of an earlier demo.
async fn account(app: &App, name: &str, is_verified: bool) -> Result<bool, DemoError> {
    let broken = |rule: crate::error::Rule| failed(rule.as_str());
    let email = Email::parse(&format!("{name}@demo.example")).map_err(broken)?;
    let username = Username::parse(name).map_err(broken)?;
    let password = Password::new(PASSWORD, LengthPolicy::Default).map_err(broken)?;
    let hash = app.hasher.hash(&password, &app.rng).await;
    let hash = hash.map_err(|failure| failed(failure.code.as_str()))?;
    let now = app.clock.millis();
    let mut tx = app.store.write().await.map_err(failed)?;
    let known = accounts::by_email(&mut tx, email.key()).await;
    // The folder of an earlier demo has its accounts already, possibly changed.
    if known.map_err(failed)?.is_some() {
        return Ok(false);
    }
    let new = NewAccount {
        id: app.rng.id(now),
        email: &email,
        username: &username,
        password_hash: &hash,
        language: Language::En,
        region: &app.config.regions[0].id,
        country: "us",
        zipcode: "90210",
        birthday: date(1990, 1, 1),
        first_name: None,
        last_name: None,
        marketing_consent: MarketingConsent::to_current_text(false, Language::En),
        verified_at: is_verified.then_some(now),
        now,
    };
    accounts::insert(&mut tx, &new).await.map_err(failed)?;
    tx.commit().await.map_err(failed)?;
    Ok(true)
}

/// Imports old accounts with the real importer, from a file in the demo's folder that can be imported
/// again by hand.
pub(super) async fn old_accounts(app: &App, folder: &Path) -> Result<(), DemoError> {
    let file = folder.join("old-accounts.jsonl");
    std::fs::write(&file, OLD_ACCOUNTS).map_err(failed)?;
    let options = ImportOptions {
        file,
        format: Default::default(),
        rejects: None,
        dry_run: false,
        batch: 100,
    };
    let mut silent = Progress::silent();
    let done = import::run(&app.store, &app.clock, &app.rng, &options, &mut silent).await;
    done.map(|_| ()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::legacy::OldHash;

    #[test]
    fn every_old_account_has_the_password_of_the_guide() {
        let mut forms = std::collections::BTreeSet::new();
        for line in OLD_ACCOUNTS.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Ok(hash) = OldHash::parse(row["password_hash"].as_str().unwrap()) {
                assert!(hash.verify(OLD_PASSWORD), "{line}");
                forms.insert(hash.scheme());
            }
        }
        assert!(forms.len() >= 8, "{forms:?}");
    }
}
