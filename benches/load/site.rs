//! Test users of the measured site, and the requests of their browsers.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Answer, Connection};

const API: &str = "/account/account-api";
pub(crate) const PASSWORD: &str = "Correct horse 1 battery";

pub(crate) fn get(path: &str, cookie: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\n\r\n").into_bytes()
}

pub(crate) fn post(call: &str, cookie: &str, body: &Value) -> Vec<u8> {
    post_to(
        &format!("{API}{call}"),
        &format!("cookie: {cookie}\r\n"),
        body,
    )
}

/// A POST of JSON; `headers` are whole lines with their ends.
pub(crate) fn post_to(path: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         {headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

pub(crate) fn registration(name: &str) -> Vec<u8> {
    let body = json!({
        "email": format!("{name}@example.org"), "username": name, "password": PASSWORD,
        "country": "us", "zipcode": "12345", "birthday_day": 1, "birthday_month": 2,
        "birthday_year": 1990, "marketing_consent": false,
    });
    post("/register", "", &body)
}

/// A signed-in person with a verified address on an enrolled device.
#[derive(Clone)]
pub(crate) struct Person {
    pub session: String,
    device: String,
    name: String,
}

impl Person {
    pub(crate) fn sign_in(&self) -> Vec<u8> {
        sign_in(&self.name, &self.device)
    }

    /// The device cookie for a sign-in.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    pub(crate) fn me(&self) -> Vec<u8> {
        get(&format!("{API}/users/me"), &self.session)
    }

    /// The session check of a proxy for a request of the person's browser.
    pub(crate) fn forward_auth_check(&self, host: &str) -> Vec<u8> {
        let session = &self.session;
        format!(
            "GET {API}/forward-auth HTTP/1.1\r\nhost: localhost\r\ncookie: {session}\r\n\
             x-forwarded-host: {host}\r\nx-forwarded-for: 203.0.113.7\r\n\
             x-forwarded-method: GET\r\nx-forwarded-uri: /wiki/Main_Page\r\n\r\n"
        )
        .into_bytes()
    }
}

pub(crate) fn sign_in(name: &str, cookie: &str) -> Vec<u8> {
    let email = format!("{name}@example.org");
    post(
        "/login",
        cookie,
        &json!({"email": email, "password": PASSWORD}),
    )
}

/// Registers this number of people, verifies their addresses with their mails, and signs them in.
pub(crate) async fn register_people(address: SocketAddr, count: usize) -> Vec<Person> {
    let mut site = Connection::open(address).await.expect("the site");
    for number in 0..count {
        let answer = send(&mut site, &registration(&format!("fan{number}"))).await;
        assert_eq!(answer.status, 201, "registration");
    }
    for token in mailed_tokens(&mut site, count).await {
        let answer = send(
            &mut site,
            &get(&format!("{API}/confirm-email?token={token}"), ""),
        )
        .await;
        assert_eq!(answer.status, 200, "confirmation");
    }
    let mut people = Vec::new();
    for number in 0..count {
        let name = format!("fan{number}");
        let answer = send(&mut site, &sign_in(&name, "")).await;
        assert_eq!(answer.status, 200, "sign-in");
        people.push(Person {
            session: cookie(&answer, "session"),
            device: cookie(&answer, "device"),
            name,
        });
    }
    people
}

/// The tokens of the stored mails, after this number has arrived.
async fn mailed_tokens(site: &mut Connection, count: usize) -> Vec<String> {
    loop {
        let answer = send(site, &get("/account/dev/mail/messages", "")).await;
        let mails: Vec<Value> = serde_json::from_slice(&answer.body).expect("mails");
        if mails.len() >= count {
            return mails.iter().map(mailed_token).collect();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn mailed_token(mail: &Value) -> String {
    let text = mail["text"].as_str().expect("a mail's text");
    let (_, after) = text.split_once("token=").expect("a link");
    let end = after.find(|c: char| c.is_whitespace() || c == '&');
    after[..end.unwrap_or(after.len())].to_owned()
}

fn cookie(answer: &Answer, name: &str) -> String {
    let start = format!("{name}=");
    let found = cookies(answer).find(|cookie| cookie.starts_with(&start));
    found.expect("a cookie").to_owned()
}

/// The cookies that a response sets, as `name=value`.
pub(crate) fn cookies(answer: &Answer) -> impl Iterator<Item = &str> {
    let sets = answer.headers("set-cookie");
    sets.map(|set| set.split(';').next().unwrap_or(set))
}

pub(crate) async fn send(site: &mut Connection, request: &[u8]) -> Answer {
    site.send(request).await.expect("an answer")
}
