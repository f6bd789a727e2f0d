//! The relying parties (WebAuthn Level 3) to which the configured hosts belong.

use url::Url;

use super::public_suffix::{is_public_suffix, registrable_label};
use super::{Config, PasskeyScope, Region};

/// The maximum number of different labels (`example` in `www.example.org`) in related origins that Chromium accepts.
const MAX_RELATED_LABELS: usize = 5;

/// A relying party, and the origins that may use its passkeys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelyingParty {
    pub id: String,
    pub origins: Vec<String>,
}

impl Config {
    /// Returns whether any host of the site supports passkeys.
    pub(crate) fn has_passkeys(&self) -> bool {
        let enabled = self.passkeys.enabled;
        enabled.unwrap_or_else(|| self.is_passkey_host())
    }

    /// Returns whether browsers have passkeys on the host of `public_url`.
    pub(super) fn is_passkey_host(&self) -> bool {
        self.is_https() || self.public_host() == "localhost"
    }

    /// Returns whether the hosts of a region support passkeys.
    pub(crate) fn has_passkeys_in(&self, region: &Region) -> bool {
        self.has_passkeys() && region.passkeys != PasskeyScope::Off
    }

    /// Returns the relying party of a host that belongs to this region, or `None` if passkeys are off.
    pub(crate) fn relying_party(&self, region: &Region, host: &str) -> Option<RelyingParty> {
        if !self.has_passkeys() {
            return None;
        }
        match region.passkeys {
            PasskeyScope::Off => None,
            PasskeyScope::Related => Some(self.related_party()),
            PasskeyScope::Own => {
                let known = region
                    .hosts
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(host));
                let id = if known {
                    host.to_ascii_lowercase()
                } else {
                    self.public_host()
                };
                Some(RelyingParty {
                    origins: vec![self.origin_of(&id)],
                    id,
                })
            }
        }
    }

    /// Returns whether passkeys with this relying party ID work on any host of the site.
    pub(crate) fn is_relying_party(&self, id: &str) -> bool {
        let public = self.public_host();
        self.regions.iter().any(|region| {
            let mut hosts = region.hosts.iter().chain([&public]);
            hosts.any(|host| {
                self.relying_party(region, host)
                    .is_some_and(|party| party.id == id)
            })
        })
    }

    /// Returns the relying party of `passkeys.rp_id`, with the hosts of all related regions.
    pub(crate) fn related_party(&self) -> RelyingParty {
        let mut origins = Vec::new();
        let public = self.public_host();
        if self.region(&public).passkeys == PasskeyScope::Related {
            origins.push(self.origin_of(&public));
        }
        for (_, host) in self.related_hosts() {
            let origin = self.origin_of(host);
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        RelyingParty {
            id: self.rp_id(),
            origins,
        }
    }

    /// Returns the hosts that share `passkeys.rp_id`, each with the index of its region.
    fn related_hosts(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.regions.iter().enumerate();
        let related = all.filter(|(_, region)| region.passkeys == PasskeyScope::Related);
        related.flat_map(|(at, region)| region.hosts.iter().map(move |host| (at, host.as_str())))
    }

    pub(crate) fn rp_id(&self) -> String {
        let own = || self.public_host();
        self.passkeys.rp_id.clone().unwrap_or_else(own)
    }

    /// Returns the origin of the region's first host. Links in mails of the region lead to this host, so that a link
    /// opens a page with the same brand as the mail.
    pub(crate) fn region_origin(&self, region: &Region) -> String {
        let public = || self.server.public_url.clone();
        region
            .hosts
            .first()
            .map_or_else(public, |host| self.origin_of(host))
    }

    /// Returns the origin of a host, with the scheme and the port of `public_url`. The origin is in lower case and has
    /// no default port, as browsers write it.
    pub(crate) fn origin_of(&self, host: &str) -> String {
        let url = Url::parse(&self.server.public_url);
        let url = url.and_then(|mut url| url.set_host(Some(host)).map(|()| url));
        url.map_or_else(
            |_| format!("https://{host}"),
            |url| url.origin().ascii_serialization(),
        )
    }
}

