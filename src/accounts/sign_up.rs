//! Registers an account. The server checks every rule of the screen again, because a client may skip the screen.

pub(crate) mod age_refusals;

use jiff::civil::Date;
use serde::Deserialize;

use crate::accounts::new_password::reject_common;
use crate::accounts::prelude::*;
use crate::accounts::session::browser_session;
use crate::accounts::sign_up::age_refusals::UnderageAttempts;
use crate::accounts::timing::with_padded_duration;
use crate::accounts::{security_log, unverified};
use crate::clock::HOUR;
use crate::config::Profile;
use crate::db::conflict::Committed;
use crate::domain::age::AgeForm;
use crate::domain::consent::MarketingConsent;
use crate::domain::email::{self, Email};
use crate::domain::field_errors::FieldErrors;
use crate::domain::form_field::{deserialize_number_or_none, deserialize_secret, deserialize_text};
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::{Secret, SecretHash, SecretInput};
use crate::domain::username::Username;
use crate::domain::{age, country, zipcode};
use crate::error::FieldRule;
use crate::mail::{MailDetails, OutgoingMail};
use crate::store::accounts::{self, NewAccount, RegistrationCorrection};
use crate::store::legacy;
use crate::store::names::{self, Reservation};

/// A missing field, or a field of a wrong type, is reported as an error of that field.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Registration {
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    email: String,
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    username: String,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    password: SecretInput,
    /// The country as a lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    country: String,
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    zipcode: String,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_day: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_month: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_year: Option<i64>,
    #[serde(default)]
    marketing_consent: bool,
    /// The email address of this browser's earlier registration, which is replaced if it is unverified and at most an
    /// hour old. An earlier registration with the same username is replaced even without this field.
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    corrected_email: String,
}

/// A new account, and the device cookie of the browser that registered it.
pub(crate) struct RegisteredAccount {
    pub email: String,
    pub username: String,
    pub device: Secret,
}

struct ValidRegistration {
    email: Email,
    username: Username,
    password: Password,
    country: String,
    zipcode: String,
    birthday: Date,
    marketing_consent: bool,
    corrected_email_key: String,
}

/// The time during which a browser may correct its unverified registration, in milliseconds.
const EMAIL_CORRECTION_PERIOD: i64 = HOUR;

/// Creates an account and mails a link that verifies its email address. No session is started.
pub(crate) async fn register(
    app: &App,
    client: &Client,
    form: &Registration,
) -> ApiResult<RegisteredAccount> {
    let permit = app.hasher.reserve()?;
    app.enforce_rate_limits(&[LimitName::SignUpFrom.of(Subject::Network(client.ip))])
        .await?;
    let valid = validate(app, client, form)?;
    if app.config.accounts.is_reserved(&valid.username.key()) {
        let field = ("username", FieldRule::UsernameReserved);
        return Err(ApiError::fields(ErrorCode::UsernameInUse, vec![field]));
    }
    // The password is hashed before any lookup, so that a taken email address costs as much time as a free one.
    let hash = permit.hash(&valid.password, &app.rng).await?;
    let device = client.device_or_new(&app.rng);
    let work = |change| create(change, client, &valid, &hash, &device);
    with_padded_duration(change(app, client, work)).await?;
    Ok(RegisteredAccount {
        email: valid.email.as_entered().to_owned(),
        username: valid.username.as_str().to_owned(),
        device,
    })
}

/// Creates the account and removes the earlier registration that it corrects. Returns an error for a taken username or
/// email address; profile `strict` reports a taken email address only by a mail to that address.
async fn create(
    mut change: Change<'_>,
    client: &Client,
    valid: &ValidRegistration,
    hash: &str,
    device: &Secret,
) -> ApiResult<Committed<()>> {
    let app = change.app;
    let strict = app.config.security.profile == Profile::Strict;
    let (username_hasher, now) = (&app.username_hasher, change.now);
    let key = valid.username.key();
    let device_hash = device.hash();
    replace_earlier_registrations(&mut change, valid, &device_hash).await?;
    let account = accounts::find_by_email(&mut change, valid.email.key()).await?;
    let legacy_account = legacy::unmigrated_by_email(&mut change, valid.email.key()).await?;
    // The username of an unmigrated account counts as taken, because it is reserved for the migration.
    let username_taken =
        names::is_username_taken(&mut change, username_hasher, &key, None, now).await?;
    let mut conflicts = Vec::new();
    if !strict && account.is_some() {
        conflicts.push((
            ErrorCode::AccountExists,
            ("email", FieldRule::AccountExists),
        ));
    } else if !strict && legacy_account.is_some() {
        conflicts.push((
            ErrorCode::EmailInOldSystem,
            ("email", FieldRule::EmailInOldSystem),
        ));
    }
    // The username is reserved even if the email address is taken; otherwise a second registration with the username
    // would reveal that the address is taken.
    let reservation = Reservation {
        key: &key,
        device: &device_hash,
        lifetime: app.config.lifetimes.unverified_account.millis(),
    };
    let username_taken = username_taken || (strict && !reservation.make(&mut change, now).await?);
    if username_taken {
        conflicts.push((
            ErrorCode::UsernameInUse,
            ("username", FieldRule::UsernameInUse),
        ));
    }
    if let Some((code, _)) = conflicts.first() {
        let code = *code;
        let fields = conflicts.into_iter().map(|(_, field)| field);
        return Err(ApiError::fields(code, fields.collect()));
    }
    match (&account, &legacy_account) {
        (Some(account), _) => {
            change
                .queue_mail(OutgoingMail::to(account, MailKind::AccountExists))
                .await?;
        }
        (None, Some(old)) => {
            let kind = MailKind::LegacyAccountExists;
            let (language, region) = (client.language, &client.region);
            let outgoing = OutgoingMail::to_legacy(old, kind, language, region);
            change.queue_mail(outgoing).await?;
        }
        (None, None) => insert(&mut change, client, valid, hash, device).await?,
    }
    change.commit(()).await
}

