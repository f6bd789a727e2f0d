//! Handles the completion form, which asks for a password and for the details that the legacy account lacks.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::accounts::mailed_link::MailedLink;
use crate::accounts::migration::link::{MigrationLink, record_refused_minor};
use crate::accounts::migration::{self, AccountDetails, MigratedAccount};
use crate::accounts::new_password::reject_common;
use crate::accounts::prelude::*;
use crate::accounts::sign_up::age_refusals::UnderageAttempts;
use crate::config::CompletionVariant;
use crate::domain::age::AgeForm;
use crate::domain::consent::MarketingConsent;
use crate::domain::field_errors::FieldErrors;
use crate::domain::form_field::{
    deserialize_nullable_number, deserialize_nullable_text, deserialize_number_or_none,
    deserialize_secret, deserialize_text,
};
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::secret::{Secret, SecretInput};
use crate::domain::{age, country, visible_text, zipcode};
use crate::error::FieldRule;
use crate::i18n::Message;
use crate::store::legacy::{self, LegacyAccount};
use crate::store::tokens::{Purpose, Token};

/// The details of the legacy account that the completion form shows. A detail is null if the older system did not store
/// it or the form does not ask for it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct KnownDetails {
    first_name: Option<String>,
    last_name: Option<String>,
    country: Option<String>,
    birthday_day: Option<i64>,
    birthday_month: Option<i64>,
    birthday_year: Option<i64>,
    zipcode: Option<String>,
}

/// Returns the known details of the legacy account that a valid completion link belongs to, or `None` for the token of
/// any other link. The short form gets neither names nor the day of birth, because it does not ask for them.
pub(crate) async fn find_known_details(
    app: &App,
    client: &Client,
    token: &Token,
) -> ApiResult<Option<KnownDetails>> {
    let mut tx = app.store.read().await?;
    let old = legacy::find_unmigrated(&mut tx, token.subject_id).await?;
    let is_full = app.config.region_by_id(&client.region).migration_form == CompletionVariant::Full;
    Ok(old.map(|old| KnownDetails {
        first_name: old.first_name.filter(|_| is_full),
        last_name: old.last_name.filter(|_| is_full),
        country: old.country,
        birthday_day: old.birthday_day.filter(|_| is_full),
        birthday_month: old.birthday_month,
        birthday_year: old.birthday_year,
        zipcode: old.zipcode,
    }))
}

/// A missing field, or a field of a wrong type, is reported as an error of that field. A body with a name or a day of
/// birth comes from the full form, and any other body from the short form.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Completion {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    #[serde(default, deserialize_with = "deserialize_nullable_text")]
    first_name: Option<String>,
    #[serde(default, deserialize_with = "deserialize_nullable_text")]
    last_name: Option<String>,
    /// The country as a lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    country: String,
    #[serde(default, deserialize_with = "deserialize_nullable_number")]
    #[schema(value_type = Option<i64>)]
    birthday_day: Option<Option<i64>>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_month: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_year: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_text")]
    #[schema(value_type = Option<String>)]
    zipcode: String,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    password: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    confirm_password: SecretInput,
    #[serde(default)]
    marketing_consent: bool,
}

/// The maximum length of a first or last name.
pub(crate) const MAX_NAME_CHARS: usize = 100;

/// Migrates an account that lacks details, with the details from the form. No session is started. `cookie` becomes the
/// browser's device cookie.
pub(crate) async fn complete(
    app: &App,
    client: &Client,
    cookie: &Secret,
    form: &Completion,
) -> ApiResult<MigratedAccount> {
    let link = MailedLink::open(app, client, "migration-complete", form.token.expose()).await;
    let link = MigrationLink {
        link: link.map_err(with_link_message)?,
        purpose: Purpose::Completion,
    };
    let old = link
        .legacy_account(app, client)
        .await
        .map_err(with_link_message)?;
    let birthday = check_birthday(app, &old, form);
    refuse_minors(app, client, &old, form, birthday).await?;
    let (details, password) = check_form(app, client, &old, form, birthday)?;
    let completed = link.complete(app, client, cookie, &details, &password);
    completed.await.map_err(with_link_message)
}

/// Replaces the message of `invalid_token` by the message for an invalid migration link.
fn with_link_message(error: ApiError) -> ApiError {
    error.reword(ErrorCode::InvalidToken, Message::ErrorMigrationLinkInvalid)
}

impl Completion {
    /// Returns whether the form is the short one, which asks for neither the name nor the day of birth.
    fn is_short_form(&self) -> bool {
        self.first_name.is_none() && self.last_name.is_none() && self.birthday_day.is_none()
    }
}

/// Returns the birthday from the form. For the short form, which has no day, the day of the legacy account's birthday
/// is used if it is in the same month, otherwise the first day of the month.
fn check_birthday(app: &App, old: &LegacyAccount, form: &Completion) -> Result<Date, FieldRule> {
    let today = app.clock.today();
    let (Some(month), Some(year)) = (form.birthday_month, form.birthday_year) else {
        return Err(FieldRule::BirthdayInvalid);
    };
    if !form.is_short_form() {
        let day = form
            .birthday_day
            .flatten()
            .ok_or(FieldRule::BirthdayInvalid)?;
        return age::birthday(day, month, year, today);
    }
    let first = age::birthday(1, month, year, today)?;
    let legacy_birthday = migration::birthday(old, today);
    Ok(legacy_birthday
        .filter(|date| date.first_of_month() == first)
        .unwrap_or(first))
}

