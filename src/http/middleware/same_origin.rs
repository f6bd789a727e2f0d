//! Cross-site protection: only pages of this site may send requests that change data (OWASP ASVS 5.0, 3.5.1 to 3.5.3).

use axum::http::header::{CONTENT_LENGTH, HOST, ORIGIN, TRANSFER_ENCODING};

use crate::config::is_loopback_name;
use crate::domain::host_name::split_port;
use crate::http::extract::json_body::is_json;
use crate::http::prelude::*;

/// Returns an error if another site sent the request, or if its body is not JSON. Requests with the methods GET and
/// HEAD are not checked.
pub(crate) fn refuse_cross_site(app: &App, request: &Request) -> Option<ApiError> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let headers = request.headers();
    if is_cross_site(headers, &app.config) {
        tracing::warn!(target: "security", event = "cross_site_refused");
        return Some(ErrorCode::CrossSite.into());
    }
    let has_body = headers.contains_key(TRANSFER_ENCODING)
        || headers
            .get(CONTENT_LENGTH)
            .is_some_and(|length| length != "0");
    let is_not_json = (has_body || headers.contains_key(CONTENT_TYPE)) && !is_json(headers);
    is_not_json.then(|| ErrorCode::UnsupportedMediaType.into())
}

/// Returns whether the browser states that the HTTP request comes from another site. A client that is no browser sends
/// no `Origin` header, and has no cookies that another site could use.
fn is_cross_site(headers: &HeaderMap, config: &Config) -> bool {
    let text = |name| {
        let value: Option<&axum::http::HeaderValue> = headers.get(name);
        value.map(|value| value.to_str().unwrap_or("?"))
    };
    let (origin, host) = (
        text(ORIGIN.as_str()),
        text(HOST.as_str()).unwrap_or_default(),
    );
    if let Some(origin) = origin
        && !is_own_origin(origin, host, config)
    {
        return true;
    }
    match text("sec-fetch-site") {
        None | Some("same-origin" | "none") => false,
        // The request may come from another host of this site, whose origin is checked above. An origin that is missing
        // or that names the requested host contradicts `Sec-Fetch-Site`.
        Some("same-site" | "cross-site") => {
            origin.is_none_or(|origin| is_origin_of_host(origin, host))
        }
        Some(_) => true,
    }
}

/// Returns whether the origin is that of `public_url` or of a configured region host. If the host of `public_url` is a
/// loopback name such as `localhost`, the origin may also be another loopback name.
fn is_own_origin(origin: &str, host: &str, config: &Config) -> bool {
    let public = config.server.public_url.as_str();
    let (Some(origin_parts), Some(public_parts)) = (split_origin(origin), split_origin(public))
    else {
        return false;
    };
    let (scheme, name, port) = origin_parts;
    let is_region = config
        .regions
        .iter()
        .any(|r| r.hosts.iter().any(|h| h == name));
    let is_same_port =
        scheme == public_parts.0 && (port == public_parts.2 || is_origin_of_host(origin, host));
    origin == public
        || (is_region && is_same_port)
        || (is_loopback_name(name)
            && is_loopback_name(public_parts.1)
            && scheme == public_parts.0
            && is_origin_of_host(origin, host))
}

fn is_origin_of_host(origin: &str, host: &str) -> bool {
    origin
        .split_once("://")
        .is_some_and(|(_, authority)| authority == host)
}

/// Splits an origin into scheme, host name and port.
fn split_origin(origin: &str) -> Option<(&str, &str, Option<&str>)> {
    let (scheme, authority) = origin.split_once("://")?;
    let (name, port) = split_port(authority);
    Some((scheme, name, port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Region;

    #[test]
    fn only_our_own_hosts_may_change_something() {
        let mut config = Config::default();
        config.server.public_url = "https://www.example.org".into();
        let hosts = vec!["fans.example".to_owned()];
        config.regions = vec![Region {
            hosts,
            ..Region::default()
        }];
        let refused = |&(origin, host, site): &(&str, &str, &str)| {
            let mut headers = HeaderMap::new();
            for (name, value) in [("origin", origin), ("host", host), ("sec-fetch-site", site)] {
                if !value.is_empty() {
                    headers.insert(name, value.parse().unwrap());
                }
            }
            is_cross_site(&headers, &config)
        };
        let accepted = [
            ("", "www.example.org", ""),
            ("https://www.example.org", "www.example.org", "same-origin"),
            ("https://www.example.org", "10.0.0.7:8080", "same-origin"),
            ("https://fans.example", "fans.example", "same-origin"),
            ("https://fans.example", "www.example.org", "cross-site"),
        ];
        let others = [
            ("https://evil.example", "www.example.org", ""),
            ("https://evil.example", "evil.example", "same-origin"),
            ("http://www.example.org", "www.example.org", ""),
            ("https://www.example.org:8443", "www.example.org", ""),
            ("https://fans.example:99", "www.example.org", ""),
            (
                "https://www.example.org.evil.example",
                "www.example.org",
                "",
            ),
            ("http://localhost:8080", "localhost:8080", "same-origin"),
            ("null", "www.example.org", ""),
            ("", "www.example.org", "cross-site"),
            ("", "www.example.org", "same-site"),
            ("https://www.example.org", "www.example.org", "cross-site"),
        ];
        for row in accepted.iter().chain(&others) {
            assert_eq!(refused(row), others.contains(row), "{row:?}");
        }
    }
}