/// Removes the earlier registrations of this browser that the new registration corrects.
async fn replace_earlier_registrations(
    change: &mut Change<'_>,
    valid: &ValidRegistration,
    device: &SecretHash,
) -> ApiResult {
    // In the profile `strict`, a repeated registration also replaces the earlier registration of the same email
    // address. Otherwise the response would reveal whether the email address is taken.
    let (kept_email_key, email_key) = match change.app.config.security.profile {
        Profile::Strict => ("", valid.email.key()),
        Profile::Spec => (valid.email.key(), ""),
    };
    let correction = RegistrationCorrection {
        device,
        username_key: &valid.username.key(),
        kept_email_key,
        email_keys: [email_key, &valid.corrected_email_key],
        made_after: change.now - EMAIL_CORRECTION_PERIOD,
    };
    Ok(unverified::remove_corrected_registrations(change, &correction).await?)
}

async fn insert(
    change: &mut Change<'_>,
    client: &Client,
    valid: &ValidRegistration,
    hash: &str,
    device: &Secret,
) -> ApiResult {
    let now = change.now;
    let id = change.new_id();
    let new = NewAccount {
        id,
        email: &valid.email,
        username: &valid.username,
        password_hash: hash,
        language: client.language,
        region: &client.region,
        country: &valid.country,
        zipcode: &valid.zipcode,
        birthday: valid.birthday,
        first_name: None,
        last_name: None,
        marketing_consent: MarketingConsent::with_current_text(
            valid.marketing_consent, client.language,
        ),
        verified_at: None,
        now,
    };
    accounts::insert(change, &new)
        .await
        .map_err(unique_violation_error)?;
    browser_session::enrol(change, client, id, device).await?;
    let outgoing = OutgoingMail {
        kind: MailKind::VerifyEmail,
        subject_id: id,
        recipient: valid.email.as_entered(),
        language: client.language,
        region: &client.region,
        details: MailDetails::default(),
    };
    change.queue_first_mail(outgoing).await?;
    change.set_device(device);
    Ok(security_log::record(change, SecurityEvent::Registered, id).await?)
}

/// A parallel registration has taken the username or the email address. The error equals that of a later registration.
fn unique_violation_error(error: crate::db::StoreError) -> ApiError {
    let error = ApiError::from(error);
    match error.code {
        ErrorCode::AccountExists => {
            ApiError::fields(error.code, vec![("email", FieldRule::AccountExists)])
        }
        ErrorCode::UsernameInUse => {
            ApiError::fields(error.code, vec![("username", FieldRule::UsernameInUse)])
        }
        _ => error,
    }
}

fn validate(app: &App, client: &Client, form: &Registration) -> ApiResult<ValidRegistration> {
    let today = app.clock.today();
    let birthday = match (form.birthday_day, form.birthday_month, form.birthday_year) {
        (Some(day), Some(month), Some(year)) => age::birthday(day, month, year, today),
        _ => Err(FieldRule::BirthdayInvalid),
    };
    refuse_minors(app, client, birthday, today)?;
    let mut wrong = FieldErrors::default();
    // Missing and invalid email addresses share one message.
    let email = wrong.take(
        "email",
        Email::parse(&form.email).map_err(|_| FieldRule::EmailInvalid),
    );
    let username = wrong.take("username", Username::parse(&form.username));
    let password =
        Password::new(form.password.expose(), LengthPolicy::Default).and_then(|password| {
            let name = username.as_ref().map_or("", Username::as_str);
            let address = email.as_ref().map_or("", Email::as_entered);
            reject_common(app, &client.region, &password, name, address).map(|()| password)
        });
    let password = wrong.take("password", password);
    let country = wrong.take("country", country::parse(&form.country));
    let zipcode = wrong.take("zipcode", zipcode::parse(&form.zipcode));
    let birthday = wrong.take("birthday", birthday);
    let valid = || {
        Some(ValidRegistration {
            email: email?,
            username: username?,
            password: password?,
            country: country?.to_owned(),
            zipcode: zipcode?,
            birthday: birthday?,
            marketing_consent: form.marketing_consent,
            corrected_email_key: email::lookup_key(&form.corrected_email),
        })
    };
    valid().ok_or_else(|| ApiError::fields(ErrorCode::ValidationFailed, wrong.0))
}

/// Returns `underage` for a minor. A browser that was refused too often gets this error for every birthday.
fn refuse_minors(
    app: &App,
    client: &Client,
    birthday: Result<Date, FieldRule>,
    today: Date,
) -> ApiResult {
    let attempts = UnderageAttempts::of(app, client, AgeForm::Registration);
    let is_minor =
        birthday.is_ok_and(|date| !age::is_old_enough(date, app.config.age.registration, today));
    if !is_minor && !attempts.is_limit_reached() {
        return Ok(());
    }
    tracing::info!(target: "security", event = "underage_refused");
    let mut error = ApiError::fields(ErrorCode::Underage, vec![("birthday", FieldRule::Underage)]);
    error.headers.age_refusals = Some(attempts.increment(app));
    Err(error)
}
