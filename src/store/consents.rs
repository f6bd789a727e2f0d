//! Records of the consent to marketing mails: the answer, the text that the answer refers to, and the time.

use serde::Serialize;
use uuid::Uuid;

use crate::clock::serialize_time;
use crate::db::row::{row, statements};
use crate::db::{Result, Tx};
use crate::domain::consent::MarketingConsent;
use crate::i18n::Language;
use crate::params;

row! {
    #[derive(Serialize)]
    pub(crate) struct StoredConsent {
        pub consent: bool,
        pub text_version: i64,
        /// The language of the text, or `None` if it was not recorded.
        pub language: Option<String>,
        /// The time of the answer, in milliseconds since 1970 UTC.
        #[serde(serialize_with = "serialize_time")]
        pub at: i64,
    }
}

/// The maximum number of consent records of an account: the earliest, whose id is the account's, and the newest.
const MAX_CONSENTS: i64 = 1_000;
/// The maximum number of records that one `insert` removes. Earlier program versions stored an unlimited number.
const MAX_REMOVED_CONSENTS: i64 = 1_000;

statements! {
    /// Returns the consent records of an account, oldest first.
    fn list(account: Uuid) -> Vec<StoredConsent> =
        "FROM consents WHERE account_id = $1 AND (id = $1 OR id IN
           (SELECT id FROM consents WHERE account_id = $1 ORDER BY id DESC LIMIT $2))
         ORDER BY id", [account, MAX_CONSENTS - 1];
}

/// Adds a consent record, and removes the oldest records beyond `MAX_CONSENTS`, but never the very first. `id` is a
/// UUIDv7 of the record's time. The caller has locked the account's row.
pub(crate) async fn insert(
    tx: &mut Tx,
    id: Uuid,
    account: Uuid,
    consent: &MarketingConsent,
    now: i64,
) -> Result<()> {
    tx.execute(
        "INSERT INTO consents (id, account_id, consent, text_version, language, at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        params![
            id,
            account,
            consent.is_given,
            consent.text_version,
            consent.language.map(Language::code),
            now,
        ],
    )
    .await?;
    tx.run(
        "DELETE FROM consents WHERE account_id = $1 AND id IN
           (SELECT id FROM consents WHERE account_id = $1 AND id <> $1 AND id <=
              (SELECT id FROM consents WHERE account_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
            ORDER BY id LIMIT $3)",
        params![account, MAX_CONSENTS - 1, MAX_REMOVED_CONSENTS],
    )
    .await
}
