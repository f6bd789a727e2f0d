//! The proof that is required to start a session.

use crate::accounts::account_state::UsableAccount;
use crate::accounts::change::Change;
use crate::accounts::strong_factor::code::VerifiedCode;
use crate::config::NewDevice;
use crate::db::Result;
use crate::domain::auth_method::{AuthMethod, AuthMethods};
use crate::store::accounts::Account;
use crate::store::devices::{self, Device};
use crate::store::totp;

/// A proof of identity that suffices to start a session. `VerifiedBrowser::start_session` requires this type, so that
/// no sign-in can skip the second factor, or start a session of a disabled account or of one with a pending deletion.
pub(crate) struct SessionProof<'a> {
    account: UsableAccount<'a>,
    methods: AuthMethods,
}

impl<'a> SessionProof<'a> {
    /// Accepts the right password alone. Returns `None` if the account also requires a second factor on this device.
    pub(crate) async fn by_password(
        change: &mut Change<'_>,
        account: UsableAccount<'a>,
        device: Option<&Device>,
    ) -> Result<Option<SessionProof<'a>>> {
        let id = account.account().id;
        let longest = change.app.config.security.second_factor_trust.millis();
        let mut trusted_for = device.map_or(0, |device| device.trusted_until - change.now);
        if trusted_for > longest {
            // The operator has shortened `security.second_factor_trust` since the person trusted this device.
            devices::end_trust(change, id).await?;
            trusted_for = 0;
        }
        if trusted_for <= 0 && totp::has_confirmed_app(change, id).await? {
            return Ok(None);
        }
        let methods = AuthMethods::of(&[AuthMethod::Password]);
        Ok(Some(SessionProof { account, methods }))
    }

    /// Accepts the right password together with a second-factor code.
    pub(crate) fn by_code(account: UsableAccount<'a>, code: &VerifiedCode) -> SessionProof<'a> {
        let methods = AuthMethods::of(&[AuthMethod::Password, code.method()]);
        SessionProof { account, methods }
    }

    /// Accepts a passkey. A passkey includes user verification, so it counts as two factors.
    pub(crate) fn by_passkey(account: UsableAccount<'a>, method: AuthMethod) -> SessionProof<'a> {
        let methods = AuthMethods::of(&[method]);
        SessionProof { account, methods }
    }

    /// Returns whether a sign-in in a new browser is reported to the owner. The operator can turn off only the reports
    /// of sign-ins with a password alone.
    pub(crate) fn reports_new_browser(&self, new_device: NewDevice) -> bool {
        new_device != NewDevice::Off || self.methods != AuthMethods::of(&[AuthMethod::Password])
    }

    pub(crate) fn into_parts(self) -> (&'a Account, AuthMethods) {
        (self.account.account(), self.methods)
    }
}
