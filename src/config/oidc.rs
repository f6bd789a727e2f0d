//! The settings of the OpenID Connect provider: lifetimes, and the applications that may use the provider.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::section::{choices, sections};
use super::{Config, Duration, SecretSetting};
use crate::domain::auth_method::Aal;
use crate::domain::secret::SecretHash;
use crate::named_enum::named_enum;

/// How long a signing key is published before its use. Clients keep the key set for an hour.
pub(crate) const KEY_PREPUBLISH_MILLIS: i64 = 24 * 3_600_000;

sections! {
    pub struct Oidc {
        pub enabled: bool,
        pub key_lifetime: Duration,
        pub access_token: Duration,
        pub id_token: Duration,
        pub code: Duration,
        pub refresh_token: Duration,
        pub refresh_grace: Duration,
        #[serde(default)]
        pub clients: Vec<OidcClient>,
    }

    /// An application that signs people in with this provider.
    pub struct OidcClient {
        pub id: String,
        pub name: String,
        pub secret_sha256: Option<SecretSetting<SecretDigest>>,
        pub redirect_uris: Vec<String>,
        #[serde(default)]
        pub post_logout_redirect_uris: Vec<String>,
        pub backchannel_logout_uri: Option<String>,
        #[serde(default = "Scope::without_offline_access")]
        pub scopes: Vec<Scope>,
        #[serde(default)]
        pub pkce: Pkce,
        #[serde(default)]
        pub id_token_alg: SigningAlgorithm,
        #[serde(default)]
        pub id_token_claims: bool,
        pub region: Option<String>,
        #[serde(default)]
        pub aal: Aal,
        pub app: Option<String>,
    }
}

named_enum! {
    /// The scopes that an application may request. Each scope stands for claims about a person.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Scope {
        Openid = "openid";
        Profile = "profile";
        Email = "email";
        OfflineAccess = "offline_access";
    }
}

impl Scope {
    fn without_offline_access() -> Vec<Scope> {
        vec![Scope::Openid, Scope::Profile, Scope::Email]
    }

    /// Returns whether a scope parameter, which consists of names separated by spaces, contains this scope.
    pub(crate) fn is_in(self, parameter: &str) -> bool {
        parameter.split(' ').any(|name| name == self.as_str())
    }
}

choices! {
    /// Whether a client must use PKCE (RFC 7636).
    #[derive(Default)]
    pub enum Pkce {
        #[default]
        Required,
        /// PKCE is required from public clients only.
        Optional,
    }
}

named_enum! {
    /// The signature algorithms (RFC 7518 section 3.1, RFC 8037).
    #[derive(Default, Hash, Serialize, Deserialize)]
    pub enum SigningAlgorithm {
        #[default]
        RS256 = "RS256";
        ES256 = "ES256";
        EdDSA = "EdDSA";
    }
}

/// The SHA-256 digest of a client's secret.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretDigest(SecretHash);

impl SecretDigest {
    pub fn bytes(&self) -> &SecretHash {
        &self.0
    }
}

impl FromStr for SecretDigest {
    type Err = String;

    /// Parses 64 hexadecimal digits in lower case. The error never repeats the text.
    fn from_str(text: &str) -> Result<SecretDigest, String> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 64 || !text.bytes().all(is_digit) {
            return Err("must be the SHA-256 of the secret, 64 lower-case hex digits (account oidc client-secret)".to_owned());
        }
        let byte = |at| u8::from_str_radix(&text[2 * at..][..2], 16).expect("two digits");
        Ok(SecretDigest(std::array::from_fn(byte)))
    }
}

impl OidcClient {
    pub fn is_public(&self) -> bool {
        self.secret_sha256.is_none()
    }

    /// Returns those scope names of a grant that the configuration of the client still permits. The configuration may
    /// have changed since the person granted them.
    pub(crate) fn permitted_scope(&self, granted: &str) -> String {
        let is_permitted = |name: &&str| self.scopes.iter().any(|own| own.as_str() == *name);
        let names: Vec<_> = granted.split(' ').filter(is_permitted).collect();
        names.join(" ")
    }

    /// Returns the value of the parameter `app` on the sign-in pages for this client.
    pub(crate) fn app_id(&self) -> &str {
        self.app.as_deref().unwrap_or(&self.id)
    }

    /// Returns whether the client registered this redirect URI. The URIs must be equal byte for byte, except the port
    /// of a public client's loopback address (RFC 8252 section 7.3).
    pub(crate) fn has_redirect_uri(&self, uri: &str) -> bool {
        let is_same = |registered: &String| {
            registered == uri
                || self.is_public()
                    && loopback_without_port(registered)
                        .is_some_and(|own| loopback_without_port(uri) == Some(own))
        };
        self.redirect_uris.iter().any(is_same)
    }

