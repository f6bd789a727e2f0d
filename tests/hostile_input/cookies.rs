//! Hostile cookies: too many, too long, or not text. They never cause a server error or open another account's session.

use crate::support::prelude::*;

on_sqlite!(many_cookies_never_cause_a_server_error);
// security: SE-10
async fn many_cookies_never_cause_a_server_error(live: LiveSite) {
    let ada = live.site.signed_in("ada").await;
    let session = ada.browser.cookie("session").unwrap();
    let many: String = (0..200).map(|n| format!("c{n}=x; ")).collect();
    let long = "y".repeat(16 << 10);
    let huge = "y".repeat(100 << 10);
    let cases: [(&str, Vec<u8>, &[u16]); 12] = [
        ("one", format!("session={session}").into(), &[200]),
        ("many", format!("{many}session={session}").into(), &[200]),
        ("long", format!("session={long}").into(), &[401]),
        (
            "beside a long one",
            format!("x={long}; session={session}").into(),
            &[200],
        ),
        ("huge", format!("session={huge}").into(), &[431]),
        ("no text", b"session=\xff\xfe".to_vec(), &[401]),
        (
            "beside one that is not text",
            [b"x=\xe9; session=", session.as_bytes()].concat(),
            &[200],
        ),
        (
            "beside one with a name that is not text",
            [b"\xff=x; session=", session.as_bytes()].concat(),
            &[200],
        ),
        (
            "twice, one of them no text",
            [b"session=\xe9; session=", session.as_bytes()].concat(),
            &[401],
        ),
        ("a tab", format!("session=\t{session}\t").into(), &[200]),
        ("quotes", format!("session=\"{session}\"").into(), &[401]),
        ("nothing", b"".to_vec(), &[401]),
    ];
    for (name, cookie, expected) in cases {
        let mut client = live.client().await;
        let head = "GET /account/account-api/users/me HTTP/1.1\r\nHost: localhost:8080\r\nCookie: ";
        client
            .write([head.as_bytes(), &cookie, b"\r\n\r\n"].concat())
            .await;
        let response = client.read_response().await.expect(name);
        assert!(
            expected.contains(&response.status.as_u16()),
            "{name}: {}",
            response.status
        );
        assert_eq!(
            response.status == 200,
            response.text().contains("ada"),
            "{name}"
        );
    }
    // The same cookie name in two headers: a proxy may split cookies so.
    let mut client = live.client().await;
    client.headers += &format!("Cookie: session={session}\r\nCookie: session=x\r\n");
    assert_status!(client.get("/account/account-api/users/me"), 401);
}
