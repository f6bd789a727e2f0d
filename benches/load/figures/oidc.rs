//! The token endpoint of the OpenID Connect provider: each connection exchanges its refresh token and gets an ID token
//! that is signed with RS256.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::Value;

use super::{CONNECTIONS, DURATION, ROUNDS, cpu_micros};
use crate::client::{Connection, Outcome, load_in_steps};
use crate::report::{Report, median};
use crate::server::{Database, Server};
use crate::site::{self, Person};

const CLIENT: &str = "[oidc]\nenabled = true\n[[oidc.clients]]\nid = \"app\"\nname = \"App\"\n\
    redirect_uris = [\"https://app.example.org/callback\"]\npkce = \"required\"\n\
    scopes = [\"openid\", \"profile\", \"offline_access\"]\n";
const CALLBACK: &str = "https%3A%2F%2Fapp.example.org%2Fcallback";
/// RFC 7636 appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// Exchanges per second and core.
const GOAL: f64 = 800.0;

pub(super) async fn run(report: &mut Report) {
    let postgres = Database::postgres("bench_oidc").await;
    for database in [Some(Database::Sqlite), postgres].into_iter().flatten() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("account.toml"), CLIENT).expect("a file");
        let (server, _) = Server::start_in(folder, &database, &[]).await;
        let people = site::register_people(server.address, CONNECTIONS).await;
        let tokens = Rc::new(RefCell::new(first_refresh_tokens(&server, &people).await));
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let before = server.cpu();
            let outcome = load_refreshes(&server, tokens.clone())
                .await
                .expect_statuses(&[200]);
            times.push(cpu_micros(server.cpu() - before, &outcome));
        }
        let time = median(times);
        let rate = 1e6 / time;
        report.row(
            &format!(
                "token endpoint, RS256, {}: exchanges a second of CPU",
                database.name()
            ),
            &format!("{rate:.0} ({time:.0} µs each)"),
            "",
            &format!("≥ {GOAL}"),
            rate >= GOAL,
        );
    }
}

/// Signs each person in to the application. Returns the refresh tokens.
async fn first_refresh_tokens(server: &Server, people: &[Person]) -> Vec<String> {
    let mut site = Connection::open(server.address).await.expect("the site");
    let mut tokens = Vec::new();
    for person in people {
        let path = format!(
            "/account/oidc/authorize?client_id=app&redirect_uri={CALLBACK}&response_type=code\
             &scope=openid%20profile%20offline_access&code_challenge={CHALLENGE}\
             &code_challenge_method=S256"
        );
        let answer = site::send(&mut site, &site::get(&path, &person.session)).await;
        let location = answer.headers("location").next().expect("a redirect");
        let (_, code) = location.split_once("code=").expect("a code");
        let code = code.split('&').next().expect("a first part");
        let form = format!(
            "grant_type=authorization_code&client_id=app&code={code}&redirect_uri={CALLBACK}\
             &code_verifier={VERIFIER}"
        );
        let answer = site::send(&mut site, &token_request(&form)).await;
        tokens.push(refresh_token_in(&answer.body));
    }
    tokens
}

async fn load_refreshes(server: &Server, tokens: Rc<RefCell<Vec<String>>>) -> Outcome {
    let step = async move |site: &mut Connection, connection: usize, _| {
        let form = format!(
            "grant_type=refresh_token&client_id=app&refresh_token={}",
            tokens.borrow()[connection]
        );
        let answer = site::send(site, &token_request(&form)).await;
        if answer.status == 200 {
            tokens.borrow_mut()[connection] = refresh_token_in(&answer.body);
        }
        answer.status
    };
    load_in_steps(server.address, CONNECTIONS, DURATION, Duration::ZERO, step).await
}

fn token_request(form: &str) -> Vec<u8> {
    let length = form.len();
    format!(
        "POST /account/oidc/token HTTP/1.1\r\nhost: localhost\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {length}\r\n\r\n{form}"
    )
    .into_bytes()
}

fn refresh_token_in(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body["refresh_token"]
        .as_str()
        .expect("a refresh token")
        .to_owned()
}
