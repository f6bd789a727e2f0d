//! Forged tokens: every route answers them like any unknown token, and the real token stays valid.

use crate::email_verification::verified_count;
use crate::enumeration::observable_response;
use crate::password_reset::confirm_reset;
use crate::support::prelude::*;

/// Modified copies of the token.
fn forged_tokens(token: &str) -> Vec<String> {
    let flipped = |at: usize| {
        let mut text = token.as_bytes().to_vec();
        text[at] = if text[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(text).unwrap()
    };
    let swapped: String = token
        .chars()
        .map(|c| match c.is_ascii_lowercase() {
            true => c.to_ascii_uppercase(),
            false => c.to_ascii_lowercase(),
        })
        .collect();
    vec![
        String::new(),
        " ".into(),
        flipped(0),
        flipped(21),
        flipped(41),
        token[..42].into(),
        token[1..].into(),
        format!("{token}{token}"),
        format!("{token}="),
        format!("{token} "),
        format!(" {token}"),
        format!("{token}\0"),
        format!("{token}\n"),
        swapped,
        token.chars().rev().collect(),
        format!("а{}", &token[1..]),
        "A".repeat(43),
        "x".repeat(10_000),
        "0".into(),
        "null".into(),
        "' OR token_hash IS NOT NULL --".into(),
    ]
}

/// The responses of all routes that take a token, with a wrong token and otherwise valid fields.
async fn responses_to_token(browser: &Browser, token: &Value) -> Vec<String> {
    let new = "Other-Tree-1";
    let mut seen = Vec::new();
    for (path, body) in [
        (
            "/reset-password/confirm",
            json!({"token": token, "new_password": new, "confirm_password": new}),
        ),
        (
            "/migration/confirm",
            json!({"token": token, "password": new}),
        ),
        ("/migration/complete", json!({"token": token})),
        ("/undo-email-change", json!({"token": token})),
        ("/confirm-device", json!({"token": token, "approve": true})),
        ("/unsubscribe", json!({"token": token})),
        (
            "/devices/sign-out",
            json!({"token": token, "id": "00000000-0000-0000-0000-000000000000"}),
        ),
    ] {
        let response = browser.post(path, &body).await;
        assert_eq!(
            response.json()["code"],
            ErrorCode::InvalidToken.as_str(),
            "{path} {token}"
        );
        seen.push(observable_response(&response, &json!({})));
    }
    seen
}

on_both_databases!(a_nearly_right_token_is_invalid, a_tampered_link_is_invalid);

// security: TK-10
async fn a_nearly_right_token_is_invalid(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let (ada, token) = site.registered("ada").await;
    let reset = ada.reset_token(&site.browser()).await;
    let browser = site.browser();
    let unknown = responses_to_token(&browser, &json!("B".repeat(43))).await;
    // A token of another purpose is not valid either.
    let mut all = vec![token.clone()];
    all.extend(forged_tokens(&reset));
    for forged in all {
        let mut expected = unknown.clone();
        let seen = responses_to_token(&browser, &json!(forged)).await;
        if forged.is_empty() {
            // "Invalid or missing reset token" is the specified message for a missing token.
            expected[0].clone_from(&seen[0]);
        }
        assert_eq!(seen, expected, "{forged:?}");
    }
    ada.browser.assert_email_link_ended(&reset).await;
    assert_eq!(verified_count(&site).await, 0);
    assert_ok!(confirm_reset(&browser, &reset, "Other-Tree-1"));
}

// security: TK-10
async fn a_tampered_link_is_invalid(Unlimited(site): Unlimited) {
    let (_, token) = site.registered("ada").await;
    let browser = site.browser();
    let encode =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02x}")).collect() };
    let mut queries: Vec<String> = forged_tokens(&token)
        .iter()
        .map(|forged| format!("?token={}", encode(forged)))
        .collect();
    queries.extend([
        String::new(),
        "?".into(),
        "?token".into(),
        "?token=%".into(),
        "?token=%ff%fe".into(),
        "?token=%ed%a0%80".into(),
        format!("?token={}", encode(&encode(&token))),
        format!("?token=%25{:x}{}", token.as_bytes()[0], &token[1..]),
        format!("?token={token}&token=b"),
        format!("?token=b&token={token}"),
        format!("?token={token}&token={token}"),
        format!("?token[]={token}"),
        format!("?token[0]={token}"),
        format!("?TOKEN={token}"),
        format!("?token%00={token}"),
        format!("?token=;token={token}"),
        format!("??token={token}"),
        format!("?verificationToken={token}"),
        format!("?{}", "a=b&".repeat(2000)),
    ]);
    for path in ["/confirm-email", "/confirm-email-change"] {
        for query in &queries {
            assert_refused!(browser.get(&format!("{path}{query}")), InvalidToken);
        }
    }
    assert_refused!(browser.confirm_email_change(&token), InvalidToken);
    assert_eq!(verified_count(&site).await, 0);
    assert_ok!(browser.confirm_email(&token));
}
