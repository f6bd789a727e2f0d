//! Opens mailed links. Each use counts against the rate limit of the client's network, until the link proves valid.

use std::net::IpAddr;

use uuid::Uuid;

use crate::accounts::prelude::*;
use crate::db;
use crate::db::conflict::Committed;
use crate::domain::secret::{Secret, SecretHash};
use crate::store::accounts;
use crate::store::tokens::{self, NewToken, Purpose, Redemption, Token};

/// A mailed link that a client uses. Only [`MailedLink::open`] makes this type, so every use is counted.
pub(crate) struct MailedLink {
    hash: SecretHash,
    route: &'static str,
    ip: IpAddr,
}

impl MailedLink {
    /// Counts the use against the rate limit of the client's network for `route`. A malformed token returns
    /// `invalid_token`, like an unknown token.
    pub(crate) async fn open(
        app: &App,
        client: &Client,
        route: &'static str,
        token: &str,
    ) -> ApiResult<MailedLink> {
        let actions = [LimitName::ConfirmFrom.of(Subject::NetworkFor(route, client.ip))];
        app.enforce_rate_limits(&actions).await?;
        Ok(MailedLink {
            hash: Secret::parse(token).ok_or(ErrorCode::InvalidToken)?.hash(),
            route,
            ip: client.ip,
        })
    }

    pub(crate) fn hash(&self) -> &SecretHash {
        &self.hash
    }

    /// Returns `invalid_token` if the token is unknown, expired or already redeemed.
    pub(crate) async fn redeem(
        &self,
        change: &mut Change<'_>,
        purpose: Purpose,
    ) -> ApiResult<Token> {
        match self.redeem_or_find_redeemed(change, purpose).await? {
            Redemption::Redeemed(token) => Ok(token),
            Redemption::AlreadyRedeemed(_) | Redemption::Invalid => {
                Err(ErrorCode::InvalidToken.into())
            }
        }
    }

    /// Redeems the token, for callers that answer a repeated use with the same response.
    pub(crate) async fn redeem_or_find_redeemed(
        &self,
        change: &mut Change<'_>,
        purpose: Purpose,
    ) -> ApiResult<Redemption> {
        let now = change.now;
        Ok(tokens::redeem(change, &self.hash, purpose, now).await?)
    }

    /// Returns the valid token without redeeming it, so that the link works again after a mistake in the form.
    pub(crate) async fn find_live(
        &self,
        change: &mut Change<'_>,
        purpose: Purpose,
    ) -> ApiResult<Token> {
        let now = change.now;
        let token = tokens::find_live(change, &self.hash, purpose, now).await?;
        Ok(token.ok_or(ErrorCode::InvalidToken)?)
    }

    /// Returns the valid token with one of the purposes, and the recipient of its mail, without redeeming the token.
    pub(crate) async fn find_mailed(
        &self,
        app: &App,
        client: &Client,
        purposes: &[Purpose],
    ) -> ApiResult<(Token, String)> {
        change(app, client, |mut change| async move {
            let now = change.now;
            for purpose in purposes {
                let token = tokens::find_live(&mut change, &self.hash, *purpose, now).await?;
                let Some(token) = token else { continue };
                if let Some(email) = token.email.clone() {
                    return self.commit(change, (token, email)).await;
                }
            }
            Err(ErrorCode::InvalidToken.into())
        })
        .await
    }

    /// Refunds the counted use of the link, and commits the change.
    pub(crate) async fn commit<T>(
        &self,
        mut change: Change<'_>,
        value: T,
    ) -> ApiResult<Committed<T>> {
        let actions = [LimitName::ConfirmFrom.of(Subject::NetworkFor(self.route, self.ip))];
        let limiter = &change.app.rate_limiter;
        limiter.refund(&mut change, &actions).await?;
        change.commit(value).await
    }
}

/// Locks the row of the token's account. Returns `invalid_token` if the account was deleted.
pub(crate) async fn lock_account(change: &mut Change<'_>, token: &Token) -> ApiResult<Account> {
    let account = accounts::lock(change, token.subject_id).await?;
    Ok(account.ok_or(ErrorCode::InvalidToken)?)
}

/// Issues a token that an HTTP response contains instead of a mail. The token replaces those of earlier responses, and
/// no mailed link, because an attacker who knows the password must not be able to invalidate a mailed link.
pub(crate) async fn issue_for_response(
    change: &mut Change<'_>,
    purpose: Purpose,
    account: Uuid,
) -> db::Result<Secret> {
    tokens::invalidate_response_tokens(change, account, purpose).await?;
    let token = Secret::generate(&change.app.rng);
    let new = NewToken {
        hash: &token.hash(),
        purpose,
        subject_id: account,
        email: None,
        device_hash: None,
        device_name: None,
        reported_at: change.now,
        change_number: change.now,
        now: change.now,
        lifetime: purpose.lifetime(&change.app.config.lifetimes).millis(),
    };
    tokens::insert(change, &new).await?;
    Ok(token)
}
