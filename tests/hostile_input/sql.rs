//! SQL in every text field and query string: treated as text, never as a statement or a wildcard.

use account::testing::time_limit::TimeLimit;

use crate::support::prelude::*;
use crate::support::within;

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

on_both_databases!(
    sql_in_a_field_is_text,
    a_wildcard_in_an_address_matches_no_other_account,
);

// security: IN-4
async fn sql_in_a_field_is_text(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let before = site.count("accounts").await;
    for payload in PAYLOADS {
        let sent = send_payload_everywhere(&site, &ada, payload);
        within(DEADLINE, payload, sent).await;
    }
    site.assert_count("accounts", before).await;
    ada.assert_still_signed_in().await;
}

/// Sends an address that is wrong or belongs to nobody to every route that takes one.
async fn assert_nobodys_address(browser: &Browser, email: &str) {
    let sign_in = browser.try_sign_in(email, PASSWORD).await.status;
    assert!(sign_in == 401 || sign_in == 422, "{email}: {sign_in}");
    for path in ["/reset-password", "/migration", "/resend-verification"] {
        let response = browser.post(path, &json!({"email": email})).await;
        let status = response.status;
        assert!(status == 200 || status == 422, "{path} {email}: {status}");
        assert!(!response.text().contains("needs_migration"));
    }
}

async fn send_payload_everywhere(site: &Site, ada: &Person, payload: &str) {
    let browser = site.browser();
    let address = format!("{payload}@example.org");
    for email in [payload, &address, &format!("ada@{payload}.org")] {
        assert_nobodys_address(&browser, email).await;
    }
    let guess = ada.credentials_with(&format!("{payload}xxxx"));
    assert_refused!(browser.post("/login", &guess), InvalidCredentials);
    for field in ["username", "country", "zipcode"] {
        let response = browser.register("bob", &json!({field: payload})).await;
        assert_eq!(response.status, 422, "{field} {payload}");
    }
    let encoded: String = payload.bytes().map(|b| format!("%{b:02x}")).collect();
    for path in ["/confirm-email", "/confirm-email-change"] {
        let path = format!("{path}?token={encoded}");
        assert_refused!(browser.get(&path), InvalidToken);
    }
    assert_refused!(browser.get(&format!("/translations/{encoded}")), NotFound);
    let stolen = browser.fetch(Method::GET, "/users/me");
    let stolen = stolen.header("cookie", format!("session={payload}"));
    assert_refused!(browser.send(stolen), Unauthenticated);
}

// security: IN-4
async fn a_wildcard_in_an_address_matches_no_other_account(Unlimited(site): Unlimited) {
    site.member("ada").await;
    let browser = site.browser();
    for email in [
        "ad_@example.org", "%@example.org", "a%a@example.org", "ada@example.or_",
    ] {
        assert_nobodys_address(&browser, email).await;
    }
    // No mail was sent: the end of the test would fail for an unread one.
}
