//! Bytes that two servers in a row could parse differently: refused, and the connection is closed, so that no smuggled
//! request follows them. Also bytes that try to inject a response header.

use std::collections::HashSet;

use crate::support::prelude::*;

const POST: &str = "POST /account/account-api/login HTTP/1.1\r\nHost: localhost:8080\r\n\
                    Content-Type: application/json\r\n";
/// A smuggled request: the server must never respond to it after a refused one.
const SMUGGLED_REQUEST: &str =
    "GET /account/account-api/config HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";

on_sqlite!(
    an_ambiguous_request_ends_the_connection,
    a_bare_line_feed_ends_a_line_of_a_head_as_rfc_9112_allows,
    a_head_over_32_kib_is_refused_with_431,
    request_ids_are_random,
    a_chunked_request_is_the_last_of_its_connection,
    pipelined_requests_are_answered_in_order,
    no_request_data_is_injected_into_response_headers,
);

// security: BI-10
async fn an_ambiguous_request_ends_the_connection(live: LiveSite) {
    let get = |rest: &str| format!("GET /healthz HTTP/1.1\r\nHost: localhost:8080\r\n{rest}\r\n");
    let post = |headers: &str, body: &str| format!("{POST}{headers}\r\n{body}");
    for request in [
        post(
            "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n",
        ),
        post(
            "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
            "0\r\n\r\n",
        ),
        post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"),
        post("Content-Length: 2, 2\r\n", "{}"),
        post("Content-Length: +2\r\n", "{}"),
        post("Content-Length: -2\r\n", "{}"),
        post("Content-Length: 0x2\r\n", "{}"),
        post("Content-Length : 2\r\n", "{}"),
        post("Content-Length: 99999999999999999999\r\n", "{}"),
        post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
        post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
        post("Transfer-Encoding: identity\r\n", ""),
        post("Transfer-Encoding:\x0bchunked\r\n", "0\r\n\r\n"),
        post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
        post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
        post("Transfer-Encoding: chunked\r\n", "2 z\r\n{}\r\n0\r\n\r\n"),
        post("Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"),
        post("Transfer-Encoding: chunked\r\n", "-2\r\n{}\r\n0\r\n\r\n"),
        post(
            "Transfer-Encoding: chunked\r\n",
            "fffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        ),
        get("X: a\r\n b\r\n"),
        get("X : a\r\n"),
        get("X: a\rb\r\n"),
        get("X: a\0b\r\n"),
        get("").replace(" HTTP/1.1", ""),
        get("").replace("HTTP/1.1", "HTTP/1.2"),
        get("").replace("HTTP/1.1", "HTTP/2.0"),
        get("").replace("GET ", "GET  "),
        get("").replace("GET ", "GET\t"),
        get("").replace("/healthz", "/health\0z"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
    ] {
        let mut client = live.client().await;
        client.write(format!("{request}{SMUGGLED_REQUEST}")).await;
        let all = String::from_utf8_lossy(&client.read_to_end().await).into_owned();
        let responses: Vec<&str> = all.matches("HTTP/1.1 4").collect();
        assert!(responses.len() <= 1, "{request:?}: {all}");
        assert_eq!(
            all.matches("HTTP/1.").count(),
            responses.len(),
            "{request:?}: {all}"
        );
    }
}

// security: BI-10. `deploy::nginx` shows that the proxy in front never forwards one.
async fn a_bare_line_feed_ends_a_line_of_a_head_as_rfc_9112_allows(live: LiveSite) {
    let head = "GET /healthz HTTP/1.1\nHost: localhost:8080\nX: a\nConnection: close\n\n";
    let mut client = live.client().await;
    client.write(head.to_owned()).await;
    let all = String::from_utf8_lossy(&client.read_to_end().await).into_owned();
    assert!(all.starts_with("HTTP/1.1 200 OK\r\n"), "{all}");
    assert_eq!(all.matches("HTTP/1.").count(), 1, "{all}");
}

async fn a_head_over_32_kib_is_refused_with_431(live: LiveSite) {
    for (value_bytes, status) in [
        (31_000, "200 OK"),
        (33_000, "431 Request Header Fields Too Large"),
    ] {
        let value = "a".repeat(value_bytes);
        let head = format!(
            "GET /healthz HTTP/1.1\r\nHost: localhost:8080\r\nX: {value}\r\nConnection: close\r\n\r\n"
        );
        let mut client = live.client().await;
        client.write(head).await;
        let all = String::from_utf8_lossy(&client.read_to_end().await).into_owned();
        assert!(
            all.starts_with(&format!("HTTP/1.1 {status}")),
            "{value_bytes}: {all}"
        );
    }
}

// A counter in the id would reveal the traffic of the site.
async fn request_ids_are_random(db: Database) {
    let browser = db.site().await.browser();
    let (mut starts, mut ends) = (HashSet::new(), HashSet::new());
    for _ in 0..32 {
        let response = browser.get("/config").await;
        let id = response.header("x-request-id").unwrap();
        assert_eq!(id.len(), 32, "{id}");
        assert!(id.bytes().all(|digit| digit.is_ascii_hexdigit()), "{id}");
        starts.insert(id[..8].to_owned());
        ends.insert(id[24..].to_owned());
    }
    // A counter in either half would repeat most of its digits.
    assert_eq!((starts.len(), ends.len()), (32, 32));
}

// security: BI-10
async fn a_chunked_request_is_the_last_of_its_connection(live: LiveSite) {
    let body = r#"{"email":"x@example.org","password":"Abcde1"}"#;
    let chunks = format!(
        "{:x};name=\"value\"\r\n{body}\r\n0\r\nTrailer: x\r\n\r\n",
        body.len()
    );
    let mut client = live.client().await;
    client
        .write(format!(
            "{POST}Transfer-Encoding: chunked\r\n\r\n{chunks}{SMUGGLED_REQUEST}"
        ))
        .await;
    let response = client.read_response().await.unwrap();
    assert_eq!(response.json()["code"], "invalid_credentials");
    response.assert_header("connection", "close");
    assert_eq!(client.read_to_end().await, b"");
}

async fn pipelined_requests_are_answered_in_order(live: LiveSite) {
    let mut client = live.client().await;
    let body = r#"{"email":"x@example.org","password":"Abcde1"}"#;
    let post = format!("{POST}Content-Length: {}\r\n\r\n{body}", body.len());
    client
        .write(format!("\r\n{post}{SMUGGLED_REQUEST}{post}"))
        .await;
    for expected in [401, 200, 401] {
        assert_eq!(client.read_response().await.unwrap().status, expected);
    }
}

// security: IN-9
async fn no_request_data_is_injected_into_response_headers(live: LiveSite) {
    let evil = "%0d%0aX-Evil:%201%0d%0aSet-Cookie:%20session=evil";
    let api = "/account/account-api";
    for path in [
        format!("/account/{evil}"),
        format!("/account/?lang=en{evil}"),
        format!("/account/?redirect_url={evil}&app={evil}"),
        format!("/account/login?x={evil}"),
        format!("/login{evil}"),
        format!("{api}/confirm-email?token={evil}"),
        format!("{api}/translations/{evil}"),
        format!("{api}/ui/header?domain={evil}"),
        format!("/{evil}"),
    ] {
        let mut client = live.client().await;
        let raw = "%0d%0a".to_owned() + "X-Evil: 1";
        client.headers += &format!(
            "Cookie: session=x{raw}; account_language=en{raw}\r\nAccept-Language: de{raw}\r\n\
             X-Request-Id: 1{raw}\r\nOrigin: http://localhost:8080{raw}\r\nUser-Agent: {raw}\r\n"
        );
        let response = client.get(&path).await;
        assert_eq!(response.header("x-evil"), None, "{path}");
        assert_eq!(response.set_cookies().count(), 0, "{path}");
        assert!(
            !format!("{:?}", response.headers)
                .to_lowercase()
                .contains("evil"),
            "{path}"
        );
        let status = response.status.as_u16();
        assert!(status < 500, "{path}");
    }
}
