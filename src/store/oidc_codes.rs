//! Authorization codes.

use uuid::Uuid;

use super::oidc_grants::Grant;
use crate::db::row::{row, statements};
use crate::domain::secret::SecretHash;

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Code {
        pub grant_id: Uuid,
        pub sid: Uuid,
        pub client_id: String,
        pub redirect_uri: String,
        /// The PKCE challenge with the method S256.
        pub challenge: Option<String>,
        pub nonce: Option<String>,
        pub scope: String,
        pub auth_time: i64,
        pub amr: String,
        pub acr: String,
        pub expires_at: i64,
        pub spent_at: Option<i64>,
    }
}

impl Code {
    /// Returns the grant for which tokens are issued.
    pub(crate) fn grant(&self) -> Grant {
        Grant {
            grant_id: self.grant_id,
            sid: self.sid,
            client_id: self.client_id.clone(),
            scope: self.scope.clone(),
            auth_time: self.auth_time,
            amr: self.amr.clone(),
            acr: self.acr.clone(),
        }
    }
}

statements! {
    fn insert(hash: &SecretHash, code: &Code) =
        "INSERT INTO oidc_codes (code_hash, grant_id, sid, client_id, redirect_uri, challenge, nonce,
         scope, auth_time, amr, acr, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        [hash, code.grant_id, code.sid, &code.client_id, &code.redirect_uri, &code.challenge,
         &code.nonce, &code.scope, code.auth_time, &code.amr, &code.acr, code.expires_at];

    /// Returns the authorization code, even if it was redeemed or has expired.
    fn find(hash: &SecretHash) -> Option<Code> = "FROM oidc_codes WHERE code_hash = $1";

    /// Redeems an authorization code, in one statement. Returns false if the code was redeemed before.
    fn redeem(hash: &SecretHash, now: i64) -> bool =
        "UPDATE oidc_codes SET spent_at = $1 WHERE code_hash = $2 AND spent_at IS NULL", [now, hash];
}
