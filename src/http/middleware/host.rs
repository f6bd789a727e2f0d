//! Rejects an HTTP request unless it has exactly one valid `Host` header (RFC 9112 section 3.2). Servers that disagree
//! about the host make request smuggling and cache poisoning possible. Also redirects from a host with a dot at its end.

use axum::http::Version;
use axum::http::header::HOST;
use axum::http::uri::{Authority, PathAndQuery};

use crate::domain::host_name::split_port;
use crate::http::prelude::*;

/// Returns a 400 response unless the HTTP request has exactly one valid host.
pub(crate) fn refuse_bad_host(request: &Request) -> Option<Response> {
    if has_one_host(request.version(), request.headers()) {
        return None;
    }
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    Some((StatusCode::BAD_REQUEST, headers, "Bad request\n").into_response())
}

/// Redirects a page of an own host with a dot at its end to the same page without the dot, because origins, cookies and
/// passkeys belong to the host without it.
pub(crate) fn redirect_dotted_host(config: &Config, request: &Request) -> Option<Redirect> {
    let (uri, headers) = (request.uri(), request.headers());
    let named = uri.authority().map(Authority::as_str);
    let named = named.or_else(|| headers.get(HOST)?.to_str().ok())?;
    let (host, port) = split_port(named);
    let host = host.strip_suffix('.')?;
    if !config.is_own_host(host) || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let scheme = if config.is_https() { "https" } else { "http" };
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    let target = format!("{scheme}://{host}{port}{path}");
    Some(Redirect::permanent(&target))
}

fn has_one_host(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => version < Version::HTTP_11,
        (Some(only), None) => Authority::try_from(only.as_bytes())
            .is_ok_and(|host| !host.as_str().contains('@') && !host.host().is_empty()),
        (Some(_), Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_valid_host_is_accepted() {
        let is_clear = |hosts: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, host.parse().expect("a value"));
            }
            has_one_host(Version::HTTP_11, &headers)
        };
        for host in [
            "localhost:8080", "www.example.org", "[::1]:8080", "127.0.0.1",
        ] {
            assert!(is_clear(&[host]), "{host}");
        }
        for host in ["", "a b", "a/b", "a?b", "a#b", "user@host", ":80", "a,b\\c"] {
            assert!(!is_clear(&[host]), "{host}");
        }
        assert!(!is_clear(&[]) && !is_clear(&["a", "a"]));
    }
}
