//! One connection with full control of the bytes that are sent.

use std::net::SocketAddr;

use account::testing::time_limit::TimeLimit;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::prelude::*;

/// Longer than any response may take.
const DEADLINE: TimeLimit = TimeLimit::from_secs(30);

pub struct Client {
    stream: TcpStream,
    /// Received bytes that are not parsed yet.
    buffer: Vec<u8>,
    /// Header lines of every request, each ended by CR LF.
    pub headers: String,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).unwrap();
        Client {
            stream,
            buffer: Vec::new(),
            headers: "Host: localhost:8080\r\n".to_owned(),
        }
    }

    pub async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        // Many of these tests expect the server to refuse and close before the whole request is written.
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    pub async fn get(&mut self, path: &str) -> Response {
        let head = format!("GET {path} HTTP/1.1\r\n{}\r\n", self.headers);
        self.write(head).await;
        self.read_response().await.expect("a response")
    }

    /// A POST of JSON to the API.
    pub async fn post(&mut self, path: &str, body: &Value) -> Response {
        self.write(self.post_request_bytes(path, &body.to_string()))
            .await;
        self.read_response().await.expect("a response")
    }

    pub fn post_request_bytes(&self, path: &str, body: &str) -> String {
        format!(
            "POST {API}{path} HTTP/1.1\r\n{}Content-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.headers,
            body.len()
        )
    }

    /// The next response. None if the connection ends before the response is complete.
    pub async fn read_response(&mut self) -> Option<Response> {
        let end = loop {
            if let Some(at) = find(&self.buffer, b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more().await?;
        };
        let head: Vec<u8> = self.buffer.drain(..end).collect();
        let (status, headers) = parse(std::str::from_utf8(&head).expect("an ASCII head"));
        let length = headers.get("content-length");
        let length: usize = length.map_or(0, |n| n.to_str().unwrap().parse().unwrap());
        assert!(
            !headers.contains_key("transfer-encoding"),
            "responses have a length"
        );
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        let body: Vec<u8> = self.buffer.drain(..length).collect();
        Some(Response {
            request: String::new(),
            status,
            headers,
            body: Bytes::from(body),
        })
    }

    /// All remaining bytes until the server closes the connection.
    pub async fn read_to_end(&mut self) -> Vec<u8> {
        while self.read_more().await.is_some() {}
        std::mem::take(&mut self.buffer)
    }

    async fn read_more(&mut self) -> Option<()> {
        let mut chunk = [0; 16 << 10];
        let read = self.stream.read(&mut chunk);
        match within(DEADLINE, "bytes of the server, or the end", read).await {
            Ok(0) | Err(_) => None,
            Ok(n) => {
                self.buffer.extend_from_slice(&chunk[..n]);
                Some(())
            }
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

fn parse(head: &str) -> (StatusCode, HeaderMap) {
    let mut lines = head.split("\r\n").filter(|line| !line.is_empty());
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let mut headers = HeaderMap::new();
    for line in lines {
        let (name, value) = line.split_once(':').expect("a header line");
        headers.append(
            HeaderName::try_from(name).expect("a header's name"),
            HeaderValue::try_from(value.trim()).expect("a header's value"),
        );
    }
    (status.expect("a status").parse().unwrap(), headers)
}
