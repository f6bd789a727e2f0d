//! The completion form: the details that the old account lacks, and a password (specification 5).

use axum::extract::State;
use axum::response::IntoResponse;
use jiff::civil::Date;
use serde::Deserialize;

use super::body::{Body, lenient_number, lenient_text, present_number, present_text};
use super::email_verification::check_limits_and_parse;
use super::migration::{MigrationLink, refuse};
use super::new_password::reject_common;
use super::request_context::RequestContext;
use super::session::Me;
use super::underage::Attempts;
use crate::app::{App, Shared};
use crate::db::conflict::repeated;
use crate::domain::password::{LengthPolicy, Password};
use crate::domain::{age, country, zipcode};
use crate::error::{ApiError, ErrorCode};
use crate::legacy::migration::{self, AccountDetails};
use crate::rate_limit::LimitedAction;
use crate::store::legacy::LegacyAccount;
use crate::store::tokens::Purpose;

/// A missing or mistyped field is an error of that field. With a name or a day of birth in the body the
/// form is the full one, otherwise the short one (specification 5, both variants).
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Completion {
    #[serde(default, deserialize_with = "lenient_text")]
    token: Option<String>,
    #[serde(default, deserialize_with = "present_text")]
    #[schema(value_type = Option<String>)]
    first_name: Option<Option<String>>,
    #[serde(default, deserialize_with = "present_text")]
    #[schema(value_type = Option<String>)]
    last_name: Option<Option<String>>,
    /// Lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "lenient_text")]
    country: Option<String>,
    #[serde(default, deserialize_with = "present_number")]
    #[schema(value_type = Option<i64>)]
    birthday_day: Option<Option<i64>>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_month: Option<i64>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_year: Option<i64>,
    #[serde(default, deserialize_with = "lenient_text")]
    zipcode: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    password: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    confirm_password: Option<String>,
    #[serde(default)]
    marketing_consent: bool,
}

/// The limit of a first or last name, in characters. No other rule applies to names.
pub(crate) const NAME_CHARS: usize = 100;

/// Migrates an account that lacks details with the ones from the form. Starts no session.
#[utoipa::path(post, path = "/migration/complete", operation_id = "complete_migration", tag = "migration",
    request_body = Completion,
    responses((status = 200, description = "Migrated; the new password is in force", body = Me)))]
pub(crate) async fn complete(
    State(app): State<Shared>,
    context: RequestContext,
    Body(form): Body<Completion>,
) -> Result<impl IntoResponse, ApiError> {
    let tries = [LimitedAction::ConfirmFrom("migration-complete", context.ip)];
    let hash = check_limits_and_parse(&app, &tries, form.token.as_deref())
        .await
        .map_err(invalid_link)?;
    let link = MigrationLink {
        hash,
        purpose: Purpose::Completion,
        tries: &tries,
    };
    let old = repeated(&app.rng, || link.legacy_account(&app))
        .await
        .map_err(invalid_link)?;
    let birthday = birthday(&app, &old, &form);
    refuse_minors(&app, &context, &old, birthday).await?;
    let (details, password) = check(&app, &context, &old, &form, birthday)?;
    link.complete(&app, &context, &details, &password)
        .await
        .map_err(invalid_link)
}

/// 'Invalid migration link' is the specified sentence of this form.
fn invalid_link(mut failure: ApiError) -> ApiError {
    if failure.code == ErrorCode::InvalidToken {
        failure.sentence = Some(ErrorCode::MigrationLinkInvalid);
    }
    failure
}

impl Completion {
    fn is_short(&self) -> bool {
        self.first_name.is_none() && self.last_name.is_none() && self.birthday_day.is_none()
    }
}

/// The short form has no day. The day of the old account is used if its month is the same, otherwise
/// the first, from which the age of a migration is counted anyway.
fn birthday(app: &App, old: &LegacyAccount, form: &Completion) -> Result<Date, ErrorCode> {
    let today = migration::today(app);
    let (Some(month), Some(year)) = (form.birthday_month, form.birthday_year) else {
        return Err(ErrorCode::BirthdayInvalid);
    };
    if !form.is_short() {
        let day = form
            .birthday_day
            .flatten()
            .ok_or(ErrorCode::BirthdayInvalid)?;
        return age::birthday(day, month, year, today);
    }
    let first = age::birthday(1, month, year, today)?;
    let known = migration::birthday(old, today);
    Ok(known
        .filter(|date| date.first_of_month() == first)
        .unwrap_or(first))
}

