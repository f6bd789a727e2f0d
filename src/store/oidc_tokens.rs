//! Access tokens and refresh tokens of applications. All refresh tokens of a grant are one family.

use uuid::Uuid;

use super::oidc_grants::Grant;
use crate::db::row::{param_by_name, row, statements};
use crate::domain::secret::SecretHash;
use crate::named_enum::named_enum;

named_enum! {
    pub(crate) enum TokenKind {
        Access = "access";
        Refresh = "refresh";
    }
}

param_by_name!(TokenKind);

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct AppToken {
        pub kind: String,
        pub grant_id: Uuid,
        pub sid: Uuid,
        pub client_id: String,
        pub scope: String,
        pub auth_time: i64,
        pub amr: String,
        pub acr: String,
        pub expires_at: i64,
        /// The time when the refresh token was exchanged for its successor.
        pub spent_at: Option<i64>,
    }
}

impl AppToken {
    pub(crate) fn has_kind(&self, kind: TokenKind) -> bool {
        self.kind == kind.as_str()
    }

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
    fn insert(hash: &SecretHash, kind: TokenKind, grant: &Grant, expires_at: i64) =
        "INSERT INTO oidc_tokens (token_hash, kind, grant_id, sid, client_id, scope, auth_time, amr,
         acr, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        [hash, kind, grant.grant_id, grant.sid, &grant.client_id, &grant.scope, grant.auth_time,
         &grant.amr, &grant.acr, expires_at];

    /// Returns the token, even if it has expired or was exchanged.
    fn find(hash: &SecretHash) -> Option<AppToken> = "FROM oidc_tokens WHERE token_hash = $1";

    /// Marks a refresh token as exchanged, in one statement. Returns false if the token was exchanged before.
    fn mark_exchanged(hash: &SecretHash, now: i64) -> bool =
        "UPDATE oidc_tokens SET spent_at = $1 WHERE token_hash = $2 AND spent_at IS NULL", [now, hash];

    fn remove(hash: &SecretHash) = "DELETE FROM oidc_tokens WHERE token_hash = $1";

    /// Deletes all tokens of a grant. Returns whether there were any.
    fn end_grant(grant: Uuid) -> bool = "DELETE FROM oidc_tokens WHERE grant_id = $1";
}
