//! Access tokens and refresh tokens of applications. All refresh tokens of a grant are one family.

use uuid::Uuid;

use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Access,
    Refresh,
}

impl TokenKind {
    fn as_str(self) -> &'static str {
        match self {
            TokenKind::Access => "access",
            TokenKind::Refresh => "refresh",
        }
    }
}

/// What tokens are issued for: a sign-in to an application.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    pub grant_id: Uuid,
    pub sid: Uuid,
    pub client_id: String,
    /// Names separated by spaces.
    pub scope: String,
    /// When the person had proved the identity, in milliseconds since 1970 UTC.
    pub auth_time: i64,
    /// Names separated by spaces (RFC 8176).
    pub amr: String,
    pub acr: String,
}

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Token {
        pub kind: String,
        pub grant_id: Uuid,
        pub sid: Uuid,
        pub client_id: String,
        pub scope: String,
        pub auth_time: i64,
        pub amr: String,
        pub acr: String,
        pub expires_at: i64,
        /// When it was exchanged for its successor.
        pub spent_at: Option<i64>,
    }
}

impl Token {
    pub(crate) fn is(&self, kind: TokenKind) -> bool {
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

pub(crate) async fn insert(
    tx: &mut Tx,
    hash: &SecretHash,
    kind: TokenKind,
    grant: &Grant,
    expires_at: i64,
) -> Result<()> {
    tx.execute(
        "INSERT INTO oidc_tokens (token_hash, kind, grant_id, sid, client_id, scope, auth_time, amr,
           acr, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            hash,
            kind.as_str(),
            grant.grant_id,
            grant.sid,
            &grant.client_id,
            &grant.scope,
            grant.auth_time,
            &grant.amr,
            &grant.acr,
            expires_at,
        ],
    )
    .await?;
    Ok(())
}

/// The token, expired and exchanged ones too.
pub(crate) async fn find(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Token>> {
    let sql = format!(
        "SELECT {} FROM oidc_tokens WHERE token_hash = $1",
        Token::COLUMNS
    );
    let row = tx.row(&sql, params![hash]).await?;
    Ok(row.as_ref().map(Token::from_row))
}

/// Marks a refresh token as exchanged, in one statement. Returns false if it was before.
pub(crate) async fn spend(tx: &mut Tx, hash: &SecretHash, now: i64) -> Result<bool> {
    let sql = "UPDATE oidc_tokens SET spent_at = $1 WHERE token_hash = $2 AND spent_at IS NULL";
    Ok(tx.execute(sql, params![now, hash]).await? > 0)
}

pub(crate) async fn remove(tx: &mut Tx, hash: &SecretHash) -> Result<()> {
    let sql = "DELETE FROM oidc_tokens WHERE token_hash = $1";
    tx.execute(sql, params![hash]).await?;
    Ok(())
}

/// Ends all tokens of a grant.
pub(crate) async fn end_grant(tx: &mut Tx, grant: Uuid) -> Result<()> {
    let sql = "DELETE FROM oidc_tokens WHERE grant_id = $1";
    tx.execute(sql, params![grant]).await?;
    Ok(())
}

/// Ends the tokens of a session.
pub(crate) async fn end_of_session(tx: &mut Tx, sid: Uuid) -> Result<()> {
    let sql = "DELETE FROM oidc_tokens WHERE sid = $1";
    tx.execute(sql, params![sid]).await?;
    Ok(())
}

/// Ends the tokens of one application in a session.
pub(crate) async fn end_of_client(tx: &mut Tx, sid: Uuid, client_id: &str) -> Result<()> {
    let sql = "DELETE FROM oidc_tokens WHERE sid = $1 AND client_id = $2";
    tx.execute(sql, params![sid, client_id]).await?;
    Ok(())
}

pub(crate) async fn sweep(tx: &mut Tx, before: i64, most: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM oidc_tokens WHERE token_hash IN
           (SELECT token_hash FROM oidc_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        params![before, most],
    )
    .await
}
