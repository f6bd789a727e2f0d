//! The sample accounts of the demo: new accounts, and accounts of an older system with several password hash formats.

use std::path::Path;

use jiff::civil::date;

use super::{DemoError, demo_error};
use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::accounts::deletion;
use crate::accounts::strong_factor::totp::TotpSecret;
use crate::app::App;
use crate::db::StoreError;
use crate::domain::consent::MarketingConsent;
use crate::domain::email::Email;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::secret::Secret;
use crate::domain::support_role::SupportRole;
use crate::domain::username::Username;
use crate::error::ApiError;
use crate::i18n::Language;
use crate::legacy::import::{self, ImportOptions, Progress};
use crate::store::accounts::{self, NewAccount};
use crate::store::{recovery_codes, totp};
use crate::support::lookup::AccountKey;
use crate::support::roles;

/// The password of the new accounts.
pub(super) const PASSWORD: &str = "Moonrise-7";
/// The password of all old accounts. Their supported hashes are test vectors of other programs (testdata/hashes.json).
pub(super) const OLD_PASSWORD: &str = "Password1";

/// The number of recovery codes of an account with an authenticator app.
const RECOVERY_CODES: usize = 3;

const OLD_ACCOUNTS: &str = include_str!("old-accounts.jsonl");

/// Creates an account that can sign in, an account whose email address is not verified, and an account whose deletion
/// is pending.
pub(super) async fn create_accounts(app: &App) -> Result<(), DemoError> {
    create_account(app, "verified", true).await?;
    create_account(app, "unverified", false).await?;
    create_pending_deletion(app).await
}

/// Creates an account whose deletion is pending. If an earlier demo created the account, it is not changed, because a
/// person may have cancelled its deletion.
async fn create_pending_deletion(app: &App) -> Result<(), DemoError> {
    if !create_account(app, "leaving", true).await? {
        return Ok(());
    }
    let email = Email::parse("leaving@demo.example").map_err(|rule| demo_error(rule.as_str()))?;
    let email = &email;
    let requested: Result<(), StoreError> = change(app, Actor::System, |mut change| async move {
        if let Some(account) = accounts::find_by_email(&mut change, email.key()).await? {
            deletion::request_deletion(&mut change, &account).await?;
        }
        change.commit(()).await
    })
    .await;
    requested.map_err(demo_error)
}

/// Creates the account `agent` with an authenticator app, and grants it the support role `admin`.
pub(super) async fn create_support_agent(
    app: &App,
) -> Result<Option<DemoAuthenticator>, DemoError> {
    let authenticator = create_with_authenticator(app, "agent").await?;
    let email = Email::parse("agent@demo.example").map_err(|rule| demo_error(rule.as_str()))?;
    let role = SupportRole::Admin;
    let granted = roles::grant(app, "demo", &AccountKey::Email(email), role).await;
    granted.map_err(|error| demo_error(error.code.as_str()))?;
    Ok(authenticator)
}

pub(super) struct DemoAuthenticator {
    /// The secret in base32.
    pub secret: String,
    /// The code at the start of the demo, which works for a minute.
    pub code: String,
    /// Recovery codes, for people without an authenticator app.
    pub recovery_codes: Vec<String>,
}

/// Creates an account with an authenticator app. If an earlier demo created the account, its authenticator app stays.
pub(super) async fn create_two_step_account(
    app: &App,
) -> Result<Option<DemoAuthenticator>, DemoError> {
    create_with_authenticator(app, "twostep").await
}

async fn create_with_authenticator(
    app: &App,
    name: &str,
) -> Result<Option<DemoAuthenticator>, DemoError> {
    create_account(app, name, true).await?;
    let email = Email::parse(&format!("{name}@demo.example"));
    let email = email.map_err(|rule| demo_error(rule.as_str()))?;
    let error = |error: ApiError| demo_error(error.code.as_str());
    let email = &email;
    let stored: Result<_, ApiError> = change(app, Actor::System, |mut change| async move {
        let Some(account) = accounts::find_by_email(&mut change, email.key()).await? else {
            return change.commit(None).await;
        };
        if totp::find(&mut change, account.id).await?.is_none() {
            let (no_session, now) = (Secret::generate(&app.rng).hash(), change.now);
            TotpSecret::begin_setup(&mut change, account.id, &no_session).await?;
            totp::confirm_setup(&mut change, account.id, 0, now).await?;
        }
        let codes: Vec<_> = (0..RECOVERY_CODES)
            .map(|_| RecoveryCode::generate(&app.rng))
            .collect();
        let hashes: Vec<_> = codes.iter().map(RecoveryCode::hash).collect();
        let now = change.now;
        recovery_codes::replace(&mut change, account.id, &hashes, now).await?;
        let stored = totp::find(&mut change, account.id).await?;
        change
            .commit(stored.map(|stored| (account.id, stored, codes)))
            .await
    })
    .await;
    let Some((account, stored, codes)) = stored.map_err(error)? else {
        return Ok(None);
    };
    let secret = TotpSecret::open(app, account, &stored).map_err(error)?;
    Ok(Some(DemoAuthenticator {
        secret: secret.base32(),
        code: secret.code_at(app.clock.millis().unsigned_abs() / 1000),
        recovery_codes: codes.iter().map(RecoveryCode::expose).collect(),
    }))
}

/// Creates an account. Returns false if an earlier demo has created it.
async fn create_account(app: &App, name: &str, is_verified: bool) -> Result<bool, DemoError> {
    let error = |rule: crate::error::FieldRule| demo_error(rule.as_str());
    let email = Email::parse(&format!("{name}@demo.example")).map_err(error)?;
    let username = Username::parse(name).map_err(error)?;
    let password = Password::new(PASSWORD, LengthPolicy::Default).map_err(error)?;
    let hash = app.hasher.hash(&password, &app.rng).await;
    let hash = hash.map_err(demo_error)?;
    let now = app.clock.millis();
    let mut tx = app.store.write().await.map_err(demo_error)?;
    let account = accounts::find_by_email(&mut tx, email.key()).await;
    // The folder of an earlier demo already contains the accounts, which may have changed.
    if account.map_err(demo_error)?.is_some() {
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
        marketing_consent: MarketingConsent::with_current_text(false, Language::En),
        verified_at: is_verified.then_some(now),
        now,
    };
    accounts::insert(&mut tx, &new).await.map_err(demo_error)?;
    tx.commit().await.map_err(demo_error)?;
    Ok(true)
}

/// Imports old accounts like `account legacy import`. The file stays in the folder of the demo, so that it can be
/// imported again by hand.
pub(super) async fn import_old_accounts(app: &App, folder: &Path) -> Result<(), DemoError> {
    let file = folder.join("old-accounts.jsonl");
    std::fs::write(&file, OLD_ACCOUNTS).map_err(demo_error)?;
    let options = ImportOptions {
        file,
        format: Default::default(),
        rejects: None,
        dry_run: false,
        batch: 100,
    };
    let mut progress = Progress::silent();
    let imported = import::run(&app.store, &app.clock, &app.rng, &options, &mut progress).await;
    imported.map(|_| ()).map_err(demo_error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::hashing::legacy::LegacyHash;

    #[test]
    fn every_old_account_has_the_password_of_the_guide() {
        let mut forms = std::collections::BTreeSet::new();
        for line in OLD_ACCOUNTS.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Ok(hash) = LegacyHash::parse(row["password_hash"].as_str().unwrap()) {
                assert!(hash.verify(OLD_PASSWORD), "{line}");
                forms.insert(hash.scheme());
            }
        }
        assert!(forms.len() >= 8, "{forms:?}");
    }
}
