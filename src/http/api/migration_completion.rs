//! The migration of a legacy account that lacks details. A form asks for a password and the missing details.

use super::prelude::*;
use super::session::Me;
use crate::accounts::migration::completion::{self, Completion};

/// Migrates an account that lacks details, with the details from the form. Starts no session.
#[utoipa::path(post, path = "/migration/complete",
    request_body = Completion,
    responses((status = 200, description = "Migrated; the new password is in force", body = Me)))]
pub(crate) async fn complete_migration(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Completion>,
) -> ApiResult<impl IntoResponse> {
    let device = client.device_or_new(&app.rng);
    let migrated = completion::complete(&app, &client, &device, &form).await?;
    let cookies = CookieSetter::new(&app).set_device(&device);
    Ok((cookies, Json(Me::from(migrated))))
}
