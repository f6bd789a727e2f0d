//! Forward-auth: a proxy checks a visitor's session with this program.

use serde::{Deserialize, Serialize};

use super::Config;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForwardAuth {
    pub enabled: bool,
    /// Whether the applications behind the proxy receive the address of the account (`Remote-Email`).
    pub email: bool,
}

impl Default for ForwardAuth {
    fn default() -> Self {
        ForwardAuth {
            enabled: false,
            email: true,
        }
    }
}

impl Config {
    /// Returns whether the host, without a port, is that of `server.public_url` or of a region.
    pub(crate) fn is_own_host(&self, host: &str) -> bool {
        let mut hosts = self.regions.iter().flat_map(|region| &region.hosts);
        self.public_host().eq_ignore_ascii_case(host)
            || hosts.any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// Returns the problems of the settings, one line each.
pub(super) fn problems(config: &Config) -> Vec<String> {
    let is_unreachable = config.forward_auth.enabled && config.server.trusted_proxies.0.is_empty();
    match is_unreachable {
        true => vec![
            "forward_auth.enabled: only proxies in server.trusted_proxies may call it, and that is empty"
                .to_owned(),
        ],
        false => Vec::new(),
    }
}
