//! Mailed links that verify an email address or approve a device, and requests for a new verification link.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::bodies::{EmailAddressBody, MessageBody};
use crate::accounts::client::Client;
use crate::accounts::device_approval::{self, DeviceConfirmation};
use crate::accounts::email::email_verification::{self, Confirmation};
use crate::accounts::mailed_link::MailedLink;
use crate::app::SharedApp;
use crate::clock::rfc3339;
use crate::domain::email::Email;
use crate::domain::form_field::deserialize_secret;
use crate::domain::secret::SecretInput;
use crate::error::ApiError;
use crate::http::cookies::CookieSetter;
use crate::http::extract::json_body::JsonBody;
use crate::http::extract::link_token::TokenQuery;
use crate::http::extract::same_origin::SameOriginFetch;
use crate::i18n::{Language, Message};

/// The result of a confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    EmailVerified,
    DeviceApproved,
    /// The link was opened in a browser other than the one that is to be approved. The page shows buttons that approve or
    /// refuse.
    DevicePending,
    DeviceRefused,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Confirmed {
    message: String,
    code: Outcome,
    /// The display name of the browser that requested the approval, such as "Firefox · Windows". Only with
    /// `device_pending`, and with `device_approved` if it is not the browser of this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<String>,
    /// The time of the request for approval, in the format of RFC 3339. Only with `device_pending`.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_at: Option<String>,
}

impl Confirmed {
    fn new(confirmation: Confirmation, language: Language) -> Confirmed {
        let (code, word, device, requested_at) = match confirmation {
            Confirmation::EmailVerified => (
                Outcome::EmailVerified,
                Message::AnswerEmailVerified,
                None,
                None,
            ),
            Confirmation::Device(DeviceConfirmation::Approved { elsewhere }) => (
                Outcome::DeviceApproved,
                Message::AnswerDeviceApproved,
                elsewhere,
                None,
            ),
            Confirmation::Device(DeviceConfirmation::Pending {
                device,
                requested_at,
            }) => (
                Outcome::DevicePending,
                Message::AnswerDevicePending,
                device,
                Some(rfc3339(requested_at)),
            ),
            Confirmation::Device(DeviceConfirmation::Refused) => (
                Outcome::DeviceRefused,
                Message::AnswerDeviceRefused,
                None,
                None,
            ),
        };
        Confirmed {
            message: word.text(language).to_owned(),
            code,
            device,
            requested_at,
        }
    }
}

errors! { CONFIRM_EMAIL_ERRORS: InvalidToken, CrossSite, RateLimited }

/// Verifies an email address, or approves a device. A repeated call gives the same response until the token expires.
#[utoipa::path(get, path = "/confirm-email", operation_id = "confirm_email", tag = "email_verification",
    params(TokenQuery), responses((status = 200, description = "Confirmed, or pending (`device_pending`)", body = Confirmed)))]
pub(crate) async fn confirm_email(
    State(app): State<SharedApp>,
    _: SameOriginFetch,
    client: Client,
    query: TokenQuery,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "confirm-email", query.token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let confirmation = email_verification::confirm(&app, &client, &link, &device).await?;
    let cookies = CookieSetter::new(&app.config).set_device(&device);
    Ok((cookies, Json(Confirmed::new(confirmation, client.language))))
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Decision {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    /// The answer of the person: true for "Yes, this was me", false for "No, it was not".
    approve: bool,
}

errors! { CONFIRM_DEVICE_ERRORS: InvalidToken, RateLimited }

/// Approves the device that requested the link, or refuses it and ends all sessions except that of this request.
#[utoipa::path(post, path = "/confirm-device", operation_id = "confirm_device", tag = "email_verification",
    request_body = Decision, responses((status = 200, description = "Approved or refused", body = Confirmed)))]
pub(crate) async fn confirm_device(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Decision>,
) -> Result<impl IntoResponse, ApiError> {
    let link = MailedLink::open(&app, &client, "confirm-device", form.token.expose()).await?;
    let decision = device_approval::decide(&app, &client, &link, form.approve).await?;
    let confirmation = Confirmation::Device(decision);
    Ok(Json(Confirmed::new(confirmation, client.language)))
}

errors! { RESEND_VERIFICATION_ERRORS: RateLimited }

/// Mails a new verification link. The response is the same for every email address.
#[utoipa::path(post, path = "/resend-verification", operation_id = "resend_verification", tag = "email_verification",
    request_body = EmailAddressBody,
    responses((status = 200, description = "The same for every address", body = MessageBody)))]
pub(crate) async fn resend_verification(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<EmailAddressBody>,
) -> Result<Json<MessageBody>, ApiError> {
    let email = Email::parse(&form.email).map_err(ApiError::broken_rule)?;
    email_verification::resend(&app, &client, &email).await?;
    Ok(MessageBody::new(Message::AnswerVerificationSent, &client))
}
