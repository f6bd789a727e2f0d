//! The proxies with the shipped files, and the application behind them.

use std::net::{Ipv6Addr, SocketAddr};
use std::process::Command;

use axum::http::header::{CONNECTION, UPGRADE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use tokio::net::TcpStream;

use crate::deploy::file;
use crate::deploy::web_server::{self, WebServer};
use crate::prelude::*;

/// A proxy that runs a file of `deploy/`.
pub struct Proxy {
    _server: WebServer,
    pub url: String,
    folder: tempfile::TempDir,
}

/// The shipped file with the addresses of this test.
fn configure_shipped(
    path: &str,
    listen: (&str, String),
    program: &str,
    application: SocketAddr,
) -> String {
    let mut text = file(path);
    // In this order, because the other two addresses may begin with 127.0.0.1:3000.
    for (shipped, here) in [
        ("127.0.0.1:3000", application.to_string()),
        ("127.0.0.1:8080", program.to_owned()),
        listen,
    ] {
        assert_contains!(text, shipped);
        text = text.replace(shipped, &here);
    }
    text
}

impl Proxy {
    pub async fn nginx(program: &str, application: SocketAddr, address: SocketAddr) -> Proxy {
        let folder = folder();
        let place = folder.path().display();
        let listen = ("listen 80;", format!("listen {address};"));
        let text = configure_shipped(
            "deploy/nginx-forward-auth.conf", listen, program, application,
        );
        let second = "listen [::]:80;";
        assert!(text.contains(second));
        let text = text.replace(second, &format!("listen [::1]:{};", address.port()));
        let text = text.replace("/var/log/nginx/", &format!("{place}/"));
        let text = format!("access_log {place}/access.log;\n{text}");
        let server = web_server::nginx(folder.path(), &text, address).await;
        let second = TcpStream::connect((Ipv6Addr::LOCALHOST, address.port())).await;
        second.expect("nginx listens on IPv6 too");
        Proxy::new(server, folder, address)
    }

    pub async fn caddy(program: &str, application: SocketAddr, address: SocketAddr) -> Proxy {
        let folder = folder();
        let listen = (":80 {", format!("http://{address} {{"));
        let text = configure_shipped("deploy/Caddyfile", listen, program, application);
        let path = folder.path().join("Caddyfile");
        let text = text.replacen("\n{\n", "\n{\n    admin off\n", 1);
        assert!(text.contains("admin off"), "the global options come first");
        std::fs::write(&path, text).unwrap();
        let mut command = Command::new("caddy");
        command
            .args(["run", "--adapter", "caddyfile", "--config"])
            .arg(path);
        command.env("XDG_DATA_HOME", folder.path());
        command.env("XDG_CONFIG_HOME", folder.path());
        let server = WebServer::start(command, folder.path(), address).await;
        Proxy::new(server, folder, address)
    }

    fn new(server: WebServer, folder: tempfile::TempDir, address: SocketAddr) -> Proxy {
        Proxy {
            _server: server,
            url: format!("http://{address}"),
            folder,
        }
    }

    /// The content of every log.
    pub fn logs(&self) -> String {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let logs = paths.filter(|path| path.extension().is_some_and(|end| end == "log"));
        let texts = logs.map(|path| std::fs::read_to_string(path).unwrap());
        texts.collect()
    }
}

/// An application that returns the address and the headers of each request, and accepts WebSockets.
pub async fn start_application() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(echo)).await });
    address
}

async fn echo(uri: Uri, headers: HeaderMap) -> Response {
    if headers.contains_key(UPGRADE) {
        let switched = [(UPGRADE, "websocket"), (CONNECTION, "upgrade")];
        return (StatusCode::SWITCHING_PROTOCOLS, switched).into_response();
    }
    let headers = headers.iter().map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        json!([name.as_str(), value])
    });
    Json(json!({"uri": uri.to_string(), "headers": headers.collect::<Vec<_>>()})).into_response()
}
