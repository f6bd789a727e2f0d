//! The download of an account's data: a ZIP with a file for programs and one for people (docs/export.md).

mod archive;
mod document;
mod page;

use document::Document;

use crate::app::App;
use crate::auth::client::Client;
use crate::auth::reauthentication::RecentSession;
use crate::auth::security_log::Event;
use crate::auth::session::SignedInChange;
use crate::clock::rfc3339;
use crate::db::Tx;
use crate::db::conflict::retry_on_conflict;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ErrorCode};
use crate::i18n::Language;
use crate::mail::{self, MailKind, OutgoingMail};
use crate::rate_limit::LimitedAction;
use uuid::Uuid;

/// The name of the file for programs.
const JSON_FILE_NAME: &str = "account.json";

/// An archive for download.
pub(crate) struct Download {
    /// Consists of letters, digits and hyphens, and `.zip`.
    pub file_name: String,
    pub zip: Vec<u8>,
}

/// Exports the account in the language of the request, and mails a notice.
pub(crate) async fn export(
    app: &App,
    client: &Client,
    recent: &RecentSession,
) -> Result<Download, ApiError> {
    let now = app.clock.millis();
    let document = retry_on_conflict(&app.rng, || async {
        let SignedInChange { tx, account, .. } = recent.begin_change(app, client).await?;
        let actions = [LimitedAction::Export(account.id)];
        let mut tx = app.rate_limiter.admit(tx, &actions, now).await?;
        let event = Event::new(SecurityEvent::DataExported, account.id, client);
        event.record(app, &mut tx).await?;
        let mut notice = OutgoingMail::to(&account, MailKind::DataExported).at(now);
        notice.details.device = Some(client.device_name());
        mail::queue(app, &mut tx, notice).await?;
        let document = Document::read(&mut tx, account.id, now).await?;
        tx.commit().await?;
        Ok::<_, ApiError>(document)
    })
    .await?;
    pack(app, &ExportedData(document), client.language, now)
}

/// All data of an account.
pub(crate) struct ExportedData(Document);

/// Reads all data of the account, for an export by an operator.
pub(crate) async fn read(tx: &mut Tx, account: Uuid, now: i64) -> Result<ExportedData, ApiError> {
    Ok(ExportedData(Document::read(tx, account, now).await?))
}

/// Packs a document into an archive.
pub(crate) fn pack(
    app: &App,
    ExportedData(document): &ExportedData,
    language: Language,
    now: i64,
) -> Result<Download, ApiError> {
    let page = page::render(app, document, language, now);
    let json = serde_json::to_vec_pretty(document).expect("plain data");
    let files = [(JSON_FILE_NAME, json), ("index.html", page.into_bytes())];
    let zip = archive::zip(&files).map_err(|error| {
        tracing::error!(%error, "an export could not be packed");
        ErrorCode::Internal
    })?;
    // The date in UTC: the first ten characters of RFC 3339.
    let time = rfc3339(now);
    Ok(Download {
        file_name: file_name(document.username(), &time[..10]),
        zip,
    })
}

/// Returns the name of the file. All characters except ASCII letters, digits and hyphens become hyphens, whatever the
/// rule for usernames.
fn file_name(username: &str, day: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let username: String = username.chars().map(safe).collect();
    format!("account-{username}-{day}.zip")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    // security: MD-4
    #[test]
    fn a_file_name_has_only_letters_digits_and_hyphens() {
        for (username, expected) in [
            ("Ada1815", "account-Ada1815-2026-11-21.zip"),
            ("../a b\"\r\n", "account----a-b----2026-11-21.zip"),
            ("Zoë", "account-Zo--2026-11-21.zip"),
        ] {
            assert_eq!(file_name(username, "2026-11-21"), expected);
        }
    }
}
