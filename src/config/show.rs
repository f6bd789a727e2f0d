//! The effective settings for people, as TOML. Every setting that may contain a secret is a [`SecretUrl`], which prints
//! without it.
//!
//! [`SecretUrl`]: super::SecretUrl

use super::Config;

/// The effective settings, without their secrets.
pub fn effective_toml(config: &Config) -> String {
    toml::to_string(config).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
}
