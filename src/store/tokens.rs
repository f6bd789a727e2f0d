//! One-time tokens. `redeem` is the only way to use one.

use uuid::Uuid;

use crate::config::{Duration, Lifetimes};
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    VerifyEmail,
    DeviceApproval,
    Reset,
    EmailChange,
    EmailUndo,
    CredentialUndo,
    SecondFactorReset,
    /// Cancels the deletion of the account.
    AccountRestore,
    Migration,
    Completion,
    /// Returned to a browser whose password is right, but whose account has reached the device limit.
    DeviceChoice,
    Unsubscribe,
}

impl Purpose {
    pub fn as_str(self) -> &'static str {
        match self {
            Purpose::VerifyEmail => "verify_email",
            Purpose::DeviceApproval => "device_approval",
            Purpose::Reset => "reset",
            Purpose::EmailChange => "email_change",
            Purpose::EmailUndo => "email_undo",
            Purpose::CredentialUndo => "credential_undo",
            Purpose::SecondFactorReset => "second_factor_reset",
            Purpose::AccountRestore => "account_restore",
            Purpose::Migration => "migration",
            Purpose::Completion => "completion",
            Purpose::DeviceChoice => "device_choice",
            Purpose::Unsubscribe => "unsubscribe",
        }
    }
}

impl Purpose {
    /// Returns the lifetime of a token.
    pub fn lifetime(self, lifetimes: &Lifetimes) -> Duration {
        match self {
            Purpose::VerifyEmail => lifetimes.verify,
            Purpose::DeviceApproval | Purpose::DeviceChoice => lifetimes.device_approval,
            Purpose::Reset => lifetimes.reset,
            Purpose::EmailChange => lifetimes.email_change,
            Purpose::EmailUndo => lifetimes.email_undo,
            Purpose::CredentialUndo => lifetimes.credential_undo,
            // As long as the waiting period before the reset.
            Purpose::SecondFactorReset => lifetimes.second_factor_reset,
            // The deletion of the account ends it.
            Purpose::AccountRestore => lifetimes.deletion_grace,
            Purpose::Migration | Purpose::Completion => lifetimes.migration,
            Purpose::Unsubscribe => UNSUBSCRIBE,
        }
    }

    /// Returns the page that the link opens (contract 3, Mail).
    pub fn path(self) -> &'static str {
        match self {
            Purpose::VerifyEmail | Purpose::DeviceApproval => "/account/verify-email",
            Purpose::Reset => "/account/reset-password",
            Purpose::EmailChange | Purpose::EmailUndo => "/account/change-email",
            Purpose::CredentialUndo => "/account/undo",
            Purpose::SecondFactorReset => "/account/second-factor-reset",
            Purpose::AccountRestore => "/account/restore",
            Purpose::Migration => "/account/migration",
            Purpose::Completion => "/account/migration-confirmation",
            Purpose::Unsubscribe => "/account/unsubscribe",
            Purpose::DeviceChoice => "/account/",
        }
    }

    /// Returns whether the token requires an account that is neither disabled nor about to be deleted.
    fn needs_usable_account(self) -> bool {
        self != Purpose::AccountRestore
    }

    /// Returns the query parameter from which the page reads the token.
    pub fn query_key(self) -> &'static str {
        match self {
            Purpose::EmailChange => "verificationToken",
            Purpose::EmailUndo => "undo",
            Purpose::Completion => "migration_token",
            _ => "token",
        }
    }
}

/// A year: an invitation may stay unread for long, and its recipient must still be able to unsubscribe.
const UNSUBSCRIBE: Duration = Duration(std::time::Duration::from_secs(365 * 24 * 3600));

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Token {
        pub subject_id: Uuid,
        pub email: Option<String>,
        pub device_hash: Option<SecretHash>,
        pub device_name: Option<String>,
        /// The time of the sign-in to approve; the mail may be sent later.
        pub requested_at: i64 = "COALESCE(requested_at, created_at)",
        /// The change that an undo link reverts; see `accounts::change_email` and `credentials::next_change_number`.
        pub change_number: i64 = "COALESCE(change_number, created_at)",
    }
}

pub(crate) struct NewToken<'a> {
    pub hash: &'a SecretHash,
    pub purpose: Purpose,
    pub subject_id: Uuid,
    pub email: Option<&'a str>,
    pub device_hash: Option<&'a SecretHash>,
    pub device_name: Option<&'a str>,
    pub requested_at: Option<i64>,
    pub change_number: Option<i64>,
    pub now: i64,
    pub lifetime: i64,
}

/// The result of redeeming a token.
#[derive(Debug)]
pub(crate) enum Redemption {
    /// Redeemed by this call and by no other.
    Redeemed(Token),
    /// Redeemed before and not expired: a confirmation by GET returns its first response again.
    AlreadyRedeemed(Token),
    Invalid,
}

pub(crate) async fn insert(tx: &mut Tx, new: &NewToken<'_>) -> Result<()> {
    tx.execute(
        "INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, device_name,
           requested_at, change_number, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            new.hash,
            new.purpose.as_str(),
            new.subject_id,
            new.email,
            new.device_hash,
            new.device_name,
            new.requested_at,
            new.change_number,
            new.now,
            new.now.saturating_add(new.lifetime),
        ],
    )
    .await?;
    Ok(())
}

