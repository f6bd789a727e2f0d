//! The file `account.json`: all data of the account, without hashes, tokens, secrets and keys.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::ExportedDocument;
use super::page::{self, ExportTexts, Section};
use crate::accounts::passkey::providers;
use crate::clock::{rfc3339, serialize_time};
use crate::db::Tx;
use crate::error::{ApiError, ErrorCode};
use crate::store::accounts::{self, PersonalDetails};
use crate::store::consents::{self, StoredConsent};
use crate::store::credentials::{self, StoredPasskey};
use crate::store::devices::{self, Device};
use crate::store::legacy::{self, MigratedRecord};
use crate::store::outbox::{self, WaitingMail};
use crate::store::security_events::{self, MAX_EVENTS, StoredEvent};
use crate::store::sessions::{self, ListedSession};
use crate::store::{recovery_codes, second_factor_resets, totp};

/// The version of the file format. A change that breaks readers of the earlier version increases this number.
pub(super) const SCHEMA_VERSION: u8 = 1;

/// The content of `account.json`. Times are RFC 3339 in UTC.
#[derive(Serialize)]
pub(super) struct Document {
    schema: u8,
    exported_at: String,
    pub account: AccountPart,
    pub devices: Vec<Device>,
    pub sessions: Vec<ListedSession>,
    pub passkeys: Vec<PasskeyPart>,
    pub second_factor: SecondFactorPart,
    pub consents: Vec<StoredConsent>,
    pub activity: Vec<EventPart>,
    mails: Vec<WaitingMail>,
    /// The legacy account from which this account was migrated.
    older_account: Option<MigratedRecord>,
}

#[derive(Serialize)]
pub(super) struct AccountPart {
    id: Uuid,
    #[serde(flatten)]
    pub details: PersonalDetails,
}

#[derive(Serialize)]
pub(super) struct PasskeyPart {
    pub name: String,
    provider: Option<&'static str>,
    pub site: String,
    synced: bool,
    #[serde(serialize_with = "serialize_time")]
    pub created_at: i64,
    #[serde(serialize_with = "serialize_time")]
    pub last_used_at: Option<i64>,
}

#[derive(Serialize)]
pub(super) struct SecondFactorPart {
    pub on: bool,
    recovery_codes_left: i64,
    /// The earliest time at which the requested second-factor reset can be carried out.
    pub reset_at: Option<String>,
}

#[derive(Serialize)]
pub(super) struct EventPart {
    pub kind: String,
    #[serde(serialize_with = "serialize_time")]
    pub at: i64,
    actor: String,
    pub device: Option<String>,
    pub network: Option<String>,
    details: Value,
}

impl Document {
    /// Reads the account's data. Every query filters by account id, so the document contains no row of another account.
    pub(super) async fn read(tx: &mut Tx, account: Uuid, now: i64) -> Result<Document, ApiError> {
        let details = accounts::personal_details(tx, account).await?;
        let details = details.ok_or(ErrorCode::Unauthenticated)?;
        let passkeys = credentials::list(tx, account).await?;
        let reset = second_factor_resets::find_pending(tx, account, now).await?;
        Ok(Document {
            schema: SCHEMA_VERSION,
            exported_at: rfc3339(now),
            account: AccountPart {
                id: account,
                details,
            },
            devices: devices::list_enrolled(tx, account).await?,
            sessions: sessions::list(tx, account, now).await?,
            passkeys: passkeys.into_iter().map(PasskeyPart::from).collect(),
            second_factor: SecondFactorPart {
                on: totp::has_confirmed_app(tx, account).await?,
                recovery_codes_left: recovery_codes::count(tx, account).await?,
                reset_at: reset.map(|reset| rfc3339(reset.due_at)),
            },
            consents: consents::list(tx, account).await?,
            activity: read_activity(tx, account).await?,
            mails: outbox::list_queued(tx, account).await?,
            older_account: legacy::find_by_account(tx, account).await?,
        })
    }
}

impl ExportedDocument for Document {
    fn username(&self) -> &str {
        &self.account.details.username
    }

    fn sections<'a>(&'a self, texts: &'a ExportTexts<'_>) -> Vec<Section<'a>> {
        page::account_sections(texts, self)
    }
}

const EVENTS_PER_PAGE: usize = 500;

/// Reads the account's events, newest first. Yields after each page, because a SQLite query blocks its thread.
async fn read_activity(tx: &mut Tx, account: Uuid) -> Result<Vec<EventPart>, ApiError> {
    let mut activity = Vec::new();
    let mut before = None;
    while activity.len() < MAX_EVENTS {
        let page = security_events::list(tx, account, before, EVENTS_PER_PAGE as i64).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        activity.extend(page.into_iter().map(EventPart::from));
        tokio::task::yield_now().await;
    }
    Ok(activity)
}

impl From<StoredPasskey> for PasskeyPart {
    fn from(stored: StoredPasskey) -> PasskeyPart {
        PasskeyPart {
            provider: providers::name(stored.aaguid.parse().unwrap_or(Uuid::nil())),
            name: stored.name,
            site: stored.rp_id,
            synced: stored.synced,
            created_at: stored.created_at,
            last_used_at: stored.last_used_at,
        }
    }
}

impl From<StoredEvent> for EventPart {
    fn from(stored: StoredEvent) -> EventPart {
        EventPart {
            kind: stored.kind,
            at: stored.at,
            actor: stored.actor,
            device: stored.device_name,
            network: stored.network,
            details: stored.details,
        }
    }
}
