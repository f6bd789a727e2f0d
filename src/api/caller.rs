//! Who calls: language, region, network address, and the cookies that we know.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::header::{ACCEPT_LANGUAGE, HOST, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderValue};

use super::cookies;
use crate::app::Shared;
use crate::config::Region;
use crate::domain::device;
use crate::domain::secret::Secret;
use crate::words::Language;

#[derive(Clone)]
pub struct Caller {
    pub language: Language,
    /// The id of a configured region, whatever the Host header said.
    pub region: String,
    pub ip: IpAddr,
    pub session: Option<Secret>,
    pub device: Option<Secret>,
    agent: Option<HeaderValue>,
    /// The signed count of under-age tries.
    pub attempts: Option<String>,
}

impl FromRequestParts<Shared> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Infallible> {
        let known = parts.extensions.remove::<Caller>();
        Ok(known.unwrap_or_else(|| Caller::read(parts, app)))
    }
}

impl Caller {
    pub fn read(parts: &Parts, app: &Shared) -> Caller {
        let names = cookies::Names::of(&app.config);
        let jar = cookies::read(&parts.headers);
        let secret = |name: &str| cookies::single(&jar, name).and_then(Secret::parse);
        let region = region(parts, app);
        Caller {
            language: language(parts, region),
            region: region.id.clone(),
            ip: client_ip(&parts.extensions, &parts.headers, app),
            session: secret(names.session),
            device: secret(names.device),
            agent: parts.headers.get(USER_AGENT).cloned(),
            attempts: cookies::single(&jar, names.attempts).map(str::to_owned),
        }
    }

    /// The browser in our own words.
    pub fn device_name(&self) -> String {
        let agent = self.agent.as_ref().and_then(|agent| agent.to_str().ok());
        device::name(agent.unwrap_or_default())
    }
}

/// The host name of the request, without its port; also in absolute-form targets.
pub fn host(parts: &Parts) -> &str {
    let host = parts
        .uri
        .host()
        .or_else(|| parts.headers.get(HOST).and_then(|v| v.to_str().ok()))
        .unwrap_or_default();
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

pub fn region<'a>(parts: &Parts, app: &'a Shared) -> &'a Region {
    app.config.region(host(parts))
}

pub fn language(parts: &Parts, region: &Region) -> Language {
    let accepted = parts
        .headers
        .get(ACCEPT_LANGUAGE)
        .and_then(|v| v.to_str().ok());
    accepted
        .and_then(Language::from_accept_language)
        .unwrap_or_else(|| region.language())
}

/// The peer's address, or, from a proxy that is trusted by configuration, the last address in
/// X-Forwarded-For that no trusted proxy has. Headers of anybody else are not looked at.
pub fn client_ip(extensions: &Extensions, headers: &HeaderMap, app: &Shared) -> IpAddr {
    let peer = extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip())
        .to_canonical();
    let trusted = |ip: IpAddr| {
        app.config
            .server
            .trusted_proxies
            .0
            .iter()
            .any(|net| net.contains(&ip))
    };
    if !trusted(peer) {
        return peer;
    }
    let mut client = peer;
    let forwarded = headers.get_all("x-forwarded-for").iter();
    let hops: Vec<&str> = forwarded
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for hop in hops.into_iter().rev() {
        // What stands left of a word that is no address was not written by our proxy.
        let Ok(ip) = hop.trim().parse::<IpAddr>() else {
            break;
        };
        client = ip.to_canonical();
        if !trusted(client) {
            break;
        }
    }
    client
}
