//! The settings of forward-auth, with which a proxy checks a visitor's session.

use url::Url;

use super::Config;
use crate::domain::host_name::split_port;

impl Config {
    /// Returns whether the host, without a port, is that of `server.public_url` or of a region.
    pub(crate) fn is_own_host(&self, host: &str) -> bool {
        let mut hosts = self.regions.iter().flat_map(|region| &region.hosts);
        // The URL is not parsed, because this function runs for each request that a proxy authenticates, and parsing
        // would take a notable part of the response time.
        host_part(&self.server.public_url).eq_ignore_ascii_case(host)
            || hosts.any(|own| own.eq_ignore_ascii_case(host))
            || self.public_host().eq_ignore_ascii_case(host)
    }

    /// Returns whether browsers read a URL, or a path on this site, as the root of a host of this site.
    pub(super) fn is_own_root(&self, address: &str) -> bool {
        let Ok(public) = Url::parse(&self.server.public_url) else {
            return false;
        };
        public.join(address).is_ok_and(|url| {
            let is_own = url.host_str().is_some_and(|host| self.is_own_host(host));
            is_own && url.port() == public.port() && url.path() == "/"
        })
    }
}

/// Returns the host of an origin without the port, and does not change its case.
fn host_part(origin: &str) -> &str {
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    split_port(authority).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_the_public_address_is_known_in_every_spelling() {
        let is_own = |public_url: &str, host: &str| {
            let mut config = Config::default();
            config.server.public_url = public_url.to_owned();
            config.is_own_host(host)
        };
        for (public_url, host) in [
            ("https://www.example.org", "www.example.org"),
            ("https://www.example.org", "WWW.Example.ORG"),
            ("http://localhost:8080", "localhost"),
            ("http://[::1]:8080", "[::1]"),
            ("https://müller.example", "xn--mller-kva.example"),
        ] {
            assert!(is_own(public_url, host), "{host}");
        }
        for host in [
            "", "org", "example.org", "www.example.org.evil.example", "https",
        ] {
            assert!(!is_own("https://www.example.org", host), "{host}");
        }
    }
}
