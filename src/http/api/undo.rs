//! The mailed links that undo a change of the email address, an added credential, or the request for a deletion.

use super::prelude::*;
use crate::accounts::deletion;
use crate::accounts::strong_factor::StrongFactor;
use crate::accounts::undo::reported_change::{self, UndoDetails};
use crate::accounts::undo::{self, Undone};
use crate::app::App;
use crate::store::tokens::Purpose;

/// The strong factors that remain after an undo: those added before the undone change.
#[derive(Serialize, ToSchema)]
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

/// Undoes the change of the link. Also returns the cookies, and the message about the undo: `done`, or how to get back an
/// address that another account has now.
async fn undo(
    app: &App,
    client: &Client,
    token: &SecretInput,
    route: &'static str,
    purpose: Purpose,
    done: Message,
) -> ApiResult<(CookieSetter, String, Undone)> {
    let link = MailedLink::open(app, client, route, token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let undone = undo::by_link(app, client, &link, purpose, &device).await?;
    let message = match undone.is_taken {
        true => Message::AnswerUndoneButTaken,
        false => done,
    };
    let cookies = CookieSetter::new(app).clear_session().set_device(&device);
    Ok((cookies, message.text(client.language).to_owned(), undone))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct UndoneCredential {
    message: String,
    /// Whether another account has the email address to which the link was mailed. A mailed link then sets a new password
    /// and restores the address as soon as it is free.
    taken: bool,
    remaining: RemainingCredentials,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct UndoneEmailChange {
    message: String,
    /// The email address to which the link was mailed.
    email: String,
    /// Whether another account has this email address. A mailed link then sets a new password and restores the address as
    /// soon as it is free.
    taken: bool,
    remaining: RemainingCredentials,
}

/// Removes a credential that the owner did not add, and all credentials that were added later. Ends all sessions.
#[utoipa::path(post, path = "/undo-credential",
    request_body = MailedToken,
    responses((status = 200, description = "The credential is removed, and all sessions have ended",
        body = UndoneCredential)))]
pub(crate) async fn undo_credential(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<impl IntoResponse> {
    let (route, purpose) = ("undo-credential", Purpose::CredentialUndo);
    let done = Message::AnswerCredentialRemoved;
    let undone = undo(&app, &client, &form.token, route, purpose, done).await?;
    let (cookies, message, undone) = undone;
    let answer = UndoneCredential {
        message,
        taken: undone.is_taken,
        remaining: RemainingCredentials::of(undone.remaining),
    };
    Ok((cookies, Json(answer)))
}

/// Returns the change that the link of a mail would undo: an added credential, a change of the email address, or a
/// request for a deletion. The link stays valid.
#[utoipa::path(post, path = "/undo-credential/details",
    request_body = MailedToken,
    responses((status = 200, description = "The link is valid", body = UndoDetails)))]
pub(crate) async fn undo_details(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<Json<UndoDetails>> {
    let token = form.token.expose();
    let link = MailedLink::open(&app, &client, "undo-credential-details", token).await?;
    Ok(Json(
        reported_change::find_undo_details(&app, &client, &link).await?,
    ))
}

/// Restores the old email address, ends all sessions and removes all devices except this one. Also removes the strong
/// factors that were added since, and ends a password that was set since.
#[utoipa::path(post, path = "/undo-email-change",
    request_body = MailedToken,
    responses((status = 200, description = "The change is undone", body = UndoneEmailChange)))]
pub(crate) async fn undo_email_change(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<impl IntoResponse> {
    let (route, purpose) = ("undo-email-change", Purpose::EmailUndo);
    let done = Message::AnswerEmailRestored;
    let undone = undo(&app, &client, &form.token, route, purpose, done).await?;
    let (cookies, message, undone) = undone;
    let answer = UndoneEmailChange {
        message,
        email: undone.mailbox,
        taken: undone.is_taken,
        remaining: RemainingCredentials::of(undone.remaining),
    };
    Ok((cookies, Json(answer)))
}

/// Cancels the deletion of an account. Starts no session.
#[utoipa::path(post, path = "/restore-account",
    request_body = MailedToken,
    responses((status = 200, description = "The deletion is cancelled", body = MessageBody)))]
pub(crate) async fn restore_account(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(&app, &client, "restore-account", form.token.expose()).await?;
    deletion::cancel_by_link(&app, &client, &link).await?;
    Ok(MessageBody::new(Message::AnswerAccountRestored, &client))
}
