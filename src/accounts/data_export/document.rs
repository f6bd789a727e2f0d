//! `account.json`: all data of the account, without hashes, tokens, secrets and keys.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::Exported;
use super::page::{self, Section, Texts};
use crate::auth::passkey::providers;
use crate::clock::rfc3339;
use crate::db::Tx;
use crate::domain::auth_method::AuthMethods;
use crate::error::{ApiError, ErrorCode};
use crate::store::accounts::{self, PersonalDetails};
use crate::store::consents::{self, StoredConsent};
use crate::store::credentials::{self, StoredPasskey};
use crate::store::devices::{self, Device};
use crate::store::legacy::{self, MigratedAccount};
use crate::store::outbox::{self, WaitingMail};
use crate::store::security_events::{self, MAX_EVENTS, StoredEvent};
use crate::store::sessions::{self, ListedSession};
use crate::store::{recovery_codes, second_factor_resets, totp};

/// The version of the format. A change that breaks readers of the earlier version increases it.
pub(super) const SCHEMA: u8 = 1;

/// Times are RFC 3339 in UTC.
#[derive(Serialize)]
pub(super) struct Document {
    schema: u8,
    exported_at: String,
    pub account: AccountPart,
    pub devices: Vec<DevicePart>,
    pub sessions: Vec<SessionPart>,
    pub passkeys: Vec<PasskeyPart>,
    pub second_factor: SecondFactorPart,
    pub consents: Vec<ConsentPart>,
    pub activity: Vec<EventPart>,
    pub mails: Vec<MailPart>,
    /// The legacy account that became the account.
    older_account: Option<OlderAccountPart>,
}

#[derive(Serialize)]
pub(super) struct AccountPart {
    pub id: Uuid,
    pub email: String,
    pub username: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub birthday: String,
    pub country: String,
    pub zipcode: String,
    pub language: String,
    pub region: String,
    pub marketing_consent: bool,
    pub created_at: String,
    email_verified_at: Option<String>,
    first_sign_in_at: Option<String>,
    pub password_changed_at: String,
}

#[derive(Serialize)]
pub(super) struct DevicePart {
    id: Uuid,
    pub name: String,
    pub first_seen_at: String,
    pub last_used_at: String,
}

#[derive(Serialize)]
pub(super) struct SessionPart {
    device_id: Uuid,
    pub started_at: String,
    pub last_used_at: String,
    pub expires_at: String,
    authenticated_at: String,
    methods: Vec<&'static str>,
}

#[derive(Serialize)]
pub(super) struct PasskeyPart {
    pub name: String,
    provider: Option<&'static str>,
    pub site: String,
    synced: bool,
    pub created_at: String,
    pub last_used_at: Option<String>,
}

#[derive(Serialize)]
pub(super) struct SecondFactorPart {
    pub on: bool,
    recovery_codes_left: i64,
    /// The time from which a requested reset can be carried out.
    pub reset_at: Option<String>,
}

/// A queued mail, without its text.
#[derive(Serialize)]
pub(super) struct MailPart {
    kind: String,
    at: String,
}

#[derive(Serialize)]
pub(super) struct OlderAccountPart {
    id: Uuid,
    legacy_id: Option<String>,
    email: String,
    imported_at: String,
    invited_at: Option<String>,
    opened_at: Option<String>,
    migrated_at: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ConsentPart {
    pub consent: bool,
    text_version: i64,
    language: Option<String>,
    pub at: String,
}

#[derive(Serialize)]
pub(super) struct EventPart {
    pub kind: String,
    pub at: String,
    actor: String,
    pub device: Option<String>,
    pub network: Option<String>,
    details: Value,
}

impl Document {
    /// Reads the account. Every query names the account, so that no row of another account can be part of the document.
    pub(super) async fn read(tx: &mut Tx, account: Uuid, now: i64) -> Result<Document, ApiError> {
        let details = accounts::personal_details(tx, account).await?;
        let details = details.ok_or(ErrorCode::Unauthenticated)?;
        let devices = devices::list_enrolled(tx, account).await?;
        let sessions = sessions::list(tx, account, now).await?;
        let passkeys = credentials::list(tx, account).await?;
        let consents = consents::list(tx, account).await?;
        let reset = second_factor_resets::find_pending(tx, account, now).await?;
        let mails = outbox::list_queued(tx, account).await?;
        let older = legacy::find_by_account(tx, account).await?;
        let activity = read_activity(tx, account).await?;
        Ok(Document {
            schema: SCHEMA,
            exported_at: rfc3339(now),
            account: AccountPart::new(account, details),
            devices: devices.into_iter().map(DevicePart::from).collect(),
            sessions: sessions.into_iter().map(SessionPart::from).collect(),
            passkeys: passkeys.into_iter().map(PasskeyPart::from).collect(),
            second_factor: SecondFactorPart {
                on: totp::is_on(tx, account).await?,
                recovery_codes_left: recovery_codes::count(tx, account).await?,
                reset_at: reset.map(|reset| rfc3339(reset.due_at)),
            },
            consents: consents.into_iter().map(ConsentPart::from).collect(),
            activity,
            mails: mails.into_iter().map(MailPart::from).collect(),
            older_account: older.map(OlderAccountPart::from),
        })
    }
}

impl Exported for Document {
    fn username(&self) -> &str {
        &self.account.username
    }

