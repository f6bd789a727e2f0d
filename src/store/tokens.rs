//! One-time tokens in mailed links and HTTP responses. Only `redeem` marks a token as used.

mod purpose;

use uuid::Uuid;

use crate::clock::DAY;
use crate::db::row::row;
use crate::db::{Result, Row, Tx};
use crate::domain::secret::SecretHash;
use crate::params;
use crate::store::accounts;

pub(crate) use purpose::{AccountBlock, LinkEffect};
pub use purpose::{LinkEnd, Purpose};

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct Token {
        pub subject_id: Uuid,
        pub email: Option<String>,
        pub device_hash: Option<SecretHash>,
        pub device_name: Option<String>,
        /// The time of the event that the mail reports; the mail may be sent later.
        pub reported_at: i64 = "COALESCE(requested_at, created_at)",
        /// The number of the change that an undo link reverts (`Change::next_number`).
        /// Release 1.0 stores no number with other links.
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
    pub reported_at: i64,
    pub change_number: i64,
    pub now: i64,
    pub lifetime: i64,
}

#[derive(Debug)]
pub(crate) enum Redemption {
    /// This call has redeemed the token.
    Redeemed(Token),
    /// The token was redeemed before and has not expired. A repeated confirmation returns the same response again.
    AlreadyRedeemed(Token),
    Invalid,
}

pub(crate) async fn insert(tx: &mut Tx, new: &NewToken<'_>) -> Result<()> {
    tx.run(
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
            new.reported_at,
            new.change_number,
            new.now,
            new.now.saturating_add(new.lifetime),
        ],
    )
    .await
}

