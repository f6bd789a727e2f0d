//! `security.legacy_sign_in = "silent"`: whoever signs in with the right old password is moved over
//! at once, where nothing has to be asked.

use super::moving::{self, Details};
use super::username;
use crate::api::new_password::refuse_easy;
use crate::api::request_context::RequestContext;
use crate::app::App;
use crate::config::LegacySignIn;
use crate::domain::password::{Minimum, Password};
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, Kind, Order};
use crate::store::accounts::{self, Account};
use crate::store::conflict::repeated;
use crate::store::legacy::{self, LegacyAccount};

/// Moves the account over, if the configuration wants that and the account and the password, which
/// the caller has checked, keep every rule of a migration. None: its person is asked as usual.
pub async fn move_over(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    typed: &str,
) -> Result<Option<Account>, ApiError> {
    if app.config.security.legacy_sign_in != LegacySignIn::Silent {
        return Ok(None);
    }
    let Some((details, password)) = admissible(app, context, old, typed) else {
        return Ok(None);
    };
    let hash = app.hasher.hash(&password, &app.rng).await?;
    repeated(&app.rng, || move_once(app, context, old, &details, &hash)).await
}

async fn move_once(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    details: &Details,
    hash: &str,
) -> Result<Option<Account>, ApiError> {
    let mut tx = app.store.write().await?;
    let Some(old) = legacy::locked(&mut tx, old.id).await? else {
        // Another sign-in of the same person was faster: the next try finds the account.
        return Err(ErrorCode::Busy.into());
    };
    if let Some(own) = username::own(&old)
        && !legacy::username_free(&mut tx, &own.key(), old.id).await?
    {
        return Ok(None);
    }
    let (id, _) = moving::make_account(app, &mut tx, context, &old, details, hash).await?;
    let account = accounts::locked(&mut tx, id).await?;
    if let Some(account) = &account {
        let notice = Order::to(account, Kind::MigratedAtSignIn).at(app.clock.millis());
        mail::queue(app, &mut tx, notice).await?;
    }
    tx.commit().await?;
    Ok(account)
}

fn admissible(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    typed: &str,
) -> Option<(Details, Password)> {
    let details = Details::known(old, moving::today(app))?;
    let name = username::own(old)?;
    let password = Password::new(typed, Minimum::Eight).ok()?;
    refuse_easy(app, &context.region, &password, name.as_str(), &old.email).ok()?;
    (!moving::is_known_minor(app, old)).then_some((details, password))
}
