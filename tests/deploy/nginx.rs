//! Debian's nginx with `deploy/nginx.conf` in front of the program: TLS, cookies, the client's address,
//! the request id, and the errors when the program is down.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};

use account::testing::error::ErrorCode;
use account::testing::i18n::Language;

use super::file;
use super::web_server::{self, WebServer, confirm_registration};
use crate::oidc::{enable_provider, text_value, wiki};
use crate::prelude::*;
use crate::support::smtp::Smtp;

on_sqlite!(nginx_passes_the_longest_authorization_requests);

const HOST_NAME: &str = "www.example.org";

struct Nginx {
    _server: WebServer,
    folder: tempfile::TempDir,
    http: SocketAddr,
    https: SocketAddr,
}

/// The shipped configuration, with the ports, certificate, log and upstream of the test.
fn configuration(folder: &Path, http: SocketAddr, https: SocketAddr, program: &str) -> String {
    let place = folder.display();
    let mut text = file("deploy/nginx.conf");
    for (shipped, here) in [
        ("server 127.0.0.1:8080;", format!("server {program};")),
        ("listen 80;", format!("listen {http};")),
        ("listen [::]:80;", format!("listen [::1]:{};", http.port())),
        (
            "listen 443 ssl http2;",
            format!("listen {https} ssl http2;"),
        ),
        (
            "listen [::]:443 ssl http2;",
            format!("listen [::1]:{} ssl http2;", https.port()),
        ),
        (
            "/etc/letsencrypt/live/www.example.org/fullchain.pem",
            format!("{place}/certificate.pem"),
        ),
        (
            "/etc/letsencrypt/live/www.example.org/privkey.pem",
            format!("{place}/key.pem"),
        ),
        ("/var/log/nginx/account.log", format!("{place}/access.log")),
    ] {
        assert_contains!(text, shipped);
        text = text.replace(shipped, &here);
    }
    text
}

fn certificate(folder: &Path) {
    let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                     -subj /CN=www.example.org -keyout key.pem -out certificate.pem";
    let made = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("openssl; make test installs it");
    assert!(made.status.success(), "{made:?}");
}

