//! Registration.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Deserialize;

use super::session::Me;
use crate::accounts::client::Client;
use crate::accounts::sign_up;
use crate::app::SharedApp;
use crate::domain::secret::SecretInput;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::{
    JsonBody, deserialize_number_or_none, deserialize_secret_or_none, deserialize_text_or_none,
};

/// A missing or mistyped field is an error of that field.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Registration {
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    email: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    username: Option<String>,
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    password: Option<SecretInput>,
    /// The country as a lower-case ISO 3166-1 alpha-2 code.
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    country: Option<String>,
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    zipcode: Option<String>,
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
    #[serde(default, deserialize_with = "deserialize_text_or_none")]
    corrected_email: Option<String>,
}

impl Registration {
    fn to_registration(&self) -> sign_up::Registration<'_> {
        fn text_or_empty(field: Option<&String>) -> &str {
            field.map_or("", String::as_str)
        }
        let birthday = (self.birthday_day, self.birthday_month, self.birthday_year);
        sign_up::Registration {
            email: text_or_empty(self.email.as_ref()),
            username: text_or_empty(self.username.as_ref()),
            password: self.password.as_ref().map_or("", SecretInput::expose),
            country: text_or_empty(self.country.as_ref()),
            zipcode: text_or_empty(self.zipcode.as_ref()),
            birthday: match birthday {
                (Some(day), Some(month), Some(year)) => Some((day, month, year)),
                _ => None,
            },
            marketing_consent: self.marketing_consent,
            corrected_email: text_or_empty(self.corrected_email.as_ref()),
        }
    }
}

errors! {
    REGISTER_ERRORS: AccountExists, EmailInOldSystem, UsernameInUse, Underage, RateLimited, Busy
}

/// Creates an account, and mails a link that verifies its email address. Starts no session.
#[utoipa::path(post, path = "/register", operation_id = "register", tag = "sign_up",
    request_body = Registration,
    responses((status = 201, description = "Created; the address must be verified", body = Me)))]
pub(crate) async fn register(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Registration>,
) -> Result<impl IntoResponse, ApiError> {
    let registered = sign_up::register(&app, &client, &form.to_registration()).await?;
    let cookies = CookieSetter::new(&app.config).set_device(&registered.device);
    let me = Me {
        email: registered.email,
        username: registered.username,
    };
    Ok((StatusCode::CREATED, cookies, Json(me)))
}
