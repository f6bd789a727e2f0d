//! All settings of the program: one struct for each section of the configuration. An unknown setting is an error. A
//! test ensures that `config.example.toml` explains all settings, so the comments here add only what that file lacks.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

mod accent;
mod address;
mod check;
mod defaults;
mod forward_auth;
mod host;
mod hosts;
mod limits;
mod load;
mod mask;
mod memory;
mod oidc;
mod passkeys;
mod public_suffix;
mod region;
mod region_check;
mod secret_text;
mod secret_url;
mod sender;
mod show;
mod units;
mod warnings;
mod webhooks;

pub use accent::Accent;
pub use address::{
    DatabaseAddress, PostgresAddress, ServiceAddress, SmtpAddress, SmtpTls, SslMode,
};
pub use check::problems;
pub use forward_auth::ForwardAuth;
pub use hosts::explain;
pub use limits::Limits;
pub(crate) use limits::limits_table;
pub use load::{ConfigError, load};
pub use mask::mask_text;
pub use oidc::{Oidc, OidcClient, Pkce, Scope, SecretDigest, SigningAlgorithm};
pub use passkeys::Passkeys;
pub(crate) use passkeys::{RelyingParty, related_host_problems};
pub use region::{Analytics, CompletionVariant, Consent, Landscape, Links, PasskeyScope, Region};

