//! Sign-ins to applications (OpenID Connect clients) in a session. A sign-in to an application ends with its session.

use uuid::Uuid;

use crate::db::row::{row, statements};

row! {
    #[derive(Debug, Clone)]
    pub(crate) struct ApplicationSession {
        /// The session id that applications see (`sid` of OpenID Connect).
        pub sid: Uuid,
        pub client_id: String,
        pub account_id: Uuid,
        /// The time when the session first used the application, in milliseconds since 1970 UTC.
        pub first_used_at: i64,
        pub last_used_at: i64,
    }
}

row! {
    /// The use of an application by all sessions of an account.
    pub(crate) struct UsedApplication {
        pub client_id: String,
        pub first_used_at: i64 = "MIN(first_used_at)",
        pub last_used_at: i64 = "MAX(last_used_at)",
    }
}

statements! {
    /// Records that the session uses the application. Returns false if the session has used the application before.
    fn insert_if_new(new: &ApplicationSession) -> bool =
        "INSERT INTO app_sessions (sid, client_id, account_id, first_used_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, sid, client_id) DO NOTHING",
        [new.sid, &new.client_id, new.account_id, new.first_used_at, new.last_used_at];

    fn record_use(account: Uuid, sid: Uuid, client_id: &str, now: i64) =
        "UPDATE app_sessions SET last_used_at = $1
         WHERE account_id = $2 AND sid = $3 AND client_id = $4", [now, account, sid, client_id];

    /// Returns the applications to which a session of the account is signed in.
    fn list_used(account: Uuid) -> Vec<UsedApplication> =
        "FROM app_sessions WHERE account_id = $1 GROUP BY client_id ORDER BY client_id";

    /// Ends the sign-ins of a session to applications, and returns these sign-ins.
    fn end_by_session(account: Uuid, sid: Uuid) -> Vec<ApplicationSession> =
        "DELETE FROM app_sessions WHERE account_id = $1 AND sid = $2 RETURNING";

    /// Ends and returns all sign-ins of one account to an application.
    fn end_by_client(account: Uuid, client_id: &str) -> Vec<ApplicationSession> =
        "DELETE FROM app_sessions WHERE account_id = $1 AND client_id = $2 RETURNING";
}
