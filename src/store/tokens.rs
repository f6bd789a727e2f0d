//! One-time tokens in mailed links and HTTP responses. Only `redeem` marks a token as used.

mod purpose;

use uuid::Uuid;

use crate::clock::DAY;
use crate::db::row::{param_by_name, row, statements};
use crate::db::{Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;
use crate::store::accounts;

pub use purpose::{LinkEnd, Purpose};

param_by_name!(Purpose);

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

statements! {
    fn insert(new: &NewToken<'_>) =
        "INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, device_name,
         requested_at, change_number, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        [new.hash, new.purpose, new.subject_id, new.email, new.device_hash, new.device_name,
         new.reported_at, new.change_number, new.now, new.now.saturating_add(new.lifetime)];
}

/// Redeems a token, in one statement: of several parallel calls exactly one gets `Redeemed`. The account of the token
/// is locked before the token, as in all changes of an account; the opposite order could cause a deadlock.
pub(crate) async fn redeem(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Redemption> {
    if !works(tx, hash, purpose, true).await? {
        return Ok(Redemption::Invalid);
    }
    if let Some(token) = spend(tx, hash, purpose, now).await? {
        return Ok(Redemption::Redeemed(token));
    }
    let spent = find_spent(tx, hash, purpose, now).await?;
    Ok(spent.map_or(Redemption::Invalid, Redemption::AlreadyRedeemed))
}

statements! {
    fn spend(hash: &SecretHash, purpose: Purpose, now: i64) -> Option<Token> =
        "UPDATE tokens SET spent_at = $1
         WHERE token_hash = $2 AND purpose = $3 AND spent_at IS NULL AND expires_at > $1
         RETURNING", [now, hash, purpose];

    fn find_spent(hash: &SecretHash, purpose: Purpose, now: i64) -> Option<Token> =
        "FROM tokens WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NOT NULL AND expires_at > $3";
}

/// Returns whether the link that contains the token works. That depends on the token's account, whose row is locked if
/// `locks` is true. A subject that is no account, such as a legacy account, is never blocked.
async fn works(tx: &mut Tx, hash: &SecretHash, purpose: Purpose, locks: bool) -> Result<bool> {
    let Some((subject, number, migrated)) = find_subject(tx, hash).await? else {
        return Ok(false);
    };
    // The undo link of a legacy account belongs to the account that the legacy account became.
    let migrated = migrated.filter(|_| purpose.is_undo());
    let subject = migrated.unwrap_or(subject);
    if locks {
        accounts::lock_row(tx, subject).await?;
    }
    let (is_disabled, deletion) = find_block(tx, subject).await?.unwrap_or_default();
    Ok(purpose.works(is_disabled, deletion, number))
}

statements! {
    /// Returns the subject and the change number of a token, and the account that a legacy account has become.
    fn find_subject(hash: &SecretHash) -> Option<(Uuid, i64, Option<Uuid>)> =
        "SELECT t.subject_id, COALESCE(t.change_number, t.created_at), l.account_id FROM tokens t
         LEFT JOIN legacy_accounts l ON l.id = t.subject_id WHERE t.token_hash = $1";

    /// Returns whether an account is disabled, and the number of the request for its deletion.
    fn find_block(account: Uuid) -> Option<(bool, Option<i64>)> =
        "SELECT disabled_at IS NOT NULL, (SELECT number FROM pending_acts
           WHERE account_id = accounts.id AND act = 'deletion')
         FROM accounts WHERE id = $1";
}

/// Returns a valid token without redeeming it, so that a form can be checked before the token is redeemed.
pub(crate) async fn find_live(
    tx: &mut Tx,
    hash: &SecretHash,
    purpose: Purpose,
    now: i64,
) -> Result<Option<Token>> {
    if !works(tx, hash, purpose, false).await? {
        return Ok(None);
    }
    let sql = "FROM tokens
         WHERE token_hash = $1 AND purpose = $2 AND spent_at IS NULL AND expires_at > $3";
    tx.first(sql, params![hash, purpose, now]).await
}

/// Returns the purpose of a stored token, whether or not the token is valid.
pub(crate) async fn purpose_of(tx: &mut Tx, hash: &SecretHash) -> Result<Option<Purpose>> {
    let sql = "SELECT purpose FROM tokens WHERE token_hash = $1";
    let name: Option<String> = tx.first(sql, params![hash]).await?;
    Ok(name.and_then(|name| Purpose::from_name(&name)))
}

statements! {
    /// Returns whether a stored token of this purpose has expired, redeemed or not.
    fn is_expired(hash: &SecretHash, purpose: Purpose, now: i64) -> bool =
        "SELECT 1 FROM tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at <= $3";

    /// Invalidates the subject's unredeemed tokens of one purpose about the change `from` and later changes, and only
    /// those for one device if `device` is given.
    fn end_unredeemed(subject: Uuid, purpose: Purpose, from: i64, device: Option<&SecretHash>) =
        "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
         AND COALESCE(change_number, created_at) >= $3 AND ($4 IS NULL OR device_hash = $4)";

    /// Lets the valid undo links of changes before the change `below` live at least until the time `until`.
    fn keep_undo_links_until(account: Uuid, below: i64, until: i64, now: i64) =
        "UPDATE tokens SET expires_at = $1
         WHERE subject_id = $2 AND purpose IN ('email_undo', 'credential_undo')
         AND spent_at IS NULL AND expires_at > $3 AND expires_at < $1 AND change_number < $4",
        [until, account, now, below];

    /// Returns the recipients of the account's valid undo links, with the number of the earliest change that each
    /// recipient can undo, and the time at which the last of these links expires.
    fn list_undo_recipients(account: Uuid, now: i64) -> Vec<(String, i64, i64)> =
        "SELECT email, MIN(COALESCE(change_number, created_at)), MAX(expires_at) FROM tokens
         WHERE subject_id = $1 AND purpose IN ('email_undo', 'credential_undo') AND spent_at IS NULL
           AND expires_at > $2 AND email IS NOT NULL GROUP BY email";

    /// Returns whether the account has an unredeemed approval link for this device.
    fn has_approval_link(account: Uuid, device: &SecretHash) -> bool =
        "SELECT 1 FROM tokens WHERE subject_id = $1 AND purpose = 'device_approval' AND spent_at IS NULL
         AND device_hash = $2";

    /// Invalidates the subject's unredeemed tokens of one purpose that an HTTP response returned. Mailed tokens stay
    /// valid.
    fn invalidate_response_tokens(subject: Uuid, purpose: Purpose) =
        "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2 AND spent_at IS NULL
         AND email IS NULL";

    /// Removes the subject's tokens of one purpose, so that `redeem` returns `Invalid`, not `AlreadyRedeemed`.
    fn delete(subject: Uuid, purpose: Purpose) =
        "DELETE FROM tokens WHERE subject_id = $1 AND purpose = $2";
}

/// The milliseconds for which an expired approval link is stored, so that its page can explain how to get a new link.
const EXPIRED_APPROVAL_RETENTION: i64 = 7 * DAY;

statements! {
    /// Removes expired tokens; tokens of approval links are removed some days later.
    // The outer condition keeps a link that is extended while the DELETE waits for its row. After the wait, PostgreSQL
    // checks the outer condition again, but not the subquery.
    fn delete_expired(now: i64, limit: i64) -> u64 =
        "DELETE FROM tokens WHERE expires_at <= $1 AND token_hash IN
         (SELECT token_hash FROM tokens
         WHERE expires_at <= $1 AND (purpose <> $2 OR expires_at <= $3)
         ORDER BY expires_at LIMIT $4)",
        [now, Purpose::DeviceApproval, now.saturating_sub(EXPIRED_APPROVAL_RETENTION), limit];
}