/// Refuses a minor by the birthday in the form or in the legacy account. A browser that was refused too often gets
/// `too_many_attempts`, so that a minor cannot try many birthdays. The short form does not ask for the day of birth, so
/// it counts the age from the first day of the birth month.
async fn refuse_minors(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
    form: &Completion,
    birthday: Result<Date, FieldRule>,
) -> ApiResult {
    let attempts = UnderageAttempts::of(app, client, AgeForm::Migration);
    if attempts.is_limit_reached() {
        return Err(ErrorCode::TooManyAttempts.into());
    }
    let (today, minimum_age) = (app.clock.today(), app.config.age.migration);
    let mut birthdays = birthday
        .ok()
        .into_iter()
        .chain(migration::birthday(old, today));
    let is_minor = |birthday: Date| {
        let counted = match form.is_short_form() {
            true => birthday.first_of_month(),
            false => birthday,
        };
        !age::is_old_enough_by_calendar(counted, minimum_age, today)
    };
    if !birthdays.any(is_minor) {
        return Ok(());
    }
    record_refused_minor(app, client, old).await?;
    let mut error = ApiError::fields(ErrorCode::Underage, vec![("birthday", FieldRule::Underage)]);
    error.headers.age_refusals = Some(attempts.increment(app));
    Err(error)
}

fn check_form(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
    form: &Completion,
    birthday: Result<Date, FieldRule>,
) -> ApiResult<(AccountDetails, Password)> {
    let zip = form.zipcode.as_str();
    let rule = app.config.region_by_id(&client.region).migration_zip;
    let (first, last, zip) = match form.is_short_form() {
        true => (
            Ok(old.first_name.clone()),
            Ok(old.last_name.clone()),
            zipcode::parse(zip),
        ),
        false => (
            parse_name(form.first_name.as_deref().unwrap_or_default()).map(Some),
            parse_name(form.last_name.as_deref().unwrap_or_default()).map(Some),
            zipcode::parse_migration(zip, rule),
        ),
    };
    let mut wrong = FieldErrors::default();
    let country = wrong.take("country", country::parse(&form.country));
    let first_name = wrong.take("first_name", first);
    let last_name = wrong.take("last_name", last);
    let birthday = wrong.take("birthday", birthday);
    let zipcode = wrong.take("zipcode", zip);
    let password = wrong.take("password", check_password(app, client, old, form));
    let valid = || {
        let details = AccountDetails {
            first_name: first_name?,
            last_name: last_name?,
            country: country?.to_owned(),
            zipcode: zipcode?,
            birthday: birthday?,
            marketing_consent: MarketingConsent::with_current_text(
                form.marketing_consent, client.language,
            ),
        };
        Some((details, password?))
    };
    valid().ok_or_else(|| ApiError::fields(ErrorCode::ValidationFailed, wrong.0))
}

pub(crate) fn parse_name(text: &str) -> Result<String, FieldRule> {
    if visible_text::trim(text).is_empty() {
        return Err(FieldRule::MissingField);
    }
    let name = visible_text::parse_name(text, MAX_NAME_CHARS).ok_or(FieldRule::ValidationFailed)?;
    Ok(name.to_owned())
}

/// The full form first compares the confirmation, and has one message for all password rules. The short form has one
/// message per rule, and compares the confirmation last.
fn check_password(
    app: &App,
    client: &Client,
    old: &LegacyAccount,
    form: &Completion,
) -> Result<Password, FieldRule> {
    let password = match form.is_short_form() {
        true => check_password_of_short_form(form),
        false => check_password_of_long_form(form),
    }?;
    let name = old.username.as_deref().unwrap_or_default();
    reject_common(app, &client.region, &password, name, &old.email)?;
    Ok(password)
}

fn check_password_of_long_form(form: &Completion) -> Result<Password, FieldRule> {
    let input = form.password.expose();
    let password = Password::new(input, LengthPolicy::Migration).map_err(|code| match code {
        FieldRule::PasswordTooLong => code,
        _ => FieldRule::PasswordCriteria,
    });
    let confirmation = form.confirm_password.expose();
    let confirmed = match &password {
        Ok(password) => password.is_confirmed_by(confirmation),
        Err(_) => confirmation == input,
    };
    match confirmed {
        true => password,
        false => Err(FieldRule::PasswordsDiffer),
    }
}

fn check_password_of_short_form(form: &Completion) -> Result<Password, FieldRule> {
    let input = form.password.expose();
    if input.is_empty() {
        return Err(FieldRule::PasswordMissing);
    }
    let password = Password::new(input, LengthPolicy::Default)?;
    let again = form.confirm_password.expose();
    match password.is_confirmed_by(again) {
        true => Ok(password),
        false => Err(FieldRule::PasswordsDiffer),
    }
}