/// Returns the reason why browsers refuse the relying party ID of the site.
pub(super) fn rp_id_problem(config: &Config) -> Option<String> {
    let (id, host) = (config.rp_id(), config.public_host());
    if !config.has_passkeys() || host == id {
        None
    } else if !host.ends_with(&format!(".{id}")) {
        Some(format!(
            "{id} is neither the host of server.public_url ({host}) nor a domain above it"
        ))
    } else {
        is_public_suffix(&id).then(|| {
            format!("{id} is a public suffix, which browsers refuse; use {host} or a longer domain above it")
        })
    }
}

/// Returns a problem for each region whose hosts exceed the number of related origins that browsers accept. Passkeys do
/// not work on these hosts. `check-config` refuses such settings, but `serve` only logs a warning.
pub(crate) fn related_host_problems(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    if !config.has_passkeys() {
        return found;
    }
    let mut names = vec![registrable_label(&config.public_host()).to_owned()];
    for (at, host) in config.related_hosts() {
        let name = registrable_label(&host.to_ascii_lowercase()).to_owned();
        if names.contains(&name) {
            continue;
        }
        if names.len() == MAX_RELATED_LABELS {
            found.push(format!(
                "regions[{at}].passkeys: {host} is the sixth name among the related hosts, and browsers accept {MAX_RELATED_LABELS}; set it to own or off"
            ));
        } else {
            names.push(name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(public_url: &str, hosts: &[&str]) -> Config {
        let mut config = Config::default();
        config.server.public_url = public_url.to_owned();
        config.regions = vec![Region::default()];
        for host in hosts {
            config.regions.push(Region {
                id: (*host).to_owned(),
                hosts: vec![(*host).to_owned()],
                ..Region::default()
            });
        }
        config
    }

    #[test]
    fn passkeys_need_https_or_localhost() {
        for (url, has) in [
            ("https://example.org", true),
            ("http://localhost:8080", true),
            ("http://127.0.0.1:8080", false),
            ("http://example.org", false),
        ] {
            assert_eq!(config(url, &[]).has_passkeys(), has, "{url}");
        }
    }

    #[test]
    fn related_hosts_share_a_relying_party_and_own_hosts_have_their_own() {
        let mut config = config("https://example.org:8443", &["example.de", "example.es"]);
        config.regions[2].passkeys = PasskeyScope::Own;
        let related = config
            .relying_party(&config.regions[1], "example.de")
            .unwrap();
        assert_eq!(related.id, "example.org");
        assert_eq!(
            related.origins,
            ["https://example.org:8443", "https://example.de:8443"]
        );
        let own = config
            .relying_party(&config.regions[2], "example.es")
            .unwrap();
        assert_eq!(own.id, "example.es");
        assert_eq!(own.origins, ["https://example.es:8443"]);
        config.regions[2].passkeys = PasskeyScope::Off;
        assert_eq!(config.relying_party(&config.regions[2], "example.es"), None);
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        let config = config("https://Example.org:443", &["Example.de"]);
        let party = config.related_party();
        assert_eq!(party.id, "example.org");
        assert_eq!(party.origins, ["https://example.org", "https://example.de"]);
    }

    #[test]
    fn a_sixth_related_name_is_refused_and_named() {
        let hosts = ["b.de", "c.com", "d.com.br", "e.es", "b.fr", "f.mx"];
        let mut config = config("https://a.example.org", &hosts);
        config.server.public_url = "https://accounts.a.org".to_owned();
        assert_eq!(rp_id_problem(&config), None);
        let found = related_host_problems(&config);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("regions[6].passkeys: f.mx "),
            "{found:?}"
        );
        config.regions[6].passkeys = PasskeyScope::Own;
        assert_eq!(related_host_problems(&config), Vec::<String>::new());
    }

    #[test]
    fn names_below_a_public_suffix_of_two_labels_count_separately() {
        let hosts = ["b.me.uk", "c.me.uk", "d.co.uk", "E.me.uk", "www.b.me.uk"];
        let mut config = config("https://a.me.uk", &hosts);
        assert_eq!(related_host_problems(&config), Vec::<String>::new());
        config.regions[5].hosts = vec!["f.me.uk".to_owned()];
        assert_eq!(related_host_problems(&config).len(), 1);
    }
}