/// Redeems a token, in one statement: of several parallel calls exactly one gets `Redeemed`. The account of the token
/// is locked before the token, as in all changes of an account; the opposite order could cause a deadlock.
pub(crate) async fn redeem(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Redemption> {
    if find_effect(tx, hash, purpose, true).await? == LinkEffect::Refused {
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

/// Returns the effect of the link that contains the token. The effect depends on the token's account, whose row is
/// locked if `locks` is true. A subject that is no account, such as a legacy account, is never blocked.
async fn find_effect(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    locks: bool,
) -> Result<LinkEffect> {
    let sql =
        "SELECT t.subject_id, COALESCE(t.change_number, t.created_at), l.account_id FROM tokens t
               LEFT JOIN legacy_accounts l ON l.id = t.subject_id WHERE t.token_hash = $1";
    let Some(token) = tx.row(sql, params![hash]).await? else {
        return Ok(LinkEffect::Refused);
    };
    // The undo link of a legacy account belongs to the account that the legacy account became.
    let migrated: Option<Uuid> = token.get(2);
    let subject = migrated.filter(|_| purpose.is_undo());
    let subject = subject.unwrap_or_else(|| token.get(0));
    if locks {
        accounts::lock_row(tx, subject).await?;
    }
    let sql = "SELECT disabled_at IS NOT NULL, (SELECT number FROM pending_acts
                 WHERE account_id = accounts.id AND act = 'deletion')
               FROM accounts WHERE id = $1";
    let account = tx.row(sql, params![subject]).await?;
    let is_disabled = account.as_ref().is_some_and(|account| account.get(0));
    let deletion_number: Option<i64> = account.and_then(|account| account.get(1));
    let block = AccountBlock::of(is_disabled, deletion_number.is_some());
    let effect = purpose.link_effect(block);
    let is_later = deletion_number.is_some_and(|number| token.get::<i64>(1) > number);
    Ok(match effect {
        LinkEffect::UndoesDeletionToo if is_later => LinkEffect::Refused,
        effect => effect,
    })
}

/// Returns a valid token without redeeming it, so that a form can be checked before the token is redeemed.
pub(crate) async fn find_live(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Option<Token>> {
    if find_effect(tx, hash, purpose, false).await? == LinkEffect::Refused {
        return Ok(None);
    }
    let sql = "FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NULL AND expires_at > $3";
    Token::select_one(tx, sql, params![hash, purpose.as_str(), now]).await
}

/// Returns the purpose of a stored token, whether or not the token is valid.
pub(crate) async fn purpose_of(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Purpose>> {
    let sql = "SELECT purpose FROM tokens WHERE token_hash = $1";
    let name: Option<String> = tx.value(sql, params![hash]).await?;
    Ok(name.and_then(|name| Purpose::from_name(&name)))
}

/// Returns whether a stored token of this purpose has expired, redeemed or not.
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

/// Invalidates the subject's unredeemed tokens of one purpose.
pub(crate) async fn invalidate_unredeemed(
    tx: &mut Tx,
    subject: Uuid,
    purpose: Purpose,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL";
    tx.run(sql, params![subject, purpose.as_str()]).await
}

/// Invalidates the unredeemed undo links of the change with this number and of all later changes.
pub(crate) async fn end_undo_links_from(
    tx: &mut Tx,
    account: Uuid,
    purpose: Purpose,
    change_number: i64,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND change_number >= $3";
    tx.run(sql, params![account, purpose.as_str(), change_number])
        .await
}

/// Lets the valid undo links of changes before the change `below` live at least until the time `until`.
pub(crate) async fn keep_undo_links_until(
    tx: &mut Tx,
    account: Uuid,
    below: i64,
    until: i64,
    now: i64,
) -> Result<()> {
    let sql = "UPDATE tokens SET expires_at = $1 WHERE subject_id = $2 AND purpose IN ($3, $4)
               AND spent_at IS NULL AND expires_at > $5 AND expires_at < $1
               AND change_number < $6";
    let (email, credential) = (
        Purpose::EmailUndo.as_str(),
        Purpose::CredentialUndo.as_str(),
    );
    tx.run(sql, params![until, account, email, credential, now, below])
        .await
}

/// Returns the recipients of the account's valid undo links, with the number of the earliest change that each recipient
/// can undo, and the time at which the last of these links expires.
pub(crate) async fn list_undo_recipients(
    tx: &mut Tx,
    account: Uuid,
    now: i64,
) -> Result<Vec<(String, i64, i64)>> {
    let sql = "SELECT email, MIN(COALESCE(change_number, created_at)), MAX(expires_at) FROM tokens
               WHERE subject_id = $1 AND purpose IN ($2, $3) AND spent_at IS NULL
                 AND expires_at > $4 AND email IS NOT NULL GROUP BY email";
    let (email, credential) = (
        Purpose::EmailUndo.as_str(),
        Purpose::CredentialUndo.as_str(),
    );
    let rows = tx
        .rows(sql, params![account, email, credential, now])
        .await?;
    let columns = |row: &Row| (row.get(0), row.get(1), row.get(2));
    Ok(rows.iter().map(columns).collect())
}

/// Invalidates the account's unredeemed approval links for this device.
pub(crate) async fn end_approval_links(
    tx: &mut Tx,
    account: Uuid,
    device: &SecretHash,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND device_hash = $3";
    let purpose = Purpose::DeviceApproval.as_str();
    tx.run(sql, params![account, purpose, device]).await
}

/// Returns whether the account has an unredeemed approval link for this device.
pub(crate) async fn has_approval_link(
    tx: &mut Tx,
    account: Uuid,
    device: &SecretHash,
) -> Result<bool> {
    let sql = "SELECT 1 FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND device_hash = $3";
    let purpose = Purpose::DeviceApproval.as_str();
    let row = tx.row(sql, params![account, purpose, device]).await?;
    Ok(row.is_some())
}

/// Invalidates the subject's unredeemed tokens of one purpose that an HTTP response returned. Mailed tokens stay valid.
pub(crate) async fn invalidate_response_tokens(
    tx: &mut Tx,
    subject: Uuid,
    purpose: Purpose,
) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
               AND email IS NULL";
    tx.run(sql, params![subject, purpose.as_str()]).await
}

/// Removes the subject's tokens of one purpose, so that `redeem` returns `Invalid`, not `AlreadyRedeemed`.
pub(crate) async fn delete(tx: &mut Tx, subject: Uuid, purpose: Purpose) -> Result<()> {
    let sql = "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2";
    tx.run(sql, params![subject, purpose.as_str()]).await
}

/// The milliseconds for which an expired approval link is stored, so that its page can explain how to get a new link.
const EXPIRED_APPROVAL_RETENTION: i64 = 7 * DAY;

/// Removes expired tokens; tokens of approval links are removed some days later.
pub(crate) async fn delete_expired(tx: &mut Tx, now: i64, limit: i64) -> Result<u64> {
    // The outer condition keeps a link that is extended while the DELETE waits for its row. After the wait, PostgreSQL
    // checks the outer condition again, but not the subquery.
    tx.execute(
        "DELETE FROM tokens WHERE expires_at <= $1 AND token_hash IN
           (SELECT token_hash FROM tokens
            WHERE expires_at <= $1 AND (purpose <> $2 OR expires_at <= $3)
            ORDER BY expires_at LIMIT $4)",
        params![
            now,
            Purpose::DeviceApproval.as_str(),
            now.saturating_sub(EXPIRED_APPROVAL_RETENTION),
            limit
        ],
    )
    .await
}
