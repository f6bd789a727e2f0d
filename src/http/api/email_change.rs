//! The change of an account's email address. A signed-in person requests or cancels the change, and a link in a mail to
//! the new address confirms it.

use super::prelude::*;
use crate::accounts::email::email_change;
use crate::domain::email::Email;
use crate::http::extract::link_token::TokenQuery;
use crate::http::extract::same_origin::SameOriginFetch;

#[derive(Serialize, ToSchema)]
pub(crate) struct EmailNow {
    message: String,
    /// The current email address of the account.
    email: String,
}

impl EmailNow {
    fn new(message: Message, client: &Client, email: String) -> Json<EmailNow> {
        let message = message.text(client.language).to_owned();
        Json(EmailNow { message, email })
    }
}

/// Mails a link to the new email address. The email address of the account changes when the link is opened.
#[utoipa::path(post, path = "/change-email",
    request_body = EmailAddressBody,
    responses((status = 200, description = "The mail is queued", body = MessageBody)))]
pub(crate) async fn change_email(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(form): JsonBody<EmailAddressBody>,
) -> ApiResult<Json<MessageBody>> {
    let email = Email::parse(&form.email).map_err(ApiError::broken_rule)?;
    email_change::request(&app, &client, &signed_in, &email).await?;
    Ok(MessageBody::new(Message::AnswerEmailChangeSent, &client))
}

/// Cancels the pending change of the email address: the mailed link becomes invalid. Also succeeds if no change is
/// pending.
#[utoipa::path(delete, path = "/change-email",
    responses((status = 204, description = "No change is pending")))]
pub(crate) async fn cancel_email_change(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
) -> ApiResult<StatusCode> {
    email_change::cancel(&app, &client, &signed_in).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes the email address with the link from the new mailbox. The sessions continue, and the old mailbox receives a
/// link that undoes the change.
#[utoipa::path(get, path = "/confirm-email-change",
    params(TokenQuery), responses((status = 200, description = "The address is changed", body = EmailNow)))]
pub(crate) async fn confirm_email_change(
    State(app): State<SharedApp>,
    _: SameOriginFetch,
    client: Client,
    query: TokenQuery,
) -> ApiResult<impl IntoResponse> {
    let link =
        MailedLink::open(&app, &client, "confirm-email-change", query.token.expose()).await?;
    let email = email_change::confirm(&app, &client, &link).await?;
    Ok(EmailNow::new(Message::AnswerEmailChanged, &client, email))
}