/// Refuses minors, judged by the birthday of the form and by that of the old account. A browser that
/// was refused too often is refused whatever birthday it sends.
async fn refuse_minors(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    birthday: Result<Date, ErrorCode>,
) -> Result<(), ApiError> {
    let attempts = Attempts::of(app, context);
    if attempts.is_limit_reached(app) {
        return Err(ErrorCode::TooManyAttempts.into());
    }
    let (today, least) = (migration::today(app), app.config.age.migration);
    let typed_minor = birthday.is_ok_and(|date| !age::is_old_enough_by_month(date, least, today));
    if !typed_minor && !migration::is_known_minor(app, old) {
        return Ok(());
    }
    repeated(&app.rng, || refuse(app, old)).await?;
    let mut failure =
        ApiError::fields(ErrorCode::Underage, vec![("birthday", ErrorCode::Underage)]);
    failure.headers = attempts.plus_one(app);
    Err(failure)
}

fn check(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    form: &Completion,
    birthday: Result<Date, ErrorCode>,
) -> Result<(AccountDetails, Password), ApiError> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let (country, zip) = (text(&form.country), text(&form.zipcode));
    let rule = app.config.region_by_id(&context.region).migration_zip;
    let (first, last, zip) = match form.is_short() {
        true => (
            Ok(old.first_name.clone()),
            Ok(old.last_name.clone()),
            zipcode::parse(&zip),
        ),
        false => (
            name(form.first_name.as_ref()).map(Some),
            name(form.last_name.as_ref()).map(Some),
            zipcode::parse_migration(&zip, rule),
        ),
    };
    let country = country::parse(&country);
    let password = password(app, context, old, form);
    match (country, first, last, birthday, zip, password) {
        (Ok(country), Ok(first), Ok(last), Ok(birthday), Ok(zip), Ok(password)) => {
            let details = AccountDetails {
                first_name: first,
                last_name: last,
                country: country.to_owned(),
                zipcode: zip.to_owned(),
                birthday,
                marketing_consent: form.marketing_consent,
            };
            Ok((details, password))
        }
        (country, first, last, birthday, zip, password) => {
            let wrong = [
                ("country", country.err()),
                ("first_name", first.err()),
                ("last_name", last.err()),
                ("birthday", birthday.err()),
                ("zipcode", zip.err()),
                ("password", password.err()),
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

fn name(field: Option<&Option<String>>) -> Result<String, ErrorCode> {
    let text = field
        .and_then(Option::as_ref)
        .map_or("", |text| text.trim());
    if text.is_empty() {
        return Err(ErrorCode::MissingField);
    }
    if text.chars().count() > NAME_CHARS || text.chars().any(char::is_control) {
        return Err(ErrorCode::ValidationFailed);
    }
    Ok(text.to_owned())
}

/// Checks in the specified order. Full form: the two match, then one sentence for all criteria. Short
/// form: one sentence per criterion, then the match.
fn password(
    app: &App,
    context: &RequestContext,
    old: &LegacyAccount,
    form: &Completion,
) -> Result<Password, ErrorCode> {
    let password = match form.is_short() {
        true => short_password(form),
        false => full_password(form),
    }?;
    let name = old.username.as_deref().unwrap_or_default();
    reject_common(app, &context.region, &password, name, &old.email)?;
    Ok(password)
}

fn full_password(form: &Completion) -> Result<Password, ErrorCode> {
    let input = form.password.as_deref().unwrap_or_default();
    let password = Password::new(input, LengthPolicy::Migration).map_err(|code| match code {
        ErrorCode::PasswordTooLong => code,
        _ => ErrorCode::PasswordCriteria,
    });
    let again = form.confirm_password.as_deref().unwrap_or_default();
    let confirmed = match &password {
        Ok(password) => password.is_confirmed_by(again),
        Err(_) => again == input,
    };
    match confirmed {
        true => password,
        false => Err(ErrorCode::PasswordsDiffer),
    }
}

fn short_password(form: &Completion) -> Result<Password, ErrorCode> {
    let input = form.password.as_deref().unwrap_or_default();
    if input.is_empty() {
        return Err(ErrorCode::PasswordMissing);
    }
    let password = Password::new(input, LengthPolicy::Default)?;
    let again = form.confirm_password.as_deref().unwrap_or_default();
    match password.is_confirmed_by(again) {
        true => Ok(password),
        false => Err(ErrorCode::PasswordsDiffer),
    }
}
