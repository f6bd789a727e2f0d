//! Approval links: one for each requesting device, and the effects of a refusal.

use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::support::{Answer, Browser, Database, Person, Site};

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

async fn open(browser: &Browser, token: &str) -> Answer {
    browser.get(&format!("/confirm-email?token={token}")).await
}

async fn decide(browser: &Browser, token: &str, approve: bool) -> Answer {
    let body = json!({"token": token, "approve": approve});
    browser.post("/confirm-device", &body).await
}

async fn asks(person: &Person, browser: &Browser) {
    let answer = browser.post("/login", &person.credentials()).await;
    answer.refuses(ErrorCode::NewDevice);
}

/// Signs in with the User-Agent of a phone, which requests an approval.
async fn sign_in_by_phone(person: &Person, browser: &Browser) {
    let request = browser
        .fetch(axum::http::Method::POST, "/login")
        .header("content-type", "application/json")
        .header("user-agent", PHONE);
    let answer = browser
        .send_with(request, person.credentials().to_string())
        .await;
    answer.refuses(ErrorCode::NewDevice);
}

async fn asks_to_move(person: &Person, email: &str) {
    let answer = person
        .browser
        .post("/change-email", &json!({"email": email}))
        .await;
    assert_eq!(answer.status, 200);
}

// finding: F16
both!(each_device_has_its_own_approval_link);
async fn each_device_has_its_own_approval_link(db: Database) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    let (laptop, thief, reader) = (ada.elsewhere(), ada.elsewhere(), ada.elsewhere());
    asks(&ada, &laptop).await;
    let (asked, owners) = (site.now(), site.mail_to(&ada.email).await);
    site.wait("2m");
    sign_in_by_phone(&ada, &thief).await;
    let thiefs_time = site.now();
    site.wait("3m");
    let thiefs = site.mail_to(&ada.email).await;
    assert!(owners.text.contains("Firefox · Linux"), "{}", owners.text);
    assert!(!thiefs.text.contains("Firefox · Linux"), "{}", thiefs.text);

    let question = |answer: Answer| -> (Value, Value) {
        assert_eq!(answer.json()["code"], "device_pending");
        let answer = answer.json();
        (answer["device"].clone(), answer["requested_at"].clone())
    };
    let (name, at) = question(open(&reader, &owners.token()).await);
    assert_eq!((name, at), (json!("Firefox · Linux"), json!(asked)));
    let (name, at) = question(open(&reader, &thiefs.token()).await);
    assert_ne!(name, "Firefox · Linux");
    assert_eq!(
        at,
        json!(thiefs_time),
        "the time of the request, not of the mail"
    );

    let answer = decide(&reader, &owners.token(), true).await;
    assert_eq!(answer.json()["code"], "device_approved");
    laptop
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    sign_in_by_phone(&ada, &thief).await;
    let newer = site.mail_to(&ada.email).await.token();
    open(&reader, &thiefs.token())
        .await
        .refuses(ErrorCode::InvalidToken);
    question(open(&reader, &newer).await);
}

// finding: F16
both!(a_new_approval_mail_replaces_only_that_of_the_same_device);
async fn a_new_approval_mail_replaces_only_that_of_the_same_device(db: Database) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    let (laptop, thief) = (ada.elsewhere(), ada.elsewhere());
    for browser in [&laptop, &thief, &thief] {
        asks(&ada, browser).await;
    }
    let mails = site.mails().await;
    assert_eq!(mails.len(), 2);
    let mut codes = Vec::new();
    for mail in &mails {
        codes.push(open(&laptop, &mail.token()).await.json()["code"].clone());
    }
    codes.sort_by_key(Value::to_string);
    assert_eq!(codes, ["device_approved", "device_pending"]);
}

/// A signed-in person with a pending approval and a confirmed address change.
async fn moved_and_asked(site: &Site) -> (Person, String, String) {
    let ada = site.signed_in("ada").await;
    asks_to_move(&ada, "new@example.org").await;
    let token = site.mail_to("new@example.org").await.token();
    let path = format!("/confirm-email-change?token={token}");
    assert_eq!(ada.browser.get(&path).await.status, 200);
    let undo = site.mail_to(&ada.email).await.token();
    let moved = json!({"email": "new@example.org", "password": crate::support::actors::PASSWORD});
    let answer = ada.elsewhere().post("/login", &moved).await;
    answer.refuses(ErrorCode::NewDevice);
    let approval = site.mail_to("new@example.org").await.token();
    (ada, undo, approval)
}

// finding: F2
both!(refusing_a_device_keeps_the_undo_link_of_an_address_change);
async fn refusing_a_device_keeps_the_undo_link_of_an_address_change(db: Database) {
    let site = db.site().await;
    let (ada, undo, approval) = moved_and_asked(&site).await;
    let answer = decide(&ada.elsewhere(), &approval, false).await;
    assert_eq!(answer.json()["code"], "device_refused");
    open(&ada.elsewhere(), &approval)
        .await
        .refuses(ErrorCode::InvalidToken);
    let answer = ada
        .elsewhere()
        .post("/undo-email-change", &json!({"token": undo}))
        .await;
    assert_eq!(answer.json()["email"], ada.email);
    site.mails().await;
}

// finding: F4
both!(refusing_a_device_ends_a_pending_address_change);
async fn refusing_a_device_ends_a_pending_address_change(db: Database) {
    let site = db.site().await;
    let ada = site.signed_in("ada").await;
    asks_to_move(&ada, "sent@example.org").await;
    let sent = site.mail_to("sent@example.org").await.token();
    let laptop = ada.elsewhere();
    asks(&ada, &laptop).await;
    let approval = site.mail_to(&ada.email).await.token();
    asks(&ada, &ada.elsewhere()).await;
    decide(&ada.elsewhere(), &approval, false).await;
    let path = format!("/confirm-email-change?token={sent}");
    site.browser()
        .get(&path)
        .await
        .refuses(ErrorCode::InvalidToken);
    assert!(
        site.mails().await.is_empty(),
        "the other approval mail was withdrawn"
    );

    let bob = site.signed_in("bob").await;
    asks(&bob, &bob.elsewhere()).await;
    let approval = site.mail_to(&bob.email).await.token();
    asks_to_move(&bob, "queued@example.org").await;
    decide(&bob.elsewhere(), &approval, false).await;
    assert!(
        site.mails().await.is_empty(),
        "no mail to queued@example.org"
    );
}
