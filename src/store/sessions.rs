//! Sessions, which every signed-in HTTP request looks up. `end_sessions.rs` ends them, `sids.rs` assigns their `sid`.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::{HOUR, serialize_time};
use crate::config::Lifetimes;
use crate::db::row::{column_through, statements};
use crate::db::{LookupSql, Result, Row, Store, Tx};
use crate::domain::auth_method::AuthMethods;
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionKey;
use crate::params;

mod authentication;
mod end_sessions;
mod sids;

use authentication::Columns;
pub(crate) use authentication::{Authentication, Proof};
pub(super) use end_sessions::end_on_devices;
pub(crate) use end_sessions::{
    EndedSessions, delete_expired, end, end_all, end_oldest, end_others,
};
pub(crate) use sids::{
    NamedSession, find_by_sid, find_sid, lock_by_sid, set_sid, sid_or_set, take_sid,
};

/// A live session and its owner.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub account_id: Uuid,
    pub device_id: Uuid,
    pub email: String,
    pub username: String,
    pub last_used_at: i64,
    idle_until: i64,
    pub expires_at: i64,
    pub authenticated: Authentication,
}

column_through!(AuthMethods = String, |text| AuthMethods::parse(&text));

pub(crate) async fn insert(
    tx: &mut Tx,
    key: SessionKey,
    device: Uuid,
    authenticated: &Authentication,
    now: i64,
    lifetimes: &Lifetimes,
) -> Result<()> {
    let end = now.saturating_add(lifetimes.session_absolute.millis());
    let idle_until = now.saturating_add(lifetimes.session_idle.millis()).min(end);
    let proofs = authenticated.columns();
    tx.run(
        "INSERT INTO sessions (id_hash, account_id, device_id, created_at, last_used_at, idle_until,
           expires_at, authenticated_at, methods, level_two_at, level_two_methods)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        params![
            &key.hash,
            key.account,
            device,
            now,
            now,
            idle_until,
            end,
            proofs.authenticated_at,
            &proofs.methods.to_string(),
            proofs.level_two_at,
            &proofs.level_two_methods.map(|methods| methods.to_string()),
        ],
    ).await
}

macro_rules! session_query {
    ($sessions:literal, $index:literal, $condition:literal) => {
        concat!(
            "SELECT s.account_id, s.id_hash, s.device_id, a.email, a.username, s.last_used_at, \
             s.idle_until, s.expires_at, s.authenticated_at, s.methods, s.level_two_at, \
             s.level_two_methods FROM ",
            $sessions,
            " JOIN accounts a ",
            $index,
            " ON a.id = s.account_id ",
            $condition
        )
    };
}

/// The query names the index, because SQLite's planner would otherwise choose the primary key and read the whole row.
const FIND_ON_SQLITE: &str = session_query!(
    "sessions s",
    "INDEXED BY accounts_shown",
    "WHERE s.account_id = $1 AND s.id_hash = $2"
);
const FIND_ON_POSTGRES: LookupSql = LookupSql {
    one: session_query!(
        "sessions s",
        "",
        "WHERE s.account_id = $1 AND s.id_hash = $2"
    ),
    many: session_query!(
        "unnest($1, $2) AS wanted (account_id, id_hash) \
         JOIN sessions s ON s.account_id = wanted.account_id AND s.id_hash = wanted.id_hash",
        "",
        ""
    ),
};

impl Session {
    fn from_sqlite_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Session> {
        Ok(Session {
            account_id: Uuid::from_bytes(row.get(0)?),
            device_id: Uuid::from_bytes(row.get(2)?),
            email: row.get(3)?,
            username: row.get(4)?,
            last_used_at: row.get(5)?,
            idle_until: row.get(6)?,
            expires_at: row.get(7)?,
            authenticated: Authentication::from_columns(Columns {
                authenticated_at: row.get(8)?,
                methods: AuthMethods::parse(row.get_ref(9)?.as_str()?),
                level_two_at: row.get(10)?,
                level_two_methods: row.get_ref(11)?.as_str_or_null()?.map(AuthMethods::parse),
            }),
        })
    }

