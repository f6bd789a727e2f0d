//! Migration of an old account: the request for a link, and the choice of a password with it.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::answer::with_min_duration;
use super::body::{Body, lenient_text};
use super::cookies::Setter;
use super::email_verification::{Address, check_limits_and_parse};
use super::new_password::reject_common;
use super::request_context::RequestContext;
use super::session::Me;
use crate::app::{App, Shared};
use crate::db::conflict::repeated;
use crate::domain::email::Email;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::{Secret, SecretHash};
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Message;
use crate::legacy::migration::{self, AccountDetails};
use crate::mail::{self, Kind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::legacy::{self, LegacyAccount};
use crate::store::tokens::{self, Purpose, Redemption};
use crate::store::{accounts, devices};

#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MigrationCode {
    MigrationSent,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct MigrationAsked {
    message: &'static str,
    code: MigrationCode,
}

/// Mails a migration link if there is an old account with this address.
#[utoipa::path(post, path = "/migration", operation_id = "migration", tag = "migration",
    request_body = Address,
    responses((status = 200, description = "The same for every address", body = MigrationAsked)))]
pub(crate) async fn request(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Address>,
) -> Result<Json<MigrationAsked>, ApiError> {
    let email =
        Email::parse(&form.email).map_err(|_| ApiError::rule(ErrorCode::EmailInvalidMigration))?;
    with_min_duration(repeated(&app.rng, || ask(&app, &context, &email))).await?;
    Ok(Json(MigrationAsked {
        message: Message::AnswerMigrationSent.text(context.language),
        code: MigrationCode::MigrationSent,
    }))
}

async fn ask(app: &App, context: &RequestContext, email: &Email) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let mut tx = app.store.write().await?;
    let tries = [
        LimitedAction::ResetFrom(context.ip),
        LimitedAction::ResetOf(email.key()),
    ];
    if let Err(limited) = app.rate_limiter.check(&mut tx, &tries, now).await? {
        tx.commit().await?;
        return Err(limited.into());
    }
    let has_account = accounts::is_verified(&mut tx, email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(&mut tx, email.key()).await?;
    if let (Some(old), false) = (legacy_account, has_account) {
        let (kind, other) = match AccountDetails::from_legacy(&old, migration::today(app)) {
            Some(_) => (Kind::Migrate, Kind::CompleteMigration),
            None => (Kind::CompleteMigration, Kind::Migrate),
        };
        // A further import may have changed the kind of link, so the link of the other kind ends.
        mail::end_link(&mut tx, old.id, other).await?;
        legacy::mark_opened(&mut tx, old.id, now).await?;
        mail::queue(app, &mut tx, migration_mail(context, &old, kind)).await?;
        tracing::info!(target: "security", event = "migration_asked", legacy = %old.id, ip = %context.ip);
    }
    tx.commit().await?;
    app.mailer.wake_worker();
    Ok(())
}

fn migration_mail<'a>(
    context: &'a RequestContext,
    old: &'a LegacyAccount,
    kind: Kind,
) -> OutgoingMail<'a> {
    OutgoingMail {
        kind,
        subject_id: old.id,
        recipient: &old.email,
        language: migration::language(old, context.language),
        region: &context.region,
        details: mail::MailDetails::default(),
    }
}

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct MigrationForm {
    #[serde(default, deserialize_with = "lenient_text")]
    token: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    password: Option<String>,
    /// Compared with `password` if sent; the specification leaves the comparison to the screen.
    #[serde(default, deserialize_with = "lenient_text")]
    confirm_password: Option<String>,
}

/// Migrates an account whose details are all known; only a password is chosen. Starts no session.
#[utoipa::path(post, path = "/migration/confirm", operation_id = "confirm_migration", tag = "migration",
    request_body = MigrationForm,
    responses((status = 200, description = "Migrated; the new password is in force", body = Me)))]
