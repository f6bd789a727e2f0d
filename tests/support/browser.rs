//! A browser: a cookie jar, a network address, and the default headers of browsers.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Mutex;

use account::testing::time_limit::TimeLimit;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, request};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{Response, Site, within};

pub const API: &str = "/account/account-api";
pub const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";

/// Longer than any response takes, so that a test that waits for ever says for what.
const RESPONSE_LIMIT: TimeLimit = TimeLimit::from_secs(60);

pub struct Browser {
    pub site: Site,
    pub ip: IpAddr,
    jar: Mutex<BTreeMap<String, String>>,
}

impl Browser {
    pub fn new(site: Site, ip: Ipv4Addr) -> Browser {
        Browser {
            site,
            ip: ip.into(),
            jar: Mutex::default(),
        }
    }

    /// The same cookie jar in another network.
    pub fn moved_to(self, ip: &str) -> Browser {
        let ip = ip.parse().unwrap();
        Browser { ip, ..self }
    }

    /// A second browser with a copy of this one's cookies: a thief's, or another tab.
    pub fn copy(&self) -> Browser {
        let copy = self.site.browser();
        *copy.jar.lock().unwrap() = self.jar.lock().unwrap().clone();
        copy
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.jar.lock().unwrap().get(name).cloned()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        let mut jar = self.jar.lock().unwrap();
        jar.insert(name.to_owned(), value.to_owned());
    }

    pub fn remove_cookie(&self, name: &str) {
        self.jar.lock().unwrap().remove(name);
    }

    /// A GET of the API, as our pages send it.
    pub async fn get(&self, path: &str) -> Response {
        self.send(self.fetch(Method::GET, path)).await
    }

    /// The body of the response to a GET.
    pub async fn get_json(&self, path: &str) -> Value {
        self.get(path).await.json()
    }

    /// A POST of JSON to the API, as our pages send it.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.send_json(Method::POST, path, body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Response {
        self.send_json(Method::PUT, path, body).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Response {
        self.send_json(Method::PATCH, path, body).await
    }

    async fn send_json(&self, method: Method, path: &str, body: &Value) -> Response {
        let request = self.fetch(method, path);
        let request = request.header("content-type", "application/json");
        self.send_with(request, body.to_string()).await
    }

    /// A POST of a form with one member.
    async fn post_member(&self, path: &str, name: &str, value: &str) -> Response {
        self.post(path, &json!({name: value})).await
    }

    /// A POST of JSON to the API, which a test may modify.
    pub fn post_request(&self, path: &str) -> request::Builder {
        let request = self.fetch(Method::POST, path);
        request.header("content-type", "application/json")
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(self.fetch(Method::DELETE, path)).await
    }

    /// A POST of an empty JSON object.
    pub async fn post_defaults(&self, path: &str) -> Response {
        self.post(path, &json!({})).await
    }

    /// A POST without a body.
    pub async fn post_empty(&self, path: &str) -> Response {
        self.send(self.fetch(Method::POST, path)).await
    }

    /// Asserts that this browser has no live session.
    pub async fn assert_signed_out(&self) {
        assert_refused!(self.get("/users/me"), Unauthenticated);
    }

    /// Proves the identity in the session again.
    pub async fn reauthenticate(&self, proof: &Value) {
        self.post("/reauthenticate", proof).await.assert_empty();
    }

    pub async fn sign_out_everywhere(&self) {
        let response = self.post_empty("/devices/sign-out-all").await;
        response.assert_empty();
    }

    /// Opens the page of a mailed link that verifies an address or approves a device.
    pub async fn confirm_email(&self, token: &str) -> Response {
        self.get(&format!("/confirm-email?token={token}")).await
    }

    /// Asserts that such a link is invalid.
    pub async fn assert_email_link_ended(&self, token: &str) {
        assert_refused!(self.confirm_email(token), InvalidToken);
    }

    pub async fn request_email_change(&self, email: &str) -> Response {
        self.post_member("/change-email", "email", email).await
    }

    pub async fn confirm_email_change(&self, token: &str) -> Response {
        let path = format!("/confirm-email-change?token={token}");
        self.get(&path).await
    }

