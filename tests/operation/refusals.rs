//! Refusals that depend only on a request's head, before the body has arrived.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::prelude::*;

const BODY: &str = "{\"email\":\"ada@example.org\"}";

/// Reads one response with its body, or the bytes up to the end of the connection.
async fn read_response(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    let mut byte = [0; 1];
    while !read.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte).await {
            Ok(1) => read.push(byte[0]),
            _ => break,
        }
    }
    let head = String::from_utf8(read).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    head
}

// A client that keeps a connection which the server closes loses its next request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_early_refusal_keeps_or_closes_the_connection_cleanly() {
    let folder = folder();
    let settings = [("ACCOUNT_LIMITS__RESET_IP", "1/d")];
    let site = Process::serve(&folder, &settings).await;
    let address = site.address().to_owned();
    let json = "Content-Type: application/json\r\n";
    let evil = "Content-Type: application/json\r\nOrigin: https://evil.example\r\n";
    let mut kinds = vec![
        (
            "415", "/account/account-api/login", "Content-Type: text/plain\r\n",
        ),
        ("403", "/account/account-api/login", evil),
        ("404", "/account/account-api/nothing", json),
        ("405", "/account/account-api/users/me", json),
        ("401", "/account/account-api/change-email", json),
        ("404", "/nothing", json),
        ("404", "/readyz/nothing", json),
    ];
    // The first request uses up the limit.
    kinds.extend([("200", "/account/account-api/reset-password", json); 1]);
    kinds.extend([("429", "/account/account-api/reset-password", json); 1]);
    for (status, path, headers) in kinds {
        for sends_body in [true, false] {
            let mut stream = TcpStream::connect(&address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {}\r\n\r\n",
                BODY.len()
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            // A response at this point would not have waited for the body.
            let early = tokio::time::timeout(Duration::from_millis(100), stream.readable()).await;
            if !sends_body {
                if matches!(status, "200" | "429") {
                    continue;
                }
                let head = read_response(&mut stream).await;
                assert!(head.contains(&format!(" {status} ")), "{path}: {head}");
                assert!(head.contains("connection: close"), "{path}: {head}");
                continue;
            }
            if early.is_err() {
                stream.write_all(BODY.as_bytes()).await.unwrap();
            }
            let head = read_response(&mut stream).await;
            assert!(head.contains(&format!(" {status} ")), "{path}: {head}");
            if head.contains("connection: close") {
                continue;
            }
            let next = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\n\r\n");
            stream.write_all(next.as_bytes()).await.unwrap();
            let head = read_response(&mut stream).await;
            assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        }
    }
}