/// Redeems a token, in one statement: of several parallel calls exactly one gets `Redeemed`. The account of the token
/// is locked first, as in all changes of an account; the other order could cause a deadlock.
pub(crate) async fn redeem(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Redemption> {
    let lock = tx.for_update();
    let is_blocked = is_of_blocked_account(tx, hash, lock).await?;
    if is_blocked && purpose.needs_usable_account() {
        return Ok(Redemption::Invalid);
    }
    let sql = format!(
        "UPDATE tokens SET spent_at = $1
         WHERE token_hash = $2 AND purpose = $3 AND spent_at IS NULL AND expires_at > $1
         RETURNING {}",
        Token::COLUMNS
    );
    if let Some(row) = tx.row(&sql, params![now, hash, purpose.as_str()]).await? {
        return Ok(Redemption::Redeemed(Token::from_row(&row)));
    }
    let sql = format!(
        "SELECT {} FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NOT NULL AND expires_at > $3",
        Token::COLUMNS
    );
    let row = tx.row(&sql, params![hash, purpose.as_str(), now]).await?;
    Ok(row.map_or(Redemption::Invalid, |row| {
        Redemption::AlreadyRedeemed(Token::from_row(&row))
    }))
}

/// Reads the account of the token, with a row lock if `lock` names one. Returns whether the account is disabled or
/// about to be deleted; only the link that cancels the deletion works then. A subject that is not an account, such as a
/// legacy account, is not blocked.
async fn is_of_blocked_account(tx: &mut Tx, hash: &SecretHash, lock: &str) -> Result<bool> {
    let sql = "SELECT subject_id FROM tokens WHERE token_hash = $1";
    let Some(row) = tx.row(sql, params![hash]).await? else {
        return Ok(false);
    };
    let sql = format!(
        "SELECT disabled_at IS NOT NULL OR deletion_due_at IS NOT NULL FROM accounts WHERE id = $1{lock}"
    );
    let account = tx.row(&sql, params![row.get::<Uuid>(0)]).await?;
    Ok(account.is_some_and(|account| account.get(0)))
}

/// Returns a valid token without redeeming it, to check a form first.
pub(crate) async fn find_live(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Option<Token>> {
    if purpose.needs_usable_account() && is_of_blocked_account(tx, hash, "").await? {
        return Ok(None);
    }
    let sql = format!(
        "SELECT {} FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NULL AND expires_at > $3",
        Token::COLUMNS
    );
    let row = tx.row(&sql, params![hash, purpose.as_str(), now]).await?;
    Ok(row.as_ref().map(Token::from_row))
}

/// Returns whether it is an expired token of this purpose, redeemed or not, that is still stored.
pub(crate) async fn is_expired(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<bool> {
    let sql = "SELECT 1 FROM tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at <= $3";
    let row = tx.row(sql, params![hash, purpose.as_str(), now]).await?;
    Ok(row.is_some())
}

/// Ends the subject's unredeemed tokens of one purpose.
pub(crate) async fn end(tx: &mut Tx, subject: Uuid, purpose: Purpose) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL";
    tx.execute(sql, params![subject, purpose.as_str()]).await?;
    Ok(())
}

/// Ends the unredeemed undo links of a change and of all later ones.
pub(crate) async fn end_undo_links_from(
    tx: &mut Tx,
    account: Uuid,
    purpose: Purpose,
    change_number: i64,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND COALESCE(change_number, created_at) >= $3";
    tx.execute(sql, params![account, purpose.as_str(), change_number])
        .await?;
    Ok(())
}

/// Ends the unredeemed approval links of one device of the account.
pub(crate) async fn end_approvals_of(
    tx: &mut Tx,
    account: Uuid,
    device: &SecretHash,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND device_hash = $3";
    let purpose = Purpose::DeviceApproval.as_str();
    tx.execute(sql, params![account, purpose, device]).await?;
    Ok(())
}

/// Ends the subject's unredeemed tokens of one purpose that were returned in a response, and keeps mailed ones.
pub(crate) async fn end_without_email(tx: &mut Tx, subject: Uuid, purpose: Purpose) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND email IS NULL";
    tx.execute(sql, params![subject, purpose.as_str()]).await?;
    Ok(())
}

/// Removes all tokens of one purpose of the subject. Redeemed ones then return `Invalid` instead of `AlreadyRedeemed`.
pub(crate) async fn delete(tx: &mut Tx, subject: Uuid, purpose: Purpose) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2";
    tx.execute(sql, params![subject, purpose.as_str()]).await?;
    Ok(())
}

/// The time for which an expired approval link is stored, in milliseconds, so that its page can explain how to get a
/// new one.
const KEPT_AFTER_EXPIRY: i64 = 7 * 24 * 60 * 60 * 1000;

/// Removes expired tokens; approval links some days later.
pub(crate) async fn delete_expired(tx: &mut Tx, now: i64, limit: i64) -> Result<u64> {
    tx.execute(
        "DELETE FROM tokens WHERE token_hash IN
           (SELECT token_hash FROM tokens
            WHERE expires_at <= $1 AND (purpose <> $2 OR expires_at <= $3)
            ORDER BY expires_at LIMIT $4)",
        params![
            now,
            Purpose::DeviceApproval.as_str(),
            now.saturating_sub(KEPT_AFTER_EXPIRY),
            limit
        ],
    )
    .await
}
