//! All settings of the program: one struct for each section of the configuration. An unknown setting is an error. A
//! test ensures that `config.example.toml` explains all settings, so the comments here add only what that file lacks.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use section::{config_sections, duration};

mod accent;
mod address;
mod check;
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
mod retired;
mod secret_text;
mod secret_url;
mod section;
mod sender;
mod units;
mod warnings;
mod webhooks;

pub use accent::Accent;
pub use address::{
    DatabaseAddress, PostgresAddress, ServiceAddress, SmtpAddress, SmtpCredentials, SmtpTls,
    SslMode,
};
pub use check::problems;
pub use forward_auth::ForwardAuth;
pub(crate) use host::display_endpoint;
pub use hosts::describe_hosts;
pub use limits::Limits;
pub use load::{ConfigError, load};
pub use mask::mask_text;
pub use oidc::{Oidc, OidcClient, Pkce, Scope, SecretDigest, SigningAlgorithm};
pub use passkeys::Passkeys;
pub(crate) use passkeys::{RelyingParty, related_host_problems};
pub use region::{Analytics, CompletionVariant, Consent, Landscape, Links, PasskeyScope, Region};

pub use crate::domain::auth_method::Aal;
pub use crate::domain::zipcode::MigrationZip;
pub use secret_text::SecretText;
pub use secret_url::SecretUrl;
pub(crate) use sender::parse_sender;
pub use units::{ByteSize, Duration, Limit, List};
pub(crate) use warnings::is_loopback_name;
pub use warnings::warnings;
pub use webhooks::{EndpointAddress, Webhook, WebhookSecret};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub server: Server,
    pub database: Database,
    pub mail: Mail,
    pub fragments: Fragments,
    pub translations: Translations,
    pub security: Security,
    pub password: PasswordHashing,
    pub lifetimes: Lifetimes,
    pub limits: Limits,
    pub age: AgeLimits,
    pub accounts: Accounts,
    pub passkeys: Passkeys,
    pub support: Support,
    pub forward_auth: ForwardAuth,
    pub oidc: Oidc,
    pub log: Log,
    pub webhooks: Vec<Webhook>,
    /// The regions of the site. Hosts that no region lists belong to the first region.
    pub regions: Vec<Region>,
}

