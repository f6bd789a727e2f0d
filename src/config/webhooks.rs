//! The settings `[[webhooks]]`, which are the endpoints that receive events, and their secrets (Standard Webhooks
//! 1.0.0).

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serializer;
use sha2::{Digest, Sha256};
use url::Url;
use zeroize::Zeroizing;

use super::host::{is_loopback_name, parse_url};
use super::mask::MASK;
use super::section::sections;
use super::{List, SecretSetting};
use crate::domain::secret::hexadecimal;
use crate::domain::webhook_event::EventType;

/// The value of `events` that subscribes to all event types.
const ALL_EVENTS: &str = "*";
const SECRET_PREFIX: &str = "whsec_";

sections! {
    pub struct Webhook {
        #[serde(serialize_with = "serialize_origin")]
        pub url: SecretSetting<EndpointAddress>,
        pub secret: SecretSetting<WebhookSecret>,
        /// The names of the subscribed event types, or `*` for all.
        #[serde(default = "all_events")]
        pub events: List<String>,
    }
}

/// Serializes only scheme, host and port of an endpoint, because its path is often a secret.
fn serialize_origin<S: Serializer>(
    url: &SecretSetting<EndpointAddress>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let origin = url.url().origin().ascii_serialization();
    serializer.collect_str(&format_args!("{origin}/{MASK}"))
}

fn all_events() -> List<String> {
    List(vec![ALL_EVENTS.to_owned()])
}

/// The URL of a webhook endpoint, with the scheme https, or http and a loopback host.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointAddress(Url);

impl EndpointAddress {
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl FromStr for EndpointAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = parse_url(text).ok_or("must look like https://HOST/PATH")?;
        let is_this_machine = url.host_str().is_some_and(is_loopback_name);
        match url.scheme() {
            "https" => {}
            "http" if is_this_machine => {}
            _ => return Err("must be https; http only to this machine (localhost)".into()),
        }
        if url.fragment().is_some() {
            return Err("must not have a part behind #".into());
        }
        Ok(EndpointAddress(url))
    }
}

/// The bytes of a webhook's secret, which are wiped from memory when dropped.
#[derive(Clone, PartialEq)]
pub struct WebhookSecret(Zeroizing<Vec<u8>>);

impl WebhookSecret {
    /// Returns the bytes of the secret for signing. The caller must never print the bytes.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl FromStr for WebhookSecret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let encoded = text
            .strip_prefix(SECRET_PREFIX)
            .ok_or("must start with whsec_")?;
        let bytes = STANDARD
            .decode(encoded)
            .map(Zeroizing::new)
            .map_err(|_| "must be base64 after whsec_".to_owned())?;
        match (24..=64).contains(&bytes.len()) {
            true => Ok(WebhookSecret(bytes)),
            false => Err(
                "must contain 24 to 64 bytes: generate one with echo whsec_$(openssl rand -base64 32)"
                    .into(),
            ),
        }
    }
}

impl Webhook {
    pub fn is_subscribed_to(&self, event_type: &str) -> bool {
        let mut names = self.events.0.iter();
        names.any(|name| name == ALL_EVENTS || name == event_type)
    }

    /// Returns the problem with the first subscribed name that is no event.
    pub(super) fn event_problem(&self) -> Option<String> {
        let is_known = |name: &&String| *name == ALL_EVENTS || EventType::from_name(name).is_some();
        let known = EventType::ALL.iter().map(|one| one.as_str());
        let known = known.collect::<Vec<_>>().join(", ");
        if self.events.0.is_empty() {
            return Some(format!("name at least one of {known}, or * for all"));
        }
        let name = self.events.0.iter().find(|name| !is_known(name))?;
        Some(format!(
            "there is no event '{name}'; the events are {known}, or * for all"
        ))
    }

    /// Returns the id of the endpoint in the database. The id does not reveal the URL, which may contain a secret.
    pub fn endpoint_id(&self) -> String {
        let hash = Sha256::digest(self.url.url().as_str());
        format!("webhook:{}", hexadecimal(&hash[..8]))
    }

    /// Returns host and port of the endpoint for messages. The path is left out, because it may be a secret.
    pub fn host(&self) -> String {
        let url = self.url.url();
        let host = url.host_str().unwrap_or_default();
        match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_https_or_this_machine() {
        for (url, is_accepted) in [
            ("https://hooks.example.org/account", true),
            ("http://localhost:3000/hook", true),
            ("http://127.0.0.1:3000", true),
            ("http://[::1]:3000/", true),
            ("http://hooks.example.org/", false),
            ("http://127.0.0.1.example.org/", false),
            ("ftp://localhost/", false),
            ("https://hooks.example.org/#part", false),
            ("hooks.example.org", false),
            ("https:///hook", false),
            ("https:/hooks.example.org/", false),
            ("https:hooks.example.org/", false),
            ("https://hooks.example.org./", false),
            ("https://hooks..example.org/", false),
            ("https://*.example.org/", false),
        ] {
            assert_eq!(url.parse::<EndpointAddress>().is_ok(), is_accepted, "{url}");
        }
    }

    #[test]
    fn a_secret_has_its_prefix_and_enough_bytes() {
        let secret = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for (text, is_accepted) in [
            (secret(24), true),
            (secret(64), true),
            (secret(23), false),
            (secret(65), false),
            (STANDARD.encode([7; 32]), false),
            ("whsec_not base64".to_owned(), false),
        ] {
            assert_eq!(text.parse::<WebhookSecret>().is_ok(), is_accepted, "{text}");
        }
    }
}
