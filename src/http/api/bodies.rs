//! The request and response bodies that several routes share.

use axum::Json;
use serde::{Deserialize, Serialize};

use crate::i18n::{Language, Message};

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

#[derive(Debug, Deserialize, utoipa::ToSchema)]
pub(crate) struct Address {
    pub email: String,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Message)]
pub(crate) struct MessageBody {
    pub message: String,
}

impl MessageBody {
    pub(crate) fn new(message: Message, language: Language) -> Json<MessageBody> {
        let message = message.text(language).to_owned();
        Json(MessageBody { message })
    }
}
