//! The user handle, which identifies the account to authenticators.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use uuid::Uuid;

use crate::app::App;

/// Returns 32 bytes that reveal nothing about the person and never change (WebAuthn Level 3 section 14.6.1). The handle
/// is a keyed hash of the account's id, so that no row is needed before a passkey exists.
pub(crate) fn derive(app: &App, account: Uuid) -> [u8; 32] {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&app.signed_text_keys.passkeys).expect("any length will do");
    mac.update(b"user handle");
    mac.update(account.as_bytes());
    mac.finalize().into_bytes().into()
}