    /// Returns the origins of a public client's pages, which call the token endpoint from a browser.
    pub(crate) fn browser_origins(&self) -> impl Iterator<Item = String> {
        let uris = self.redirect_uris.iter().filter(|_| self.is_public());
        uris.filter_map(|uri| Some(url::Url::parse(uri).ok()?.origin().ascii_serialization()))
    }
}

/// Splits an http URL with a loopback host into the parts before and after its port.
fn loopback_without_port(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let hosts = ["127.0.0.1", "[::1]", "localhost"];
    let (host, rest) = hosts
        .iter()
        .find_map(|host| Some((*host, rest.strip_prefix(host)?)))?;
    let path = match rest.strip_prefix(':') {
        Some(rest) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (port, path) = rest.split_at(digits);
            port.parse::<u16>().ok()?;
            path
        }
        None => rest,
    };
    (path.is_empty() || path.starts_with(['/', '?'])).then_some((host, path))
}

impl Config {
    /// Returns the issuer (OpenID Connect Discovery 1.0 section 2), or `None` if the provider is off.
    pub(crate) fn issuer(&self) -> Option<String> {
        let url = &self.server.public_url;
        self.oidc.enabled.then(|| format!("{url}/account"))
    }

    pub(crate) fn oidc_client(&self, id: &str) -> Option<&OidcClient> {
        self.oidc.clients.iter().find(|client| client.id == id)
    }

    /// Returns the signature algorithms of all clients, and RS256, which every provider must support (OpenID Connect
    /// Discovery 1.0 section 3).
    pub(crate) fn signing_algorithms(&self) -> Vec<SigningAlgorithm> {
        let clients = &self.oidc.clients;
        let used = |alg: &SigningAlgorithm| {
            *alg == SigningAlgorithm::RS256 || clients.iter().any(|one| one.id_token_alg == *alg)
        };
        SigningAlgorithm::ALL.iter().copied().filter(used).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(secret: bool, uri: &str) -> OidcClient {
        let text = format!("id = 'a'\nname = 'A'\nredirect_uris = ['{uri}']\n");
        let digest = format!("secret_sha256 = '{}'\n", "0".repeat(64));
        toml::from_str(&(text + if secret { &digest } else { "" })).unwrap()
    }

    // security: OP-1
    #[test]
    fn redirect_uris_are_compared_byte_for_byte() {
        let registered = "https://app.example.org/callback";
        let client = client(true, registered);
        assert!(client.has_redirect_uri(registered));
        for other in [
            "https://app.example.org/callback/",
            "https://app.example.org/callback?x=1",
            "https://app.example.org:443/callback",
            "https://APP.example.org/callback",
            "https://app.example.org/%63allback",
            "https://app.example.org/callback#",
            "https://app.example.org/x/../callback",
            "https://app.example.org@evil.example/callback",
            "http://app.example.org/callback",
            "",
        ] {
            assert!(!client.has_redirect_uri(other), "{other}");
        }
    }

    // security: OP-1
    #[test]
    fn the_port_of_a_loopback_address_is_free_for_public_clients_alone() {
        let registered = "http://127.0.0.1/callback";
        for (uri, for_public) in [
            ("http://127.0.0.1/callback", true),
            ("http://127.0.0.1:51004/callback", true),
            ("http://127.0.0.1:0x50/callback", false),
            ("http://127.0.0.1:99999/callback", false),
            ("http://127.0.0.1:/callback", false),
            ("http://127.0.0.1:1@evil.example/callback", false),
            ("http://127.0.0.1.evil.example/callback", false),
            ("http://localhost:51004/callback", false),
            ("http://127.0.0.1:51004/other", false),
            ("https://127.0.0.1:51004/callback", false),
        ] {
            assert_eq!(
                client(false, registered).has_redirect_uri(uri),
                for_public,
                "{uri}"
            );
            let is_same = uri == registered;
            assert_eq!(
                client(true, registered).has_redirect_uri(uri),
                is_same,
                "{uri}"
            );
        }
        let public = client(false, "https://app.example.org/callback");
        assert!(!public.has_redirect_uri("https://app.example.org:8443/callback"));
    }

    // security: OP-9
    #[test]
    fn the_digest_of_a_secret_is_lower_case_hex_and_never_printed() {
        let text = "00ff".repeat(16);
        let digest: SecretSetting<SecretDigest> = text.parse().unwrap();
        assert_eq!(digest.bytes()[..2], [0, 255]);
        assert_eq!(format!("{digest:?}"), "***");
        for wrong in [
            "",
            "00",
            &"00FF".repeat(16),
            &"0".repeat(63),
            &"0".repeat(66),
            &"ä".repeat(32),
        ] {
            assert!(
                wrong.parse::<SecretSetting<SecretDigest>>().is_err(),
                "{wrong}"
            );
        }
    }
}
