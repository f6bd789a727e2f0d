//! The migration of a legacy account that lacks details. A form asks for a password and the missing details.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;

use super::session::Me;
use crate::accounts::client::Client;
use crate::accounts::migration::completion::{self, Completion};
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;

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
    let migrated = completion::complete(&app, &client, &device, &form).await?;
    let cookies = CookieSetter::new(&app.config).set_device(&device);
    Ok((cookies, Json(Me::from(migrated))))
}
