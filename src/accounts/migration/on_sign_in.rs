//! Migrates an account at sign-in (`security.legacy_sign_in = "silent"`): the right old password migrates the account
//! immediately if no detail is missing.

use crate::accounts::migration::{self, AccountDetails, username};
use crate::accounts::new_password::reject_common;
use crate::accounts::prelude::*;
use crate::config::LegacySignIn;
use crate::domain::password::{LengthPolicy, Password};
use crate::mail::OutgoingMail;
use crate::store::accounts;
use crate::store::legacy::{self, LegacyAccount};

/// Migrates the account, if the configuration allows it and account and password satisfy every rule of a migration. The
/// caller has verified the password. Returns `None` if the account must be migrated by mail.
pub(crate) async fn migrate(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
    input: &str,
) -> ApiResult<Option<Account>> {
    if app.config.security.legacy_sign_in != LegacySignIn::Silent {
        return Ok(None);
    }
    let Some((details, password)) = check_eligible(app, client, old, input) else {
        return Ok(None);
    };
    let (details, hash) = (&details, &app.hasher.hash(&password, &app.rng).await?);
    let migrated = migration::repeat_if_username_taken(app, client, |mut change| async move {
        let Some(old) = legacy::lock(&mut change, old.id).await? else {
            // A parallel sign-in has migrated the account. The next attempt finds the new account.
            return Err(ErrorCode::Busy.into());
        };
        if let Some(existing) = username::existing_username(&old)
            && !username::is_free(&mut change, &existing, &old).await?
        {
            return change.commit(None).await;
        }
        let migrated = migration::make_account(&mut change, client, &old, details, hash).await?;
        let account = accounts::lock(&mut change, migrated.id).await?;
        if let Some(account) = &account {
            let notice = OutgoingMail::to(account, MailKind::MigratedAtSignIn).at(change.now);
            change.queue_mail(notice).await?;
        }
        change.commit(account).await
    });
    migrated.await.map_err(|error| match error.code {
        // A parallel transaction has taken the username or the email address. The next attempt finds the new account.
        ErrorCode::UsernameInUse | ErrorCode::AccountExists => ErrorCode::Busy.into(),
        _ => error,
    })
}

fn check_eligible(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
    input: &str,
) -> Option<(AccountDetails, Password)> {
    let details = AccountDetails::from_legacy(old, app.clock.today())?;
    let name = username::existing_username(old)?;
    let password = Password::new(input, LengthPolicy::Migration).ok()?;
    reject_common(app, &client.region, &password, name.as_str(), &old.email).ok()?;
    (!migration::is_known_minor(app, old)).then_some((details, password))
}
