//! The network address of a request: one network counts as one client, and forwarded addresses count only from trusted
//! proxies.

use axum::http::HeaderValue;

use crate::limits::assert_limit;
use crate::support::prelude::*;

on_both_databases!(
    only_trusted_proxies_may_forward_addresses,
    invalid_bytes_and_ports_do_not_hide_the_client_address,
);

async fn only_trusted_proxies_may_forward_addresses(db: Database) {
    let trusting = db
        .site_with(|c| {
            let trusted = r#"["192.0.2.0/24", "2001:db8::/32"]"#;
            c.server.trusted_proxies = serde_json::from_str(trusted).unwrap();
        })
        .await;
    let doubting = db.site().await;
    let from = async |site: &Site, peer: &str, forwarded: &str| {
        let browser = site.browser().moved_to(peer);
        let request = browser
            .post_request("/register")
            .header("forwarded", "for=203.0.113.77")
            .header("x-real-ip", "203.0.113.77")
            .header("x-forwarded-for", forwarded);
        browser.send_with(request, "{}").await
    };
    // By default no proxy is trusted: each peer is a client.
    assert_limit("signup_ip", 20, async |n| {
        from(&doubting, "192.0.2.1", &format!("203.0.113.{n}")).await
    })
    .await;
    // The client wrote everything left of the last untrusted address.
    assert_limit("signup_ip", 20, async |n| {
        let forwarded = format!("203.0.113.{n}, 198.51.100.7, 192.0.2.{n}");
        from(&trusting, "2001:db8::1", &forwarded).await
    })
    .await;
    assert_status!(from(&trusting, "192.0.2.1", "198.51.100.8"), 422);
    // A stranger that sends the header is the client itself.
    assert_limit("signup_ip", 20, async |n| {
        from(&trusting, "198.51.100.9", &format!("203.0.113.{n}")).await
    })
    .await;
    // An invalid address ends the chain; the last valid one is the client.
    assert_limit("signup_ip", 20, async |n| {
        from(&trusting, "192.0.2.5", &format!("203.0.113.{n}, junk")).await
    })
    .await;
}

async fn invalid_bytes_and_ports_do_not_hide_the_client_address(db: Database) {
    let site = db
        .site_with(|c| {
            let trusted = r#"["192.0.2.0/24"]"#;
            c.server.trusted_proxies = serde_json::from_str(trusted).unwrap();
        })
        .await;
    let from = async |forwarded: &[u8]| {
        let browser = site.browser().moved_to("192.0.2.1");
        let request = browser.post_request("/register").header(
            "x-forwarded-for",
            HeaderValue::from_bytes(forwarded).unwrap(),
        );
        browser.send_with(request, "{}").await
    };
    // A proxy that appends: first the header of the visitor, then the address that the proxy saw, in several forms.
    let forms: [(&[u8], &[u8]); 4] = [
        (b"\xff, 198.51.100.20", b"203.0.113.1, 198.51.100.20:4711"),
        (b"198.51.100.21:4711, 192.0.2.7:80", b"198.51.100.21,"),
        (b"[2001:db8::20]:4711", b"\x80\xfe,[2001:db8::20]"),
        (
            b"2001:db8:0:1::20",
            b"junk, [2001:db8:0:1::20]:443, 192.0.2.9",
        ),
    ];
    for (one, other) in forms {
        assert_limit(&format!("{one:?} {other:?}"), 20, async |n| {
            from([one, other][n % 2]).await
        })
        .await;
    }
}
