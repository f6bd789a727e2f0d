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
    /// The account, or `None` for an id that a version before 1.0 has issued, which contains only the secret.
    account: Option<Uuid>,
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
        SessionId {
            account: Some(account),
            secret,
        }
    }

    pub(crate) fn generate(account: Uuid, rng: &Rng) -> SessionId {
        SessionId::new(account, Secret::generate(rng))
    }

    /// Parses the session cookie. Returns `None` if the text cannot be a session id of this program.
    pub fn parse(text: &str) -> Option<SessionId> {
        let (secret, account) = text.split_at_checked(Secret::CHARS)?;
        let account = match account {
            "" => None,
            account => {
                let bytes = URL_SAFE_NO_PAD.decode(account).ok()?;
                Some(Uuid::from_slice(&bytes).ok()?)
            }
        };
        let secret = Secret::parse(secret)?;
        Some(SessionId { account, secret })
    }

    pub fn hash(&self) -> SecretHash {
        self.secret.hash()
    }

    /// Returns the key of the session, or `None` if the session id does not contain the account.
    pub fn key(&self) -> Option<SessionKey> {
        self.account.map(|account| self.key_for(account))
    }

    /// Returns the key of the session, which belongs to this account.
    pub(crate) fn key_for(&self, account: Uuid) -> SessionKey {
        let hash = self.hash();
        SessionKey { account, hash }
    }

    /// Returns the value of the session cookie.
    pub fn expose(&self) -> String {
        let account = self.account.map(|id| URL_SAFE_NO_PAD.encode(id));
        [self.secret.expose(), account.as_deref().unwrap_or_default()].concat()
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
        assert_eq!(parsed.key().expect("an account").account, account);
        assert_eq!(parsed.key(), id.key());
        let former = SessionId::parse(&text[..Secret::CHARS]).expect("a secret");
        assert_eq!((former.key(), former.hash()), (None, id.hash()));
        for broken in [
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
