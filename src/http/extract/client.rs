//! Extracts the `Client` of an HTTP request: language, region, IP address and this program's cookies.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::Extensions;
use axum::http::header::{ACCEPT_LANGUAGE, HOST, USER_AGENT};

use crate::domain::host_name::split_port;
use crate::domain::secret::Secret;
use crate::domain::session_id::SessionId;
use crate::http::cookies;
use crate::http::prelude::*;

extractor!(Client, Infallible, |parts, app| {
    Ok(client_of(parts, &app))
});

pub(crate) fn client_of(parts: &Parts, app: &SharedApp) -> Client {
    let (uri, headers) = (&parts.uri, &parts.headers);
    let names = cookies::CookieNames::new(&app.config);
    let user_agent = headers
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok());
    let text_of = |name| cookies::single_cookie(headers, name).map(str::to_owned);
    Client {
        language: language(uri, headers, app),
        region: region(uri, headers, app).id.clone(),
        host: host(uri, headers).to_owned(),
        ip: client_ip(&parts.extensions, headers, app),
        session_id: session_id(headers, &app.config),
        device_cookie: cookies::single_cookie(headers, names.device).and_then(Secret::parse),
        user_agent: user_agent.map(str::to_owned),
        registration_age_refusals: text_of(names.attempts),
        migration_age_refusals: text_of(names.migration_attempts),
        ticket_cookie: text_of(names.ticket),
    }
}

/// Returns the session id in the session cookie. The session may have ended.
pub(crate) fn session_id(headers: &HeaderMap, config: &Config) -> Option<SessionId> {
    cookies::single_cookie(headers, cookies::CookieNames::new(config).session)
        .and_then(SessionId::parse)
}

/// Returns the host name of the HTTP request without its port. If the request target is an absolute URL, returns the
/// host of that URL (RFC 9112 section 3.2.2).
pub(crate) fn host<'a>(uri: &'a Uri, headers: &'a HeaderMap) -> &'a str {
    let host = uri
        .host()
        .or_else(|| headers.get(HOST).and_then(|v| v.to_str().ok()))
        .unwrap_or_default();
    split_port(host).0
}

pub(crate) fn region<'a>(uri: &Uri, headers: &HeaderMap, app: &'a SharedApp) -> &'a Region {
    app.config.region(host(uri, headers))
}

pub(crate) fn language(uri: &Uri, headers: &HeaderMap, app: &SharedApp) -> Language {
    let accepted = headers.get(ACCEPT_LANGUAGE).and_then(|v| v.to_str().ok());
    accepted
        .and_then(Language::from_accept_language)
        .unwrap_or_else(|| region(uri, headers, app).language())
}

fn peer_ip(extensions: &Extensions) -> IpAddr {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip())
        .to_canonical()
}

fn is_trusted_proxy(ip: IpAddr, app: &SharedApp) -> bool {
    let proxies = &app.config.server.trusted_proxies.0;
    proxies.iter().any(|net| net.contains(&ip))
}

/// Returns whether the peer is a trusted proxy, whose `X-Forwarded-*` headers are read.
pub(crate) fn is_proxied(extensions: &Extensions, app: &SharedApp) -> bool {
    is_trusted_proxy(peer_ip(extensions), app)
}

/// Returns the IP address of the client: that of the peer or, if the peer is a trusted proxy
/// (`server.trusted_proxies`), the last IP address in `X-Forwarded-For` that is no trusted proxy.
pub(crate) fn client_ip(extensions: &Extensions, headers: &HeaderMap, app: &SharedApp) -> IpAddr {
    let peer = peer_ip(extensions);
    let trusted = |ip| is_trusted_proxy(ip, app);
    if !trusted(peer) {
        return peer;
    }
    let mut client = peer;
    let values = headers.get_all("x-forwarded-for").iter().rev();
    // The header is parsed as bytes, because an invalid character that the client sent must not hide the IP address
    // that a proxy appended.
    let hops = values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
    for hop in hops.map(<[u8]>::trim_ascii).filter(|hop| !hop.is_empty()) {
        // A proxy appends only IP addresses, so the client sent any other value and all values before it.
        let Some(ip) = parse_hop(hop) else { break };
        client = ip.to_canonical();
        if !trusted(client) {
            break;
        }
    }
    client
}

/// Parses an IP address as proxies write it, alone or with the port of the connection (`ip:port`, `[ip6]:port`).
fn parse_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?;
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse()
        .ok()
        .or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
        .or_else(bracketed)
}
