//! Loads the configuration from its file, overrides it with environment variables, and checks the result. An unknown
//! setting is an error that names the setting.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use super::mask::mask_text;
use super::{Config, Region};

/// A problem of the configuration, described in one line with the name of the setting and the fix.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// The suffix of settings that name a file. For example, `url_file` names the file that contains the value of `url`.
const FILE_SUFFIX: &str = "_file";

/// Reads the configuration file, overrides it with `ACCOUNT_<SECTION>__<KEY>` variables and checks the result.
pub fn load(
    file: Option<&Path>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Config, ConfigError> {
    let mut table = match file {
        None => toml::Table::new(),
        Some(path) => read_toml(path)?,
    };
    let defaults = serde_json::to_value(Config::default())
        .map_err(|error| ConfigError(format!("the defaults: {error}")))?;
    for (name, value) in environment {
        if let Some((name, value)) = decode_variable(name, value)? {
            set_from_environment(&mut table, &name, value, &defaults)?;
        }
    }
    let retired = super::retired::problems(&table);
    if !retired.is_empty() {
        return Err(ConfigError(retired.join("\n")));
    }
    let file_keys = resolve_file_keys(&mut table, &defaults)?;
    let mut config: Config =
        serde_path_to_error::deserialize(table).map_err(|error| config_error(error, &file_keys))?;
    let without_slash = config.server.public_url.trim_end_matches('/').len();
    config.server.public_url.truncate(without_slash);
    config.normalize_hosts();
    for code in config
        .regions
        .iter_mut()
        .flat_map(|region| &mut region.country_code)
    {
        code.make_ascii_lowercase();
    }
    if config.regions.is_empty() {
        config.regions.push(Region::default());
    }
    match super::problems(&config).into_iter().next() {
        Some(problem) => Err(ConfigError(problem)),
        None => Ok(config),
    }
}

/// Returns an environment variable as text, or `None` if the variable is no setting of this program.
fn decode_variable(
    name: OsString,
    value: OsString,
) -> Result<Option<(String, String)>, ConfigError> {
    let display_name = name.to_string_lossy().into_owned();
    if !display_name.starts_with("ACCOUNT_") || !display_name.contains("__") {
        return Ok(None);
    }
    let problem = || ConfigError(format!("{display_name}: its name and value must be UTF-8"));
    let name = name.into_string().map_err(|_| problem())?;
    let value = value.into_string().map_err(|_| problem())?;
    Ok(Some((name, value)))
}

/// The secret settings in the entries of lists. `Config::default` does not reveal them, because its lists are empty.
const LIST_SECRETS: [(&str, &[&str]); 2] = [
    ("webhooks", &["url", "secret"]),
    ("oidc.clients", &["secret_sha256"]),
];

/// Rewrites each `<setting>_file = "PATH"` to `<setting> = { file = "PATH" }`, which every type of a secret accepts. A
/// setting whose real name ends in `_file`, such as `ca_file`, keeps its name. Returns the names of the rewritten
/// settings.
fn resolve_file_keys(
    table: &mut toml::Table,
    defaults: &Value,
) -> Result<Vec<String>, ConfigError> {
    let mut found = Vec::new();
    for (section, settings) in table.iter_mut() {
        if let toml::Value::Table(settings) = settings {
            let fields = &defaults[section.as_str()];
            let is_secret =
                |name: &str, key: &str| fields.get(name).is_none() && fields.get(key).is_some();
            resolve_section_file_keys(section, settings, is_secret, &mut found)?;
        }
    }
    for (list, secrets) in LIST_SECRETS {
        let entries = match list.split_once('.') {
            None => table.get_mut(list),
            Some((section, key)) => table.get_mut(section).and_then(|s| s.get_mut(key)),
        };
        let entries = entries.and_then(toml::Value::as_array_mut);
        for (at, entry) in entries.into_iter().flatten().enumerate() {
            if let Some(settings) = entry.as_table_mut() {
                let is_secret = |_: &str, key: &str| secrets.contains(&key);
                let path = format!("{list}[{at}]");
                resolve_section_file_keys(&path, settings, is_secret, &mut found)?;
            }
        }
    }
    Ok(found)
}

/// Rewrites the `_file` settings of one section or list entry. `is_secret` receives a setting's name with and without
/// `_file`.
fn resolve_section_file_keys(
    section: &str,
    settings: &mut toml::Table,
    is_secret: impl Fn(&str, &str) -> bool,
    found: &mut Vec<String>,
) -> Result<(), ConfigError> {
    let names: Vec<String> = settings.keys().cloned().collect();
    for name in names {
        let Some(key) = name.strip_suffix(FILE_SUFFIX) else {
            continue;
        };
        if !is_secret(&name, key) {
            continue;
        }
        if settings.contains_key(key) {
            return Err(ConfigError(format!(
                "{section}.{name}: {section}.{key} is set too; set one of the two"
            )));
        }
        if let Some(path) = settings.remove(&name) {
            let pointer = toml::Table::from_iter([("file".to_owned(), path)]);
            settings.insert(key.to_owned(), pointer.into());
            found.push(format!("{section}.{key}"));
        }
    }
    Ok(())
}

/// Returns a one-line error that names the setting and omits credentials that the value may contain.
fn config_error(
    error: serde_path_to_error::Error<toml::de::Error>,
    file_keys: &[String],
) -> ConfigError {
    let mut path = error.path().to_string();
    let reason = error.into_inner().to_string();
    let mut reason = reason.lines().next().unwrap_or_default().to_owned();
    if file_keys.contains(&path) {
        path.push_str(FILE_SUFFIX);
        if reason.starts_with("invalid type") {
            reason = "there is no such setting; only secrets can be read from a file".into();
        }
    }
    ConfigError(format!("{path}: {}", mask_text(&reason)))
}

fn read_toml(path: &Path) -> Result<toml::Table, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| ConfigError(format!("cannot read {}: {e}", path.display())))?;
    text.parse::<toml::Table>().map_err(|e| {
        let line = e.span().map_or(0, |s| text[..s.start].lines().count());
        ConfigError(format!("{} line {line}: {}", path.display(), e.message()))
    })
}

