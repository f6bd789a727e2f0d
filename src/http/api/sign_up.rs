//! Registration: checks every rule of specification 5 in its order, independently of the screen.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use jiff::civil::Date;
use serde::Deserialize;

use super::answer::with_min_duration;
use super::body::{Body, lenient_number, lenient_text};
use super::cookies::Setter;
use super::new_password::reject_common;
use super::request_context::RequestContext;
use super::session::Me;
use super::underage::Attempts;
use crate::app::{App, Shared};
use crate::config::Profile;
use crate::db::conflict::repeated;
use crate::db::{Durability, Tx};
use crate::domain::email::Email;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::Secret;
use crate::domain::username::Username;
use crate::domain::{age, country, zipcode};
use crate::error::{ApiError, ErrorCode};
use crate::mail::{self, Kind, MailDetails, OutgoingMail};
use crate::rate_limit::LimitedAction;
use crate::store::accounts::{self, NewAccount};
use crate::store::{devices, legacy, reservations};

/// A missing or mistyped field is an error of that field.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Registration {
    #[serde(default, deserialize_with = "lenient_text")]
    email: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    username: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    password: Option<String>,
    /// Lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "lenient_text")]
    country: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    zipcode: Option<String>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_day: Option<i64>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_month: Option<i64>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_year: Option<i64>,
    #[serde(default)]
    marketing_consent: bool,
}

/// A registration that passed every rule.
struct Valid {
    email: Email,
    username: Username,
    password: Password,
    country: String,
    zipcode: String,
    birthday: Date,
    marketing_consent: bool,
}

/// Creates an account and mails a link that verifies its address. Starts no session.
#[utoipa::path(post, path = "/register", operation_id = "register", tag = "sign_up",
    request_body = Registration,
    responses((status = 201, description = "Created; the address must be verified", body = Me)))]
pub(crate) async fn register(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Registration>,
) -> Result<impl IntoResponse, ApiError> {
    let place = app.hasher.reserve()?;
    repeated(&app.rng, || count(&app, &context)).await?;
    let valid = check(&app, &context, &form)?;
    if app.config.accounts.is_reserved(&valid.username.key()) {
        let field = ("username", ErrorCode::UsernameReserved);
        return Err(ApiError::fields(ErrorCode::UsernameInUse, vec![field]));
    }
    // Hashed before any lookup: a taken address costs as much time as a free one.
    let hash = place.hash(&valid.password, &app.rng).await?;
    let device = context
        .device
        .clone()
        .unwrap_or_else(|| Secret::generate(&app.rng));
    let created = repeated(&app.rng, || create(&app, &context, &valid, &hash, &device));
    with_min_duration(created).await?;
    app.mailer.wake_worker();
    let cookies = Setter::new(&app.config).device(&device).done();
    let me = Me {
        email: valid.email.written().to_owned(),
        username: valid.username.as_str().to_owned(),
    };
    Ok((StatusCode::CREATED, cookies, Json(me)))
}

/// Counts this registration for its network.
async fn count(app: &App, context: &RequestContext) -> Result<(), ApiError> {
    let mut tx = app.store.begin(Durability::ProcessCrash).await?;
    let tries = [LimitedAction::SignUpFrom(context.ip)];
    let asked = app
        .rate_limiter
        .check(&mut tx, &tries, app.clock.millis())
        .await?;
    tx.commit().await?;
    Ok(asked?)
}

