//! The id of a session, which is the value of the session cookie: a secret and the account to which the session belongs.
//! With the account, the session is found by its primary key, on the one server of a cluster that stores the account.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use uuid::Uuid;

use crate::domain::secret::{Secret, SecretHash};
use crate::rng::Rng;

/// The id of a session. Only its secret proves the right to use the session, because the account's id is no secret.
#[derive(Clone, Debug)]
pub struct SessionId {
    account: Uuid,
    secret: Secret,
}

/// The primary key of a session in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionKey {
    pub account: Uuid,
    /// The SHA-256 digest of the secret in the session id.
    pub hash: SecretHash,
}

impl SessionId {
    pub fn new(account: Uuid, secret: Secret) -> SessionId {
        SessionId { account, secret }
    }

    pub(crate) fn generate(account: Uuid, rng: &Rng) -> SessionId {
        SessionId::new(account, Secret::generate(rng))
    }

    /// Parses the session cookie. Returns `None` if the text cannot be a session id of this program.
    pub fn parse(text: &str) -> Option<SessionId> {
        let (secret, account) = text.split_at_checked(Secret::CHARS)?;
        let account = URL_SAFE_NO_PAD.decode(account).ok()?;
        let account = Uuid::from_slice(&account).ok()?;
        let secret = Secret::parse(secret)?;
        Some(SessionId { account, secret })
    }

    pub fn hash(&self) -> SecretHash {
        self.secret.hash()
    }

    pub fn key(&self) -> SessionKey {
        SessionKey {
            account: self.account,
            hash: self.hash(),
        }
    }

    /// Returns the value of the session cookie.
    pub fn expose(&self) -> String {
        format!(
            "{}{}",
            self.secret.expose(),
            URL_SAFE_NO_PAD.encode(self.account)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_id_has_one_spelling() {
        let account = Uuid::from_u128(0x0190_a0a0_0000_7000_8000_0000_0000_0001);
        let id = SessionId::generate(account, &Rng::System);
        let text = id.expose();
        assert_eq!(text.len(), 65);
        let parsed = SessionId::parse(&text).expect("its own text");
        assert_eq!(parsed.key(), id.key());
        assert_eq!(parsed.key().account, account);
        for broken in [
            &text[..Secret::CHARS],
            &text[..64],
            &text[1..],
            &format!("{text}A"),
            &format!("{}B", &text[..64]),
            &format!("{}=", &text[..64]),
            &"ä".repeat(22),
            "",
        ] {
            assert!(SessionId::parse(broken).is_none(), "{broken}");
        }
    }
}
