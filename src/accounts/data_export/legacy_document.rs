//! The file `account.json` of an unmigrated account, with all columns of the account's row except hashes.

use serde::Serialize;

use super::document::SCHEMA_VERSION;
use super::section::{
    ExportTexts, ExportedDocument, Section, details_section, label_shared_details,
};
use crate::clock::rfc3339;
use crate::db::Tx;
use crate::error::{ApiResult, ErrorCode};
use crate::i18n::Message;
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
    #[serde(flatten)]
    pub account: LegacyAccount,
    /// The birthday as YYYY-MM-DD, or `None` if day, month or year is unknown.
    pub birthday: Option<String>,
    #[serde(flatten)]
    pub record: LegacyRecord,
}

impl LegacyDocument {
    pub(super) async fn read(
        tx: &mut Tx,
        old: &LegacyAccount,
        now: i64,
    ) -> ApiResult<LegacyDocument> {
        let record = legacy::find_record(tx, old.id).await?;
        let record = record.ok_or(ErrorCode::NotFound)?;
        Ok(LegacyDocument {
            schema: SCHEMA_VERSION,
            exported_at: rfc3339(now),
            waiting_account: UnmigratedAccount {
                account: old.clone(),
                birthday: old.birthday(),
                record,
            },
            mails: outbox::list_queued(tx, old.id).await?,
        })
    }
}

impl ExportedDocument for LegacyDocument {
    fn username(&self) -> &str {
        let username = self.waiting_account.account.username.as_deref();
        username.unwrap_or("old")
    }

    fn sections<'a>(&'a self, texts: &'a ExportTexts<'_>) -> Vec<Section<'a>> {
        let waiting = &self.waiting_account;
        let mut details = label_shared_details(texts, waiting);
        let created = waiting.record.created_at;
        details.extend(created.map(|at| texts.labelled_time(Message::ExportCreated, at)));
        details.extend(
            waiting
                .account
                .marketing_consent
                .map(|is_given| texts.labelled_consent(is_given)),
        );
        vec![details_section(texts, details)]
    }
}
