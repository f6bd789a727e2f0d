//! Hosts and origins as browsers write them (URL Standard, "serializing an origin"): lower case, ASCII, no default
//! port. HTTP requests contain hosts in this form, so the settings must use it too.

use std::net::IpAddr;

use url::{Host, Url};

use super::Config;

impl Config {
    /// Rewrites hosts, origins and URLs in the settings as browsers write them in HTTP requests. A value that no
    /// browser could send stays unchanged, and is reported as a problem of the configuration.
    pub(super) fn normalize_hosts(&mut self) {
        if let Some(origin) = normalize_origin(&self.server.public_url) {
            self.server.public_url = origin;
        }
        let hosts = self.regions.iter_mut().flat_map(|region| &mut region.hosts);
        for host in hosts.chain(&mut self.passkeys.rp_id) {
            if let Some(normal) = normalize_host(host) {
                *host = normal;
            }
        }
        for client in &mut self.oidc.clients {
            add_normalized_urls(&mut client.redirect_uris);
            add_normalized_urls(&mut client.post_logout_redirect_uris);
            if let Some(uri) = &mut client.backchannel_logout_uri
                && let Some(normal) = normalize_url(uri)
            {
                *uri = normal;
            }
        }
    }
}

/// Parses a host without a port. The brackets around an IPv6 address are a part of URLs, but not of the address (RFC
/// 3986 section 3.2.2), so both forms are accepted.
pub(super) fn parse_host(text: &str) -> Option<Host> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match bare.unwrap_or(text).parse() {
        Ok(IpAddr::V4(_)) if bare.is_some() => None,
        Ok(IpAddr::V4(v4)) => Some(Host::Ipv4(v4)),
        Ok(IpAddr::V6(v6)) => Some(Host::Ipv6(v6)),
        // The parser would decode percent-encoded characters of a host, and would accept an asterisk in it.
        Err(_) if text.contains(['%', '*']) => None,
        Err(_) => Host::parse(text).ok(),
    }
}

/// Returns a host as functions that connect to it expect it, without the brackets of URLs.
pub(super) fn without_brackets(host: &Host) -> String {
    match host {
        Host::Ipv6(v6) => v6.to_string(),
        other => other.to_string(),
    }
}

/// Returns host and port for messages, with brackets around an IPv6 address.
pub(crate) fn display_endpoint(host: &str, port: u16) -> String {
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}

/// Returns a host without a port as browsers write it, or `None` if no HTTP request can be sent to it.
pub(super) fn normalize_host(text: &str) -> Option<String> {
    let host = parse_host(text)?;
    let is_reachable = match &host {
        // A host with a trailing dot is refused, because no certificate and no cookie contains such a host.
        Host::Domain(name) => name.split('.').all(|label| !label.is_empty()),
        Host::Ipv4(_) | Host::Ipv6(_) => true,
    };
    is_reachable.then(|| host.to_string())
}

/// Parses a URL. Returns `None` if no HTTP request can be sent to its host. Also returns `None` unless the URL has
/// exactly two slashes before its host, although the URL parser accepts other URLs.
pub(super) fn parse_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let (_, location) = text.split_once("://")?;
    let has_host = !location.starts_with(['/', '\\']);
    (has_host && normalize_host(url.host_str()?).is_some()).then_some(url)
}

/// Returns an origin as browsers write it, or `None` if the text is no http or https origin.
pub(super) fn normalize_origin(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_origin = matches!(url.scheme(), "http" | "https")
        && normalize_host(url.host_str()?).is_some()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    is_origin.then(|| url.origin().ascii_serialization())
}

/// Adds each URL as browsers write it. The configured URL stays valid too, because an application may send exactly the
/// text that it registered.
fn add_normalized_urls(addresses: &mut Vec<String>) {
    let written = std::mem::take(addresses);
    for address in written {
        match normalize_url(&address) {
            Some(normal) if normal != address => {
                if address.is_ascii() {
                    addresses.push(address);
                }
                addresses.push(normal);
            }
            _ => addresses.push(address),
        }
    }
}

/// Returns the URL with its origin as browsers write it. Its path and query stay unchanged.
fn normalize_url(text: &str) -> Option<String> {
    let url = parse_url(text)?;
    let begin = text.find("://")? + 3;
    let end = text[begin..].find(['/', '?', '#', '\\']);
    let end = end.map_or(text.len(), |at| begin + at);
    let is_plain = matches!(url.scheme(), "http" | "https") && !text[..end].contains('@');
    is_plain.then(|| url.origin().ascii_serialization() + &text[end..])
}