pub use crate::domain::zipcode::MigrationZip;
pub use secret_text::SecretText;
pub use secret_url::SecretUrl;
pub(crate) use sender::{SENDER_FORM, parse_sender};
pub use show::effective_toml;
pub use units::{ByteSize, Duration, Limit, List};
pub(crate) use warnings::is_loopback_name;
pub use warnings::warnings;
pub use webhooks::{EVENT_TYPES, EndpointAddress, Webhook, WebhookSecret};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub server: Server,
    pub database: Database,
    pub mail: Mail,
    pub fragments: Fragments,
    pub translations: Translations,
    pub security: Security,
    pub password: Password,
    pub lifetimes: Lifetimes,
    pub limits: Limits,
    pub age: Age,
    pub accounts: Accounts,
    pub passkeys: Passkeys,
    pub support: Support,
    pub forward_auth: ForwardAuth,
    pub oidc: Oidc,
    pub log: Log,
    pub webhooks: Vec<Webhook>,
    /// The regions, of which the first is the default for unknown hosts.
    pub regions: Vec<Region>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    #[serde(deserialize_with = "units::listen_address")]
    pub listen: SocketAddr,
    pub public_url: String,
    pub trusted_proxies: List<ipnet::IpNet>,
    #[serde(deserialize_with = "units::some_listen_address")]
    pub ops_listen: Option<SocketAddr>,
    pub body_limit: ByteSize,
    pub max_connections: usize,
    pub shutdown_grace: Duration,
    /// The time in which connections are still accepted after SIGTERM, while `/readyz` returns 503. If unset, it is a
    /// fifth of the grace period, and at most 2 s.
    pub drain_delay: Option<Duration>,
    pub site_home: Option<String>,
    /// Whether HSTS includes all subdomains. This is off by default, because other programs than this one may serve the
    /// subdomains.
    pub hsts_subdomains: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    pub url: SecretUrl<DatabaseAddress>,
    pub ca_file: Option<PathBuf>,
    pub client_cert_file: Option<PathBuf>,
    pub client_key_file: Option<PathBuf>,
    pub max_connections: usize,
    /// Whether SQLite reads the file through a memory map. A map needs fewer system calls, but an I/O error on a mapped
    /// page ends the process (SIGBUS) instead of one request (<https://www.sqlite.org/mmap.html>).
    pub mmap: bool,
    pub backup_folder: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    pub smtp_url: Option<SecretUrl<SmtpAddress>>,
    pub ca_file: Option<PathBuf>,
    pub from: String,
    pub poll_interval: Duration,
    pub max_attempts: u32,
    pub backoff: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fragments {
    pub url: Option<SecretUrl<ServiceAddress>>,
    pub timeout: Duration,
    pub max_bytes: ByteSize,
    pub ttl: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Translations {
    pub url: Option<SecretUrl<ServiceAddress>>,
    pub timeout: Duration,
    pub ttl: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    Spec,
    Strict,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewDevice {
    Verify,
    Notify,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommonPasswords {
    Advise,
    Refuse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegacyHint {
    AfterPassword,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegacySignIn {
    Migrate,
    Silent,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    pub profile: Profile,
    pub new_device: NewDevice,
    pub max_devices: u32,
    pub password_history: u32,
    pub common_passwords: Option<CommonPasswords>,
    pub legacy_hint: Option<LegacyHint>,
    pub legacy_sign_in: LegacySignIn,
    pub second_factor_trust: Duration,
    pub encryption_key_file: PathBuf,
}

/// The parameters of Argon2id (RFC 9106). The defaults are the first choice of OWASP's Password Storage Cheat Sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Password {
    pub memory_kib: u32,
    pub iterations: u32,
    pub parallelism: u32,
    pub max_parallel: Option<usize>,
    pub queue_wait: Duration,
}

impl Password {
    /// Returns the number of hashing threads. Each thread keeps `memory_kib` of memory, so the default is bounded.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.max_parallel.unwrap_or_else(|| cores().min(8))
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lifetimes {
    pub session_idle: Duration,
    pub session_absolute: Duration,
    pub reset: Duration,
    pub verify: Duration,
    pub email_change: Duration,
    pub migration: Duration,
    pub device_approval: Duration,
    pub email_undo: Duration,
    pub unverified_account: Duration,
    pub reauthentication: Duration,
    pub webauthn_challenge: Duration,
    pub second_factor_challenge: Duration,
    pub totp_setup: Duration,
    pub second_factor_reset: Duration,
    pub credential_undo: Duration,
    pub deletion_grace: Duration,
    pub username_hold: Duration,
    pub inactive_account: Duration,
    pub activity: Duration,
    pub support_session: Duration,
    pub audit: Duration,
    pub sweep: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Age {
    pub registration: u32,
    pub migration: u32,
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accounts {
    pub reserved_usernames: List<String>,
}

impl Accounts {
    /// Returns whether the site reserves a username, given in lower case.
    pub fn is_reserved(&self, username_key: &str) -> bool {
        let mut names = self.reserved_usernames.0.iter();
        names.any(|name| name.eq_ignore_ascii_case(username_key))
    }
}

/// The support view (`/account/support`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Support {
    pub enabled: bool,
    pub networks: List<ipnet::IpNet>,
}

impl Support {
    /// Returns whether the support view is on and serves requests from this IP address.
    pub fn allows_ip(&self, ip: std::net::IpAddr) -> bool {
        let networks = &self.networks.0;
        self.enabled && (networks.is_empty() || networks.iter().any(|net| net.contains(&ip)))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    Auto,
    Json,
    Text,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    pub level: String,
    pub format: LogFormat,
}

impl Config {
    /// Returns the names of the sections that differ from another configuration.
    pub fn changed_sections(&self, other: &Config) -> Vec<&'static str> {
        macro_rules! sections {
            ($($section:ident)*) => {{
                // The pattern does not compile if a section is missing.
                let Config { $($section: _),* } = self;
                [$((stringify!($section), self.$section != other.$section)),*]
            }};
        }
        let all = sections!(server database mail fragments translations security password
            lifetimes limits age accounts passkeys support forward_auth oidc log webhooks regions);
        let differing = all.into_iter().filter(|(_, differs)| *differs);
        differing.map(|(section, _)| section).collect()
    }

    pub fn is_https(&self) -> bool {
        self.server.public_url.starts_with("https://")
    }

    /// Returns whether captured mails may be read at `/account/dev/mail`. They may only if `public_url` is this
    /// machine, because their links give access to accounts.
    pub fn has_mail_viewer(&self) -> bool {
        self.mail.smtp_url.is_none() && !warnings::is_public(self)
    }

    pub fn common_passwords(&self) -> CommonPasswords {
        self.security
            .common_passwords
            .unwrap_or(match self.security.profile {
                Profile::Spec => CommonPasswords::Advise,
                Profile::Strict => CommonPasswords::Refuse,
            })
    }

    /// Returns the region of a host name. Unknown hosts get the default region, so a forged Host header can select only
    /// configured values.
    pub fn region(&self, host: &str) -> &Region {
        self.regions
            .iter()
            .find(|r| r.hosts.iter().any(|h| h.eq_ignore_ascii_case(host)))
            .unwrap_or(&self.regions[0])
    }

    /// Returns the host of `server.public_url` as in a URL: in lower case, without the port, and with brackets around
    /// an IPv6 address.
    pub(crate) fn public_host(&self) -> String {
        let url = url::Url::parse(&self.server.public_url).ok();
        let host = url.as_ref().and_then(url::Url::host_str);
        host.unwrap_or_default().to_owned()
    }

    /// Returns the host whose fragments a request gets that was sent to none of the region's hosts.
    pub fn primary_host(&self, region: &Region) -> String {
        let first = region.hosts.first().cloned();
        first.unwrap_or_else(|| self.public_host())
    }

    pub fn region_by_id(&self, id: &str) -> &Region {
        self.regions
            .iter()
            .find(|r| r.id == id)
            .unwrap_or(&self.regions[0])
    }
}
