//! Authentication methods, by which a person has proved the identity in a session, and their assurance levels.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::named_enum::{named_enum, serialize_as_name};

named_enum! {
    /// An authentication assurance level (NIST SP 800-63B section 2). The name is the value of the claim `acr` (OpenID
    /// Connect Core 1.0 section 2).
    #[derive(Default, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(into = "u8", try_from = "u8")]
    pub enum Aal(number: u8) {
        #[default]
        One = "aal1", 1;
        /// A passkey, or a password and a second factor.
        Two = "aal2", 2;
    }
}

impl From<Aal> for u8 {
    fn from(level: Aal) -> u8 {
        level.number()
    }
}

impl TryFrom<u8> for Aal {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Aal, &'static str> {
        let mut levels = Aal::ALL.iter().copied();
        let level = levels.find(|level| level.number() == number);
        level.ok_or("must be 1 or 2")
    }
}

named_enum! {
    /// A way to prove an identity. Second-factor codes are accepted only with the password, and passkeys only with user
    /// verification, so codes and passkeys each count as two factors.
    pub(crate) enum AuthMethod(
        /// The name in the column `sessions.methods`.
        stored_name: &'static str,
        /// The value of the claim `amr` for the method (RFC 8176).
        amr_value: &'static str,
        /// The level of a session that this method has authenticated.
        level: Aal
    ) {
        Password = "password", "password", "pwd", Aal::One;
        /// A passkey that is bound to one device.
        Passkey = "passkey", "passkey", "hwk", Aal::Two;
        /// A passkey that its provider synchronises between devices.
        SyncedPasskey = "passkey", "passkey_synced", "swk", Aal::Two;
        /// A second-factor code of an authenticator app.
        Totp = "totp", "totp", "otp", Aal::Two;
        RecoveryCode = "recovery_code", "recovery_code", "otp", Aal::Two;
    }
}

serialize_as_name!(AuthMethod);

/// The authentication methods of one proof of identity. The column `sessions.methods` stores the names of the methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct AuthMethods(Vec<AuthMethod>);

impl AuthMethods {
    pub(crate) fn of(methods: &[AuthMethod]) -> AuthMethods {
        AuthMethods(methods.to_vec())
    }

    /// Parses the value of the column `sessions.methods`. Skips names that only a later version of the program knows.
    pub(crate) fn parse(text: &str) -> AuthMethods {
        let known = |name: &str| {
            AuthMethod::ALL
                .iter()
                .copied()
                .find(|method| method.stored_name() == name)
        };
        AuthMethods(text.split(',').filter_map(known).collect())
    }

    pub(crate) fn with(&self, method: AuthMethod) -> AuthMethods {
        AuthMethods([self.0.as_slice(), &[method]].concat())
    }

    /// Returns the methods that do not reach authentication level 2.
    pub(crate) fn at_level_one(&self) -> AuthMethods {
        let mut methods = self.0.clone();
        methods.retain(|method| method.level() == Aal::One);
        AuthMethods(methods)
    }

    /// Returns the claim `amr` (RFC 8176): each method once, and `mfa` if there is more than one factor.
    pub(crate) fn amr_values(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        let mfa = (self.aal() >= Aal::Two).then_some("mfa");
        for name in self.0.iter().map(|method| method.amr_value()).chain(mfa) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the highest authentication assurance level of the methods.
    pub(crate) fn aal(&self) -> Aal {
        let levels = self.0.iter().map(|method| method.level());
        levels.max().unwrap_or_default()
    }
}

impl fmt::Display for AuthMethods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stored_names: Vec<_> = self.0.iter().map(|method| method.stored_name()).collect();
        f.write_str(&stored_names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_is_the_highest_of_the_methods() {
        use AuthMethod::{Passkey, Password, RecoveryCode, SyncedPasskey, Totp};
        for (methods, text, aal, amr_values) in [
            (&[Password][..], "password", Aal::One, "pwd"),
            (&[Passkey], "passkey", Aal::Two, "hwk mfa"),
            (&[SyncedPasskey], "passkey_synced", Aal::Two, "swk mfa"),
            (&[Password, Totp], "password,totp", Aal::Two, "pwd otp mfa"),
            (
                &[Password, Totp, RecoveryCode],
                "password,totp,recovery_code",
                Aal::Two,
                "pwd otp mfa",
            ),
        ] {
            let methods = AuthMethods::of(methods);
            assert_eq!(methods.amr_values().join(" "), amr_values);
            assert_eq!(methods.to_string(), text);
            assert_eq!(methods.aal(), aal, "{text}");
            assert_eq!(AuthMethods::parse(text), methods);
        }
        assert_eq!(AuthMethods::parse("face,password").to_string(), "password");
    }
}
