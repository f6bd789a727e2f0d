//! Debian's nginx and Caddy with the files of `deploy/` in front of an application that returns what it receives.

use std::net::SocketAddr;
use std::path::Path;

use axum::http::StatusCode;
use proxy::{Proxy, start_application};

use super::web_server::{client, confirm_registration};
use crate::prelude::*;
use crate::support::smtp::Smtp;

mod proxy;

/// A person with a verified address, at the proxy.
struct Visitor {
    client: reqwest::Client,
    url: String,
}

impl Visitor {
    async fn registered(url: &str, smtp: &Smtp) -> Visitor {
        let visitor = Visitor {
            client: client().build().unwrap(),
            url: url.to_owned(),
        };
        assert_eq!(visitor.post("/register", &form("ada")).await.status(), 201);
        confirm_registration(&visitor.client, url, smtp).await;
        visitor
    }

    async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        let request = self.client.post(format!("{}{API}{path}", self.url));
        let request = request.header("content-type", "application/json");
        let request = request.header("sec-fetch-site", "same-origin");
        request.body(body.to_string()).send().await.unwrap()
    }

    async fn open(&self, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
        let mut request = self.client.get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// The path of a redirect to this host.
    fn redirect_path(&self, response: &reqwest::Response) -> String {
        assert_eq!(response.status(), 303);
        let address = response.headers()["location"].to_str().unwrap();
        address
            .strip_prefix(&self.url)
            .unwrap_or(address)
            .to_owned()
    }
}

fn cookie_pairs(response: &reqwest::Response) -> String {
    let set = response.headers().get_all("set-cookie").iter();
    let pairs = set.map(|cookie| cookie.to_str().unwrap().split(';').next().unwrap());
    pairs.collect::<Vec<_>>().join("; ")
}

/// The address and headers that the application received.
async fn read_received(response: reqwest::Response) -> (String, Vec<(String, String)>) {
    assert_eq!(response.status(), 200);
    let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    let headers = serde_json::from_value(body["headers"].clone()).unwrap();
    (body["uri"].text().to_owned(), headers)
}

/// The headers whose name begins with `start`.
fn headers_starting_with<'a>(
    headers: &'a [(String, String)],
    start: &str,
) -> Vec<(&'a str, &'a str)> {
    let matching = headers.iter().filter(|(name, _)| name.starts_with(start));
    let mut found: Vec<_> = matching.map(|(name, value)| (&**name, &**value)).collect();
    found.sort_unstable();
    found
}

/// Starts the program behind the proxy. The proxy has an address of its own.
async fn serve(folder: &Path, url: &str, smtp: &Smtp) -> Process {
    let smtp_url = smtp.url();
    let settings = [
        ("ACCOUNT_MAIL__SMTP_URL", smtp_url.as_str()),
        ("ACCOUNT_SERVER__PUBLIC_URL", url),
        ("ACCOUNT_SERVER__TRUSTED_PROXIES", "127.0.0.1"),
        ("ACCOUNT_FORWARD_AUTH__ENABLED", "true"),
    ];
    Process::serve(folder, &settings).await
}

/// Opens a page, signs in on the way to it, and returns the cookies.
async fn sign_in_via_redirect(ada: &Visitor, page: &str) -> String {
    let requested = ada.open(page, &[("sec-fetch-mode", "navigate")]).await;
    let sign_in = ada.redirect_path(&requested);
    assert!(sign_in.starts_with("/account/?continue="), "{sign_in}");
    let form = ada.open(&sign_in, &[]).await;
    let ticket = cookie_pairs(&form);
    assert_eq!(form.status(), 200);
    let credentials = json!({"email": "ada@example.org", "password": PASSWORD});
    let signed_in = ada.post("/login", &credentials).await;
    assert_eq!(signed_in.status(), 200);
    let jar = format!("{}; {ticket}", cookie_pairs(&signed_in));
    let resumed = ada.redirect_path(&ada.open(&sign_in, &[("cookie", &jar)]).await);
    let back = ada.redirect_path(&ada.open(&resumed, &[("cookie", &jar)]).await);
    assert_eq!(back, page);
    jar
}

/// The application gets the three headers of the check, whatever the visitor sends. PHP and CGI read other characters of
/// a name as `-`; a header that is named in `Connection` ends at the proxy.
async fn assert_identity_headers(ada: &Visitor, jar: &str) {
    let variants: [&[(&str, &str)]; 14] = [
        &[],
        &[("remote.user", "root")],
        &[("remote'user", "root")],
        &[("Remote_User", "root")],
        &[
            ("REMOTE.USER", "root"),
            ("remote.email", "root@example.org"),
        ],
        &[("remote-user", "a"), ("remote-user", "b")],
        &[("connection", "Remote-User")],
        &[("connection", "REMOTE-USER,remote-email , Remote-Subject")],
        &[("connection", "keep-alive, Remote-User")],
        &[("connection", "keep-alive"), ("connection", "Remote-User")],
        &[
            ("connection", "Remote-User"),
            ("connection", "Remote-Email"),
        ],
        &[("connection", "keep-alive,\tRemote-User\t,x")],
        &[
            ("connection", "close, Remote-User"),
            ("remote.user", "root"),
        ],
        &[
            ("connection", "TE, Remote-User"),
            ("te", "trailers, Remote-User"),
        ],
    ];
    for variant in variants {
        let sent = [&[("cookie", jar)], variant].concat();
        let (_, headers) = read_received(ada.open("/wiki", &sent).await).await;
        let mut read: Vec<_> = headers
            .iter()
            .map(|(name, value)| (name.replace(|c: char| !c.is_alphanumeric(), "_"), &**value))
            .filter(|(name, _)| name.starts_with("remote") && name != "remote_subject")
            .collect();
        read.sort_unstable();
        let expected = [
            ("remote_email".to_owned(), "ada@example.org"),
            ("remote_user".to_owned(), "ada"),
        ];
        assert_eq!(read, expected, "{variant:?}");
        let subjects = headers.iter().filter(|(name, _)| name == "remote-subject");
        assert_eq!(subjects.count(), 1, "{variant:?}");
    }
}

