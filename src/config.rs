//! All settings of the program: one struct for each section of the configuration. An unknown setting is an error.

use std::sync::LazyLock;

use toml::Table;

use section::sections;

mod accent;
mod address;
mod check;
mod forward_auth;
mod host;
mod hosts;
mod load;
mod mask;
mod memory;
mod oidc;
mod passkeys;
mod public_suffix;
mod region;
mod retired;
mod secret_file;
mod secret_setting;
mod section;
mod sections;
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
pub(crate) use host::{display_endpoint, is_loopback_name};
pub use hosts::describe_hosts;
pub use load::{ConfigError, load, parse};
pub use mask::mask_text;
pub(crate) use oidc::KEY_PREPUBLISH_MILLIS;
pub use oidc::{Oidc, OidcClient, Pkce, Scope, SecretDigest, SigningAlgorithm};
pub(crate) use passkeys::{RelyingParty, related_host_problems};
pub use region::{Analytics, CompletionVariant, Consent, Landscape, Links, PasskeyScope, Region};
pub(crate) use secret_file::is_exposed;
pub use secret_setting::SecretSetting;
pub use sections::{
    Accounts, AgeLimits, CommonPasswords, Database, ForwardAuth, Fragments, LegacySignIn,
    Lifetimes, Limits, Log, LogFormat, Mail, NewDevice, Passkeys, PasswordHashing, Profile,
    Security, Server, Support, Translations,
};
pub(crate) use sender::parse_sender;
pub use units::{ByteSize, Duration, Limit, List};
pub use warnings::warnings;
pub use webhooks::{EndpointAddress, Webhook, WebhookSecret};

pub use crate::domain::auth_method::Aal;
pub use crate::domain::zipcode::MigrationZip;

/// Every setting with its text, and with its default or an example.
pub const EXAMPLE: &str = include_str!("../config.example.toml");
/// The settings that are accepted, but left out of the example.
const FOR_TESTS: &str = include_str!("config/for-tests.toml");

/// The defaults of all settings. Their `[[regions]]` is the region of a site that configures none.
static DEFAULTS: LazyLock<Table> = LazyLock::new(|| {
    let mut defaults = EXAMPLE.parse().expect("config.example.toml");
    load::fill(&mut defaults, &FOR_TESTS.parse().expect("for-tests.toml"));
    defaults
});

sections! {
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
        #[serde(default)]
        pub webhooks: Vec<Webhook>,
        /// The regions of the site. Hosts that no region lists belong to the first region.
        pub regions: Vec<Region>,
        /// Warnings from the time when the settings were read.
        #[serde(skip)]
        pub(crate) load_warnings: Vec<String>,
    }
}

impl Default for Config {
    fn default() -> Config {
        DEFAULTS.clone().try_into().expect("the defaults")
    }
}

impl Config {
    pub fn changed_sections(&self, other: &Config) -> Vec<&'static str> {
        macro_rules! sections {
            ($($section:ident)*) => {{
                // This destructuring pattern does not compile if a section is missing.
                let Config { load_warnings: _, $($section: _),* } = self;
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
        self.mail.smtp_url.is_none() && !self.server.is_public()
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

    pub(crate) fn public_host(&self) -> String {
        self.server.public_host()
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
/// such as [`SecretSetting`].
pub fn effective_toml(config: &Config) -> String {
    toml::to_string(config).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
}
