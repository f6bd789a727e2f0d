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
        let mut way = vec![url];
        loop {
            let page = self.open(way.last().unwrap());
            match page.location.clone() {
                Some(next) if way.len() < 10 => way.push(next),
                _ => return (way, page),
            }
        }
    }
}

/// The demo, its sample application, and a browser.
struct Scene {
    site: Url,
    app: Url,
    visitor: Visitor,
}

impl Scene {
    fn of(demo: &Demo) -> Scene {
        let line = demo.guide.lines().find(|line| line.starts_with("Fan club"));
        let address = line.unwrap().split_whitespace().nth(2).unwrap();
        Scene {
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
        let (way, form) = self.visitor.follow(self.app.join("/sign-in").unwrap());
        assert!(
            form.text
                .contains("\"signing_in_to\":\"Moonhill Fan Club\"")
        );
        let login = self.site.join("/account/account-api/login").unwrap();
        let body = json!({"email": "verified@demo.example", "password": "Moonrise-7"}).to_string();
        let answer = self.visitor.send("POST", &login, "application/json", &body);
        assert_eq!(answer.status, 200, "{}", answer.text);
        let ticket = way.last().unwrap().query().unwrap();
        let resumed = format!("/account/oidc/authorize?{ticket}");
        let (way, page) = self.visitor.follow(self.site.join(&resumed).unwrap());
        assert_eq!(way.last(), Some(&self.app), "{}", page.text);
        assert!(
            page.text.contains("<h1>Hello, verified</h1>"),
            "{}",
            page.text
        );
        let is_response = |url: &Url| url.path() == "/callback";
        way.into_iter().find(is_response).unwrap()
    }
}

#[tokio::test]
async fn the_sample_application_signs_a_person_in_and_out_with_the_account() {
    let demo = Demo::start().await;
    let mut scene = Scene::of(&demo);
    assert!(scene.home().contains("href=\"/sign-in\""));
    let callback = scene.sign_in();
    let me = scene.me();
    let (_, body) = me.text.split_once("\r\n\r\n").unwrap();
    let me: Value = serde_json::from_str(body).unwrap();
    assert!(scene.home().contains(me["id"].as_str().unwrap()));

    // A response counts once, and for the browser that asked.
    for mut visitor in [Visitor::default(), std::mem::take(&mut scene.visitor)] {
        let again = visitor.open(&callback);
        assert_eq!(again.status, 400);
        assert!(again.text.contains("wrong state"), "{}", again.text);
        scene.visitor = visitor;
    }
    assert!(scene.home().contains("Hello, verified"));

    let out = scene.app.join("/sign-out").unwrap();
    let answer = scene.visitor.send("POST", &out, "text/plain", "");
    let (way, page) = scene.visitor.follow(answer.location.unwrap());
    assert_eq!(way.last(), Some(&scene.app.join("/signed-out").unwrap()));
    assert!(page.text.contains("<h1>Signed out</h1>"), "{}", page.text);
    assert!(scene.home().contains("<h1>Welcome</h1>"));
    assert_eq!(scene.me().status, 401, "signed out at the account too");
    demo.stop();
}

// OP-11
#[tokio::test]
async fn a_sign_out_of_the_account_ends_the_session_of_the_sample_application() {
    let demo = Demo::start().await;
    let mut scene = Scene::of(&demo);
    scene.sign_in();
    let logout = scene.site.join("/account/account-api/logout").unwrap();
    let answer = scene.visitor.send("POST", &logout, "application/json", "");
    assert_eq!(answer.status, 204, "{}", answer.text);
    eventually("the end of the session", async || {
        scene.home().contains("<h1>Welcome</h1>")
    })
    .await;
    // Only the provider ends sessions.
    let told = scene.app.join("/backchannel-logout").unwrap();
    let kind = "application/x-www-form-urlencoded";
    for body in ["", "logout_token=no-token", "logout_token=a.b.c"] {
        assert_eq!(scene.visitor.send("POST", &told, kind, body).status, 400);
    }
    demo.stop();
}

#[tokio::test]
async fn the_sample_application_shows_a_refusal_as_text() {
    let demo = Demo::start().await;
    let mut scene = Scene::of(&demo);
    let asked = scene.visitor.open(&scene.app.join("/sign-in").unwrap());
    let request = asked.location.unwrap();
    let state = request.query_pairs().find(|(name, _)| name == "state");
    let mut response = scene.app.join("/callback").unwrap();
    let issuer = scene.site.join("/account").unwrap();
    response.query_pairs_mut().extend_pairs([
        ("error", "<script>alert(1)</script>"),
        ("state", &state.unwrap().1),
        ("iss", issuer.as_str()),
    ]);
    let page = scene.visitor.open(&response);
    assert_eq!(page.status, 400);
    assert!(page.text.contains("role=\"alert\""), "{}", page.text);
    assert!(!page.text.contains("<script>"), "{}", page.text);
    demo.stop();
}
