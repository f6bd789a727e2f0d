//! The completion form: what the old account lacks, and a password (specification 5).

use axum::extract::State;
use axum::response::IntoResponse;
use jiff::civil::Date;
use serde::Deserialize;

use super::body::{Body, lenient_number, lenient_text};
use super::caller::Caller;
use super::email_verification::ask_and_parse;
use super::migration::{self, Link};
use super::new_password::refuse_easy;
use super::session::Me;
use super::underage::Attempts;
use crate::app::{App, Shared};
use crate::domain::password::{Minimum, Password};
use crate::domain::{age, country, zipcode};
use crate::error::{Code, Failure};
use crate::legacy::moving::{self, Details};
use crate::limits::Try;
use crate::store::conflict::repeated;
use crate::store::legacy::LegacyAccount;
use crate::store::tokens::Purpose;

/// A missing or mistyped field is an error of that field.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub struct Completion {
    #[serde(default, deserialize_with = "lenient_text")]
    token: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    first_name: Option<String>,
    #[serde(default, deserialize_with = "lenient_text")]
    last_name: Option<String>,
    /// Lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "lenient_text")]
    country: Option<String>,
    #[serde(default, deserialize_with = "lenient_number")]
    birthday_day: Option<i64>,
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

/// Names are ours to store, not to judge: only their length is bounded, in characters.
pub const NAME_CHARS: usize = 100;

/// Moves an account that lacks details, with the ones from the form. No session.
#[utoipa::path(post, path = "/migration/complete", operation_id = "complete_migration", tag = "migration",
    request_body = Completion,
    responses((status = 200, description = "Moved; the new password works now", body = Me)))]
pub async fn complete(
    State(app): State<Shared>,
    caller: Caller,
    Body(form): Body<Completion>,
) -> Result<impl IntoResponse, Failure> {
    let tries = [Try::ConfirmFrom("migration-complete", caller.ip)];
    let hash = ask_and_parse(&app, &tries, form.token.as_deref())
        .await
        .map_err(invalid_link)?;
    let link = Link {
        hash,
        purpose: Purpose::Completion,
        tries: &tries,
    };
    let old = repeated(&app.rng, || link.waiting(&app))
        .await
        .map_err(invalid_link)?;
    let birthday = birthday(&app, &form);
    refuse_minors(&app, &caller, &old, birthday).await?;
    let (details, password) = check(&app, &caller, &old, form, birthday)?;
    link.arrive(&app, &caller, &details, &password)
        .await
        .map_err(invalid_link)
}

/// 'Invalid migration link' is the specified sentence of this form.
fn invalid_link(mut failure: Failure) -> Failure {
    if failure.code == Code::InvalidToken {
        failure.sentence = Some(Code::MigrationLinkInvalid);
    }
    failure
}

fn birthday(app: &App, form: &Completion) -> Result<Date, Code> {
    match (form.birthday_day, form.birthday_month, form.birthday_year) {
        (Some(day), Some(month), Some(year)) => age::birthday(day, month, year, moving::today(app)),
        _ => Err(Code::BirthdayInvalid),
    }
}

/// A browser that has tried too often is refused whatever it says now. A minor is one by either
/// birthday: the one typed here, and the one that the old system knew.
async fn refuse_minors(
    app: &App,
    caller: &Caller,
    old: &LegacyAccount,
    birthday: Result<Date, Code>,
) -> Result<(), Failure> {
    let attempts = Attempts::of(app, caller);
    if attempts.are_used_up(app) {
        return Err(Code::TooManyAttempts.into());
    }
    let (today, least) = (moving::today(app), app.config.age.migration);
    let typed_minor = birthday.is_ok_and(|date| !age::is_old_enough_by_month(date, least, today));
    if !typed_minor && !moving::is_known_minor(app, old) {
        return Ok(());
    }
    repeated(&app.rng, || migration::refuse(app, old)).await?;
    let mut failure = Failure::fields(Code::Underage, vec![("birthday", Code::Underage)]);
    failure.headers = attempts.plus_one(app);
    Err(failure)
}

fn check(
    app: &App,
    caller: &Caller,
    old: &LegacyAccount,
    form: Completion,
    birthday: Result<Date, Code>,
) -> Result<(Details, Password), Failure> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let (country, zip) = (text(&form.country), text(&form.zipcode));
    let rule = app.config.region_by_id(&caller.region).migration_zip;
    let (first, last) = (name(&form.first_name), name(&form.last_name));
    let (country, zip) = (
        country::parse(&country),
        zipcode::parse_migration(&zip, rule),
    );
    let password = password(app, caller, old, &form);
    match (country, first, last, birthday, zip, password) {
        (Ok(country), Ok(first), Ok(last), Ok(birthday), Ok(zip), Ok(password)) => {
            let details = Details {
                first_name: Some(first),
                last_name: Some(last),
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
            Err(Failure::fields(Code::ValidationFailed, wrong.collect()))
        }
    }
}

fn name(field: &Option<String>) -> Result<String, Code> {
    let text = field.as_deref().unwrap_or_default().trim();
    if text.is_empty() {
        return Err(Code::MissingField);
    }
    if text.chars().count() > NAME_CHARS || text.chars().any(char::is_control) {
        return Err(Code::ValidationFailed);
    }
    Ok(text.to_owned())
}

/// In the specified order: the two match, then one sentence for all criteria.
fn password(
    app: &App,
    caller: &Caller,
    old: &LegacyAccount,
    form: &Completion,
) -> Result<Password, Code> {
    let typed = form.password.as_deref().unwrap_or_default();
    let password = Password::new(typed, Minimum::Eight).map_err(|code| match code {
        Code::PasswordTooLong => code,
        _ => Code::PasswordCriteria,
    });
    let again = form.confirm_password.as_deref().unwrap_or_default();
    let confirmed = match &password {
        Ok(password) => password.is_confirmed_by(again),
        Err(_) => again == typed,
    };
    if !confirmed {
        return Err(Code::PasswordsDiffer);
    }
    let password = password?;
    let name = old.username.as_deref().unwrap_or_default();
    refuse_easy(app, &caller.region, &password, name, &old.email)?;
    Ok(password)
}
