//! Deletes expired rows of the tables in which a deletion needs no further action.

use crate::clock::DAY;
use crate::config::Lifetimes;
use crate::db::{Result, Tx};
use crate::named_enum::named_enum;
use crate::params;
use crate::store::account_emails::FORMER_EMAIL_RETENTION;

named_enum! {
    /// A table whose rows expire.
    pub(crate) enum ExpiringTable(
        /// The columns of the primary key.
        key: &'static str,
        /// The column with the time by which a row expires.
        time: &'static str,
        /// `<=` if the column stores the expiry, `<` if the row is kept for a while after the time in the column.
        comparison: &'static str,
        /// Returns for how many milliseconds a row is kept after the time in the column.
        retention: fn(&Lifetimes) -> i64
    ) {
        Limits = "limits", "key", "ends_at", "<=", |_| 0;
        /// Names with an expiry, such as reserved usernames.
        Names = "names", "key, kind", "until", "<=", |_| 0;
        /// Devices are kept for the longest lifetime of a device cookie (`http/cookies.rs`).
        Devices = "devices", "account_id, id", "last_used_at", "<", |_| 400 * DAY;
        Activity = "security_events", "account_id, id", "at", "<", |lifetimes| lifetimes.activity.millis();
        Challenges = "spent_challenges", "challenge_hash", "expires_at", "<=", |_| 0;
        SignInChallenges = "sign_in_challenges", "token_hash", "expires_at", "<=", |_| 0;
        PendingActs = "pending_acts", "account_id, act", "ends_at", "<=", |_| 0;
        FormerEmails = "former_emails", "account_id, email_hash", "changed_at", "<=", |_| FORMER_EMAIL_RETENTION;
        CapturedMail = "kept_mail", "id", "created_at", "<", |_| 14 * DAY;
        /// Failed mails, which the operator can inspect.
        FailedMail = "outbox", "id", "failed_at", "<", |_| 14 * DAY;
        /// The records of sent mails, which support can read.
        SentMail = "sent_mails", "id", "sent_at", "<", |_| 30 * DAY;
        Audit = "support_audit", "id", "at", "<", |lifetimes| lifetimes.audit.millis();
        /// Authorization codes.
        Codes = "oidc_codes", "code_hash", "expires_at", "<=", |_| DAY;
        /// Access tokens and refresh tokens of applications.
        AppTokens = "oidc_tokens", "token_hash", "expires_at", "<=", |_| DAY;
    }
}

/// Deletes at most `limit` rows whose time is before `before`, oldest first. Returns the number of deleted rows.
pub(crate) async fn delete(
    tx: &mut Tx,
    table: ExpiringTable,
    before: i64,
    limit: i64,
) -> Result<u64> {
    let (name, key) = (table.as_str(), table.key());
    let (time, comparison) = (table.time(), table.comparison());
    // The outer condition keeps a row that another transaction renews while the DELETE waits for it. After the wait,
    // PostgreSQL checks the outer condition again, but not the subquery.
    let sql = format!(
        "DELETE FROM {name} WHERE {time} {comparison} $1 AND ({key}) IN
           (SELECT {key} FROM {name} WHERE {time} {comparison} $1 ORDER BY {time} LIMIT $2)"
    );
    tx.execute(&sql, params![before, limit]).await
}
