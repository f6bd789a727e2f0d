//! The sections of the configuration. `config.example.toml` explains their settings.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::host::is_loopback_name;
use super::section::{choices, sections};
use super::{
    ByteSize, DatabaseAddress, Duration, Limit, List, SecretSetting, ServiceAddress, SmtpAddress,
    SslMode, units,
};

sections! {
    pub struct Server {
        #[serde(deserialize_with = "units::listen_address")]
        pub listen: SocketAddr,
        pub public_url: String,
        pub trusted_proxies: List<ipnet::IpNet>,
        #[serde(default, deserialize_with = "units::optional_listen_address")]
        pub ops_listen: Option<SocketAddr>,
        pub shutdown_grace: Duration,
        pub drain_delay: Option<Duration>,
        pub site_home: Option<String>,
        pub hsts_subdomains: bool,
    }

    pub struct Database {
        pub url: SecretSetting<DatabaseAddress>,
        pub ca_file: Option<PathBuf>,
        pub client_cert_file: Option<PathBuf>,
        pub client_key_file: Option<PathBuf>,
        pub max_connections: usize,
        pub prepared: bool,
        pub mmap: bool,
        pub backup_folder: Option<PathBuf>,
    }

    pub struct Mail {
        pub smtp_url: Option<SecretSetting<SmtpAddress>>,
        pub ca_file: Option<PathBuf>,
        pub from: String,
        pub poll_interval: Duration,
        pub max_attempts: u32,
        pub backoff: Duration,
    }

    pub struct Fragments {
        pub url: Option<SecretSetting<ServiceAddress>>,
        pub timeout: Duration,
        pub max_bytes: ByteSize,
        pub ttl: Duration,
    }

    pub struct Translations {
        pub url: Option<SecretSetting<ServiceAddress>>,
        pub timeout: Duration,
        pub ttl: Duration,
    }

    pub struct Security {
        pub profile: Profile,
        pub new_device: NewDevice,
        pub max_devices: u32,
        pub common_passwords: Option<CommonPasswords>,
        pub legacy_sign_in: LegacySignIn,
        pub second_factor_trust: Duration,
        pub encryption_key_file: PathBuf,
    }

    /// The parameters of Argon2id (RFC 9106). The defaults are the first choice of OWASP's Password Storage Cheat Sheet.
    pub struct PasswordHashing {
        pub memory_kib: u32,
        pub iterations: u32,
        pub max_parallel: Option<usize>,
        pub queue_wait: Duration,
    }

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
        /// Unset: `email_undo`.
        pub credential_undo: Option<Duration>,
        pub deletion_grace: Duration,
        pub username_hold: Duration,
        pub inactive_account: Duration,
        pub activity: Duration,
        pub support_session: Duration,
        pub audit: Duration,
        pub sweep: Duration,
    }

    /// The rate limits. The table `LimitName` (`rate_limit/limit_name.rs`) lists all of them, also those without a
    /// setting.
    pub struct Limits {
        pub enabled: bool,
        pub login_failed_account: Limit,
        pub login_failed_ip: Limit,
        pub login_ip: Limit,
        pub signup_ip: Limit,
        pub reset_ip: Limit,
        pub reset_address: Limit,
        pub mail_recovery: Limit,
        pub change_password: Limit,
        pub second_factor_account: Limit,
        pub credential_change_account: Limit,
        pub export_account: Limit,
        pub confirm_ip: Limit,
        pub passkey_ip: Limit,
        pub support_lookup: Limit,
        pub oidc_token_client: Limit,
        pub oidc_authorize_ip: Limit,
    }

    pub struct AgeLimits {
        pub registration: u32,
        pub migration: u32,
    }

    pub struct Accounts {
        pub reserved_usernames: List<String>,
    }

    pub struct Support {
        pub enabled: bool,
        pub networks: List<ipnet::IpNet>,
    }

    pub struct Passkeys {
        pub enabled: Option<bool>,
        pub rp_id: Option<String>,
        pub max: u32,
    }

    pub struct ForwardAuth {
        pub enabled: bool,
        pub email: bool,
    }

    pub struct Log {
        pub level: String,
        pub format: LogFormat,
    }
}

choices! {
    pub enum Profile {
        Spec,
        Strict,
    }

    pub enum NewDevice {
        Verify,
        Notify,
        Off,
    }

    #[derive(utoipa::ToSchema)]
    pub enum CommonPasswords {
        Advise,
        Refuse,
    }

    pub enum LegacySignIn {
        Migrate,
        Silent,
    }

    pub enum LogFormat {
        Auto,
        Json,
        Text,
    }
}

impl Server {
    /// Returns the host of `public_url` as in a URL: in lower case, without the port, and with brackets around an IPv6
    /// address.
    pub(super) fn public_host(&self) -> String {
        let url = url::Url::parse(&self.public_url).ok();
        let host = url.as_ref().and_then(url::Url::host_str);
        host.unwrap_or_default().to_owned()
    }

    /// Returns whether the site is public, which means that the host of `public_url` is no loopback name.
    pub(super) fn is_public(&self) -> bool {
        !is_loopback_name(&self.public_host())
    }
}

impl Database {
    /// Returns the TLS mode of the connections to PostgreSQL, or `None` if the database is on this machine.
    pub(super) fn remote_ssl_mode(&self) -> Option<SslMode> {
        let DatabaseAddress::Postgres(postgres) = &*self.url else {
            return None;
        };
        let is_remote = !postgres.network_hosts().all(is_loopback_name);
        is_remote.then(|| postgres.effective_ssl_mode(self))
    }
}

impl PasswordHashing {
    /// Returns the number of hashing threads. Each thread keeps `memory_kib` of memory, so the default is at most 8.
    pub fn hashing_threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.max_parallel.unwrap_or_else(|| cores().min(8))
    }

    /// Returns the memory in KiB times the passes of one hash.
    pub(super) fn cost(&self) -> u64 {
        u64::from(self.memory_kib) * u64::from(self.iterations)
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
    pub fn allows_ip(&self, ip: IpAddr) -> bool {
        let networks = &self.networks.0;
        self.enabled && (networks.is_empty() || networks.iter().any(|net| net.contains(&ip)))
    }
}
