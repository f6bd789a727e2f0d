//! The program as started by a person or a service manager.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use account::testing::time_limit::{TimeLimit, slowness};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::browser::API;
use super::eventually::{eventually, poll_for};
use super::{Database, free_address};

/// The arguments of a command: the words of a line, or a list of them.
pub trait Arguments {
    fn words(&self) -> Vec<&str>;
}

impl Arguments for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Arguments for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Arguments for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Arguments for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Arguments for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

/// Settings as the environment of a command.
pub type Settings<'a> = [(&'a str, &'a str)];

/// `account ARGUMENTS` in this folder, with only these settings in the environment. The program has the time limits of the
/// tests.
pub fn command(
    folder: impl AsRef<Path>,
    arguments: &(impl Arguments + ?Sized),
    settings: &Settings,
) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_account"));
    command
        .args(arguments.words())
        .env_clear()
        .env("ACCOUNT_TEST_SLOW", slowness().to_string())
        .envs(settings.iter().copied())
        .current_dir(folder);
    command
}

/// Starts a command without standard output.
pub fn start(
    folder: impl AsRef<Path>,
    arguments: &(impl Arguments + ?Sized),
    settings: &Settings,
    out: Stdio,
) -> Child {
    let mut command = command(folder, arguments, settings);
    let command = command.stdout(out).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// A running server.
pub struct Process {
    pub url: String,
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
    caller: Caller,
}

impl Process {
    /// Runs `account serve` on a free port with a cheap password hash. Returns when it is ready: connected to its
    /// database, with all migrations applied.
    pub async fn serve(folder: impl AsRef<Path>, settings: &Settings<'_>) -> Process {
        Process::serve_with(folder, "serve", settings).await
    }

    pub async fn serve_with(
        folder: impl AsRef<Path>,
        arguments: &(impl Arguments + ?Sized),
        settings: &Settings<'_>,
    ) -> Process {
        let process = Process::start(folder, arguments, settings).await;
        // The connection of this caller is closed, because a test may count the connections.
        let (caller, ready) = (Caller::new(), format!("{}/readyz", process.url));
        eventually("the program is ready", async || {
            let response = caller.get(&ready).await;
            response.is_ok_and(|response| response.status() == 200)
        })
        .await;
        process
    }

    /// Like `serve`, but returns when the server listens; its database may be unavailable.
    pub async fn start(
        folder: impl AsRef<Path>,
        arguments: &(impl Arguments + ?Sized),
        settings: &Settings<'_>,
    ) -> Process {
        let listen = free_address().to_string();
        let url = format!("http://{listen}");
        let mut all = vec![
            ("ACCOUNT_SERVER__LISTEN", listen.as_str()),
            ("ACCOUNT_SERVER__PUBLIC_URL", &url),
            ("ACCOUNT_PASSWORD__MEMORY_KIB", "64"),
            ("ACCOUNT_PASSWORD__ITERATIONS", "1"),
        ];
        all.extend(settings);
        let mut command = command(folder, arguments, &all);
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let (out, kept) = (child.stdout.take().unwrap(), lines.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                kept.lock().unwrap().push(line);
            }
        });
        let process = Process {
            url,
            child,
            lines,
            caller: Caller::new(),
        };
        eventually("the program listens", async || {
            tokio::net::TcpStream::connect(&listen).await.is_ok()
        })
        .await;
        process
    }

    /// The address at which it listens.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    pub async fn get(&self, path: &str) -> reqwest::Response {
        let url = format!("{}{path}", self.url);
        self.caller.get(&url).await.unwrap()
    }

    /// A POST to the API.
    pub async fn post(&self, path: &str, body: &Value) -> reqwest::Response {
        let url = format!("{}{API}{path}", self.url);
        self.caller.post(&url, body).await.unwrap()
    }

    pub async fn confirm_email(&self, token: &str) -> reqwest::Response {
        self.get(&format!("{API}/confirm-email?token={token}"))
            .await
    }

    /// The tokens of the mails to this address, the newest first.
    pub async fn mailed_tokens(&self, email: &str) -> Vec<String> {
        let mails = self.get("/account/dev/mail/messages").await.text().await;
        let mails: Vec<Value> = serde_json::from_str(&mails.unwrap()).unwrap();
        let token = |mail: &Value| {
            let (_, rest) = mail["text"].as_str().unwrap().split_once("token=").unwrap();
            rest[..43].to_owned()
        };
        let own = mails.iter().filter(|mail| mail["to"] == email);
        own.map(token).collect()
    }

    /// The lines of its standard output so far.
    pub fn log(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    pub fn events(&self) -> Vec<Value> {
        let event = |line: &String| {
            serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"))
        };
        self.log().iter().map(event).collect()
    }

    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// kill -9.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asserts that the process exits with 0 in this time.
    pub async fn assert_exits_within(&mut self, seconds: u64) {
        let limit = TimeLimit::from_secs(seconds).get();
        assert_eq!(self.exit_code_within(limit).await, Some(0));
    }

    /// The exit code, or None if the process does not exit in time.
    pub async fn exit_code_within(&mut self, time: Duration) -> Option<i32> {
        let ended = poll_for(time, async || self.child.try_wait().unwrap()).await;
        ended.and_then(|status| status.code())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP client without cookies and without a connection pool.
pub struct Caller(reqwest::Client);

impl Caller {
    pub fn new() -> Caller {
        // Only the first call in a process installs the provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .no_proxy()
            .timeout(TimeLimit::from_secs(20).get());
        Caller(client.build().unwrap())
    }

    pub async fn get(&self, url: &str) -> reqwest::Result<reqwest::Response> {
        self.0.get(url).header("accept", "*/*").send().await
    }

    pub async fn post(&self, url: &str, body: &Value) -> reqwest::Result<reqwest::Response> {
        let request = self.0.post(url).header("content-type", "application/json");
        request.body(body.to_string()).send().await
    }

    /// A form, with credentials.
    pub async fn form(
        &self,
        url: &str,
        authorization: &str,
        body: String,
    ) -> reqwest::Result<reqwest::Response> {
        let request = self.0.post(url).header("authorization", authorization);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.body(body).send().await
    }
}

pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Writes a file in the folder.
pub fn write(folder: impl AsRef<Path>, name: &str, content: impl AsRef<[u8]>) {
    std::fs::write(folder.as_ref().join(name), content).unwrap();
}

/// Runs a command until it exits. Returns exit code, standard output and standard error.
pub fn run_to_exit(
    folder: impl AsRef<Path>,
    arguments: &(impl Arguments + ?Sized),
    settings: &Settings,
) -> (i32, String, String) {
    let output = command(folder.as_ref(), arguments, settings).output();
    exit_and_output(&output.expect("the program starts"))
}

/// Like `run_to_exit`, on the database of the test and in its folder.
pub fn run_account(db: &Database, arguments: &(impl Arguments + ?Sized)) -> (i32, String, String) {
    run_to_exit(
        db.folder(),
        arguments,
        &[("ACCOUNT_DATABASE__URL", db.url())],
    )
}

/// Runs a command that succeeds. Returns standard output and standard error.
#[track_caller]
pub fn run_to_success(
    folder: impl AsRef<Path>,
    arguments: &(impl Arguments + ?Sized),
    settings: &Settings,
) -> (String, String) {
    let (code, out, errors) = run_to_exit(folder, arguments, settings);
    assert_eq!(code, 0, "{:?}: {errors}", arguments.words());
    (out, errors)
}

/// Runs a command that fails with this code and one line that contains this part. Returns the line.
#[track_caller]
pub fn run_to_failure(
    folder: impl AsRef<Path>,
    arguments: &(impl Arguments + ?Sized),
    settings: &Settings,
    expected: i32,
    part: &str,
) -> String {
    let (code, out, errors) = run_to_exit(folder, arguments, settings);
    let words = arguments.words();
    let found = (code, errors.lines().count());
    assert_eq!(found, (expected, 1), "{words:?}: {errors}");
    // Only the log of `serve` goes to standard output.
    assert!(out.is_empty() || words[0] == "serve", "{words:?}: {out}");
    assert_contains!(errors, part);
    errors
}

/// Exit code, standard output, standard error.
pub fn exit_and_output(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}
