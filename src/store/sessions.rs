//! Sessions, which every signed-in HTTP request looks up. `end_sessions.rs` ends them, `sids.rs` assigns their `sid`.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::{HOUR, serialize_time};
use crate::config::Lifetimes;
use crate::db::row::{column_through, row};
use crate::db::{LookupSql, Result, Row, Store, Tx};
use crate::domain::auth_method::{Aal, AuthMethod, AuthMethods};
use crate::domain::secret::SecretHash;
use crate::domain::session_id::SessionKey;
use crate::params;

mod end_sessions;
mod sids;

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

/// The methods and times of the proofs of identity in a session. Times are milliseconds since 1970 UTC.
#[derive(Debug, Clone)]
pub(crate) struct Authentication {
    pub methods: AuthMethods,
    /// The time of the last proof of identity.
    pub at: i64,
    /// The time of the last proof at authentication level 2, which a later proof by password alone does not renew.
    pub level_two_at: Option<i64>,
}

column_through!(AuthMethods = String, |text| AuthMethods::parse(&text));

impl Authentication {
    /// Returns the authentication of a session that begins with these methods.
    pub(crate) fn begin(methods: AuthMethods, now: i64) -> Authentication {
        Authentication {
            level_two_at: (methods.aal() >= Aal::Two).then_some(now),
            methods,
            at: now,
        }
    }

    /// Returns this authentication after another proof of identity. The earlier methods stay, so the AAL never falls.
    pub(crate) fn with_proof(&self, methods: AuthMethods, now: i64) -> Authentication {
        let proof = Authentication::begin(methods, now);
        Authentication {
            methods: self.methods.union(proof.methods),
            at: now,
            level_two_at: proof.level_two_at.or(self.level_two_at),
        }
    }

    /// Returns the time of the last proof at this authentication level, or of the last proof if none had this level.
    pub(crate) fn proved_at(&self, level: Aal) -> i64 {
        match level {
            Aal::One => self.at,
            Aal::Two => self.level_two_at.unwrap_or(self.at),
        }
    }

    /// Returns this authentication after the account's earliest strong factor was added. The time of the proof stays
    /// that of the proof that permitted the addition.
    pub(crate) fn with_strong_factor(&self, method: AuthMethod) -> Authentication {
        Authentication {
            methods: self.methods.union(AuthMethods::of(&[method])),
            at: self.at,
            level_two_at: self.level_two_at.or(Some(self.at)),
        }
    }
}

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
    tx.run(
        "INSERT INTO sessions (id_hash, account_id, device_id, created_at, last_used_at, idle_until,
           expires_at, authenticated_at, methods, level_two_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        params![
            &key.hash,
            key.account,
            device,
            now,
            now,
            idle_until,
            end,
            authenticated.at,
            &authenticated.methods.to_string(),
            authenticated.level_two_at,
        ],
    ).await
}

macro_rules! session_query {
    ($sessions:literal, $index:literal, $condition:literal) => {
        concat!(
            "SELECT s.account_id, s.id_hash, s.device_id, a.email, a.username, s.last_used_at, \
             s.idle_until, s.expires_at, s.authenticated_at, s.methods, s.level_two_at FROM ",
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
            authenticated: Authentication {
                at: row.get(8)?,
                methods: AuthMethods::parse(row.get_ref(9)?.as_str()?),
                level_two_at: row.get(10)?,
            },
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
            authenticated: Authentication {
                at: row.get(8),
                methods: row.get(9),
                level_two_at: row.get(10),
            },
        }
    }
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

row! {
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
        #[serde(serialize_with = "serialize_time")]
        pub authenticated_at: i64,
        pub methods: AuthMethods,
    }
}

/// Returns the live sessions of the account, oldest first.
pub(crate) async fn list(tx: &mut Tx, account: Uuid, now: i64) -> Result<Vec<ListedSession>> {
    let sql = "FROM sessions WHERE account_id = $1 AND idle_until > $2 AND expires_at > $2
         ORDER BY created_at";
    ListedSession::select_all(tx, sql, params![account, now]).await
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
    let lock = tx.for_update();
    let sql = format!(
        "SELECT device_id, authenticated_at, methods, level_two_at FROM sessions
         WHERE account_id = $1 AND id_hash = $2 AND idle_until > $3 AND expires_at > $3{lock}"
    );
    let row = tx.row(&sql, params![key.account, &key.hash, now]).await?;
    Ok(row.map(|row| LockedSession {
        key,
        device_id: row.get(0),
        authenticated: Authentication {
            at: row.get(1),
            methods: row.get(2),
            level_two_at: row.get(3),
        },
    }))
}

/// Records another proof of identity in the session, and replaces the session id.
pub(crate) async fn reauthenticate(
    tx: &mut Tx,
    session: &LockedSession,
    new_hash: &SecretHash,
    authenticated: &Authentication,
) -> Result<()> {
    tx.run(
        "UPDATE sessions SET id_hash = $1, authenticated_at = $2, methods = $3, level_two_at = $4
         WHERE account_id = $5 AND id_hash = $6",
        params![
            new_hash,
            authenticated.at,
            &authenticated.methods.to_string(),
            authenticated.level_two_at,
            session.key.account,
            &session.key.hash,
        ],
    )
    .await
}

/// Extends the idle expiry of the session, but not the absolute expiry.
pub(crate) async fn extend_idle_expiry(
    tx: &mut Tx,
    key: SessionKey,
    now: i64,
    idle_until: i64,
) -> Result<()> {
    let sql = "UPDATE sessions SET last_used_at = $1, idle_until = $2
               WHERE account_id = $3 AND id_hash = $4 AND idle_until > $1";
    let values = params![now, idle_until, key.account, &key.hash];
    tx.run(sql, values).await
}

/// Returns the time of the last use of the support view with the session, in milliseconds since 1970 UTC.
pub(crate) async fn last_support_view_use(tx: &mut Tx, key: SessionKey) -> Result<Option<i64>> {
    let sql = "SELECT support_used_at FROM sessions WHERE account_id = $1 AND id_hash = $2";
    let found = tx.value(sql, params![key.account, &key.hash]).await?;
    Ok(found.flatten())
}

pub(crate) async fn record_support_use(tx: &mut Tx, key: SessionKey, now: i64) -> Result<()> {
    let sql = "UPDATE sessions SET support_used_at = $1 WHERE account_id = $2 AND id_hash = $3";
    tx.run(sql, params![now, key.account, &key.hash]).await
}

/// Returns whether there is a session with this key, live or expired.
pub(crate) async fn exists(tx: &mut Tx, key: SessionKey) -> Result<bool> {
    let sql = "SELECT 1 FROM sessions WHERE account_id = $1 AND id_hash = $2";
    let found = tx.row(sql, params![key.account, &key.hash]).await?;
    Ok(found.is_some())
}

pub(crate) async fn has_live(tx: &mut Tx, account: Uuid, now: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM sessions WHERE account_id = $1 AND idle_until > $2 LIMIT 1";
    Ok(tx.row(sql, params![account, now]).await?.is_some())
}
