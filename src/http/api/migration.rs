//! The migration of a legacy account: the request for a link, and the choice of a password with the link.

use super::prelude::*;
use super::session::Me;
use crate::accounts::migration::link;
use crate::domain::email::Email;
use crate::domain::form_field::{deserialize_secret, deserialize_secret_or_none};
use crate::error::FieldRule;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MigrationCode {
    MigrationSent,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MigrationAccepted {
    message: &'static str,
    code: MigrationCode,
}

/// Mails a migration link if there is a legacy account with this email address.
#[utoipa::path(post, path = "/migration",
    request_body = EmailAddressBody,
    responses((status = 200, description = "The same for every address", body = MigrationAccepted)))]
pub(crate) async fn migration(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<EmailAddressBody>,
) -> ApiResult<Json<MigrationAccepted>> {
    let email = Email::parse(&form.email)
        .map_err(|_| ApiError::broken_rule(FieldRule::EmailInvalidMigration))?;
    link::request(&app, &client, &email).await?;
    Ok(Json(MigrationAccepted {
        message: Message::AnswerMigrationSent.text(client.language),
        code: MigrationCode::MigrationSent,
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct MigrationForm {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = Option<String>)]
    password: SecretInput,
    /// The repeated password, which is compared with `password` if present. A client that compares the two
    /// passwords itself may omit the repetition.
    #[serde(default, deserialize_with = "deserialize_secret_or_none")]
    #[schema(value_type = Option<String>)]
    confirm_password: Option<SecretInput>,
}

/// Migrates a legacy account whose details are complete. The person only chooses a password. Starts no session.
#[utoipa::path(post, path = "/migration/confirm",
    request_body = MigrationForm,
    responses((status = 200, description = "Migrated; the new password is in force", body = Me)))]
pub(crate) async fn confirm_migration(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MigrationForm>,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(&app, &client, "migration-confirm", form.token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let confirmation = form.confirm_password.as_ref().map(SecretInput::expose);
    let typed = form.password.expose();
    let migrated = link::confirm(&app, &client, link, &device, typed, confirmation).await?;
    let cookies = CookieSetter::new(&app).set_device(&device);
    Ok((cookies, Json(Me::from(migrated))))
}