/// Overrides a setting with an environment variable. Variables without `__` are ignored.
fn set_from_environment(
    table: &mut toml::Table,
    name: &str,
    value: String,
    defaults: &Value,
) -> Result<(), ConfigError> {
    let Some((section, key)) = name
        .strip_prefix("ACCOUNT_")
        .and_then(|rest| rest.split_once("__"))
    else {
        return Ok(());
    };
    let (section, key) = (section.to_lowercase(), key.to_lowercase());
    // Environment variables cannot set the entries of a list.
    if !defaults[section.as_str()].is_object() {
        let known = section_names(defaults).join(", ");
        return Err(ConfigError(format!(
            "{name}: there is no section '{section}'; the sections are {known}"
        )));
    }
    let value = match value.as_str() {
        "true" => toml::Value::Boolean(true),
        "false" => toml::Value::Boolean(false),
        text => match text.parse::<i64>() {
            Ok(number) => toml::Value::Integer(number),
            Err(_) => toml::Value::String(value),
        },
    };
    let section = table
        .entry(section)
        .or_insert_with(|| toml::Table::new().into());
    if let Some(section) = section.as_table_mut() {
        section.insert(key, value);
    }
    Ok(())
}

fn section_names(defaults: &Value) -> Vec<&str> {
    let all = defaults.as_object().into_iter().flatten();
    let sections = all.filter(|(_, fields)| fields.is_object());
    sections.map(|(name, _)| name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_env(pairs: &[(&str, &str)]) -> Result<Config, ConfigError> {
        load(None, pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())))
    }

    #[test]
    fn the_environment_overrides_every_kind_of_value() {
        let config = load_env(&[
            ("ACCOUNT_SERVER__LISTEN", "127.0.0.1:9999"),
            (
                "ACCOUNT_SERVER__TRUSTED_PROXIES",
                "10.0.0.1, 192.168.0.0/16",
            ),
            ("ACCOUNT_LIFETIMES__RESET", "2s"),
            ("ACCOUNT_LIMITS__ENABLED", "false"),
            ("ACCOUNT_LIMITS__LOGIN_IP", "3/2s"),
            ("ACCOUNT_PASSWORD__MEMORY_KIB", "1024"),
            ("ACCOUNT_SECURITY__PROFILE", "strict"),
            ("ACCOUNT_TEST_POSTGRES_URL", "ignored"),
        ])
        .unwrap();
        assert_eq!(config.server.listen.port(), 9999);
        assert_eq!(config.server.trusted_proxies.0.len(), 2);
        assert_eq!(config.lifetimes.reset.millis(), 2000);
        assert!(!config.limits.enabled);
        assert_eq!(config.limits.login_ip.hits, 3);
        assert_eq!(config.password.memory_kib, 1024);
        assert_eq!(
            config.common_passwords(),
            super::super::CommonPasswords::Refuse
        );
    }

    #[test]
    fn hosts_and_codes_are_read_in_the_spelling_of_requests() {
        let toml = "
            [server]
            public_url = 'https://Konto.MÜNCHEN.de:443/'
            [[regions]]
            id = 'de'
            hosts = ['Fans.MÜNCHEN.de']
            country_code = 'DE'
            [[oidc.clients]]
            id = 'wiki'
            name = 'Wiki'
            redirect_uris = ['https://Wiki.Example.org:443/Callback']
        ";
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), toml).unwrap();
        let config = load(Some(file.path()), std::iter::empty()).unwrap();
        assert_eq!(config.server.public_url, "https://konto.xn--mnchen-3ya.de");
        assert_eq!(config.regions[0].hosts, ["fans.xn--mnchen-3ya.de"]);
        assert_eq!(config.regions[0].country_code.as_deref(), Some("de"));
        let client = &config.oidc.clients[0];
        assert!(client.has_redirect_uri("https://wiki.example.org/Callback"));
        assert!(!client.has_redirect_uri("https://wiki.example.org/callback"));
    }

    #[test]
    fn every_section_that_is_no_list_can_come_from_the_environment() {
        let defaults = serde_json::to_value(Config::default()).unwrap();
        let all = defaults.as_object().unwrap().keys();
        let names = section_names(&defaults);
        let lists: Vec<_> = all.filter(|name| !names.contains(&name.as_str())).collect();
        assert_eq!(lists, ["regions", "webhooks"]);
        let error = load_env(&[("ACCOUNT_WEBHOOKS__URL", "x")]).unwrap_err();
        let expected = format!("the sections are {}", names.join(", "));
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
}
