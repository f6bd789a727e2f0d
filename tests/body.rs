//! Bodies that match no request type: refused early, each with its own status.

use axum::body::Body;

use crate::support::prelude::*;
use crate::support::routes;

async fn post(browser: &Browser, path: &str, body: impl Into<Body>) -> Response {
    browser.send_with(browser.post_request(path), body).await
}

on_both_databases!(
    a_missing_or_mistyped_token_is_an_invalid_token,
    a_field_of_the_wrong_type_never_causes_a_server_error,
    a_duplicate_key_gives_the_same_response_on_every_node,
);

on_sqlite!(
    a_body_that_is_not_a_json_object_is_400_on_every_route,
    a_body_over_the_size_limit_is_refused,
);

// security: BI-11
async fn a_body_that_is_not_a_json_object_is_400_on_every_route(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    let deep = "[".repeat(16_000);
    let deep_object = format!("{{\"email\":{}", "{\"a\":".repeat(3000));
    let deep_closed = format!("{{\"email\":{}1{}}}", "[".repeat(5000), "]".repeat(5000));
    for route in routes::posts().into_iter().filter(|route| route.has_body) {
        for body in [
            b"".as_slice(),
            b"{",
            b"[]",
            b"null",
            b"1",
            b"\"text\"",
            b"{\"email\":NaN}",
            b"{'email':'x'}",
            b"{\"email\":\"\\ud800\"}",
            b"{\"email\":\"\xff\xfe\"}",
            b"\xef\xbb\xbf{}",
            b"{}{}",
            b"{} x",
            b"\0",
            b"email=x&password=y",
            deep.as_bytes(),
            deep_object.as_bytes(),
            deep_closed.as_bytes(),
        ] {
            let response = post(&ada.browser, &route.path, body.to_vec()).await;
            let start = String::from_utf8_lossy(&body[..body.len().min(20)]).into_owned();
            assert_eq!(
                response.json()["code"],
                "bad_request",
                "{route:?} {start}: {}",
                response.text()
            );
        }
    }
}

async fn a_missing_or_mistyped_token_is_an_invalid_token(Unlimited(site): Unlimited) {
    for path in [
        "/confirm-device", "/undo-email-change", "/undo-credential", "/undo-credential/details",
        "/restore-account", "/second-factor/reset/confirm", "/login/second-factor", "/unsubscribe",
        "/link-address", "/reset-password/confirm", "/migration/confirm", "/migration/complete",
    ] {
        for token in [None, Some(json!(null)), Some(json!(7)), Some(json!(""))] {
            let mut body = json!({"approve": true, "code": "123456", "trust_device": false});
            if let Some(token) = &token {
                body["token"] = token.clone();
            }
            let response = site.browser().post(path, &body).await;
            assert_eq!(
                response.status,
                400,
                "{path} {token:?}: {}",
                response.text()
            );
            assert_eq!(response.json()["code"], "invalid_token", "{path} {token:?}");
        }
    }
}

async fn a_body_over_the_size_limit_is_refused(Unlimited(site): Unlimited) {
    let browser = site.browser();
    let body = |size: usize| {
        let start = "{\"email\":\"ada@example.org\",\"password\":\"Abcde1\",\"x\":\"";
        format!("{start}{}\"}}", "x".repeat(size - start.len() - 2))
    };
    assert_refused!(post(&browser, "/login", body(16 << 10)), InvalidCredentials);
    assert_refused!(
        post(&browser, "/login", body((16 << 10) + 1)),
        PayloadTooLarge
    );
    // Without a Content-Length the size is checked while the body is read.
    let chunks = (0..100).map(|_| Ok::<_, std::io::Error>(vec![b' '; 1024]));
    let stream = Body::from_stream(futures_util::stream::iter(chunks));
    assert_refused!(post(&browser, "/login", stream), PayloadTooLarge);
}

// security: BI-11
async fn a_field_of_the_wrong_type_never_causes_a_server_error(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    let fields = [
        "email", "username", "password", "token", "code", "trust_device", "approve", "id",
        "current_password", "new_password", "confirm_password", "birthday_day",
        "marketing_consent", "__proto__",
    ];
    // These routes read no field.
    let keep_out = [
        "/logout", "/devices/sign-out-all", "/age-refusals", "/passkeys/options",
        "/passkeys/sign-in/options", "/reauthenticate/options", "/second-factor/totp",
        "/second-factor/recovery-codes", "/delete-account",
    ];
    for route in routes::posts()
        .into_iter()
        .filter(|r| !keep_out.contains(&r.path.as_str()))
    {
        for value in [
            "null", "true", "1e999", "-0", "[]", "{}", "\"\\u0000\"", "\"\\n\"",
            "99999999999999999999",
        ] {
            let pairs: Vec<_> = fields
                .iter()
                .map(|name| format!("\"{name}\":{value}"))
                .collect();
            let body = format!("{{{}}}", pairs.join(","));
            let response = post(&ada.browser, &route.path, body).await;
            let status = response.status.as_u16();
            assert!(
                (400..500).contains(&status),
                "{route:?} {value}: {}",
                response.text()
            );
        }
    }
    ada.assert_still_signed_in().await;
}

async fn a_duplicate_key_gives_the_same_response_on_every_node(Member(_, ada): Member) {
    let right = PASSWORD;
    let body = format!(
        "{{\"email\":\"x@example.org\",\"email\":\"{}\",\"password\":\"x\",\"password\":\"{right}\"}}",
        ada.email
    );
    assert_json!(post(&ada.browser, "/login", body), 200, &ada.me());
}
