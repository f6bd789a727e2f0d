//! Accounts of the legacy system, loaded by the real importer.

use std::path::{Path, PathBuf};

use account::testing::legacy::import::{self, ImportError, ImportOptions, ImportReport, Progress};

use crate::support::prelude::*;

/// The password of every legacy account.
pub const OLD_PASSWORD: &str = "Lemon-Tree-42";
/// The MD5 of `OLD_PASSWORD` in the form of an early MediaWiki: the cheapest known hash.
pub const OLD_HASH: &str = ":A:371dc46a865f443621aa907b169c992c";

/// A legacy account with all details.
pub fn old(name: &str) -> Value {
    json!({
        "email": format!("{name}@example.org"),
        "username": name,
        "password_hash": OLD_HASH,
        "first_name": "Ada",
        "last_name": "Ampère",
        "country": "de",
        "birthday_day": 30,
        "birthday_month": 11,
        "birthday_year": 1990,
        "zipcode": "10115",
        "marketing_consent": true,
        "language": "de",
        "legacy_id": format!("id-{name}"),
        "created_at": "2012-05-01T10:00:00Z",
    })
}

/// `old` with some fields changed.
pub fn old_with(name: &str, changes: &Value) -> Value {
    let mut row = old(name);
    for (key, value) in changes.as_object().unwrap() {
        row[key] = value.clone();
    }
    row
}

impl Site {
    /// Imports the rows and asserts that all are accepted.
    pub async fn import_accounts(&self, rows: &[Value]) {
        let folder = tempfile::tempdir().unwrap();
        let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let file = write_file(folder.path(), "old.jsonl", lines.as_bytes());
        let outcome = self.import_file(&file).await;
        assert_eq!(outcome.counts.read, rows.len() as u64);
        assert_eq!(outcome.counts.rejected, 0);
    }

    pub async fn import_file(&self, file: &Path) -> ImportReport {
        let options = import_options(file.to_owned(), 1000);
        self.import(&options).await
    }

    pub async fn import(&self, options: &ImportOptions) -> ImportReport {
        self.try_import(options).await.unwrap()
    }

    pub async fn try_import(&self, options: &ImportOptions) -> Result<ImportReport, ImportError> {
        let app = &self.app;
        let mut silent = Progress::silent();
        import::run(&app.store, &app.clock, &app.rng, options, &mut silent).await
    }

    /// A timestamp of a legacy account, such as `migrated_at`.
    pub async fn legacy_timestamp(&self, column: &str, email: &str) -> Option<i64> {
        let sql = format!("SELECT {column} FROM legacy_accounts WHERE email_key = $1");
        self.rows(&sql, params![email]).await[0].get(0)
    }
}

pub fn import_options(file: PathBuf, batch: usize) -> ImportOptions {
    ImportOptions {
        file,
        format: Default::default(),
        rejects: None,
        dry_run: false,
        batch,
    }
}

pub fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}
