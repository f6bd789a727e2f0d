//! Prints the effective settings as TOML. Every setting that may contain a secret has a type that prints no secret,
//! such as [`SecretUrl`].
//!
//! [`SecretUrl`]: super::SecretUrl

use super::Config;

pub fn effective_toml(config: &Config) -> String {
    toml::to_string(config).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
}
