//! Enrolled devices: browsers whose user has proved to own the account.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::serialize_time;
use crate::db::row::{row, statements};
use crate::db::{Param, Result, Tx};
use crate::domain::secret::SecretHash;
use crate::params;

use super::sessions::{self, EndedSessions};

row! {
    #[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
    pub(crate) struct Device {
        pub id: Uuid,
        /// The display name of the browser, such as "Firefox · Windows".
        pub name: String,
        /// The time of the device's enrolment (RFC 3339).
        #[serde(serialize_with = "serialize_time")]
        #[schema(value_type = String)]
        pub first_seen_at: i64 = "enrolled_at",
        /// The time of the device's last use (RFC 3339).
        #[serde(serialize_with = "serialize_time")]
        #[schema(value_type = String)]
        pub last_used_at: i64,
        /// The end of the device's trust, in milliseconds since 1970 UTC; until then a sign-in needs no second factor.
        #[serde(skip)]
        pub trusted_until: i64,
    }
}

statements! {
    fn find(account: Uuid, cookie: &SecretHash) -> Option<Device> =
        "FROM devices WHERE account_id = $1 AND cookie_hash = $2";

    /// Returns the hash of the device's cookie, which identifies the counter of failed sign-ins on this device.
    fn cookie_hash(account: Uuid, id: Uuid) -> Option<SecretHash> =
        "SELECT cookie_hash FROM devices WHERE account_id = $1 AND id = $2";

    /// Returns the hashes of the cookies of all devices of the account.
    fn cookie_hashes(account: Uuid) -> Vec<SecretHash> =
        "SELECT cookie_hash FROM devices WHERE account_id = $1";
}

/// The maximum number of devices per account. A browser that deletes its device cookie becomes another device with each
/// sign-in.
const MAX_DEVICES_PER_ACCOUNT: i64 = 100;

/// Enrols the browser unless it is already enrolled. Returns the device id. If the account has too many devices, a new
/// device replaces the device whose last sign-in is oldest.
pub(crate) async fn enrol(
    tx: &mut Tx,
    new_id: Uuid,
    account: Uuid,
    cookie: &SecretHash,
    name: &str,
    now: i64,
) -> Result<Uuid> {
    let id: Option<Uuid> = tx
        .first(
            "INSERT INTO devices (id, account_id, cookie_hash, name, enrolled_at, last_used_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (account_id, cookie_hash)
             DO UPDATE SET name = excluded.name, last_used_at = excluded.last_used_at
             RETURNING id",
            params![new_id, account, cookie, name, now, now],
        )
        .await?;
    let id = id.expect("an upsert returns its row");
    if id == new_id {
        remove_oldest(tx, account, id).await?;
    }
    Ok(id)
}

statements! {
    /// Removes the devices whose last sign-in is oldest, so that [`MAX_DEVICES_PER_ACCOUNT`] devices remain. Keeps the
    /// device `own` and each device with a session, also an expired one, because the expiry job still has to report the
    /// end of the session.
    fn remove_oldest(account: Uuid, own: Uuid) =
        "DELETE FROM devices WHERE account_id = $1 AND id <> $2
         AND id NOT IN (SELECT device_id FROM sessions WHERE account_id = $1)
         AND id NOT IN (SELECT id FROM devices WHERE account_id = $1
           ORDER BY last_used_at DESC, id DESC LIMIT $3)",
        [account, own, MAX_DEVICES_PER_ACCOUNT];

    /// Trusts the device with this cookie: until `until` a sign-in on the device needs no second factor.
    fn trust(account: Uuid, cookie: &SecretHash, until: i64) =
        "UPDATE devices SET trusted_until = $1 WHERE account_id = $2 AND cookie_hash = $3",
        [until, account, cookie];

    /// Ends the trust in all devices of the account.
    fn end_trust(account: Uuid) =
        "UPDATE devices SET trusted_until = 0 WHERE account_id = $1 AND trusted_until > 0";

    /// Returns all devices of the account, oldest first.
    fn list_enrolled(account: Uuid) -> Vec<Device> =
        "FROM devices WHERE account_id = $1 ORDER BY enrolled_at, id";

    /// Returns the devices that have a live session, last used first.
    // These are the columns of `Device`. The sessions record the time of the last use more exactly.
    fn list_signed_in(account: Uuid, now: i64) -> Vec<Device> =
        "SELECT d.id, d.name, d.enrolled_at, MAX(s.last_used_at), d.trusted_until FROM devices d
         JOIN sessions s ON s.account_id = d.account_id AND s.device_id = d.id
         WHERE d.account_id = $1 AND s.idle_until > $2 AND s.expires_at > $2
         GROUP BY d.id, d.name, d.enrolled_at, d.trusted_until ORDER BY 4 DESC";

    /// Returns the number of devices other than `own` that have a live session.
    fn count_others_signed_in(account: Uuid, own: Uuid, now: i64) -> i64 =
        "SELECT COUNT(DISTINCT device_id) FROM sessions
         WHERE account_id = $1 AND device_id <> $2 AND idle_until > $3 AND expires_at > $3";
}

/// Removes every device of the account except `keep`. The sessions of the removed devices end.
pub(crate) async fn remove_all_except(
    tx: &mut Tx,
    account: Uuid,
    keep: Uuid,
) -> Result<EndedSessions> {
    remove_where(tx, "id <> $2", params![account, keep]).await
}

/// Removes every device of the account except the browser with this cookie. The sessions of the removed devices end.
pub(crate) async fn remove_all_except_cookie(
    tx: &mut Tx,
    account: Uuid,
    cookie: &SecretHash,
) -> Result<EndedSessions> {
    remove_where(tx, "cookie_hash <> $2", params![account, cookie]).await
}

/// Removes a device, and ends its sessions. Returns the device's name if the device existed.
pub(crate) async fn remove(
    tx: &mut Tx,
    account: Uuid,
    id: Uuid,
) -> Result<(Option<String>, EndedSessions)> {
    let ended = sessions::end_on_devices(tx, "id = $2", params![account, id]).await?;
    let sql = "DELETE FROM devices WHERE account_id = $1 AND id = $2 RETURNING name";
    Ok((tx.first(sql, params![account, id]).await?, ended))
}

/// Removes the browser with this cookie, and ends its sessions.
pub(crate) async fn remove_by_cookie(
    tx: &mut Tx,
    account: Uuid,
    cookie: &SecretHash,
) -> Result<EndedSessions> {
    remove_where(tx, "cookie_hash = $2", params![account, cookie]).await
}

/// Removes those devices of the account `$1` that meet the condition, and ends their sessions.
async fn remove_where(tx: &mut Tx, condition: &str, params: &[Param<'_>]) -> Result<EndedSessions> {
    let ended = sessions::end_on_devices(tx, condition, params).await?;
    let sql = format!("DELETE FROM devices WHERE account_id = $1 AND {condition}");
    tx.run(&sql, params).await?;
    Ok(ended)
}

/// Removes every device of the account, and ends all sessions of the account.
pub(crate) async fn remove_all(tx: &mut Tx, account: Uuid) -> Result<EndedSessions> {
    let ended = sessions::end_all(tx, account).await?;
    let sql = "DELETE FROM devices WHERE account_id = $1";
    tx.run(sql, params![account]).await?;
    Ok(ended)
}
