//! One-time tokens. `redeem` is the only way to use one.

mod purpose;

use uuid::Uuid;

use crate::clock::DAY;
use crate::db::row::row;
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

pub use purpose::Purpose;
pub(crate) use purpose::{AccountBlock, LinkEffect};

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Token {
        pub subject_id: Uuid,
        pub email: Option<String>,
        pub device_hash: Option<SecretHash>,
        pub device_name: Option<String>,
        /// The time of the sign-in to approve; the mail may be sent later.
        pub requested_at: i64 = "COALESCE(requested_at, created_at)",
        /// The change that an undo link reverts; see `account_emails::EmailChange` and `credentials::next_change_number`.
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
    if find_effect(tx, hash, purpose, lock).await? == LinkEffect::Refused {
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
    let sql = "FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NOT NULL AND expires_at > $3";
    let spent = Token::select_one(tx, sql, params![hash, purpose.as_str(), now]).await?;
    Ok(spent.map_or(Redemption::Invalid, Redemption::AlreadyRedeemed))
}

/// Reads the account of the token, with a row lock if `lock` names one, and returns the effect of the link. A subject
/// that is not an account, such as a legacy account, cannot be disabled or about to be deleted.
async fn find_effect(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    lock: &str,
) -> Result<LinkEffect> {
    let sql =
        "SELECT subject_id, COALESCE(change_number, created_at) FROM tokens WHERE token_hash = $1";
    let Some(token) = tx.row(sql, params![hash]).await? else {
        return Ok(LinkEffect::Refused);
    };
    let sql = format!(
        "SELECT disabled_at IS NOT NULL, deletion_due_at IS NOT NULL, deletion_change_number
         FROM accounts WHERE id = $1{lock}"
    );
    let account = tx.row(&sql, params![token.get::<Uuid>(0)]).await?;
    let block = account.as_ref().map_or(AccountBlock::Usable, |account| {
        AccountBlock::of(account.get(0), account.get(1))
    });
    let effect = purpose.effect(block);
    let deletion_number: Option<i64> = account.and_then(|account| account.get(2));
    let is_later = deletion_number.is_some_and(|number| token.get::<i64>(1) > number);
    Ok(match effect {
        LinkEffect::UndoesDeletionToo if is_later => LinkEffect::Refused,
        effect => effect,
    })
}

/// Returns a valid token without redeeming it, to check a form first.
pub(crate) async fn find_live(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Option<Token>> {
    if find_effect(tx, hash, purpose, "").await? == LinkEffect::Refused {
        return Ok(None);
    }
    let sql = "FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NULL AND expires_at > $3";
    Token::select_one(tx, sql, params![hash, purpose.as_str(), now]).await
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

/// Extends the live undo links of an account to `due_at`, the time of its deletion.
pub(crate) async fn extend_undo_links(
    tx: &mut Tx,
    account: Uuid,
    now: i64,
    due_at: i64,
) -> Result<()> {
    let sql = "UPDATE tokens SET expires_at = $1 WHERE subject_id = $2 AND purpose IN ($3, $4)
               AND spent_at IS NULL AND expires_at > $5 AND expires_at < $1";
    let (email, credential) = (
        Purpose::EmailUndo.as_str(),
        Purpose::CredentialUndo.as_str(),
    );
    tx.execute(sql, params![due_at, account, email, credential, now])
        .await?;
    Ok(())
}

/// Returns the recipients of the account's live undo links, with the number of the earliest change that each of them can
/// undo.
pub(crate) async fn list_undo_recipients(
    tx: &mut Tx,
    account: Uuid,
    now: i64,
) -> Result<Vec<(String, i64)>> {
    let sql = "SELECT email, MIN(COALESCE(change_number, created_at)) FROM tokens
               WHERE subject_id = $1 AND purpose IN ($2, $3) AND spent_at IS NULL
                 AND expires_at > $4 AND email IS NOT NULL GROUP BY email";
    let (email, credential) = (
        Purpose::EmailUndo.as_str(),
        Purpose::CredentialUndo.as_str(),
    );
    let rows = tx
        .rows(sql, params![account, email, credential, now])
        .await?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
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
const KEPT_AFTER_EXPIRY: i64 = 7 * DAY;

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
