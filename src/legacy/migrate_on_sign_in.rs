//! Migration at sign-in (`security.legacy_sign_in = "silent"`): the right old password migrates an
//! account at once if no detail is missing.

use super::migration::{self, AccountDetails};
use super::username;
use crate::app::App;
use crate::config::LegacySignIn;
use crate::db::conflict::repeated;
use crate::domain::password::{LengthPolicy, Password};
use crate::error::{ApiError, ErrorCode};
use crate::http::api::new_password::reject_common;
use crate::http::api::request_context::RequestContext;
use crate::mail::{self, Kind, OutgoingMail};
use crate::store::accounts::{self, Account};
use crate::store::legacy::{self, LegacyAccount};

/// Migrates the account, if the configuration allows it and account and password satisfy every rule of
/// a migration. The caller has verified the password. None: the usual migration by mail is needed.
pub(crate) async fn migrate(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    input: &str,
) -> Result<Option<Account>, ApiError> {
    if app.config.security.legacy_sign_in != LegacySignIn::Silent {
        return Ok(None);
    }
    let Some((details, password)) = eligible(app, context, old, input) else {
        return Ok(None);
    };
    let hash = app.hasher.hash(&password, &app.rng).await?;
    repeated(&app.rng, || {
        migrate_once(app, context, old, &details, &hash)
    })
    .await
}

async fn migrate_once(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    details: &AccountDetails,
    hash: &str,
) -> Result<Option<Account>, ApiError> {
    let mut tx = app.store.write().await?;
    let Some(old) = legacy::locked(&mut tx, old.id).await? else {
        // A parallel sign-in has migrated the account; the next attempt will find it.
        return Err(ErrorCode::Busy.into());
    };
    if let Some(existing) = username::existing(&old)
        && !legacy::username_free(&mut tx, &existing.key(), old.id).await?
    {
        return Ok(None);
    }
    let (id, _) = migration::make_account(app, &mut tx, context, &old, details, hash).await?;
    let account = accounts::locked(&mut tx, id).await?;
    if let Some(account) = &account {
        let notice = OutgoingMail::to(account, Kind::MigratedAtSignIn).at(app.clock.millis());
        mail::queue(app, &mut tx, notice).await?;
    }
    tx.commit().await?;
    Ok(account)
}

fn eligible(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    input: &str,
) -> Option<(AccountDetails, Password)> {
    let details = AccountDetails::from_legacy(old, migration::today(app))?;
    let name = username::existing(old)?;
    let password = Password::new(input, LengthPolicy::Migration).ok()?;
    reject_common(app, &context.region, &password, name.as_str(), &old.email).ok()?;
    (!migration::is_known_minor(app, old)).then_some((details, password))
}
