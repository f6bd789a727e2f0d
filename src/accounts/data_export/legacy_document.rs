//! The file `account.json` of an unmigrated account, with all columns of the account's row except hashes.

use serde::Serialize;
use uuid::Uuid;

use super::ExportedDocument;
use super::document::SCHEMA_VERSION;
use super::page::{self, ExportTexts, Section};
use crate::clock::rfc3339;
use crate::db::Tx;
use crate::error::{ApiError, ErrorCode};
use crate::store::legacy::{self, LegacyAccount, LegacyRecord};
use crate::store::outbox::{self, WaitingMail};

/// The content of `account.json`. Times are RFC 3339 in UTC.
#[derive(Serialize)]
pub(super) struct LegacyDocument {
    schema: u8,
    exported_at: String,
    pub waiting_account: UnmigratedAccount,
    mails: Vec<WaitingMail>,
}

#[derive(Serialize)]
pub(super) struct UnmigratedAccount {
    id: Uuid,
    pub email: String,
    pub username: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// The birthday as YYYY-MM-DD, or `None` if day, month or year is unknown.
    pub birthday: Option<String>,
    birthday_day: Option<i64>,
    birthday_month: Option<i64>,
    birthday_year: Option<i64>,
    pub country: Option<String>,
    pub zipcode: Option<String>,
    pub language: Option<String>,
    pub marketing_consent: Option<bool>,
    #[serde(flatten)]
    pub record: LegacyRecord,
}

impl LegacyDocument {
    pub(super) async fn read(
        tx: &mut Tx,
        old: &LegacyAccount,
        now: i64,
    ) -> Result<LegacyDocument, ApiError> {
        let id = old.id;
        let record = legacy::find_record(tx, id).await?;
        let record = record.ok_or(ErrorCode::NotFound)?;
        let old = old.clone();
        Ok(LegacyDocument {
            schema: SCHEMA_VERSION,
            exported_at: rfc3339(now),
            waiting_account: UnmigratedAccount {
                id,
                birthday: old.birthday(),
                email: old.email,
                username: old.username,
                first_name: old.first_name,
                last_name: old.last_name,
                birthday_day: old.birthday_day,
                birthday_month: old.birthday_month,
                birthday_year: old.birthday_year,
                country: old.country,
                zipcode: old.zipcode,
                language: old.language,
                marketing_consent: old.marketing_consent,
                record,
            },
            mails: outbox::list_queued(tx, id).await?,
        })
    }
}

impl ExportedDocument for LegacyDocument {
    fn username(&self) -> &str {
        self.waiting_account.username.as_deref().unwrap_or("old")
    }

    fn sections<'a>(&'a self, texts: &'a ExportTexts<'_>) -> Vec<Section<'a>> {
        vec![page::legacy_section(texts, self)]
    }
}