    fn from_row(row: &Row) -> Session {
        Session {
            account_id: row.get(0),
            device_id: row.get(2),
            email: row.get(3),
            username: row.get(4),
            last_used_at: row.get(5),
            idle_until: row.get(6),
            expires_at: row.get(7),
            authenticated: proofs_from_row(row, 8),
        }
    }
}

/// Reads the columns `authenticated_at`, `methods`, `level_two_at` and `level_two_methods`, beginning at `first`.
fn proofs_from_row(row: &Row, first: usize) -> Authentication {
    Authentication::from_columns(Columns {
        authenticated_at: row.get(first),
        methods: row.get(first + 1),
        level_two_at: row.get(first + 2),
        level_two_methods: row.get(first + 3),
    })
}

/// Returns the session if neither its idle nor its absolute expiry has passed. The account's state is not checked,
/// because an account that may not be used has no sessions.
pub(crate) async fn find_live(store: &Store, key: SessionKey, now: i64) -> Result<Option<Session>> {
    let SessionKey { account, hash } = key;
    let found = match store {
        Store::Sqlite(db) => {
            let values = params![account, &hash];
            db.read()?
                .first_row(FIND_ON_SQLITE, values, Session::from_sqlite_row)?
        }
        Store::Postgres(db) => {
            let row = db.row_by_key(&FIND_ON_POSTGRES, &(account, hash)).await?;
            row.map(|row| Session::from_row(&row))
        }
    };
    Ok(found.filter(|session| session.idle_until > now && session.expires_at > now))
}

/// A session in an account's list of sessions. Times are milliseconds since 1970 UTC.
#[derive(Serialize)]
pub(crate) struct ListedSession {
    pub device_id: Uuid,
    #[serde(rename = "started_at", serialize_with = "serialize_time")]
    pub created_at: i64,
    #[serde(serialize_with = "serialize_time")]
    pub last_used_at: i64,
    #[serde(serialize_with = "serialize_time")]
    pub expires_at: i64,
    /// The time and the methods of the strongest proof.
    #[serde(serialize_with = "serialize_time")]
    pub authenticated_at: i64,
    pub methods: AuthMethods,
}

/// Returns the live sessions of the account, oldest first.
pub(crate) async fn list(tx: &mut Tx, account: Uuid, now: i64) -> Result<Vec<ListedSession>> {
    let sql = "SELECT device_id, created_at, last_used_at, expires_at, authenticated_at, methods,
           level_two_at, level_two_methods
         FROM sessions WHERE account_id = $1 AND idle_until > $2 AND expires_at > $2
         ORDER BY created_at";
    let rows = tx.rows(sql, params![account, now]).await?;
    let listed = rows.iter().map(|row| {
        let authenticated = proofs_from_row(row, 4);
        let proof = authenticated.strongest();
        ListedSession {
            device_id: row.get(0),
            created_at: row.get(1),
            last_used_at: row.get(2),
            expires_at: row.get(3),
            authenticated_at: proof.at(),
            methods: proof.methods().clone(),
        }
    });
    Ok(listed.collect())
}

/// Returns the number of live sessions. Counts one interval of hours at a time, by the index alone, so that no
/// statement reads a million rows. `longest` is the idle lifetime of a session in milliseconds.
pub(crate) async fn count_live(store: &Store, now: i64, longest: i64) -> Result<i64> {
    const INTERVAL_COUNT: i64 = 64;
    let this_hour = now / HOUR;
    // The idle expiry is never later than the absolute expiry; see `insert` and `extend_idle_expiry`.
    let sql = "SELECT COUNT(*) FROM sessions WHERE idle_hour = $1 AND idle_until > $2";
    let mut live = (store.read().await?.number(sql, params![this_hour, now])).await?;
    let mut after = this_hour;
    for interval in 1..=INTERVAL_COUNT {
        // The last interval has no end, because a longer idle lifetime may have been configured when a session began.
        let end = match interval {
            INTERVAL_COUNT => i64::MAX,
            _ => this_hour + longest / HOUR * interval / INTERVAL_COUNT,
        };
        let sql = "SELECT COUNT(*) FROM sessions WHERE idle_hour > $1 AND idle_hour <= $2";
        live += store.read().await?.number(sql, params![after, end]).await?;
        after = end;
        tokio::task::yield_now().await;
    }
    Ok(live)
}

