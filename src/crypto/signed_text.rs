//! Texts that a browser keeps for the server, signed with HMAC-SHA-256 (RFC 2104). The browser can read a signed text,
//! so secrets are encrypted instead (`sealing`).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use crate::domain::age::AgeForm;

/// The keys that sign texts. All nodes share these keys.
#[derive(Clone)]
pub struct SignedTextKeys {
    /// The key that signs texts in cookies and URLs.
    pub cookies: [u8; 32],
    /// The key that signs passkey challenges and derives user handles.
    pub passkeys: [u8; 32],
}

/// The purpose of a signed text. A text that was signed for one purpose is invalid for every other purpose.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SignedText {
    Ticket,
    DeviceApproval,
    PasskeyChallenge,
    AgeRefusals(AgeForm),
}

impl SignedText {
    /// Returns the content as JSON and its signature, both in base64url.
    pub(crate) fn sign(self, keys: &SignedTextKeys, content: &impl Serialize) -> String {
        let json = serde_json::to_vec(content).expect("plain data");
        let signature = self.mac(keys, &json).finalize().into_bytes();
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        format!("{}.{}", encode(&json), encode(&signature))
    }

    /// Returns the content of a signed text, or `None` if its signature is invalid.
    pub(crate) fn open<Content: DeserializeOwned>(
        self,
        keys: &SignedTextKeys,
        text: &str,
    ) -> Option<Content> {
        let (json, signature) = text.split_once('.')?;
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let (json, signature) = (decode(json)?, decode(signature)?);
        // The function `verify_slice` compares signatures in constant time.
        self.mac(keys, &json).verify_slice(&signature).ok()?;
        serde_json::from_slice(&json).ok()
    }

    fn mac(self, keys: &SignedTextKeys, json: &[u8]) -> Hmac<Sha256> {
        let (key, purpose): (_, &[u8]) = match self {
            SignedText::Ticket => (&keys.cookies, b"ticket\0"),
            SignedText::DeviceApproval => (&keys.cookies, b"device approval\0"),
            SignedText::PasskeyChallenge => (&keys.passkeys, b"challenge"),
            SignedText::AgeRefusals(AgeForm::Registration) => (&keys.cookies, b"attempts\0"),
            SignedText::AgeRefusals(AgeForm::Migration) => (&keys.cookies, b"migration attempts\0"),
        };
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length will do");
        mac.update(purpose);
        mac.update(json);
        mac
    }
}
