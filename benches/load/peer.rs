//! Another account program as a child process on the server's core (`benches/peers`).

use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::json;

use super::client::{Answer, Connection};
use super::machine;
use super::server::free_address;
use super::site::{PASSWORD, cookies, get, post_to, send};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers");
pub(crate) const EMAIL: &str = "fan0@example.org";

/// The paths and names of a peer's API.
pub(crate) struct Calls {
    pub sign_up: &'static str,
    pub sign_in: &'static str,
    pub session: &'static str,
    /// A page that sets the CSRF cookie, and the request header that repeats its value.
    pub forgery_token: Option<(&'static str, &'static str)>,
}

pub(crate) struct Peer {
    child: Child,
    pub address: SocketAddr,
    /// The request for the signed-in user.
    pub check: Vec<u8>,
    pub sign_in: Vec<u8>,
    _folder: tempfile::TempDir,
}

impl Peer {
    /// Starts `benches/peers/NAME/start.sh` with an empty database, and signs one person in.
    pub(crate) async fn start(name: &str, calls: &Calls) -> Peer {
        let address = free_address();
        let folder = tempfile::tempdir().expect("a folder");
        let child = machine::command_on_server_core(&format!("{FOLDER}/{name}/start.sh"))
            .arg(address.port().to_string())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("taskset");
        let mut peer = Peer {
            child,
            address,
            check: Vec::new(),
            sign_in: Vec::new(),
            _folder: folder,
        };
        let mut site = peer.connect_when_ready(name).await;
        peer.register(&mut site, calls).await;
        peer
    }

    /// The first connection, after the port is open.
    async fn connect_when_ready(&mut self, name: &str) -> Connection {
        for _ in 0..600 {
            if let Ok(connection) = Connection::open(self.address).await {
                return connection;
            }
            let ended = self.child.try_wait().expect("a child");
            assert!(
                ended.is_none(),
                "{name} ended: {ended:?}; `make bench-peers`?"
            );
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{name} opened no port within a minute");
    }

    /// Registers a person, which also signs in, and stores the headers of that browser.
    async fn register(&mut self, site: &mut Connection, calls: &Calls) {
        let mut jar = Vec::new();
        let mut token = String::new();
        if let Some((page, header)) = calls.forgery_token {
            store_cookies(&mut jar, &send(site, &get(page, "")).await);
            let value = jar[0].split_once('=').expect("a cookie").1;
            token = format!("cookie: {}\r\n{header}: {value}\r\n", jar[0]);
        }
        // Each peer reads the fields that it knows: one calls the username `name`.
        let person = json!({
            "email": EMAIL, "username": "fan0", "name": "fan0", "password": PASSWORD,
        });
        let answer = send(site, &post_to(calls.sign_up, &token, &person)).await;
        assert_eq!(answer.status, 200, "sign-up");
        store_cookies(&mut jar, &answer);
        let credentials = json!({"email": EMAIL, "password": PASSWORD});
        self.check = get(calls.session, &jar.join("; "));
        self.sign_in = post_to(calls.sign_in, &token, &credentials);
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SIGTERM, because the child processes of the peer would survive a SIGKILL.
        let _ = machine::terminate(self.child.id());
        let _ = self.child.wait();
    }
}

/// Adds the cookies of a response to the jar and replaces those with the same names.
fn store_cookies(jar: &mut Vec<String>, answer: &Answer) {
    for cookie in cookies(answer) {
        let name = cookie.split('=').next();
        jar.retain(|old| old.split('=').next() != name);
        jar.push(cookie.to_owned());
    }
}
