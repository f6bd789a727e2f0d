//! The mailed links that undo a change of the email address, an added credential, or the request for a deletion.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;

use super::bodies::{MailedToken, MessageBody};
use crate::accounts::client::Client;
use crate::accounts::deletion;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::strong_factor::StrongFactor;
use crate::accounts::undo::reported_change::{self, UndoDetails};
use crate::accounts::undo::{self, Undone};
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::i18n::Message;
use crate::store::tokens::Purpose;

/// The strong factors that remain after an undo: those added before the undone change.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RemainingCredentials {
    /// The names of the passkeys, oldest first.
    passkeys: Vec<String>,
    /// Whether the authenticator app is on.
    second_factor: bool,
}

impl RemainingCredentials {
    fn of(factors: Vec<StrongFactor>) -> RemainingCredentials {
        RemainingCredentials {
            second_factor: factors.iter().any(|factor| factor.passkey.is_none()),
            passkeys: factors
                .into_iter()
                .filter_map(|factor| factor.passkey)
                .collect(),
        }
    }
}

/// Returns the message about the undo: `done`, or how to get back an address that another account has now.
fn message_of(undone: &Undone, done: Message, client: &Client) -> String {
    let message = match undone.is_taken {
        true => Message::AnswerUndoneButTaken,
        false => done,
    };
    message.text(client.language).to_owned()
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UndoneCredential {
    message: String,
    /// Whether another account has the email address to which the link was mailed. A mailed link then sets a new password
    /// and restores the address as soon as it is free.
    taken: bool,
    remaining: RemainingCredentials,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct UndoneEmailChange {
    message: String,
    /// The email address to which the link was mailed.
    email: String,
    /// Whether another account has this email address. A mailed link then sets a new password and restores the address as
    /// soon as it is free.
    taken: bool,
    remaining: RemainingCredentials,
}

errors! { UNDO_ERRORS: InvalidToken, RateLimited }

/// Removes a credential that the owner did not add, and all credentials that were added later. Ends all sessions.
#[utoipa::path(post, path = "/undo-credential", operation_id = "undo_credential", tag = "passkeys",
    request_body = MailedToken,
    responses((status = 200, description = "The credential is removed, and all sessions have ended",
        body = UndoneCredential)))]
pub(crate) async fn undo_credential(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "undo-credential", form.token.expose()).await?;
    let cookie = client.device_or_new(&app.rng);
    let purpose = Purpose::CredentialUndo;
    let undone = undo::by_link(&app, &client, &link, purpose, &cookie).await?;
    let cookies = CookieSetter::new(&app.config)
        .clear_session()
        .set_device(&cookie);
    let answer = UndoneCredential {
        message: message_of(&undone, Message::AnswerCredentialRemoved, &client),
        taken: undone.is_taken,
        remaining: RemainingCredentials::of(undone.remaining),
    };
    Ok((cookies, Json(answer)))
}

/// Returns the change that the link of a mail would undo: an added credential, a change of the email address, or a
/// request for a deletion. The link stays valid.
#[utoipa::path(post, path = "/undo-credential/details", operation_id = "undo_details", tag = "passkeys",
    request_body = MailedToken,
    responses((status = 200, description = "The link is valid", body = UndoDetails)))]
pub(crate) async fn undo_details(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<Json<UndoDetails>, ApiError> {
    let token = form.token.expose();
    let link = MailedLink::open(&app, &client, "undo-credential-details", token).await?;
    Ok(Json(
        reported_change::find_undo_details(&app, &client, &link).await?,
    ))
}

/// Restores the old email address, ends all sessions and removes all devices except this one. Also removes the strong
/// factors that were added since, and ends a password that was set since.
#[utoipa::path(post, path = "/undo-email-change", operation_id = "undo_email_change", tag = "settings",
    request_body = MailedToken,
    responses((status = 200, description = "The change is undone", body = UndoneEmailChange)))]
pub(crate) async fn undo_email_change(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "undo-email-change", form.token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let undone = undo::by_link(&app, &client, &link, Purpose::EmailUndo, &device).await?;
    let cookies = CookieSetter::new(&app.config)
        .clear_session()
        .set_device(&device);
    let answer = UndoneEmailChange {
        message: message_of(&undone, Message::AnswerEmailRestored, &client),
        email: undone.mailbox,
        taken: undone.is_taken,
        remaining: RemainingCredentials::of(undone.remaining),
    };
    Ok((cookies, Json(answer)))
}

/// Cancels the deletion of an account. Starts no session.
#[utoipa::path(post, path = "/restore-account", operation_id = "restore_account", tag = "sign_in",
    request_body = MailedToken,
    responses((status = 200, description = "The deletion is cancelled", body = MessageBody)))]
pub(crate) async fn cancel_deletion(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "restore-account", form.token.expose()).await?;
    deletion::cancel_by_link(&app, &client, &link).await?;
    Ok(MessageBody::new(Message::AnswerAccountRestored, &client))
}
