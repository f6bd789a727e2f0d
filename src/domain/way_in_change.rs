//! The changes of the ways to sign in to an account, of which its former mailboxes are told.

use serde::{Deserialize, Serialize};

use crate::i18n::Message;
use crate::named_enum::named_enum;

named_enum! {
    /// A change of a way to sign in. The names are those of `SecurityEvent`.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum WayInChange(
        /// The sentence of the event in the list of activity.
        sentence: Message
    ) {
        PasswordChanged = "password_changed", Message::ActivityPasswordChanged;
        PasswordReset = "password_reset", Message::ActivityPasswordReset;
        PasskeyAdded = "passkey_added", Message::ActivityPasskeyAdded;
        PasskeyRemoved = "passkey_removed", Message::ActivityPasskeyRemoved;
        SecondFactorEnabled = "second_factor_enabled", Message::ActivitySecondFactorEnabled;
        SecondFactorDisabled = "second_factor_disabled", Message::ActivitySecondFactorDisabled;
        RecoveryCodesRegenerated = "recovery_codes_regenerated", Message::ActivityRecoveryCodesRegenerated;
    }
}
