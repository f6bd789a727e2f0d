//! Secrets in files: `<setting>_file = "PATH"` names a file that contains the value of a setting.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

/// The settings that may be secret. `<name>_file` may name a file that contains the value.
pub(super) const SECRETS: [&str; 4] = ["url", "smtp_url", "secret", "secret_sha256"];

/// What is noticed while the settings are read.
#[derive(Default)]
pub(super) struct Loading {
    pub problem: Option<String>,
    pub warnings: Vec<String>,
    /// The settings whose value a file contains.
    pub from_files: Vec<String>,
}

/// The folder in which containers get secrets, readable for every user of the container.
const CONTAINER_SECRETS: &str = "/run/secrets";

/// Rewrites each `<name>_file = "PATH"` to `<name> = { file = "PATH" }`, which every type of a secret accepts. `path` is
/// the path of the table, with a point at its end.
pub(super) fn resolve_file_keys(table: &mut Table, path: &str, loading: &mut Loading) {
    for (name, value) in table.iter_mut() {
        match value {
            Value::Table(nested) => resolve_file_keys(nested, &format!("{path}{name}."), loading),
            Value::Array(entries) => {
                let tables = entries.iter_mut().map(Value::as_table_mut).enumerate();
                for (at, entry) in tables.filter_map(|(at, entry)| Some((at, entry?))) {
                    resolve_file_keys(entry, &format!("{path}{name}[{at}]."), loading);
                }
            }
            _ => {}
        }
    }
    for name in SECRETS {
        let Some(file) = table.remove(&format!("{name}_file")) else {
            continue;
        };
        let path = format!("{path}{name}");
        if let Value::String(file) = &file {
            let shared = if Path::new(file).starts_with(CONTAINER_SECRETS) {
                0o022
            } else {
                0o026
            };
            if is_exposed(Path::new(file), shared) {
                loading.warnings.push(format!(
                    "{path}_file {file} can be read or changed by other users of this machine; run chmod 600"
                ));
            }
        }
        let pointer = Table::from_iter([("file".to_owned(), file)]);
        if table.insert(name.to_owned(), pointer.into()).is_some() {
            loading.problem = Some(format!(
                "{path}_file: {path} is set too; set one of the two"
            ));
        }
        loading.from_files.push(path);
    }
}

/// Returns whether the file has one of these permissions.
pub(crate) fn is_exposed(path: &Path, permissions: u32) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & permissions != 0)
}

/// Deserializes a secret, which is the text itself or the content of a file. The error about a wrong type is not that of
/// serde, which would repeat the value.
pub(super) fn deserialize_secret<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    use serde::de::Error;
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum SecretSource {
        Text(String),
        File { file: String },
    }
    match SecretSource::deserialize(d).map_err(|error| {
        // The error of a missing setting may keep its message: the setting has no value, so the message contains no
        // secret.
        match error.to_string().starts_with("missing field") {
            true => error,
            false => D::Error::custom("must be a text in quotes"),
        }
    })? {
        SecretSource::Text(text) => Ok(text),
        SecretSource::File { file } => read_secret_file(&file).map_err(D::Error::custom),
    }
}

/// Reads a file with one secret. Editors end a file with a line break, which is not part of the secret.
fn read_secret_file(file: &str) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let text = text.trim_end_matches(['\n', '\r']);
    match text.is_empty() || text.contains('\n') {
        true => Err(format!("{file} must contain one line, the value itself")),
        false => Ok(text.to_owned()),
    }
}
