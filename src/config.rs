//! All settings of the program: one struct per section, with its defaults. Unknown keys are refused.
//! `config.example.toml` lists all settings, which a test ensures.

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
pub use hosts::{explain, unsafe_regions};
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
pub use units::{Duration, Limit, List, Size};
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
    /// Endpoints that receive events.
    pub webhooks: Vec<Webhook>,
    /// The first is the default for unknown hosts.
    pub regions: Vec<Region>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    #[serde(deserialize_with = "units::listen_address")]
    pub listen: SocketAddr,
    /// The public scheme, host and port; links in mails start with it.
    pub public_url: String,
    /// Proxies whose X-Forwarded-For is trusted. Default: none.
    pub trusted_proxies: List<ipnet::IpNet>,
    #[serde(deserialize_with = "units::some_listen_address")]
    pub ops_listen: Option<SocketAddr>,
    pub body_limit: Size,
    /// The maximum number of open connections to `listen`.
    pub max_connections: usize,
    pub shutdown_grace: Duration,
    /// The time in which connections are still accepted after SIGTERM, while `/readyz` returns 503. Unset: a fifth of
    /// the grace period, at most 2 s.
    pub drain_delay: Option<Duration>,
    /// The redirect target of `/` of the origin. Unset: `/account/`.
    pub site_home: Option<String>,
    /// Whether HSTS includes all subdomains. Off by default, because other programs may serve those.
    pub hsts_subdomains: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    pub url: SecretUrl<DatabaseAddress>,
    /// Certificate authorities (PEM) of a PostgreSQL server, instead of the public ones.
    pub ca_file: Option<PathBuf>,
    /// The certificate (PEM) of this program for a PostgreSQL server, and its key.
    pub client_cert_file: Option<PathBuf>,
    pub client_key_file: Option<PathBuf>,
    /// The maximum number of PostgreSQL connections of this node.
    pub max_connections: usize,
    /// Whether SQLite reads the file through a memory map: fewer system calls, but an I/O error on a mapped page ends
    /// the process (SIGBUS) instead of one request (<https://www.sqlite.org/mmap.html>).
    pub mmap: bool,
    /// The folder with the backups of this database; `/metrics` reports the time of the newest.
    pub backup_folder: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    pub smtp_url: Option<SecretUrl<SmtpAddress>>,
    /// Certificate authorities (PEM) of the SMTP server, instead of the public ones.
    pub ca_file: Option<PathBuf>,
    pub from: String,
    pub poll_interval: Duration,
    /// Attempts before a mail is given up.
    pub max_attempts: u32,
    /// The wait after the first failed attempt. It doubles with each further one, up to an hour.
    pub backoff: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fragments {
    pub url: Option<SecretUrl<ServiceAddress>>,
    pub timeout: Duration,
    pub max_bytes: Size,
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
    /// The number of passwords that may not be used again, including the current one.
    pub password_history: u32,
    /// Unset: `advise` in profile `spec`, `refuse` in `strict`.
    pub common_passwords: Option<CommonPasswords>,
    /// Unset: `after_password` if the old hash is known, otherwise `always`. Profile `strict`: `after_password` only.
    pub legacy_hint: Option<LegacyHint>,
    pub legacy_sign_in: LegacySignIn,
    /// The time for which a trusted device needs no second factor; zero: a code is always required.
    pub second_factor_trust: Duration,
    /// The keys of the values that are encrypted in the database; the same file on every node.
    pub encryption_key_file: PathBuf,
}

/// Argon2id (RFC 9106). The defaults are the first choice of OWASP's Password Storage sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Password {
    pub memory_kib: u32,
    pub iterations: u32,
    pub parallelism: u32,
    /// Unset: the number of cores, at most 8.
    pub max_parallel: Option<usize>,
    pub queue_wait: Duration,
}

impl Password {
    /// Returns the number of hashing threads. Each keeps `memory_kib` of memory, so the default is bounded.
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
    /// The time after a proof of identity in which sensitive changes are allowed.
    pub reauthentication: Duration,
    /// The lifetime of a passkey challenge.
    pub webauthn_challenge: Duration,
    /// The time in which a sign-in with the right password can be completed with a code.
    pub second_factor_challenge: Duration,
    /// The time in which the set-up of an authenticator app can be confirmed.
    pub totp_setup: Duration,
    /// The wait before a lost second factor can be turned off by mail.
    pub second_factor_reset: Duration,
    /// The time in which an added passkey or second factor can be undone by mail.
    pub credential_undo: Duration,
    /// The time between the request for a deletion and the deletion.
    pub deletion_grace: Duration,
    /// The time for which the username of a deleted account stays reserved.
    pub username_hold: Duration,
    /// The time after the last sign-in after which an account is deleted; zero: never.
    pub inactive_account: Duration,
    /// The time that the list of recent activity covers.
    pub activity: Duration,
    /// The time after which the support view requires another proof of identity, if it was not used.
    pub support_session: Duration,
    /// The retention of the audit.
    pub audit: Duration,
    pub sweep: Duration,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Age {
    pub registration: u32,
    pub migration: u32,
    /// Under-age attempts after which every further one is refused.
    pub attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Accounts {
    /// Usernames that a registration cannot take. Unmigrated accounts of the old system keep theirs.
    pub reserved_usernames: List<String>,
}

impl Accounts {
    /// Returns whether the site reserves the name, given by its lower-case key.
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
    /// The networks of the agents. Empty: any.
    pub networks: List<ipnet::IpNet>,
}

impl Support {
    /// Returns whether the support view serves requests from this address. If the view is off, it serves none.
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
                // Does not compile if a section is missing.
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

    /// Returns whether captured mails may be read at `/account/dev/mail`: only if `public_url` is this machine, because
    /// their links give access to accounts.
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

    /// Returns the region of a host name. Unknown hosts get the default region, so a forged Host header only selects
    /// among configured values.
    pub fn region(&self, host: &str) -> &Region {
        self.regions
            .iter()
            .find(|r| r.hosts.iter().any(|h| h.eq_ignore_ascii_case(host)))
            .unwrap_or(&self.regions[0])
    }

    /// Returns the host of `server.public_url` as in a URL: in lower case, without the port, an IPv6 address in
    /// brackets.
    pub(crate) fn public_host(&self) -> String {
        let url = url::Url::parse(&self.server.public_url).ok();
        let host = url.as_ref().and_then(url::Url::host_str);
        host.unwrap_or_default().to_owned()
    }

    /// Returns the host for fragments if a request was sent to none of the region's hosts.
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
