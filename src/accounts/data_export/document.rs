//! The file `account.json`: all data of the account, without hashes, tokens, secrets and keys.

use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::section::{
    Entry, ExportTexts, ExportedDocument, Section, details_section, label_shared_details,
};
use crate::accounts::passkey::providers;
use crate::clock::{rfc3339, serialize_time};
use crate::db::Tx;
use crate::error::{ApiResult, ErrorCode};
use crate::i18n::Message;
use crate::store::accounts::{self, PersonalDetails};
use crate::store::consents::{self, StoredConsent};
use crate::store::credentials::{self, StoredPasskey};
use crate::store::devices::{self, Device};
use crate::store::legacy::{self, MigratedRecord};
use crate::store::outbox::{self, WaitingMail};
use crate::store::pending_acts::{self, Act};
use crate::store::security_events::{self, MAX_EVENTS, StoredEvent};
use crate::store::sessions::{self, ListedSession};
use crate::store::{recovery_codes, totp};

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
    pub(super) async fn read(tx: &mut Tx, account: Uuid, now: i64) -> ApiResult<Document> {
        let details = accounts::personal_details(tx, account).await?;
        let details = details.ok_or(ErrorCode::Unauthenticated)?;
        let passkeys = credentials::list(tx, account).await?;
        let reset = pending_acts::find(tx, account, Act::FactorReset, now).await?;
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
        let devices = Section::new(texts.label("devices", "title"), &self.devices, |device| {
            Entry {
                title: device.name.clone(),
                details: vec![
                    texts.labelled_time(Message::ExportFirstSeen, device.first_seen_at),
                    texts.labelled_time(Message::ExportLastUsed, device.last_used_at),
                ],
            }
        });
        let sessions = Section::new(
            texts.message(Message::ExportSessions),
            &self.sessions,
            |session| Entry {
                title: String::new(),
                details: vec![
                    texts.labelled_time(Message::ExportStarted, session.created_at),
                    texts.labelled_time(Message::ExportLastUsed, session.last_used_at),
                    texts.labelled_time(Message::ExportExpires, session.expires_at),
                ],
            },
        );
        let consents = Section::new(
            texts.message(Message::ExportConsents),
            &self.consents,
            |consent| Entry {
                title: texts.yes_or_no(consent.consent),
                details: vec![texts.labelled_time(Message::ExportTime, consent.at)],
            },
        );
        vec![
            account_section(texts, self),
            devices,
            sessions,
            passkeys_section(texts, self),
            consents,
            activity_section(texts, self),
        ]
    }
}

const EVENTS_PER_PAGE: usize = 500;

/// Reads the account's events, newest first. Yields after each page, because a SQLite query blocks its thread.
async fn read_activity(tx: &mut Tx, account: Uuid) -> ApiResult<Vec<EventPart>> {
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
            provider: providers::name(&stored.aaguid),
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

fn account_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let account = &document.account.details;
    let mut details = label_shared_details(texts, account);
    let second_factor = texts.message(Message::ExportSecondFactor);
    let is_on = texts.yes_or_no(document.second_factor.on);
    let site = texts.region.brand.as_str();
    details.extend([
        (texts.message(Message::ExportSite), site.into()),
        texts.labelled_time(Message::ExportCreated, account.created_at),
        texts.labelled_time(Message::ExportPasswordChanged, account.password_changed_at),
        (second_factor, is_on.into()),
        texts.labelled_consent(account.marketing_consent),
    ]);
    details_section(texts, details)
}

fn passkeys_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.label("security", "passkeys");
    Section::new(title, &document.passkeys, |passkey| {
        let site = passkey.site.as_str().into();
        let mut details = vec![
            (texts.message(Message::ExportSite), site),
            texts.labelled_time(Message::ExportCreated, passkey.created_at),
        ];
        let used_at = passkey.last_used_at;
        details.extend(used_at.map(|at| texts.labelled_time(Message::ExportLastUsed, at)));
        let title = passkey.name.clone();
        Entry { title, details }
    })
}

fn activity_section<'a>(texts: &'a ExportTexts<'_>, document: &'a Document) -> Section<'a> {
    let title = texts.label("activity", "title");
    Section::new(title, &document.activity, |event| {
        let mut details = vec![texts.labelled_time(Message::ExportTime, event.at)];
        for (label, value) in [
            (Message::ExportDevice, &event.device),
            (Message::ExportNetwork, &event.network),
        ] {
            details.extend(
                value
                    .iter()
                    .map(|value| (texts.message(label), value.into())),
            );
        }
        let title = texts.label("activity", &event.kind);
        Entry { title, details }
    })
}
