//! The lower bounds for the program: the same response from a bare server, and the same hash in a bare loop.

use std::time::{Duration, Instant};

use argon2_rust::params::Memory;
use argon2_rust::{Algorithm, Argon2, Params, Version};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Serves one fixed response, given as head and body in a file, at this address.
pub(crate) fn serve_fixed_response(address: &str, answer: &str) {
    let text = std::fs::read_to_string(answer).expect("the answer's file");
    let (head, body) = text.split_once("\r\n\r\n").expect("head and body");
    let mut headers = HeaderMap::new();
    for (name, value) in head.split("\r\n").filter_map(|line| line.split_once(": ")) {
        // The server itself writes these two headers.
        if !["date", "content-length"].contains(&name) {
            headers.append(
                HeaderName::try_from(name).expect("a name"),
                HeaderValue::try_from(value).expect("a value"),
            );
        }
    }
    let body = body.to_owned();
    let handler = move || async move { (headers, body) };
    let service =
        axum::Router::new().route("/account/account-api/users/me", axum::routing::get(handler));
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(async {
            let listener = tokio::net::TcpListener::bind(address)
                .await
                .expect("a port");
            axum::serve(listener, service).await.expect("a server");
        });
}

/// Hashes for this number of seconds with the program's parameters. Prints the hashes per second.
pub(crate) fn measure_hash_rate(seconds: &str) {
    let lasts = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    let params = Params::builder()
        .memory(Memory::kib(19 * 1024))
        .passes(2)
        .build()
        .expect("constants");
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut hasher = argon2.hasher();
    let (mut tag, mut count) = ([0; 32], 0_u32);
    let begun = Instant::now();
    while begun.elapsed() < lasts {
        hasher
            .hash_into(b"Correct horse 1 battery", b"sixteen bytes 16", &mut tag)
            .expect("a hash");
        count += 1;
    }
    println!("{}", f64::from(count) / begun.elapsed().as_secs_f64());
}
