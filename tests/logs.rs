//! Logs: one JSON object per line, all security events, and no secrets.

use std::collections::BTreeSet;

use crate::prelude::*;

async fn start() -> (Process, tempfile::TempDir) {
    let folder = folder();
    let settings = [("ACCOUNT_LOG__LEVEL", "debug")];
    (Process::serve(&folder, &settings).await, folder)
}

/// Registers, verifies the address, fails to sign in, signs in, requests a password reset and completes it.
async fn sign_up_and_recover(site: &Process) -> Vec<String> {
    assert_eq!(site.post("/register", &form("quentin")).await.status(), 201);
    let email = "quentin@example.org";
    let verify = site.mailed_tokens(email).await.remove(0);
    assert_eq!(site.confirm_email(&verify).await.status(), 200);
    let wrong = json!({"email": email, "password": "Wrong-Password-77"});
    assert_eq!(site.post("/login", &wrong).await.status(), 401);
    let right = json!({"email": email, "password": PASSWORD});
    let signed_in = site.post("/login", &right).await;
    let cookies = signed_in.headers().get_all("set-cookie").iter();
    let cookies = cookies.map(|cookie| {
        let (pair, _) = cookie.to_str().unwrap().split_once(';').unwrap();
        pair.split_once('=').unwrap().1.to_owned()
    });
    let mut secrets: Vec<_> = cookies.collect();
    assert_eq!(secrets.len(), 2);
    let request = json!({"email": email});
    assert_eq!(site.post("/reset-password", &request).await.status(), 200);
    let reset = site.mailed_tokens(email).await.remove(0);
    let new = json!({
        "token": reset, "new_password": "Orange-Tree-43", "confirm_password": "Orange-Tree-43",
    });
    assert_eq!(
        site.post("/reset-password/confirm", &new).await.status(),
        200
    );
    secrets.extend([verify, reset]);
    let typed = [
        email, "quentin@", PASSWORD, "Wrong-Password-77", "Orange-Tree-43",
    ];
    secrets.extend(typed.map(str::to_owned));
    secrets
}

// security: LG-2
#[tokio::test]
async fn log_lines_are_json_without_addresses_passwords_or_tokens() {
    let (site, _folder) = start().await;
    let secrets = sign_up_and_recover(&site).await;
    let response = site
        .get("/account/verify-email?token=abc&email=quentin@example.org")
        .await;
    let id = response.headers()["x-request-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let is_logged = |event: &Value| event["span"]["request_id"] == id.as_str();
    eventually("the last request is logged", async || {
        site.events().iter().any(is_logged)
    })
    .await;
    let log = site.log().join("\n");
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret} is in the log");
    }
    let events = site.events();
    assert!(
        events
            .iter()
            .all(|e| e["timestamp"].as_str().is_some_and(|t| t.ends_with('Z')))
    );
    let line = events.iter().find(|event| is_logged(event)).unwrap();
    assert_eq!(
        (&line["path"], &line["status"]),
        (&json!("/account/verify-email"), &json!(200))
    );
}

// security: LG-2
#[tokio::test]
async fn security_events_have_request_account_and_ip() {
    let (site, _folder) = start().await;
    sign_up_and_recover(&site).await;
    let from_elsewhere = format!("{}{API}/logout", site.url);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client
        .post(from_elsewhere)
        .header("origin", "https://evil.example")
        .send()
        .await
        .unwrap();
    for _ in 0..12 {
        site.post(
            "/login",
            &json!({"email": "x@example.org", "password": "Wrong-1"}),
        )
        .await;
    }
    let events = site.events();
    let security: Vec<_> = events
        .iter()
        .filter(|e| e["target"] == "security")
        .collect();
    let names: BTreeSet<_> = security
        .iter()
        .filter_map(|e| e["event"].as_str())
        .collect();
    for name in [
        "registered", "email_verified", "signed_in", "sign_in_failed", "reset_requested",
        "password_reset", "cross_site_refused", "limited",
    ] {
        assert!(names.contains(name), "{name} is missing in {names:?}");
    }
    for event in security {
        assert!(event["span"]["request_id"].is_string(), "{event}");
        if event["event"] != "limited" && event["event"] != "cross_site_refused" {
            assert_eq!(event["ip"], "127.0.0.1", "{event}");
        }
    }
}

// security: IN-8
#[tokio::test]
async fn no_input_forges_a_log_line() {
    let (site, _folder) = start().await;
    let evil = "x\n{\"event\":\"forged\"}\r\u{1b}[2J\"}";
    site.post("/login", &json!({"email": evil, "password": evil}))
        .await;
    site.get("/account/%0A%7B%22event%22:%22forged%22%7D%1B")
        .await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/account/", site.url);
    client
        .get(url)
        .header("user-agent", "a\t\"}{\"event\":\"forged\"")
        .send()
        .await
        .unwrap();
    for event in site.events() {
        assert_ne!(event["event"], "forged");
        assert!(event["level"].is_string());
    }
    assert!(!site.log().join("").contains('\u{1b}'));
}
