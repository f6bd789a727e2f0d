//! With the feature `otlp`: a collector receives spans, which contain no personal data.

use account::testing::time_limit::TimeLimit;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::process::Process;
use crate::support::within;

/// A collector that accepts one batch: the head of the request, and its body.
async fn receive_batch(listener: TcpListener) -> (String, Vec<u8>) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut bytes = Vec::new();
    let head = loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert!(read > 0, "the connection closed early");
        bytes.extend(&part[..read]);
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break String::from_utf8(bytes.drain(..end + 4).collect()).unwrap();
        }
    };
    let length = head.to_lowercase();
    let (_, length) = length.split_once("content-length: ").unwrap();
    let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
    while bytes.len() < length {
        let read = stream.read_buf(&mut bytes).await.unwrap();
        assert!(read > 0, "the connection closed early");
    }
    let response =
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
    stream.write_all(response.as_bytes()).await.unwrap();
    (head, bytes)
}

#[tokio::test]
async fn each_request_is_a_span_without_personal_data() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let collector = format!("http://{}", listener.local_addr().unwrap());
    let batch = tokio::spawn(receive_batch(listener));
    let folder = tempfile::tempdir().unwrap();
    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.as_str()),
        ("OTEL_BSP_SCHEDULE_DELAY", "60000"),
    ];
    let mut site = Process::serve(folder.path(), &settings).await;
    let wrong = json!({"email": "quentin@example.org", "password": "Wrong-Horse-7"});
    let response = site.post("/login", &wrong).await;
    let number = response.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let secret = site.get("/account/reset-password?token=abcdefgh").await;
    assert_eq!(secret.status(), 200);
    // The remaining spans are sent during shutdown.
    site.terminate();
    site.assert_exits_within(15).await;
    let limit = TimeLimit::from_secs(15);
    let (head, body) = within(limit, "a batch of traces", batch).await.unwrap();
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    // Protobuf does not encode text, so a search in the bytes finds it.
    let text = String::from_utf8_lossy(&body);
    for expected in [
        "POST /account/account-api/login",
        "GET /account/reset-password",
        "http.response.status_code",
        "service.name",
        number.as_str(),
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    for private in ["quentin", "Wrong-", "abcdefgh", "127.0.0.1"] {
        assert!(!text.contains(private), "{private} in {text}");
    }
}

#[tokio::test]
async fn the_site_serves_without_a_collector_or_with_an_unreachable_one() {
    for settings in [
        &[][..],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut site = Process::serve(folder.path(), settings).await;
        assert_eq!(site.get("/readyz").await.status(), 200);
        site.terminate();
        site.assert_exits_within(15).await;
    }
}
