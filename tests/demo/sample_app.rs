//! The sample application: a real client of the demo's own provider, in a browser without scripts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use url::Url;

use super::{Demo, exchange};
use crate::support::eventually;

/// A browser.
#[derive(Default)]
struct Visitor {
    /// By host and name: cookies have no port.
    cookies: BTreeMap<(String, String), String>,
}

struct Page {
    status: u16,
    location: Option<Url>,
    text: String,
}

impl Visitor {
    fn send(&mut self, method: &str, url: &Url, kind: &str, body: &str) -> Page {
        let host = url.host_str().unwrap().to_owned();
        let port = url.port().unwrap();
        let own = self.cookies.iter().filter(|((at, _), _)| *at == host);
        let cookies: Vec<_> = own
            .map(|((_, name), value)| format!("{name}={value}"))
            .collect();
        let target = &url[url::Position::BeforePath..];
        let text = exchange(
            port,
            &format!(
                "{method} {target} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\
                 cookie: {}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
                cookies.join("; "),
                body.len()
            ),
        );
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        let mut location = None;
        for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
            match name {
                "location" => location = Some(url.join(value).unwrap()),
                "set-cookie" => {
                    let (pair, _) = value.split_once(';').unwrap();
                    let (name, value) = pair.split_once('=').unwrap();
                    let key = (host.clone(), name.to_owned());
                    self.cookies.insert(key, value.to_owned());
                }
                _ => {}
            }
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Page {
            status,
            location,
            text,
        }
    }

    fn open(&mut self, url: &Url) -> Page {
        self.send("GET", url, "text/plain", "")
    }

    /// Opens an address and follows redirects. Returns the addresses and the last page.
    fn follow(&mut self, url: Url) -> (Vec<Url>, Page) {
        let mut addresses = vec![url];
        loop {
            let page = self.open(addresses.last().unwrap());
            match page.location.clone() {
                Some(next) if addresses.len() < 10 => addresses.push(next),
                _ => return (addresses, page),
            }
        }
    }
}

/// The demo, its sample application, and a browser.
struct SampleApp {
    site: Url,
    app: Url,
    visitor: Visitor,
}

impl SampleApp {
    fn open(demo: &Demo) -> SampleApp {
        let line = demo.guide.lines().find(|line| line.starts_with("Fan club"));
        let address = line.unwrap().split_whitespace().nth(2).unwrap();
        SampleApp {
            site: Url::parse(&format!("http://localhost:{}", demo.port)).unwrap(),
            app: Url::parse(address).unwrap(),
            visitor: Visitor::default(),
        }
    }

    fn home(&mut self) -> String {
        let page = self.visitor.open(&self.app);
        assert_eq!(page.status, 200);
        page.text
    }

    fn me(&mut self) -> Page {
        let me = self.site.join("/account/account-api/users/me").unwrap();
        self.visitor.open(&me)
    }

    /// Signs in at the application with the password of the account. Returns the address of the response.
    fn sign_in(&mut self) -> Url {
        let (addresses, form) = self.visitor.follow(self.app.join("/sign-in").unwrap());
        assert!(
            form.text
                .contains("\"signing_in_to\":\"Moonhill Fan Club\"")
        );
        let login = self.site.join("/account/account-api/login").unwrap();
        let body = json!({"email": "verified@demo.example", "password": "Moonrise-7"}).to_string();
        let response = self.visitor.send("POST", &login, "application/json", &body);
        assert_eq!(response.status, 200, "{}", response.text);
        let ticket = addresses.last().unwrap().query().unwrap();
        let resumed = format!("/account/oidc/authorize?{ticket}");
        let (addresses, page) = self.visitor.follow(self.site.join(&resumed).unwrap());
        assert_eq!(addresses.last(), Some(&self.app), "{}", page.text);
        assert!(
            page.text.contains("<h1>Hello, verified</h1>"),
            "{}",
            page.text
        );
        let is_response = |url: &Url| url.path() == "/callback";
        addresses.into_iter().find(is_response).unwrap()
    }
}

#[tokio::test]
async fn the_sample_application_signs_a_person_in_and_out_with_the_account() {
    let demo = Demo::start().await;
    let mut sample = SampleApp::open(&demo);
    assert!(sample.home().contains("href=\"/sign-in\""));
    let callback = sample.sign_in();
    let me = sample.me();
    let (_, body) = me.text.split_once("\r\n\r\n").unwrap();
    let me: Value = serde_json::from_str(body).unwrap();
    assert!(sample.home().contains(me["id"].as_str().unwrap()));

    // A response counts once, and for the browser that asked.
    for mut visitor in [Visitor::default(), std::mem::take(&mut sample.visitor)] {
        let again = visitor.open(&callback);
        assert_eq!(again.status, 400);
        assert!(again.text.contains("wrong state"), "{}", again.text);
        sample.visitor = visitor;
    }
    assert!(sample.home().contains("Hello, verified"));

    let out = sample.app.join("/sign-out").unwrap();
    let response = sample.visitor.send("POST", &out, "text/plain", "");
    let (addresses, page) = sample.visitor.follow(response.location.unwrap());
    assert_eq!(
        addresses.last(),
        Some(&sample.app.join("/signed-out").unwrap())
    );
    assert!(page.text.contains("<h1>Signed out</h1>"), "{}", page.text);
    assert!(sample.home().contains("<h1>Welcome</h1>"));
    assert_eq!(sample.me().status, 401, "signed out at the account too");
    demo.stop();
}

// security: OP-11
#[tokio::test]
async fn a_sign_out_of_the_account_ends_the_session_of_the_sample_application() {
    let demo = Demo::start().await;
    let mut sample = SampleApp::open(&demo);
    sample.sign_in();
    let logout = sample.site.join("/account/account-api/logout").unwrap();
    let response = sample.visitor.send("POST", &logout, "application/json", "");
    assert_eq!(response.status, 204, "{}", response.text);
    eventually("the end of the session", async || {
        sample.home().contains("<h1>Welcome</h1>")
    })
    .await;
    // Only the provider ends sessions.
    let backchannel = sample.app.join("/backchannel-logout").unwrap();
    let kind = "application/x-www-form-urlencoded";
    for body in ["", "logout_token=no-token", "logout_token=a.b.c"] {
        assert_eq!(
            sample.visitor.send("POST", &backchannel, kind, body).status,
            400
        );
    }
    demo.stop();
}

#[tokio::test]
async fn the_sample_application_shows_a_refusal_as_text() {
    let demo = Demo::start().await;
    let mut sample = SampleApp::open(&demo);
    let requested = sample.visitor.open(&sample.app.join("/sign-in").unwrap());
    let request = requested.location.unwrap();
    let state = request.query_pairs().find(|(name, _)| name == "state");
    let mut response = sample.app.join("/callback").unwrap();
    let issuer = sample.site.join("/account").unwrap();
    response.query_pairs_mut().extend_pairs([
        ("error", "<script>alert(1)</script>"),
        ("state", &state.unwrap().1),
        ("iss", issuer.as_str()),
    ]);
    let page = sample.visitor.open(&response);
    assert_eq!(page.status, 400);
    assert!(page.text.contains("role=\"alert\""), "{}", page.text);
    assert!(!page.text.contains("<script>"), "{}", page.text);
    demo.stop();
}