/// Checks the guarantees of a shipped file. `upgraded` is the status of a WebSocket's handshake.
async fn assert_guarantees(ada: &Visitor, upgraded: StatusCode) {
    // security: FA-3
    let longest = format!("{:f<4096}", "/wiki/A?b=c%2Fd&e=");
    let jar = sign_in_via_redirect(ada, &longest).await;

    // security: FA-1
    let jar = format!(
        "theme=dark; {jar}; attempts=1; __Host-migration-attempts=1; account_language=de; \
         account_consent=granted; account_passkey_offer=later; page=2"
    );
    let claims = [
        ("cookie", jar.as_str()),
        ("remote-user", "root"),
        ("remote_user", "root"),
        ("Remote-Groups", "admin"),
        ("REMOTE_EMAIL", "root@example.org"),
        ("Remote-Anything", "x"),
        ("accept-language", "de"),
    ];
    let (uri, headers) = read_received(ada.open("/wiki//A?b=c%2Fd", &claims).await).await;
    assert_eq!(uri, "/wiki//A?b=c%2Fd");
    let names: Vec<_> = headers_starting_with(&headers, "remote")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["remote-email", "remote-subject", "remote-user"]);
    for (name, value) in [
        ("remote-user", "ada"),
        ("remote-email", "ada@example.org"),
        ("cookie", "theme=dark; page=2"),
        ("accept-language", "de"),
    ] {
        assert_eq!(headers_starting_with(&headers, name), [(name, value)]);
    }
    assert_identity_headers(ada, &jar).await;
    for connection in ["Upgrade", "keep-alive, Upgrade, Remote-User"] {
        let socket = [
            ("cookie", &*jar),
            ("connection", connection),
            ("upgrade", "websocket"),
        ];
        assert_eq!(ada.open("/wiki", &socket).await.status(), upgraded);
    }

    for path in ["", "/", "%2F", "?mode=redirect", "/../forward-auth"] {
        let response = ada
            .open(&format!("{API}/forward-auth{path}"), &claims)
            .await;
        assert_eq!(response.status(), 404, "{path}");
    }
    // The program answers at the root of the host, without a sign-in. Passkeys and OpenID Connect are off here.
    for (path, status) in [
        ("/login", 307),
        ("/.well-known/change-password", 307),
        ("/.well-known/passkey-endpoints", 404),
        ("/.well-known/webauthn", 404),
        ("/.well-known/oauth-authorization-server/account", 404),
    ] {
        assert_eq!(ada.open(path, &[]).await.status(), status, "{path}");
    }
    for path in ["/wiki", &longest] {
        let script = ada.open(path, &[("sec-fetch-mode", "cors")]).await;
        assert_eq!(script.status(), 401);
        let location = script.headers()["x-account-location"].to_str().unwrap();
        assert!(location.len() > path.len(), "{location}");
    }

    // security: FA-2
    let logout = ada.client.post(format!("{}{API}/logout", ada.url));
    let logout = logout.header("cookie", &jar);
    assert_eq!(logout.send().await.unwrap().status(), 204);
    let ended = ada.open("/wiki", &claims).await;
    assert_eq!(ended.status(), 401);
}

/// Opens links with a token while the program and the application answer, and after both have ended.
async fn assert_no_query_in_logs(proxy: Proxy, ada: &Visitor, program: Process) {
    let links = [
        "/account/reset-password?token=tell-nobody",
        "/login?continue=tell-nobody",
        "/wiki?code=tell-nobody",
        "/account/account-api/confirm-email?token=tell-nobody",
    ];
    for link in links {
        ada.open(link, &[]).await;
    }
    drop(program);
    for link in links {
        assert_eq!(
            ada.open(link, &[]).await.status().as_u16() / 100,
            5,
            "{link}"
        );
    }
    let logs = proxy.logs();
    assert_contains!(logs, "/account/reset-password");
    assert_lacks!(logs, "tell-nobody");
}

/// Starts the program, and the application behind the proxy that `start` starts.
async fn check_shipped(
    start: impl AsyncFnOnce(&str, SocketAddr, SocketAddr) -> Proxy,
    upgraded: StatusCode,
) {
    let data = folder();
    let (smtp, address) = (Smtp::start().await, free_address());
    let program = serve(data.path(), &format!("http://{address}"), &smtp).await;
    let listen = program.address();
    let proxy = start(listen, start_application().await, address).await;
    let ada = Visitor::registered(&proxy.url, &smtp).await;
    assert_guarantees(&ada, upgraded).await;
    assert_no_query_in_logs(proxy, &ada, program).await;
}

#[tokio::test]
async fn nginx_lets_only_signed_in_visitors_to_the_application() {
    check_shipped(Proxy::nginx, StatusCode::OK).await;
}

#[tokio::test]
async fn caddy_lets_only_signed_in_visitors_to_the_application() {
    check_shipped(Proxy::caddy, StatusCode::SWITCHING_PROTOCOLS).await;
}
