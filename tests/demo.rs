//! `account demo`: needs no configuration, prints a guide, and leaves no files.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::prelude::*;
use crate::wire::wait_for;

/// A demo that runs, and its guide.
struct Demo {
    program: Child,
    port: u16,
    guide: String,
    folder: TempDir,
}

impl Demo {
    async fn start() -> Demo {
        let folder = folder();
        let port = free_address().port();
        let mut program = Command::new(env!("CARGO_BIN_EXE_account"))
            .arg("demo")
            .env("TMPDIR", folder.path())
            .env("ACCOUNT_SERVER__LISTEN", format!("127.0.0.1:{port}"))
            .env("ACCOUNT_PASSWORD__MEMORY_KIB", "64")
            .env("ACCOUNT_PASSWORD__ITERATIONS", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
        let mut guide: Vec<String> = Vec::new();
        while !guide.iter().any(|line| line.contains("latam.localhost")) {
            guide.push(lines.next().expect("a guide").unwrap());
        }
        // Printed just before the listener is there.
        wait_for(([127, 0, 0, 1], port).into()).await;
        Demo {
            program,
            port,
            guide: guide.join("\n"),
            folder,
        }
    }

    /// Stops it as Ctrl-C does.
    fn stop(mut self) {
        kill_process(Pid::from_child(&self.program), Signal::TERM).unwrap();
        assert!(self.program.wait().unwrap().success());
        let left = std::fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(left, 0, "nothing is left");
    }
}

/// Ends the program of a test that fails.
impl Drop for Demo {
    fn drop(&mut self) {
        // Both fail for a program that has ended already.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// One exchange over a connection of its own.
fn exchange(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

fn get(port: u16, host: &str, path: &str) -> String {
    let head = format!("GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n");
    exchange(port, &head)
}

fn sign_in(port: u16, email: &str, password: &str) -> String {
    let body = serde_json::json!({"email": email, "password": password}).to_string();
    exchange(
        port,
        &format!(
            "POST /account/account-api/login HTTP/1.1\r\nhost: localhost:{port}\r\n\
             connection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

#[tokio::test]
async fn the_demo_works_as_its_guide_describes_and_cleans_up() {
    let demo = Demo::start().await;
    let (port, guide) = (demo.port, &demo.guide);
    assert!(guide.contains(&format!("http://localhost:{port}/account/dev/mail")));
    assert_contains!(guide, "  verified@demo.example        Moonrise-7  ");
    let response = sign_in(port, "verified@demo.example", "Moonrise-7");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert_contains!(guide, "  old-bcrypt@demo.example      Password1   ");
    let response = sign_in(port, "old-bcrypt@demo.example", "Password1");
    assert_contains!(response, "x-needs-migration: true");
    assert!(guide.contains("  old-nohash@demo.example      Guess-1     "));
    let response = sign_in(port, "old-nohash@demo.example", "Guess-1");
    assert_contains!(response, "x-needs-migration: true");
    let (_, settings) = guide.split_once("node --env-file=").unwrap();
    let (settings, program) = settings.split_once(' ').unwrap();
    assert!(program.starts_with("examples/sample-app/main.mjs\n"));
    let settings = std::fs::read_to_string(settings).unwrap();
    assert!(settings.starts_with(&format!("ISSUER=http://localhost:{port}/account\n")));
    let home = get(port, "de.localhost", "/");
    assert_contains!(home, "location: /episodios\r\n");
    let header = get(
        port,
        "de.localhost",
        "/account/account-api/ui/header?lang=de",
    );
    assert_contains!(header, "Mondhügel");
    demo.stop();
}

#[test]
fn a_demo_on_a_public_address_prints_a_warning() {
    for (address, is_warned) in [("0.0.0.0", true), ("127.0.0.1", false)] {
        let folder = folder();
        // The port is taken, so the demo ends after its warning.
        let taken = std::net::TcpListener::bind((address, 0)).unwrap();
        let listen = taken.local_addr().unwrap().to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_account"))
            .arg("demo")
            .current_dir(folder.path())
            .env("TMPDIR", folder.path())
            .env("ACCOUNT_SERVER__LISTEN", &listen)
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert_eq!(
            errors.contains("warning: server.listen"),
            is_warned,
            "{errors}"
        );
        assert_contains!(errors, "cannot listen on");
    }
}