config_sections! {
    pub struct Server {
        #[serde(deserialize_with = "units::listen_address")]
        pub listen: SocketAddr = ([127, 0, 0, 1], 8080).into(),
        pub public_url: String = "http://localhost:8080".into(),
        pub trusted_proxies: List<ipnet::IpNet> = List(Vec::new()),
        #[serde(deserialize_with = "units::optional_listen_address")]
        pub ops_listen: Option<SocketAddr> = None,
        pub body_limit: ByteSize = ByteSize(16 << 10),
        pub max_connections: usize = 10_000,
        pub shutdown_grace: Duration = duration("10s"),
        /// The time in which connections are still accepted after SIGTERM, while `/readyz` returns 503. An unset delay
        /// is a fifth of `shutdown_grace`, and at most 2 s.
        pub drain_delay: Option<Duration> = None,
        pub site_home: Option<String> = None,
        /// Whether HSTS includes all subdomains. The default is no, because other programs may serve the subdomains
        /// over http.
        pub hsts_subdomains: bool = false,
    }

    pub struct Database {
        pub url: SecretUrl<DatabaseAddress> = "sqlite://data/account.db".parse().expect("a default address"),
        pub ca_file: Option<PathBuf> = None,
        pub client_cert_file: Option<PathBuf> = None,
        pub client_key_file: Option<PathBuf> = None,
        pub max_connections: usize = 16,
        /// Whether PostgreSQL's connections keep frequent statements prepared.
        pub prepared: bool = true,
        /// Whether SQLite reads the file through a memory map. A map needs fewer system calls, but an I/O error on a mapped
        /// page ends the process (SIGBUS) instead of one request (<https://www.sqlite.org/mmap.html>).
        pub mmap: bool = true,
        pub backup_folder: Option<PathBuf> = None,
    }

    pub struct Mail {
        pub smtp_url: Option<SecretUrl<SmtpAddress>> = None,
        pub ca_file: Option<PathBuf> = None,
        pub from: String = "Account <account@localhost>".into(),
        pub poll_interval: Duration = duration("1s"),
        pub max_attempts: u32 = 12,
        pub backoff: Duration = duration("5s"),
    }

    pub struct Fragments {
        pub url: Option<SecretUrl<ServiceAddress>> = None,
        pub timeout: Duration = duration("2s"),
        pub max_bytes: ByteSize = ByteSize(256 << 10),
        pub ttl: Duration = duration("60s"),
    }

    pub struct Translations {
        pub url: Option<SecretUrl<ServiceAddress>> = None,
        pub timeout: Duration = duration("2s"),
        pub ttl: Duration = duration("5m"),
    }

    pub struct Security {
        pub profile: Profile = Profile::Spec,
        pub new_device: NewDevice = NewDevice::Verify,
        pub max_devices: u32 = 10,
        pub password_history: u32 = 5,
        pub common_passwords: Option<CommonPasswords> = None,
        pub legacy_hint: Option<LegacyHintCondition> = None,
        pub legacy_sign_in: LegacySignIn = LegacySignIn::Migrate,
        pub second_factor_trust: Duration = duration("30d"),
        pub encryption_key_file: PathBuf = "data/account.key".into(),
    }

    /// The parameters of Argon2id (RFC 9106). The defaults are the first choice of OWASP's Password Storage Cheat Sheet.
    pub struct PasswordHashing {
        pub memory_kib: u32 = 19456,
        pub iterations: u32 = 2,
        pub parallelism: u32 = 1,
        pub max_parallel: Option<usize> = None,
        pub queue_wait: Duration = duration("2s"),
    }

    pub struct Lifetimes {
        pub session_idle: Duration = duration("7d"),
        pub session_absolute: Duration = duration("30d"),
        pub reset: Duration = duration("30m"),
        pub verify: Duration = duration("24h"),
        pub email_change: Duration = duration("1h"),
        pub migration: Duration = duration("24h"),
        pub device_approval: Duration = duration("30m"),
        pub email_undo: Duration = duration("7d"),
        pub unverified_account: Duration = duration("7d"),
        pub reauthentication: Duration = duration("10m"),
        pub webauthn_challenge: Duration = duration("5m"),
        pub second_factor_challenge: Duration = duration("10m"),
        pub totp_setup: Duration = duration("15m"),
        pub second_factor_reset: Duration = duration("7d"),
        pub credential_undo: Duration = duration("7d"),
        pub deletion_grace: Duration = duration("14d"),
        pub username_hold: Duration = duration("90d"),
        pub inactive_account: Duration = duration("0s"),
        pub activity: Duration = duration("180d"),
        pub support_session: Duration = duration("15m"),
        pub audit: Duration = duration("400d"),
        pub sweep: Duration = duration("1m"),
    }

    pub struct AgeLimits {
        pub registration: u32 = 17,
        pub migration: u32 = 18,
        pub attempts: u32 = 3,
    }

    pub struct Accounts {
        pub reserved_usernames: List<String> = List(RESERVED_USERNAMES.split(' ').map(str::to_owned).collect()),
    }

    /// The support view (`/account/support`).
    pub struct Support {
        pub enabled: bool = false,
        pub networks: List<ipnet::IpNet> = List(Vec::new()),
    }

    pub struct Log {
        pub level: String = "info".into(),
        pub format: LogFormat = LogFormat::Auto,
    }
}

/// Usernames that could be mistaken for the site itself, or for one of its email addresses or paths.
const RESERVED_USERNAMES: &str = "abuse account accounts admin administrator api billing contact guest \
    help helpdesk info legal login mail me mod moderator \
    moderators nobody noreply null official owner postmaster privacy register \
    root security service signup staff status superuser support sysadmin \
    system team undefined webmaster wiki";

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
pub enum LegacyHintCondition {
    AfterPassword,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegacySignIn {
    Migrate,
    Silent,
}

impl PasswordHashing {
    /// Returns the number of hashing threads. Each thread keeps `memory_kib` of memory, so the default is at most 8.
    pub fn hashing_threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.max_parallel.unwrap_or_else(|| cores().min(8))
    }
}

impl Accounts {
    /// Returns whether the site reserves a username, given in lower case.
    pub fn is_reserved(&self, username_key: &str) -> bool {
        let mut names = self.reserved_usernames.0.iter();
        names.any(|name| name.eq_ignore_ascii_case(username_key))
    }
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

impl Config {
    pub fn changed_sections(&self, other: &Config) -> Vec<&'static str> {
        macro_rules! sections {
            ($($section:ident)*) => {{
                // This destructuring pattern does not compile if a section is missing.
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

    /// Returns whether captured mails may be read at `/account/dev/mail`. Links in these mails give access to accounts,
    /// so the host of `public_url` must be a loopback name such as `localhost`.
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

    /// Returns the region's first host, or the host of `server.public_url` if the region has no hosts. If a request
    /// names a host that the region does not list, the page shows the header and footer of this host.
    pub fn first_host_or_public(&self, region: &Region) -> String {
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

/// Returns the effective settings as TOML. Every setting that may contain a secret has a type that prints no secret,
/// such as [`SecretUrl`].
pub fn effective_toml(config: &Config) -> String {
    toml::to_string(config).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
}
