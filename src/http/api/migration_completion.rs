//! The completion form, with a password and the details that the legacy account lacks.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::session::Me;
use crate::accounts::client::Client;
use crate::accounts::migration::completion;
use crate::app::SharedApp;
use crate::domain::secret::SecretInput;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::{
    JsonBody, deserialize_nullable_number, deserialize_nullable_text, deserialize_number_or_none,
    deserialize_secret_or_none, deserialize_text_or_none, deserialize_token,
};

/// A missing or mistyped field is an error of that field. A body with a name or a day of birth comes from the full
/// form, and any other body from the short form.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Completion {
    #[serde(default, deserialize_with = "deserialize_token")]
    #[schema(value_type = String)]
    token: SecretInput,
    #[serde(default, deserialize_with = "deserialize_nullable_text")]
    #[schema(value_type = Option<String>)]
    first_name: Option<Option<String>>,
    #[serde(default, deserialize_with = "deserialize_nullable_text")]
    #[schema(value_type = Option<String>)]
    last_name: Option<Option<String>>,
    /// The country as a lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    country: Option<String>,
    #[serde(default, deserialize_with = "deserialize_nullable_number")]
    #[schema(value_type = Option<i64>)]
    birthday_day: Option<Option<i64>>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_month: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_number_or_none")]
    birthday_year: Option<i64>,
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    zipcode: Option<String>,
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    password: Option<SecretInput>,
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    confirm_password: Option<SecretInput>,
    #[serde(default)]
    marketing_consent: bool,
}

impl Completion {
    fn to_form(&self) -> completion::CompletionForm<'_> {
        fn text_or_empty(field: Option<&String>) -> &str {
            field.map_or("", String::as_str)
        }
        completion::CompletionForm {
            first_name: self.first_name.as_ref().map(Option::as_deref),
            last_name: self.last_name.as_ref().map(Option::as_deref),
            country: text_or_empty(self.country.as_ref()),
            birthday_day: self.birthday_day,
            birthday_month: self.birthday_month,
            birthday_year: self.birthday_year,
            zipcode: text_or_empty(self.zipcode.as_ref()),
            password: self.password.as_ref().map_or("", SecretInput::expose),
            confirm_password: self
                .confirm_password
                .as_ref()
                .map_or("", SecretInput::expose),
            marketing_consent: self.marketing_consent,
        }
    }
}

errors! {
    COMPLETE_ERRORS: InvalidToken, Underage, TooManyAttempts, AccountExists, UsernameInUse,
        RateLimited, Busy
}

/// Migrates an account that lacks details, with the details from the form. Starts no session.
#[utoipa::path(post, path = "/migration/complete", operation_id = "complete_migration", tag = "migration",
    request_body = Completion,
    responses((status = 200, description = "Migrated; the new password is in force", body = Me)))]
pub(crate) async fn complete_migration(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Completion>,
) -> Result<impl IntoResponse, ApiError> {
    let device = client.device_or_new(&app.rng);
    let migrated =
        completion::complete(&app, &client, form.token.expose(), &device, &form.to_form()).await?;
    let cookies = CookieSetter::new(&app.config).set_device(&device);
    Ok((cookies, Json(Me::from(migrated))))
}
