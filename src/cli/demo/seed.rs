//! The sample accounts of the demo: new accounts, and accounts of an older system with several password hash formats.

use jiff::civil::date;

use crate::accounts::actor::Actor;
use crate::accounts::change::change;
use crate::accounts::deletion;
use crate::accounts::strong_factor::totp::TotpSecret;
use crate::cli::prelude::*;
use crate::db::StoreError;
use crate::domain::consent::MarketingConsent;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::recovery_code::RecoveryCode;
use crate::domain::secret::Secret;
use crate::domain::support_role::SupportRole;
use crate::domain::username::Username;
use crate::legacy::import::{self, ImportOptions, Progress};
use crate::store::accounts::{self, NewAccount};
use crate::store::{recovery_codes, totp};
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
pub(super) async fn create_accounts(app: &App) -> CommandResult {
    create_account(app, "verified", true).await?;
    create_account(app, "unverified", false).await?;
    let (id, is_new) = create_account(app, "leaving", true).await?;
    // A person may have cancelled the deletion of the account of an earlier demo.
    if is_new {
        change(app, Actor::System, |mut change| async move {
            if let Some(account) = accounts::lock(&mut change, id).await? {
                deletion::request_deletion(&mut change, &account).await?;
            }
            change.commit::<_, StoreError>(()).await
        })
        .await?;
    }
    Ok(())
}

pub(super) struct DemoAuthenticator {
    /// The secret in base32.
    pub secret: String,
    /// The code at the start of the demo, which works for a minute.
    pub code: String,
    /// Recovery codes, for people without an authenticator app.
    pub recovery_codes: Vec<String>,
}

/// Creates the accounts `twostep` and `agent` with authenticator apps, and grants `agent` the support role `admin`.
pub(super) async fn create_accounts_with_apps(
    app: &App,
) -> CommandResult<[(&'static str, DemoAuthenticator); 2]> {
    let (_, two_step) = create_with_authenticator(app, "twostep").await?;
    let (agent, authenticator) = create_with_authenticator(app, "agent").await?;
    roles::grant(app, "demo", &AccountKey::Id(agent), SupportRole::Admin).await?;
    Ok([("twostep", two_step), ("agent", authenticator)])
}

/// Creates an account with an authenticator app. If an earlier demo created the account, its authenticator app stays.
async fn create_with_authenticator(
    app: &App,
    name: &str,
) -> CommandResult<(Uuid, DemoAuthenticator)> {
    let (id, _) = create_account(app, name, true).await?;
    let (stored, codes) = change(app, Actor::System, |mut change| async move {
        let now = change.now;
        if totp::find(&mut change, id).await?.is_none() {
            let no_session = Secret::generate(&app.rng).hash();
            TotpSecret::begin_setup(&mut change, id, &no_session).await?;
            totp::confirm_setup(&mut change, id, 0, now).await?;
        }
        let codes = [(); RECOVERY_CODES].map(|()| RecoveryCode::generate(&app.rng));
        let hashes = codes.each_ref().map(RecoveryCode::hash);
        recovery_codes::replace(&mut change, id, &hashes, now).await?;
        let stored = totp::find(&mut change, id).await?;
        change.commit::<_, ApiError>((stored, codes)).await
    })
    .await?;
    let secret = TotpSecret::open(app, id, &stored.expect("confirmed before"))?;
    let authenticator = DemoAuthenticator {
        secret: secret.base32(),
        code: secret.code_at(app.clock.millis().unsigned_abs() / 1000),
        recovery_codes: codes.iter().map(RecoveryCode::expose).collect(),
    };
    Ok((id, authenticator))
}

/// Creates an account, unless an earlier demo has created it. Returns its id, and whether it is new.
async fn create_account(app: &App, name: &str, is_verified: bool) -> CommandResult<(Uuid, bool)> {
    const VALID: &str = "a valid sample";
    let email = Email::parse(&format!("{name}@demo.example")).expect(VALID);
    let username = Username::parse(name).expect(VALID);
    let password = Password::new(PASSWORD, LengthPolicy::Default).expect(VALID);
    let hash = app.hasher.hash(&password, &app.rng).await;
    let hash = hash.map_err(CommandError::failed)?;
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    if let Some(account) = accounts::find_by_email(&mut tx, email.key()).await? {
        return Ok((account.id, false));
    }
    let id = app.rng.id(now);
    let new = NewAccount {
        id,
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
    accounts::insert(&mut tx, &new).await?;
    tx.commit().await?;
    Ok((id, true))
}

/// Imports old accounts like `account legacy import`. The file stays in the folder of the demo, so that it can be
/// imported again by hand.
pub(super) async fn import_old_accounts(app: &App, folder: &Path) -> CommandResult {
    let file = folder.join("old-accounts.jsonl");
    std::fs::write(&file, OLD_ACCOUNTS)?;
    let options = ImportOptions {
        file,
        format: Default::default(),
        rejects: None,
        dry_run: false,
        batch: 100,
    };
    let mut progress = Progress::silent();
    import::run(&app.store, &app.clock, &app.rng, &options, &mut progress).await?;
    Ok(())
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