/// Returns whether a host name without a port always means this machine: `localhost`, a name below it, or a loopback IP
/// address. Owners of all other names can point them at this machine (DNS rebinding).
pub(crate) fn is_loopback_name(name: &str) -> bool {
    parse_host(name).is_some_and(|host| match host {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(v4) => v4.is_loopback(),
        Host::Ipv6(v6) => v6.to_canonical().is_loopback(),
    })
}

/// Returns whether a host name is reserved for tests and documentation (RFC 2606, 6761), or is no domain.
pub(super) fn is_reserved(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_under = |end: &&str| name == **end || name.ends_with(&format!(".{end}"));
    let all = [
        "localhost", "test", "example", "invalid", "local", "example.com", "example.net",
        "example.org",
    ];
    all.iter().any(is_under) || !name.contains('.')
}

/// Returns whether the text is a path on this site, or an http or https URL. It has no placeholders.
pub(super) fn is_path_or_url(text: &str) -> bool {
    let is_path = text.starts_with('/') && !text.starts_with("//");
    let is_plain = !text.contains(|c: char| c.is_control() || "\\{}".contains(c));
    is_path && is_plain || is_web_url(text)
}

/// Returns whether the text is an https URL with a placeholder for the username or the id, and no other placeholder.
/// The placeholder must not be in the host, because a user could then choose the server by the username.
pub(super) fn is_picture_url(text: &str) -> bool {
    let filled = text.replace("{username}", "a").replace("{id}", "a");
    let Some((origin, rest)) = text
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let names_person = rest.contains("{username}") || rest.contains("{id}");
    is_web_url(&filled) && !origin.contains(['{', '@']) && names_person
}

pub(super) fn is_web_url(text: &str) -> bool {
    let is_web = |url: Url| matches!(url.scheme(), "http" | "https");
    parse_url(text).is_some_and(is_web) && !text.contains(['{', '}'])
}

pub(super) fn is_plain_http(url: &str) -> bool {
    url.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_written_as_browsers_write_them() {
        for (text, host) in [
            ("WWW.Example.org", Some("www.example.org")),
            ("münchen.example", Some("xn--mnchen-3ya.example")),
            ("localhost", Some("localhost")),
            ("account_app", Some("account_app")),
            ("127.0.0.1", Some("127.0.0.1")),
            ("[::1]", Some("[::1]")),
            ("::1", Some("[::1]")),
            ("[0:0::1]", Some("[::1]")),
            ("[127.0.0.1]", None),
            ("[::1", None),
            ("", None),
            (" ", None),
            ("*", None),
            ("*.example.org", None),
            ("example.org.", None),
            (".example.org", None),
            ("a..b", None),
            ("example.org:443", None),
            ("https://example.org", None),
            ("ex%61mple.org", None),
            ("a b", None),
        ] {
            assert_eq!(normalize_host(text).as_deref(), host, "{text}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for (text, origin) in [
            ("https://EXAMPLE.org", Some("https://example.org")),
            ("https://example.org:443/", Some("https://example.org")),
            ("HTTP://example.org:80", Some("http://example.org")),
            ("http://[::1]:8080", Some("http://[::1]:8080")),
            (
                "https://konto.münchen.de:8443",
                Some("https://konto.xn--mnchen-3ya.de:8443"),
            ),
            ("https://example.org/path", None),
            ("https://*.example.org", None),
            ("https://example.org.", None),
            ("https://me@example.org", None),
            ("ftp://example.org", None),
            ("example.org", None),
        ] {
            assert_eq!(normalize_origin(text).as_deref(), origin, "{text}");
        }
    }

    #[test]
    fn a_url_gets_the_origin_of_browsers_and_keeps_its_path() {
        let mut addresses = [
            "https://APP.example.org:443/Call%62ack?a=B",
            "https://app.example.org",
            "https://münchen.example/x",
            "http://127.0.0.1:8080/cb",
            "no address",
        ]
        .map(str::to_owned)
        .to_vec();
        add_normalized_urls(&mut addresses);
        assert_eq!(
            addresses,
            [
                "https://APP.example.org:443/Call%62ack?a=B",
                "https://app.example.org/Call%62ack?a=B",
                "https://app.example.org",
                "https://xn--mnchen-3ya.example/x",
                "http://127.0.0.1:8080/cb",
                "no address",
            ]
        );
    }
}