/// A live session whose row the transaction has locked, so that the session cannot end before the commit. Only [`lock`]
/// makes this type, so a function that requires it cannot be called for an ended session.
#[derive(Debug)]
pub(crate) struct LockedSession {
    key: SessionKey,
    device_id: Uuid,
    authenticated: Authentication,
}

impl LockedSession {
    pub(crate) fn account_id(&self) -> Uuid {
        self.key.account
    }

    pub(crate) fn device_id(&self) -> Uuid {
        self.device_id
    }

    pub(crate) fn authenticated(&self) -> &Authentication {
        &self.authenticated
    }

    pub(crate) fn key(&self) -> SessionKey {
        self.key
    }

    pub(crate) fn hash(&self) -> &SecretHash {
        &self.key.hash
    }
}

/// Reads the session again and locks it. Returns `None` if the session has ended. The caller has already locked the
/// account's row (`accounts::lock`), because all transactions lock the account before its sessions.
pub(crate) async fn lock(tx: &mut Tx, key: SessionKey, now: i64) -> Result<Option<LockedSession>> {
    let sql =
        "SELECT device_id, authenticated_at, methods, level_two_at, level_two_methods FROM sessions
         WHERE account_id = $1 AND id_hash = $2 AND idle_until > $3 AND expires_at > $3 FOR UPDATE";
    let row = tx.row(sql, params![key.account, &key.hash, now]).await?;
    Ok(row.map(|row| LockedSession {
        key,
        device_id: row.get(0),
        authenticated: proofs_from_row(&row, 1),
    }))
}

/// Records another proof of identity in the session, and replaces the session id.
pub(crate) async fn reauthenticate(
    tx: &mut Tx,
    session: &LockedSession,
    new_hash: &SecretHash,
    authenticated: &Authentication,
) -> Result<()> {
    let proofs = authenticated.columns();
    tx.run(
        "UPDATE sessions SET id_hash = $1, authenticated_at = $2, methods = $3, level_two_at = $4,
           level_two_methods = $5 WHERE account_id = $6 AND id_hash = $7",
        params![
            new_hash,
            proofs.authenticated_at,
            &proofs.methods.to_string(),
            proofs.level_two_at,
            &proofs.level_two_methods.map(|methods| methods.to_string()),
            session.key.account,
            &session.key.hash,
        ],
    )
    .await
}

statements! {
    /// Ends the proofs at level 2 in all sessions of the account, because it has no strong factor any more.
    fn end_level_two(account: Uuid) =
        "UPDATE sessions SET level_two_at = NULL, level_two_methods = NULL
         WHERE account_id = $1 AND level_two_at IS NOT NULL";

    /// Extends the idle expiry of the session, but not the absolute expiry.
    fn extend_idle_expiry(key: SessionKey, now: i64, idle_until: i64) =
        "UPDATE sessions SET last_used_at = $1, idle_until = $2
         WHERE account_id = $3 AND id_hash = $4 AND idle_until > $1",
        [now, idle_until, key.account, &key.hash];

    /// Returns the time of the last use of the support view with the session, in milliseconds since 1970 UTC.
    fn last_support_view_use(key: SessionKey) -> Option<i64> =
        "SELECT support_used_at FROM sessions
         WHERE account_id = $1 AND id_hash = $2 AND support_used_at IS NOT NULL", [key.account, &key.hash];

    fn record_support_use(key: SessionKey, now: i64) =
        "UPDATE sessions SET support_used_at = $1 WHERE account_id = $2 AND id_hash = $3",
        [now, key.account, &key.hash];

    /// Returns whether there is a session with this key, live or expired.
    fn exists(key: SessionKey) -> bool =
        "SELECT 1 FROM sessions WHERE account_id = $1 AND id_hash = $2", [key.account, &key.hash];

    fn has_live(account: Uuid, now: i64) -> bool =
        "SELECT 1 FROM sessions WHERE account_id = $1 AND idle_until > $2 LIMIT 1";
}
