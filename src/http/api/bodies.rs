//! The request and response bodies that several routes share.

use serde::{Deserialize, Serialize};

use crate::domain::form_field::deserialize_secret;
use crate::domain::secret::SecretInput;
use crate::http::prelude::*;

/// A body without members.
#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct Nothing {}

/// The options of a WebAuthn ceremony (WebAuthn Level 3 section 5.1).
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PasskeyOptions {
    /// An opaque value, which the client sends back with the credential.
    pub state: String,
    /// `PublicKeyCredentialRequestOptions` or `PublicKeyCredentialCreationOptions` as JSON.
    #[serde(rename = "publicKey")]
    #[schema(value_type = Object)]
    pub public_key: serde_json::Value,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct EmailAddressBody {
    pub email: String,
}

#[derive(Deserialize, utoipa::ToSchema)]
pub(crate) struct MailedToken {
    /// The token of the mailed link. `/restore-account` also accepts `restore_token` of a refused sign-in.
    #[serde(default, deserialize_with = "deserialize_secret")]
    #[schema(value_type = String)]
    pub token: SecretInput,
}

#[derive(Serialize, utoipa::ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageBody {
    pub message: String,
}

impl MessageBody {
    pub(crate) fn new(message: Message, client: &Client) -> Json<MessageBody> {
        let message = message.text(client.language).to_owned();
        Json(MessageBody { message })
    }
}
