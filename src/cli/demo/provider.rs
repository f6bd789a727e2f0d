//! A sample fragment service, which has a separate listener and is called over HTTP.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::Html;
use axum::routing::get;
use serde::Deserialize;
use tokio::net::TcpListener;

use crate::config::Region;

#[derive(Deserialize)]
struct DomainQuery {
    #[serde(default)]
    domain: String,
}

/// Starts the service, which runs until the process ends. Returns its socket address.
pub(super) async fn start(regions: &[Region]) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    let router = Router::new()
        .route("/header", get(header))
        .route("/footer", get(footer))
        .with_state(regions.to_vec());
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "the demo's header and footer have stopped");
        }
    });
    Ok(address)
}

async fn header(
    State(regions): State<Vec<Region>>,
    Query(query): Query<DomainQuery>,
) -> Html<String> {
    let brand = brand_of_host(&regions, &query.domain);
    Html(format!(
        "<style>{STYLE}</style><header class=\"bar\"><a class=\"brand\" href=\"/\">{brand}</a>\
         <nav aria-label=\"Site\"><a href=\"/episodios\">Episodes</a>\
         <a href=\"/random-episode\">Surprise me</a><a href=\"/avatar\">Avatars</a></nav></header>"
    ))
}

async fn footer(
    State(regions): State<Vec<Region>>,
    Query(query): Query<DomainQuery>,
) -> Html<String> {
    let brand = brand_of_host(&regions, &query.domain);
    Html(format!(
        "<style>{STYLE}</style><footer class=\"bar\"><p>{brand}: an invented series for a demo.</p>\
         </footer>"
    ))
}

fn brand_of_host<'a>(regions: &'a [Region], domain: &str) -> &'a str {
    let own = regions
        .iter()
        .find(|region| region.hosts.iter().any(|host| host == domain));
    own.map_or("Moonhill", |region| &region.brand)
}

const STYLE: &str = ".bar{display:flex;flex-wrap:wrap;gap:0 24px;align-items:center;min-height:64px;\
    padding:4px 16px;background:#18181f;color:#b9b7af;font:16px/1.5 system-ui,sans-serif}.bar a{color:#f6f5f0;\
    text-decoration:none}.bar a:hover{text-decoration:underline}\
    .bar nav{display:flex;flex-wrap:wrap;gap:0 16px}.bar a{padding:2px 0}\
    .bar .brand{color:var(--link,#ffd21f);font-weight:700}.bar p{margin:0}";
