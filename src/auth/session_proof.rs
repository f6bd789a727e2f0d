//! What it takes to start a session.

use uuid::Uuid;

use super::second_factor::code::VerifiedCode;
use crate::db::{Result, Tx};
use crate::domain::auth_method::{AuthMethod, AuthMethods};
use crate::store::devices::Device;
use crate::store::totp;

/// A proof of identity that is enough for a session. `ProvedBrowser::start_session` takes no other, so no path leads
/// around the second factor of an account.
pub(crate) struct SessionProof(AuthMethods);

impl SessionProof {
    /// The right password alone. None where the account has a second factor and does not trust the device.
    pub(crate) async fn by_password(
        tx: &mut Tx,
        account: Uuid,
        device: Option<&Device>,
        now: i64,
    ) -> Result<Option<SessionProof>> {
        let is_trusted = device.is_some_and(|device| device.trusted_until > now);
        if !is_trusted && totp::is_on(tx, account).await? {
            return Ok(None);
        }
        Ok(Some(SessionProof(AuthMethods::of(&[AuthMethod::Password]))))
    }

    /// The right password, and a code.
    pub(crate) fn by_code(code: &VerifiedCode) -> SessionProof {
        let methods = [AuthMethod::Password, code.method()];
        SessionProof(AuthMethods::of(&methods))
    }

    /// A passkey. It verified the person, so it is two factors at once.
    pub(crate) fn by_passkey() -> SessionProof {
        SessionProof(AuthMethods::of(&[AuthMethod::Passkey]))
    }

    pub(crate) fn into_methods(self) -> AuthMethods {
        self.0
    }
}
