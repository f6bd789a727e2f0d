//! Checks and stores a new password of an existing account, for password resets and for the settings.

use crate::accounts::pending;
use crate::accounts::prelude::*;
use crate::config::CommonPasswords;
use crate::db::Result as StoreResult;
use crate::domain::common_passwords;
use crate::domain::password::{LengthPolicy, Password};
use crate::error::FieldRule;
use crate::store::accounts;
use crate::store::devices;

/// The hash of a password that satisfies every rule.
pub(crate) struct NewPassword {
    hash: String,
}

/// Checks the rules in the order in which the screens show one error at a time: required, length, letters, digit,
/// confirmation.
pub(crate) fn check(
    app: &App,
    account: &Account,
    typed: &str,
    confirmation: &str,
) -> ApiResult<Password> {
    if typed.is_empty() {
        return Err(ApiError::broken_rule(FieldRule::PasswordMissing));
    }
    let password = Password::new(typed, LengthPolicy::Default).map_err(ApiError::broken_rule)?;
    if !password.is_confirmed_by(confirmation) {
        return Err(ApiError::broken_rule(FieldRule::PasswordsDiffer));
    }
    let (username, email) = (account.username.as_str(), account.email.as_str());
    reject_common(app, &account.region, &password, username, email)
        .map_err(ApiError::broken_rule)?;
    Ok(password)
}

/// Rejects common passwords and passwords that contain the brand, the username or a part of the email address, if
/// `security.common_passwords` requires it.
pub(crate) fn reject_common(
    app: &App,
    region: &str,
    password: &Password,
    username: &str,
    email: &str,
) -> Result<(), FieldRule> {
    if app.config.common_passwords() == CommonPasswords::Advise {
        return Ok(());
    }
    let brand = &app.config.region_by_id(region).brand;
    let (local, domain) = email.split_once('@').unwrap_or((email, ""));
    // A top-level domain such as "com" is not personal.
    let domain = domain.rsplit_once('.').map_or(domain, |(name, _)| name);
    match common_passwords::is_guessable(password.as_str(), &[brand, username, local, domain]) {
        true => Err(FieldRule::PasswordCommon),
        false => Ok(()),
    }
}

/// The number of earlier passwords that a person cannot use again, in addition to the current one.
const EARLIER_PASSWORDS: u32 = 4;

/// Rejects the current password and the earlier passwords of the history, then hashes the new password.
pub(crate) async fn hash(
    app: &App,
    account: &Account,
    password: Password,
) -> ApiResult<NewPassword> {
    if app
        .hasher
        .verify(&password, Some(&account.password_hash))
        .await?
    {
        return Err(ErrorCode::PasswordEqualsCurrent.into());
    }
    let mut tx = app.store.read().await?;
    let history = accounts::password_history(&mut tx, account.id, EARLIER_PASSWORDS).await?;
    drop(tx);
    if !history.is_empty() && app.hasher.verify_any_hash(&password, history).await? {
        return Err(ErrorCode::PasswordReused.into());
    }
    let hash = app.hasher.hash(&password, &app.rng).await?;
    Ok(NewPassword { hash })
}

/// Stores the password, invalidates the account's mailed links, and ends the trust in all devices. Returns `None` if
/// another request has changed the password since `checked` was read.
pub(crate) async fn save(
    change: &mut Change<'_>,
    checked: &Account,
    new: &NewPassword,
) -> StoreResult<Option<Account>> {
    let Some(account) = accounts::lock(change, checked.id).await? else {
        return Ok(None);
    };
    if account.password_hash != checked.password_hash {
        return Ok(None);
    }
    let number = change.next_number(&account).await?;
    accounts::set_password(change, &account, &new.hash, EARLIER_PASSWORDS, number).await?;
    pending::revoke_links(change, &account).await?;
    devices::end_trust(change, account.id).await?;
    Ok(Some(account))
}