/// Creates the account, or returns the reason against it. In profile `strict` only a mail to the
/// address tells the reason.
async fn create(
    app: &App,
    context: &RequestContext,
    valid: &Valid,
    hash: &str,
    device: &Secret,
) -> Result<(), ApiError> {
    let strict = app.config.security.profile == Profile::Strict;
    let mut tx = app.store.write().await?;
    let account = accounts::by_email(&mut tx, valid.email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(&mut tx, valid.email.key()).await?;
    // The username of an unmigrated account counts as taken: it is reserved for the migration.
    let username_taken = accounts::username_taken(&mut tx, &valid.username.key()).await?;
    let mut conflicts = Vec::new();
    if !strict && account.is_some() {
        conflicts.push(("email", ErrorCode::AccountExists));
    } else if !strict && legacy_account.is_some() {
        conflicts.push(("email", ErrorCode::EmailInOldSystem));
    }
    if username_taken {
        conflicts.push(("username", ErrorCode::UsernameInUse));
    }
    // Reserved for a taken address too; otherwise a second registration with the name would reveal that
    // the address is taken.
    let now = app.clock.millis();
    if strict
        && conflicts.is_empty()
        && !reservations::reserve(&mut tx, &valid.username.key(), now).await?
    {
        conflicts.push(("username", ErrorCode::UsernameInUse));
    }
    if let Some((_, code)) = conflicts.first() {
        return Err(ApiError::fields(*code, conflicts));
    }
    match (&account, &legacy_account) {
        (Some(account), _) => {
            mail::queue(app, &mut tx, OutgoingMail::to(account, Kind::AccountExists)).await?;
        }
        (None, Some(old)) => {
            let outgoing = OutgoingMail {
                kind: Kind::LegacyAccountExists,
                subject_id: old.id,
                recipient: &old.email,
                language: context.language,
                region: &context.region,
                details: MailDetails::default(),
            };
            mail::queue(app, &mut tx, outgoing).await?;
        }
        (None, None) => insert(app, &mut tx, context, valid, hash, device).await?,
    }
    Ok(tx.commit().await?)
}

async fn insert(
    app: &App,
    tx: &mut Tx,
    context: &RequestContext,
    valid: &Valid,
    hash: &str,
    device: &Secret,
) -> Result<(), ApiError> {
    let now = app.clock.millis();
    let id = app.rng.id(now);
    let new = NewAccount {
        id,
        email: &valid.email,
        username: &valid.username,
        password_hash: hash,
        language: context.language,
        region: &context.region,
        country: &valid.country,
        zipcode: &valid.zipcode,
        birthday: valid.birthday,
        first_name: None,
        last_name: None,
        marketing_consent: valid.marketing_consent,
        verified_at: None,
        now,
    };
    accounts::insert(tx, &new).await.map_err(taken_meanwhile)?;
    devices::enrol(
        tx,
        app.rng.id(now),
        id,
        &device.hash(),
        &context.device_name(),
        now,
    )
    .await?;
    let outgoing = OutgoingMail {
        kind: Kind::VerifyEmail,
        subject_id: id,
        recipient: valid.email.written(),
        language: context.language,
        region: &context.region,
        details: MailDetails::default(),
    };
    mail::queue(app, tx, outgoing).await?;
    tracing::info!(target: "security", event = "registered", account = %id, ip = %context.ip);
    Ok(())
}

/// The error of a registration that lost a race for a username or an address: the same as a moment
/// later.
fn taken_meanwhile(error: crate::db::StoreError) -> ApiError {
    let failure = ApiError::from(error);
    match failure.code {
        ErrorCode::AccountExists => ApiError::fields(failure.code, vec![("email", failure.code)]),
        ErrorCode::UsernameInUse => {
            ApiError::fields(failure.code, vec![("username", failure.code)])
        }
        _ => failure,
    }
}

fn check(app: &App, context: &RequestContext, form: &Registration) -> Result<Valid, ApiError> {
    let today = app.clock.now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let birthday = match (form.birthday_day, form.birthday_month, form.birthday_year) {
        (Some(day), Some(month), Some(year)) => age::birthday(day, month, year, today),
        _ => Err(ErrorCode::BirthdayInvalid),
    };
    refuse_minors(app, context, birthday, today)?;
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let email = match text(&form.email).trim() {
        "" => Err(ErrorCode::EmailInvalid),
        email => Email::parse(email),
    };
    let username = Username::parse(&text(&form.username));
    let password =
        Password::new(&text(&form.password), LengthPolicy::Default).and_then(|password| {
            let name = username.as_ref().map_or("", Username::as_str);
            let address = email.as_ref().map_or("", Email::written);
            reject_common(app, &context.region, &password, name, address).map(|()| password)
        });
    let (country, zip) = (text(&form.country), text(&form.zipcode));
    let (country, zip) = (country::parse(&country), zipcode::parse(&zip));
    match (email, username, password, country, zip, birthday) {
        (Ok(email), Ok(username), Ok(password), Ok(country), Ok(zip), Ok(birthday)) => Ok(Valid {
            email,
            username,
            password,
            country: country.to_owned(),
            zipcode: zip.to_owned(),
            birthday,
            marketing_consent: form.marketing_consent,
        }),
        (email, username, password, country, zip, birthday) => {
            let wrong = [
                ("email", email.err()),
                ("username", username.err()),
                ("password", password.err()),
                ("country", country.err()),
                ("zipcode", zip.err()),
                ("birthday", birthday.err()),
            ];
            let wrong = wrong
                .into_iter()
                .filter_map(|(name, code)| Some((name, code?)));
            Err(ApiError::fields(
                ErrorCode::ValidationFailed,
                wrong.collect(),
            ))
        }
    }
}

/// Refuses minors. A browser that was refused too often is refused whatever birthday it sends.
fn refuse_minors(
    app: &App,
    context: &RequestContext,
    birthday: Result<Date, ErrorCode>,
    today: Date,
) -> Result<(), ApiError> {
    let attempts = Attempts::of(app, context);
    let is_minor =
        birthday.is_ok_and(|date| !age::is_old_enough(date, app.config.age.registration, today));
    if !is_minor && !attempts.is_limit_reached(app) {
        return Ok(());
    }
    tracing::info!(target: "security", event = "underage_refused");
    let mut failure =
        ApiError::fields(ErrorCode::Underage, vec![("birthday", ErrorCode::Underage)]);
    failure.headers = attempts.plus_one(app);
    Err(failure)
}