    pub async fn undo_email_change(&self, token: &str) -> Response {
        self.post_member("/undo-email-change", "token", token).await
    }

    pub async fn undo_credential(&self, token: &str) -> Response {
        self.post_member("/undo-credential", "token", token).await
    }

    pub async fn restore_account(&self, token: &str) -> Response {
        self.post_member("/restore-account", "token", token).await
    }

    /// Requests the reset of a lost second factor with the token of the sign-in.
    pub async fn request_factor_reset(&self, token: &str) -> Response {
        self.post_member("/second-factor/reset", "token", token)
            .await
    }

    /// Approves or refuses the device of an approval link.
    pub async fn decide_device(&self, token: &str, approve: bool) -> Response {
        let form = json!({"token": token, "approve": approve});
        self.post("/confirm-device", &form).await
    }

    /// Signs in with this email address and password, which may be wrong.
    pub async fn try_sign_in(&self, email: &str, password: &str) -> Response {
        let form = json!({"email": email, "password": password});
        self.post("/login", &form).await
    }

    pub async fn request_reset(&self, email: &str) -> Response {
        self.post_member("/reset-password", "email", email).await
    }

    /// A navigation to an address that the user typed.
    pub async fn open(&self, path: &str) -> Response {
        let request = Request::get(path)
            .header("sec-fetch-site", "none")
            .header("sec-fetch-mode", "navigate")
            .header("sec-fetch-dest", "document");
        self.send(request).await
    }

    /// A request of one of our pages, which a test may modify.
    pub fn fetch(&self, method: Method, path: &str) -> request::Builder {
        let request = Request::builder()
            .uri(format!("{API}{path}"))
            .header("sec-fetch-site", "same-origin")
            .header("sec-fetch-mode", "cors")
            .header("sec-fetch-dest", "empty");
        let request = match method {
            Method::GET | Method::HEAD => request,
            _ => request.header("origin", &self.site.app.config.server.public_url),
        };
        request.method(method)
    }

    pub async fn send(&self, request: request::Builder) -> Response {
        self.send_with(request, String::new()).await
    }

    /// Sends the request with this browser's cookies, address and User-Agent, stores the cookies of the response, and
    /// checks the properties of every response.
    pub async fn send_with(&self, request: request::Builder, body: impl Into<Body>) -> Response {
        let request = self.request(request, body);
        let path = request.uri().path().to_owned();
        let method = request.method().clone();
        let router = self.site.router.clone();
        let what = format!("the response to {method} {path}");
        let mut response = within(RESPONSE_LIMIT, &what, async {
            let response = router.oneshot(request).await.expect("never fails");
            Response::read(response).await
        })
        .await;
        response.request = what;
        response.assert_common_properties(&path, &self.site.app.config);
        if path.starts_with(API) {
            response.assert_api_properties(&method, &path);
        }
        self.store_cookies(&response);
        response
    }

    /// The request with this browser's cookies, address and User-Agent.
    pub fn request(&self, request: request::Builder, body: impl Into<Body>) -> Request<Body> {
        let mut request = request.body(body.into()).expect("a request");
        let headers = request.headers_mut();
        headers
            .entry("user-agent")
            .or_insert(FIREFOX.parse().unwrap());
        headers
            .entry("host")
            .or_insert("localhost:8080".parse().unwrap());
        let cookies = self.cookie_header();
        if !cookies.is_empty() && !headers.contains_key("cookie") {
            headers.insert("cookie", cookies.parse().unwrap());
        }
        let peer = SocketAddr::new(self.ip, 50_000);
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    }

    fn cookie_header(&self) -> String {
        let jar = self.jar.lock().unwrap();
        let pairs = jar.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn store_cookies(&self, response: &Response) {
        let mut jar = self.jar.lock().unwrap();
        for set in response.set_cookies() {
            let (pair, attributes) = set.split_once(';').unwrap_or((set, ""));
            let (name, value) = pair.split_once('=').unwrap();
            if attributes.contains("Max-Age=0") {
                jar.remove(name);
            } else {
                jar.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}
