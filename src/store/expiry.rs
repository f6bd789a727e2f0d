//! Deletes expired rows of the tables in which a deletion needs no further action.

use crate::db::{Result, Tx};
use crate::named_enum::named_enum;
use crate::params;

named_enum! {
    /// A table whose rows expire.
    pub(crate) enum ExpiringTable(
        /// The columns of the primary key.
        key: &'static str,
        /// The column with the time by which a row expires.
        time: &'static str,
        /// `<=` if the column stores the expiry, `<` if the row is kept for a while after the time in the column.
        comparison: &'static str
    ) {
        Limits = "limits", "key", "ends_at", "<=";
        /// Names with an expiry, such as reserved usernames.
        Names = "names", "key, kind", "until", "<=";
        Devices = "devices", "account_id, id", "last_used_at", "<";
        Activity = "security_events", "account_id, id", "at", "<";
        Challenges = "spent_challenges", "challenge_hash", "expires_at", "<=";
        SignInChallenges = "sign_in_challenges", "token_hash", "expires_at", "<=";
        SecondFactorResets = "second_factor_resets", "account_id", "expires_at", "<=";
        FormerEmails = "former_emails", "account_id, email_hash", "changed_at", "<=";
        CapturedMail = "kept_mail", "id", "created_at", "<";
        FailedMail = "outbox", "id", "failed_at", "<";
        SentMail = "sent_mails", "id", "sent_at", "<";
        Audit = "support_audit", "id", "at", "<";
        /// Authorization codes.
        Codes = "oidc_codes", "code_hash", "expires_at", "<=";
        /// Access tokens and refresh tokens of applications.
        AppTokens = "oidc_tokens", "token_hash", "expires_at", "<=";
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
