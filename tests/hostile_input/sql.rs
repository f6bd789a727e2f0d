//! SQL in every text field and query string: treated as text, never as a statement or a wildcard.

use account::testing::time_limit::TimeLimit;
use serde_json::json;

use crate::support::actors::{PASSWORD, form_with};
use crate::support::{Database, Person, Response, Site, within};

const PAYLOADS: [&str; 18] = [
    "'",
    "''",
    "\\'",
    "' OR '1'='1",
    "' OR 1=1 --",
    "\" OR \"\"=\"",
    "'; DROP TABLE accounts; --",
    "' UNION SELECT 1,2,3,4,5,6,7,8 --",
    "'||(SELECT pg_sleep(60))||'",
    "'; SELECT pg_sleep(60); --",
    "' AND 1=randomblob(900000000) --",
    "$1",
    "%",
    "_da",
    "a%",
    "ad\\_",
    "\\",
    "{{7*7}}",
];

/// An injected sleep would take longer, and would end with the status 503.
const DEADLINE: TimeLimit = TimeLimit::from_secs(2);

on_both_databases!(sql_in_a_field_is_text);
// security: IN-4
async fn sql_in_a_field_is_text(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.signed_in("ada").await;
    let before = site.count("accounts").await;
    for payload in PAYLOADS {
        let sent = send_payload_everywhere(&site, &ada, payload);
        within(DEADLINE, payload, sent).await;
    }
    assert_eq!(site.count("accounts").await, before);
    ada.assert_signed_in(&ada.browser).await;
}

async fn send_payload_everywhere(site: &Site, ada: &Person, payload: &str) {
    let browser = site.browser();
    let address = format!("{payload}@example.org");
    for email in [payload, &address, &format!("ada@{payload}.org")] {
        assert_refused(&browser.try_sign_in(email, PASSWORD).await);
        for path in ["/reset-password", "/migration", "/resend-verification"] {
            let response = browser.post(path, &json!({"email": email})).await;
            let status = response.status.as_u16();
            assert!(status == 200 || status == 422, "{path} {email}");
            assert!(!response.text().contains("needs_migration"));
        }
    }
    let guess = json!({"email": ada.email, "password": format!("{payload}xxxx")});
    assert_refused!(browser.post("/login", &guess), InvalidCredentials);
    let username = form_with("bob", &json!({"username": payload}));
    assert_eq!(browser.post("/register", &username).await.status, 422);
    for field in ["country", "zipcode"] {
        let form = form_with("bob", &json!({field: payload}));
        assert_eq!(
            browser.post("/register", &form).await.status,
            422,
            "{field} {payload}"
        );
    }
    let encoded: String = payload.bytes().map(|b| format!("%{b:02x}")).collect();
    for path in ["/confirm-email", "/confirm-email-change"] {
        assert_refused!(
            browser.get(&format!("{path}?token={encoded}")),
            InvalidToken
        );
    }
    assert_refused!(browser.get(&format!("/translations/{encoded}")), NotFound);
    let stolen = browser.fetch(axum::http::Method::GET, "/users/me");
    let stolen = stolen.header("cookie", format!("session={payload}"));
    assert_refused!(browser.send(stolen), Unauthenticated);
}

/// Asserts that the credentials are wrong or the address invalid.
#[track_caller]
fn assert_refused(response: &Response) {
    assert!(
        [401, 422].contains(&response.status.as_u16()),
        "{}",
        response.text()
    );
}

on_both_databases!(a_wildcard_in_an_address_matches_no_other_account);
// security: IN-4
async fn a_wildcard_in_an_address_matches_no_other_account(db: Database) {
    let site = db.site_without_limits().await;
    site.member("ada").await;
    let browser = site.browser();
    for email in [
        "ad_@example.org", "%@example.org", "a%a@example.org", "ada@example.or_",
    ] {
        for path in ["/reset-password", "/resend-verification", "/migration"] {
            let response = browser.post(path, &json!({ "email": email })).await;
            assert!([200, 422].contains(&response.status.as_u16()), "{email}");
        }
        assert_refused(&browser.try_sign_in(email, PASSWORD).await);
    }
    // No mail was sent: the end of the test would fail for an unread one.
}