impl Nginx {
    async fn start_for(program: &str) -> Nginx {
        let folder = folder();
        let (http, https) = (free_address(), free_address());
        certificate(folder.path());
        let text = configuration(folder.path(), http, https, program);
        Nginx {
            _server: web_server::nginx(folder.path(), &text, https).await,
            folder,
            http,
            https,
        }
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// A client at another address of this machine that resolves the name of the site.
    fn visitor(&self, from: impl Into<IpAddr>) -> reqwest::Client {
        let (from, mut server) = (from.into(), self.https);
        if from.is_ipv6() {
            server.set_ip(from);
        }
        web_server::client()
            .local_address(from)
            .resolve(HOST_NAME, server)
            .tls_danger_accept_invalid_certs(true)
            .build()
            .unwrap()
    }

    /// The response to a visitor of this path.
    async fn get(&self, visitor: &reqwest::Client, path: &str) -> reqwest::Response {
        visitor.get(self.url(path)).send().await.unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("https://{HOST_NAME}:{}{path}", self.https.port())
    }
}

fn post(client: &reqwest::Client, url: String, body: &Value) -> reqwest::RequestBuilder {
    client
        .post(url)
        .header("content-type", "application/json")
        .header("sec-fetch-site", "same-origin")
        .body(body.to_string())
}

/// `name=value` of each cookie that the response sets.
fn cookie_pairs(response: &reqwest::Response) -> Vec<String> {
    let set = response.headers().get_all("set-cookie").iter();
    set.map(|cookie| {
        let cookie = cookie.to_str().unwrap();
        assert!(cookie.starts_with("__Host-"), "{cookie}");
        assert_contains!(
            cookie, "; Secure", "; HttpOnly", "; Path=/", "; SameSite=Lax"
        );
        cookie.split(';').next().unwrap().to_owned()
    })
    .collect()
}

async fn text(response: reqwest::Response) -> String {
    response.text().await.unwrap()
}

// security: SE-5, HD-1
#[tokio::test]
async fn sign_in_through_nginx_uses_the_address_of_the_client() {
    let data = folder();
    let url = format!("https://{HOST_NAME}");
    let smtp = Smtp::start().await;
    let smtp_url = smtp.url();
    let settings = [
        ("ACCOUNT_MAIL__SMTP_URL", smtp_url.as_str()),
        ("ACCOUNT_SERVER__PUBLIC_URL", url.as_str()),
        ("ACCOUNT_SERVER__TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let program = Process::serve(&data, &settings).await;
    let nginx = Nginx::start_for(program.address()).await;
    let ada = nginx.visitor(Ipv4Addr::new(127, 0, 0, 2));
    let register = nginx.url(&format!("{API}/register"));
    let response = post(&ada, register, &form("ada"));
    // A forged client address.
    let response = response.header("x-forwarded-for", "203.0.113.9").send();
    assert_eq!(response.await.unwrap().status(), 201);

    let token = &confirm_registration(&ada, &nginx.url(""), &smtp).await;

    let credentials = json!({"email": "ada@example.org", "password": PASSWORD});
    let signed_in = post(&ada, nginx.url(&format!("{API}/login")), &credentials);
    let signed_in = signed_in.send().await.unwrap();
    assert_eq!(signed_in.status(), 200);
    assert_eq!(signed_in.headers().get_all("server").iter().count(), 1);
    assert_eq!(signed_in.headers()["server"], "nginx", "without a version");
    let hsts = "max-age=31536000";
    assert_eq!(signed_in.headers()["strict-transport-security"], hsts);
    let number = signed_in.headers()["x-request-id"].to_str().unwrap();
    let number = number.to_owned();
    let jar = cookie_pairs(&signed_in).join("; ");

    let me = nginx.url(&format!("{API}/users/me"));
    let me = ada.get(me).header("cookie", &jar).send().await.unwrap();
    assert_eq!(me.status(), 200);
    assert!(text(me).await.contains("ada@example.org"));
    let page = nginx.get(&ada, "/account/").await;
    let policies = page.headers().get_all("content-security-policy");
    assert_eq!(policies.iter().count(), 1);

    // The same request id is in the response, in the program's log and in nginx's log. No log contains the token.
    let events = program.events();
    let sign_in = events.iter().find(|event| event["event"] == "signed_in");
    assert_eq!(sign_in.unwrap()["span"]["request_id"], *number);
    let security = events.iter().filter(|event| event["target"] == "security");
    for event in security {
        assert_eq!(event["span"]["ip"], "127.0.0.2", "{event}");
    }
    let access = nginx.read("access.log");
    assert_contains!(access, &number);
    assert_contains!(access, "GET /account/account-api/confirm-email\" 200");
    assert!(!access.contains(token) && !program.log().join("").contains(token));

    drop(program);
    let link = format!("/account/reset-password?token={token}");
    for path in [&link, &format!("{API}/confirm-email?token={token}")] {
        assert_eq!(nginx.get(&ada, path).await.status(), 503);
    }
    let plain = format!("http://{}{link}", nginx.http);
    let plain = ada.get(plain).header("host", HOST_NAME).send().await;
    assert_eq!(plain.unwrap().status(), 301);
    for name in ["access.log", "error.log", "messages.log"] {
        assert!(!nginx.read(name).contains(token), "{name}");
    }
}

// security: BI-10
#[tokio::test]
async fn nginx_never_forwards_a_bare_line_feed() {
    use std::io::Write;
    use tokio::io::AsyncReadExt;
    let program = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = program.local_addr().unwrap().to_string();
    let nginx = Nginx::start_for(&address).await;
    let https = nginx.https.to_string();
    let mut client = Command::new("openssl")
        .args([
            "s_client", "-quiet", "-servername", HOST_NAME, "-connect", &https,
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let head = format!("GET /account/ HTTP/1.1\nHost: {HOST_NAME}\nX-First: a\nX-Second: b\n\n");
    let mut input = client.stdin.take().unwrap();
    input.write_all(head.as_bytes()).unwrap();
    let (mut forwarded, mut seen) = (program.accept().await.unwrap().0, Vec::new());
    while !seen.ends_with(b"\r\n\r\n") {
        seen.push(forwarded.read_u8().await.unwrap());
    }
    let seen = String::from_utf8(seen).unwrap();
    assert_contains!(seen, "X-First: a\r\nX-Second: b\r\n");
    assert!(!seen.replace("\r\n", "").contains('\n'), "{seen:?}");
    client.kill().unwrap();
    client.wait().unwrap();
}

async fn nginx_passes_the_longest_authorization_requests(db: Database) {
    db.allow_unread_mails();
    let live = db.live_site_with(enable_provider).await;
    let ada = live.site.signed_in("ada").await;
    let tokens = wiki().tokens(&live.site, &ada.browser).await;
    let (state, hint) = ("x".repeat(2000), text_value(&tokens, "id_token"));
    let request = wiki().request(&format!("state={state}&id_token_hint={hint}"));
    let nginx = Nginx::start_for(&live.address.to_string()).await;
    for from in [
        IpAddr::from(Ipv4Addr::LOCALHOST),
        Ipv6Addr::LOCALHOST.into(),
    ] {
        let visitor = nginx.visitor(from);
        let opened = visitor.get(nginx.url(&request));
        let opened = opened.header("host", "localhost:8080").send().await;
        let opened = opened.unwrap();
        assert_eq!(opened.status(), 303, "{from}");
        let location = opened.headers()["location"].to_str().unwrap();
        assert!(location.starts_with("/account/?continue="), "{location}");
        let mut plain = nginx.http;
        plain.set_ip(from);
        let plain = visitor.get(format!("http://{plain}/account/"));
        assert_eq!(plain.send().await.unwrap().status(), 301, "{from}");
    }
}

#[tokio::test]
async fn errors_of_nginx_itself_have_the_right_status() {
    let data = folder();
    let url = format!("https://{HOST_NAME}");
    let settings = [
        ("ACCOUNT_SERVER__PUBLIC_URL", url.as_str()),
        ("ACCOUNT_OIDC__ENABLED", "true"),
    ];
    let mut program = Process::serve(&data, &settings).await;
    let nginx = Nginx::start_for(program.address()).await;
    let ada = nginx.visitor(Ipv4Addr::new(127, 0, 0, 2));
    let plain = format!("http://{}", nginx.http);
    let page = ada
        .get(format!("{plain}/account/settings?lang=de"))
        .header("host", HOST_NAME);
    let page = page.send().await.unwrap();
    let secure = format!("https://{HOST_NAME}/account/settings?lang=de");
    assert_eq!(
        (page.status().as_u16(), &page.headers()["location"]),
        (301, &secure.parse().unwrap())
    );
    let form = post(&ada, format!("{plain}{API}/login"), &json!({})).header("host", HOST_NAME);
    assert_eq!(
        form.send().await.unwrap().status(),
        403,
        "a password without TLS"
    );

    let large = json!({"email": "x".repeat(40_000)});
    let large = post(&ada, nginx.url(&format!("{API}/login")), &large)
        .send()
        .await;
    assert_eq!(large.unwrap().status(), 413);
    for (path, status) in [
        ("/account", 308),
        ("/login", 307),
        ("/.well-known/change-password", 307),
        ("/.well-known/passkey-endpoints", 200),
        ("/.well-known/webauthn", 200),
        ("/.well-known/oauth-authorization-server/account", 200),
        ("/readyz", 200),
        ("/metrics", 404),
        ("/wiki", 404),
    ] {
        let response = nginx.get(&ada, path).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
    }

    // Connections that the program has closed in the meantime cause no errors.
    program.kill();
    let login = nginx.url(&format!("{API}/login"));
    let away = post(&ada, login, &json!({})).send().await.unwrap();
    assert_eq!(away.status(), 503);
    for (name, value) in [
        ("content-type", "application/json"),
        ("retry-after", "2"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(away.headers()[name], value);
    }
    let body: Value = serde_json::from_str(&text(away).await).unwrap();
    // Responses for pages also say that the outage is temporary, as readable text.
    for path in ["/account/", "/account/settings", "/account", "/readyz"] {
        let away = nginx.get(&ada, path).await;
        assert_eq!(away.status(), 503, "{path}");
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("retry-after", "2"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(away.headers()[name], value, "{path}");
        }
        let policy = away.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        let page = text(away).await;
        assert_contains!(page, "try again in a moment");
    }
    let sentence = ErrorCode::Unavailable.message().text(Language::En);
    assert_eq!(body, json!({"code": "unavailable", "detail": sentence}));
}
