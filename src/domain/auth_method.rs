//! How a session was authenticated.

use std::fmt;

/// A way to prove an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthMethod {
    Password,
    Passkey,
    /// A code of an authenticator app.
    Totp,
    RecoveryCode,
}

impl AuthMethod {
    const ALL: [AuthMethod; 4] = [
        AuthMethod::Password,
        AuthMethod::Passkey,
        AuthMethod::Totp,
        AuthMethod::RecoveryCode,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            AuthMethod::Password => "password",
            AuthMethod::Passkey => "passkey",
            AuthMethod::Totp => "totp",
            AuthMethod::RecoveryCode => "recovery_code",
        }
    }
}

/// The methods that authenticated a session, as the column `sessions.methods` stores them: names separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthMethods(Vec<AuthMethod>);

impl AuthMethods {
    pub(crate) fn of(methods: &[AuthMethod]) -> AuthMethods {
        AuthMethods(methods.to_vec())
    }

    /// Names of a later version are skipped.
    pub(crate) fn parse(text: &str) -> AuthMethods {
        let known = |name: &str| AuthMethod::ALL.into_iter().find(|m| m.as_str() == name);
        AuthMethods(text.split(',').filter_map(known).collect())
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|method| method.as_str())
    }

    /// These methods and others.
    pub(crate) fn with(&self, others: AuthMethods) -> AuthMethods {
        let mut all = self.0.clone();
        all.extend(others.0.into_iter().filter(|other| !self.0.contains(other)));
        AuthMethods(all)
    }

    /// The authentication assurance level (NIST SP 800-63B): 2 with a passkey or a second factor.
    pub(crate) fn aal(&self) -> u8 {
        match self.0.iter().any(|method| *method != AuthMethod::Password) {
            true => 2,
            false => 1,
        }
    }
}

impl fmt::Display for AuthMethods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_but_a_password_alone_is_level_two() {
        use AuthMethod::{Passkey, Password, RecoveryCode, Totp};
        for (methods, text, aal) in [
            (&[Password][..], "password", 1),
            (&[Passkey], "passkey", 2),
            (&[Password, Totp], "password,totp", 2),
            (&[Password, RecoveryCode], "password,recovery_code", 2),
        ] {
            let methods = AuthMethods::of(methods);
            assert_eq!(methods.to_string(), text);
            assert_eq!(methods.aal(), aal, "{text}");
            assert_eq!(AuthMethods::parse(text), methods);
        }
        assert_eq!(AuthMethods::parse("face,password").to_string(), "password");
    }
}
