//! Loads the configuration from its file, overrides it with environment variables, and checks the result. An unknown
//! setting is an error that names the setting.

use std::ffi::OsString;
use std::path::Path;

use toml::{Table, Value};

use super::mask::mask_text;
use super::secret_file::{Loading, SECRETS, resolve_file_keys};
use super::{Config, DEFAULTS};

/// A problem of the configuration, described in one line with the name of the setting and the fix.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

/// Reads the configuration file, overrides it with `ACCOUNT_<SECTION>__<KEY>` variables and checks the result.
pub fn load(
    file: Option<&Path>,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Config, ConfigError> {
    let mut table = match file {
        None => Table::new(),
        Some(path) => read_toml(path)?,
    };
    let warnings = set_from_environment(&mut table, environment)?;
    let mut config = parse(table)?;
    config.load_warnings.extend(warnings);
    match super::problems(&config).into_iter().next() {
        Some(problem) => Err(ConfigError(problem)),
        None => Ok(config),
    }
}

/// Returns the settings of a table, and all other settings with their defaults.
pub fn parse(mut table: Table) -> Result<Config, ConfigError> {
    let retired = super::retired::problems(&table);
    if !retired.is_empty() {
        return Err(ConfigError(retired.join("\n")));
    }
    let mut loading = Loading::default();
    resolve_file_keys(&mut table, "", &mut loading);
    if let Some(problem) = loading.problem {
        return Err(ConfigError(problem));
    }
    let mut defaults = DEFAULTS.clone();
    if table.contains_key("regions") {
        // Only the region of a site that configures none has placeholder links.
        let region = defaults["regions"][0].as_table_mut();
        region.map(|region| region.remove("links"));
    }
    fill(&mut table, &defaults);
    let mut config: Config =
        serde_path_to_error::deserialize(table).map_err(|error| config_error(error, &loading))?;
    config.load_warnings = loading.warnings;
    config.normalize_hosts();
    let regions = config.regions.iter_mut();
    for code in regions.flat_map(|region| &mut region.country_code) {
        code.make_ascii_lowercase();
    }
    Ok(config)
}

/// Adds the default of each setting that the table lacks. The first entry of a list has the defaults of all its entries.
pub(super) fn fill(table: &mut Table, defaults: &Table) {
    for (name, default) in defaults {
        match (table.get_mut(name), default) {
            (None, _) => {
                table.insert(name.clone(), default.clone());
            }
            (Some(Value::Table(settings)), Value::Table(defaults)) => fill(settings, defaults),
            (Some(Value::Array(entries)), Value::Array(defaults)) => {
                for entry in entries.iter_mut().filter_map(Value::as_table_mut) {
                    if let Some(Value::Table(defaults)) = defaults.first() {
                        fill(entry, defaults);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Overrides settings with `ACCOUNT_<SECTION>__<KEY>` variables. An empty variable counts as unset, except for a list.
/// Returns warnings about misspelled variables.
fn set_from_environment(
    table: &mut Table,
    environment: impl Iterator<Item = (OsString, OsString)>,
) -> Result<Vec<String>, ConfigError> {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    let mut warnings = Vec::new();
    for (name, value) in environment {
        let shown = name.to_string_lossy();
        let Some(rest) = shown.strip_prefix("ACCOUNT_") else {
            continue;
        };
        let Some((section, key)) = rest.split_once("__") else {
            warnings.extend(misspelled_variable(rest, &defaults));
            continue;
        };
        let (Some(_), Some(value)) = (name.to_str(), value.to_str()) else {
            return Err(ConfigError(format!(
                "{shown}: its name and value must be UTF-8"
            )));
        };
        let (section, key) = (section.to_lowercase(), key.to_lowercase());
        // Environment variables cannot set the entries of a list.
        let Some(settings) = defaults[&section].as_object() else {
            let known = section_names(&defaults).join(", ");
            return Err(ConfigError(format!(
                "{shown}: there is no section '{section}'; the sections are {known}"
            )));
        };
        if value.is_empty() && !settings.get(&key).is_some_and(serde_json::Value::is_array) {
            continue;
        }
        let value = match value.parse() {
            Ok(value @ (Value::Boolean(_) | Value::Integer(_))) => value,
            _ => value.into(),
        };
        let section = table.entry(section).or_insert_with(|| Table::new().into());
        if let Some(section) = section.as_table_mut() {
            section.insert(key, value);
        }
    }
    Ok(warnings)
}

/// Returns a warning about a variable that has one `_` too few before the key, such as `ACCOUNT_SERVER_LISTEN`. `rest` is
/// its name without `ACCOUNT_`.
fn misspelled_variable(rest: &str, defaults: &serde_json::Value) -> Option<String> {
    rest.match_indices('_').find_map(|(at, _)| {
        let (section, key) = (&rest[..at], &rest[at + 1..]);
        let settings = defaults[section.to_lowercase()].as_object()?;
        let setting = key.strip_suffix("_FILE").unwrap_or(key);
        let is_known = [key, setting]
            .iter()
            .any(|key| settings.contains_key(&key.to_lowercase()));
        is_known.then(|| {
            format!("ACCOUNT_{rest} has no effect: did you mean ACCOUNT_{section}__{key}?")
        })
    })
}

/// Returns a one-line error that names the setting and omits credentials that the value may contain.
fn config_error(
    error: serde_path_to_error::Error<toml::de::Error>,
    loading: &Loading,
) -> ConfigError {
    let mut path = error.path().to_string();
    let reason = error.into_inner().to_string();
    let mut reason = reason
        .lines()
        .next()
        .unwrap_or_default()
        .replace("a boolean", "true or false");
    // The names of known settings follow an unknown name.
    let known = reason.split_off(reason.find(", expected").unwrap_or_default());
    reason += &SECRETS.iter().fold(known, |known, name| {
        known.replace(&format!("`{name}`"), &format!("`{name}` or `{name}_file`"))
    });
    if loading.from_files.contains(&path) {
        path.push_str("_file");
    }
    ConfigError(format!("{path}: {}", mask_text(&reason)))
}

fn read_toml(path: &Path) -> Result<Table, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| ConfigError(format!("cannot read {}: {e}", path.display())))?;
    text.parse::<Table>().map_err(|e| {
        let line = e
            .span()
            .map_or(1, |s| text[..s.start].matches('\n').count() + 1);
        ConfigError(format!("{} line {line}: {}", path.display(), e.message()))
    })
}

fn section_names(defaults: &serde_json::Value) -> Vec<&str> {
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
        let config = parse(toml.parse().unwrap()).unwrap();
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