pub(crate) async fn confirm(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<MigrationForm>,
) -> Result<impl IntoResponse, ApiError> {
    let tries = [LimitedAction::ConfirmFrom("migration-confirm", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, form.token.as_deref()).await?;
    let link = MigrationLink {
        hash,
        purpose: Purpose::Migration,
        tries: &tries,
    };
    let old = repeated(&app.rng, || link.legacy_account(&app)).await?;
    let details =
        AccountDetails::from_legacy(&old, migration::today(&app)).ok_or(ErrorCode::InvalidToken)?;
    let new = form.password.as_deref().unwrap_or_default();
    let password =
        Password::with_length_check(new, LengthPolicy::Migration).map_err(ApiError::rule)?;
    let confirmation = form.confirm_password.as_deref();
    if !confirmation.is_none_or(|text| password.is_confirmed_by(text)) {
        return Err(ApiError::rule(ErrorCode::PasswordsDiffer));
    }
    let name = old.username.as_deref().unwrap_or_default();
    reject_common(&app, &context.region, &password, name, &old.email).map_err(ApiError::rule)?;
    if migration::is_known_minor(&app, &old) {
        repeated(&app.rng, || refuse(&app, &old)).await?;
        return Err(ErrorCode::Underage.into());
    }
    link.complete(&app, &context, &details, &password).await
}

/// Marks the old account of a minor as refused. It stays as it is.
pub(super) async fn refuse(app: &App, old: &LegacyAccount) -> Result<(), ApiError> {
    let mut tx = app.store.write().await?;
    legacy::mark_refused(&mut tx, old.id, app.clock.millis()).await?;
    tx.commit().await?;
    tracing::info!(target: "security", event = "migration_refused", legacy = %old.id);
    Ok(())
}

/// A mailed migration link in use.
pub(super) struct MigrationLink<'a> {
    pub hash: SecretHash,
    pub purpose: Purpose,
    /// Refunded if the link is valid.
    pub tries: &'a [LimitedAction<'a>],
}

/// The number of attempts if another migration takes the same free username at the same time.
const USERNAME_TRIES: u32 = 5;

impl MigrationLink<'_> {
    /// The account of the link. Does not redeem it: a form with a mistake leaves the link usable.
    pub(super) async fn legacy_account(&self, app: &App) -> Result<LegacyAccount, ApiError> {
        let now = app.clock.millis();
        let mut tx = app.store.write().await?;
        let token = tokens::live(&mut tx, &self.hash, self.purpose, now)
            .await?
            .ok_or(ErrorCode::InvalidToken)?;
        let old = legacy::locked(&mut tx, token.subject_id)
            .await?
            .ok_or(ErrorCode::InvalidToken)?;
        legacy::mark_opened(&mut tx, old.id, now).await?;
        tx.commit().await?;
        Ok(old)
    }

    /// Redeems the link and makes the account in one transaction.
    pub(super) async fn complete(
        &self,
        app: &App,
        context: &RequestContext,
        details: &AccountDetails,
        password: &Password,
    ) -> Result<(HeaderMap, Json<Me>), ApiError> {
        let hash = app.hasher.hash(password, &app.rng).await?;
        for _ in 1..USERNAME_TRIES {
            match repeated(&app.rng, || {
                self.complete_once(app, context, details, &hash)
            })
            .await
            {
                Err(failure) if failure.code == ErrorCode::UsernameInUse => {}
                done => return done,
            }
        }
        repeated(&app.rng, || {
            self.complete_once(app, context, details, &hash)
        })
        .await
    }

    async fn complete_once(
        &self,
        app: &App,
        context: &RequestContext,
        details: &AccountDetails,
        password_hash: &str,
    ) -> Result<(HeaderMap, Json<Me>), ApiError> {
        let now = app.clock.millis();
        let mut tx = app.store.write().await?;
        let redemption = tokens::redeem(&mut tx, &self.hash, self.purpose, now).await?;
        let Redemption::Redeemed(token) = redemption else {
            return Err(ErrorCode::InvalidToken.into());
        };
        let old = legacy::locked(&mut tx, token.subject_id)
            .await?
            .ok_or(ErrorCode::InvalidToken)?;
        let made = migration::make_account(app, &mut tx, context, &old, details, password_hash);
        let (account, me) = made.await?;
        let cookie = context
            .device
            .clone()
            .unwrap_or_else(|| Secret::generate(&app.rng));
        let (id, name) = (app.rng.id(now), &context.device_name());
        devices::enrol(&mut tx, id, account, &cookie.hash(), name, now).await?;
        app.rate_limiter.refund(&mut tx, self.tries).await?;
        tx.commit().await?;
        Ok((Setter::new(&app.config).device(&cookie).done(), Json(me)))
    }
}