    fn sections<'a>(&'a self, texts: &'a Texts<'_>) -> Vec<Section<'a>> {
        page::account_sections(texts, self)
    }
}

/// The events that one query reads.
const EVENTS_PER_PAGE: usize = 500;

/// Reads the events, newest first. Other requests run between two pages: a query of SQLite occupies its thread.
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

impl AccountPart {
    fn new(id: Uuid, stored: PersonalDetails) -> AccountPart {
        AccountPart {
            id,
            email: stored.email,
            username: stored.username,
            first_name: stored.first_name,
            last_name: stored.last_name,
            birthday: stored.birthday,
            country: stored.country,
            zipcode: stored.zipcode,
            language: stored.language,
            region: stored.region,
            marketing_consent: stored.marketing_consent,
            created_at: rfc3339(stored.created_at),
            email_verified_at: stored.email_verified_at.map(rfc3339),
            first_sign_in_at: stored.first_sign_in_at.map(rfc3339),
            password_changed_at: rfc3339(stored.password_changed_at),
        }
    }
}

impl From<Device> for DevicePart {
    fn from(stored: Device) -> DevicePart {
        DevicePart {
            id: stored.id,
            name: stored.name,
            first_seen_at: rfc3339(stored.first_seen_at),
            last_used_at: rfc3339(stored.last_used_at),
        }
    }
}

impl From<ListedSession> for SessionPart {
    fn from(stored: ListedSession) -> SessionPart {
        SessionPart {
            device_id: stored.device_id,
            started_at: rfc3339(stored.created_at),
            last_used_at: rfc3339(stored.last_used_at),
            expires_at: rfc3339(stored.expires_at),
            authenticated_at: rfc3339(stored.authenticated_at),
            methods: AuthMethods::parse(&stored.methods).names().collect(),
        }
    }
}

impl From<StoredPasskey> for PasskeyPart {
    fn from(stored: StoredPasskey) -> PasskeyPart {
        PasskeyPart {
            provider: providers::name(stored.aaguid.parse().unwrap_or(Uuid::nil())),
            name: stored.name,
            site: stored.rp_id,
            synced: stored.synced,
            created_at: rfc3339(stored.created_at),
            last_used_at: stored.last_used_at.map(rfc3339),
        }
    }
}

impl From<StoredConsent> for ConsentPart {
    fn from(stored: StoredConsent) -> ConsentPart {
        ConsentPart {
            consent: stored.consent,
            text_version: stored.text_version,
            language: stored.language,
            at: rfc3339(stored.at),
        }
    }
}

impl From<StoredEvent> for EventPart {
    fn from(stored: StoredEvent) -> EventPart {
        EventPart {
            kind: stored.kind,
            at: rfc3339(stored.at),
            actor: stored.actor,
            device: stored.device_name,
            network: stored.network,
            details: serde_json::from_str(&stored.details).unwrap_or_default(),
        }
    }
}

impl From<WaitingMail> for MailPart {
    fn from(stored: WaitingMail) -> MailPart {
        MailPart {
            kind: stored.kind,
            at: rfc3339(stored.created_at),
        }
    }
}

impl From<MigratedAccount> for OlderAccountPart {
    fn from(stored: MigratedAccount) -> OlderAccountPart {
        OlderAccountPart {
            id: stored.id,
            legacy_id: stored.legacy_id,
            email: stored.email,
            imported_at: rfc3339(stored.imported_at),
            invited_at: stored.invited_at.map(rfc3339),
            opened_at: stored.opened_at.map(rfc3339),
            migrated_at: stored.migrated_at.map(rfc3339),
        }
    }
}
