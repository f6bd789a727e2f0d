//! Exports an account's data as a ZIP archive: `account.json` for programs, `index.html` for people (docs/export.md).

mod archive;
mod document;
mod legacy_document;
mod page;
mod reservation;
mod section;

use std::io;

use document::Document;
use futures_util::stream::{self, BoxStream, StreamExt};
use legacy_document::LegacyDocument;
pub(crate) use reservation::{ReservedExport, reserve_export};
use section::ExportedDocument;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinHandle;

use crate::accounts::change::notify;
use crate::accounts::prelude::*;
use crate::accounts::reauthentication::RecentSession;
use crate::accounts::session::LockedRows;
use crate::accounts::{migration, security_log};
use crate::app::SharedApp;
use crate::clock::rfc3339;
use crate::config::Region;
use crate::i18n::Language;
use crate::store::legacy::LegacyAccount;

const JSON_FILE_NAME: &str = "account.json";

pub(crate) struct ArchiveDownload {
    /// A name of letters, digits and hyphens, followed by `.zip`.
    pub file_name: String,
    /// The bytes of the archive in chunks. The archive is complete only if the stream ends without an error.
    pub zip: BoxStream<'static, io::Result<Vec<u8>>>,
}

/// Exports the account's data in the language of the HTTP request, and mails the owner a notice.
pub(crate) async fn export(
    app: &SharedApp,
    client: &Client,
    recent: &RecentSession,
) -> ApiResult<ArchiveDownload> {
    let begun: ApiResult<_> = change(app, client, |mut change| async move {
        let LockedRows { account, .. } = recent.lock(&mut change, client).await?;
        let mut change = change
            .admit(&[LimitName::Export.of(Subject::Account(account.id))])
            .await?;
        let begun = reserve_export(&mut change, account.id).await?;
        security_log::record(&mut change, SecurityEvent::DataExported, account.id).await?;
        let details = change.details();
        notify(&mut change, &account, MailKind::DataExported, details).await?;
        change.commit(begun).await
    })
    .await;
    begun?.run(app, client.language).await
}

impl ReservedExport {
    /// Reads the account's data and packs the archive, after the caller's commit, so that no writer waits.
    pub(crate) async fn run(
        self,
        app: &SharedApp,
        language: Language,
    ) -> ApiResult<ArchiveDownload> {
        let reservation = self.begin(app);
        let now = app.clock.millis();
        let mut tx = app.store.read().await?;
        let document = Document::read(&mut tx, reservation.account, now).await?;
        drop(tx);
        let region = app
            .config
            .region_by_id(&document.account.details.region)
            .clone();
        Ok(pack(reservation, document, region, language, now))
    }

    /// Exports the data of an unmigrated account, with the brand and the time zone of its region.
    pub(crate) async fn run_for_legacy(
        self,
        app: &SharedApp,
        old: &LegacyAccount,
    ) -> ApiResult<ArchiveDownload> {
        let reservation = self.begin(app);
        let now = app.clock.millis();
        let mut tx = app.store.read().await?;
        let document = LegacyDocument::read(&mut tx, old, now).await?;
        drop(tx);
        let region = migration::region(&app.config, old).clone();
        let language = migration::language(old, region.language());
        Ok(pack(reservation, document, region, language, now))
    }
}

fn pack(
    reservation: ReservedExport,
    document: impl ExportedDocument,
    region: Region,
    language: Language,
    now: i64,
) -> ArchiveDownload {
    // The first ten characters of an RFC 3339 time are the date.
    let file_name = file_name(document.username(), &rfc3339(now)[..10]);
    let (chunks, packing) = archive::start(move |zip| {
        archive::add_file(zip, JSON_FILE_NAME, |file| {
            Ok(serde_json::to_writer_pretty(file, &document)?)
        })?;
        archive::add_file(zip, "index.html", |file| {
            page::write(file, &region, &document, language, now)
        })
    });
    let archive = Archive {
        chunks,
        packing,
        reservation,
    };
    let zip = stream::try_unfold(archive, |mut archive| async move {
        let chunk = archive.next().await?;
        Ok(chunk.map(|chunk| (chunk, archive)))
    });
    ArchiveDownload {
        file_name,
        zip: zip.boxed(),
    }
}

/// An archive that is packed while the client downloads it.
struct Archive {
    chunks: Receiver<Vec<u8>>,
    packing: JoinHandle<io::Result<()>>,
    reservation: ReservedExport,
}

impl Archive {
    /// Returns the next chunk, or `None` if the archive is complete, which also ends the reservation of the account.
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        if self.reservation.is_over() {
            tracing::warn!("an export took too long and was broken off");
            return Err(io::ErrorKind::TimedOut.into());
        }
        if let Some(chunk) = self.chunks.recv().await {
            return Ok(Some(chunk));
        }
        // The channel also closes if packing fails, so the result of packing decides whether the archive is complete.
        let packed = (&mut self.packing).await.map_err(io::Error::other)?;
        packed.inspect_err(|error| tracing::error!(%error, "an export could not be packed"))?;
        self.reservation.release().await;
        Ok(None)
    }
}

/// Replaces all characters of the username except ASCII letters and digits, so that the name contains no path.
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
