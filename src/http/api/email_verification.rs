//! Mailed links that verify an email address or approve a device, and requests for a new verification link.

use super::prelude::*;
use crate::accounts::device_approval::{self, DeviceConfirmation};
use crate::accounts::email::email_verification::{self, Confirmation};
use crate::clock::rfc3339;
use crate::domain::email::Email;
use crate::domain::form_field::deserialize_secret;
use crate::http::extract::link_token::TokenQuery;
use crate::http::extract::same_origin::SameOriginFetch;
use crate::i18n::Language;

/// The result of a confirmation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    EmailVerified,
    DeviceApproved,
    /// The link was opened in a browser other than the one that is to be approved. The page shows buttons that approve or
    /// refuse.
    DevicePending,
    DeviceRefused,
}

#[derive(Serialize, ToSchema)]
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
        let new = |code, message: Message| Confirmed {
            message: message.text(language).to_owned(),
            code,
            device: None,
            requested_at: None,
        };
        match confirmation {
            Confirmation::EmailVerified => {
                new(Outcome::EmailVerified, Message::AnswerEmailVerified)
            }
            Confirmation::Device(DeviceConfirmation::Approved { elsewhere }) => Confirmed {
                device: elsewhere,
                ..new(Outcome::DeviceApproved, Message::AnswerDeviceApproved)
            },
            Confirmation::Device(DeviceConfirmation::Pending {
                device,
                requested_at,
            }) => Confirmed {
                device,
                requested_at: Some(rfc3339(requested_at)),
                ..new(Outcome::DevicePending, Message::AnswerDevicePending)
            },
            Confirmation::Device(DeviceConfirmation::Refused) => {
                new(Outcome::DeviceRefused, Message::AnswerDeviceRefused)
            }
        }
    }
}

/// Verifies an email address, or approves a device. A repeated call gives the same response until the token expires.
#[utoipa::path(get, path = "/confirm-email",
    params(TokenQuery), responses((status = 200, description = "Confirmed, or pending (`device_pending`)", body = Confirmed)))]
pub(crate) async fn confirm_email(
    State(app): State<SharedApp>,
    _: SameOriginFetch,
    client: Client,
    query: TokenQuery,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(&app, &client, "confirm-email", query.token.expose()).await?;
    let device = client.device_or_new(&app.rng);
    let confirmation = email_verification::confirm(&app, &client, &link, &device).await?;
    let cookies = CookieSetter::new(&app).set_device(&device);
    Ok((cookies, Json(Confirmed::new(confirmation, client.language))))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Decision {
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    token: SecretInput,
    /// The answer of the person: true for "Yes, this was me", false for "No, it was not".
    approve: bool,
}

/// Approves the device that requested the link, or refuses it and ends all sessions except that of this request.
#[utoipa::path(post, path = "/confirm-device",
    request_body = Decision, responses((status = 200, description = "Approved or refused", body = Confirmed)))]
pub(crate) async fn confirm_device(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<Decision>,
) -> ApiResult<impl IntoResponse> {
    let link = MailedLink::open(&app, &client, "confirm-device", form.token.expose()).await?;
    let decision = device_approval::decide(&app, &client, &link, form.approve).await?;
    let confirmation = Confirmation::Device(decision);
    Ok(Json(Confirmed::new(confirmation, client.language)))
}

/// Mails a new verification link. The response is the same for every email address.
#[utoipa::path(post, path = "/resend-verification",
    request_body = EmailAddressBody,
    responses((status = 200, description = "The same for every address", body = MessageBody)))]
pub(crate) async fn resend_verification(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<EmailAddressBody>,
) -> ApiResult<Json<MessageBody>> {
    let email = Email::parse(&form.email).map_err(ApiError::broken_rule)?;
    email_verification::resend(&app, &client, &email).await?;
    Ok(MessageBody::new(Message::AnswerVerificationSent, &client))
}
