//! Approval links: one for each requesting device, and the effects of a refusal.

use account::testing::clock::rfc3339;
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::email_change::change_email;
use crate::support::{Browser, Database, Person, Response, Site};

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

/// Signs in with the User-Agent of a phone, which requests an approval.
pub(crate) async fn request_approval_by_phone(person: &Person, browser: &Browser) {
    let request = browser.post_request("/login").header("user-agent", PHONE);
    assert_refused!(
        browser.send_with(request, person.credentials().to_string()),
        NewDevice
    );
}

// A thief who knows the password must not invalidate the link of the owner.
on_both_databases!(each_device_has_its_own_approval_link);
async fn each_device_has_its_own_approval_link(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let (laptop, thief, reader) = (ada.new_browser(), ada.new_browser(), ada.new_browser());
    ada.assert_needs_approval(&laptop).await;
    let (requested_at, owners) = (site.now(), site.mail_to(&ada.email).await);
    site.advance("2m");
    request_approval_by_phone(&ada, &thief).await;
    let thiefs_time = site.now();
    site.advance("3m");
    let thiefs = site.mail_to(&ada.email).await;
    assert!(owners.text.contains("Firefox · Linux"), "{}", owners.text);
    assert!(!thiefs.text.contains("Firefox · Linux"), "{}", thiefs.text);

    let question = |response: Response| -> (Value, Value) {
        assert_eq!(response.json()["code"], "device_pending");
        let response = response.json();
        (response["device"].clone(), response["requested_at"].clone())
    };
    let (name, at) = question(reader.confirm_email(&owners.token()).await);
    assert_eq!(
        (name, at),
        (json!("Firefox · Linux"), json!(rfc3339(requested_at)))
    );
    let (name, at) = question(reader.confirm_email(&thiefs.token()).await);
    assert_ne!(name, "Firefox · Linux");
    assert_eq!(
        at,
        json!(rfc3339(thiefs_time)),
        "the time of the request, not of the mail"
    );

    let response = reader.decide_device(&owners.token(), true).await;
    assert_eq!(response.json()["code"], "device_approved");
    ada.sign_in(&laptop).await;
    request_approval_by_phone(&ada, &thief).await;
    let newer = site.mail_to(&ada.email).await.token();
    assert_refused!(reader.confirm_email(&thiefs.token()), InvalidToken);
    question(reader.confirm_email(&newer).await);
}

on_both_databases!(a_waiting_browser_learns_of_its_approval);
async fn a_waiting_browser_learns_of_its_approval(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let (laptop, phone) = (ada.new_browser(), ada.new_browser());
    let response = laptop.post("/login", &ada.credentials()).await;
    response.assert_error(ErrorCode::NewDevice);
    let approval = response.json()["approval"].as_str().unwrap().to_owned();
    let path = format!("/device-approval?approval={approval}");
    assert_eq!(laptop.get(&path).await.json(), json!({"approved": false}));

    let link = site.mail_to(&ada.email).await.token();
    phone.confirm_email(&link).await;
    assert_eq!(laptop.get(&path).await.json(), json!({"approved": false}));
    phone.decide_device(&link, true).await;
    assert_eq!(laptop.get(&path).await.json(), json!({"approved": true}));
    let changed = format!("{path}A");
    // The enrolled browser of the owner and a browser without cookies must not see it.
    for (browser, path) in [
        (&ada.browser, &path),
        (&site.browser(), &path),
        (&laptop, &changed),
    ] {
        assert_refused!(browser.get(path), InvalidToken);
    }
    assert_refused!(laptop.get("/device-approval"), BadRequest);
    ada.sign_in(&laptop).await;

    site.advance("10m");
    assert_refused!(laptop.get(&path), InvalidToken);
}

on_both_databases!(a_waiting_browser_learns_of_its_refusal);
async fn a_waiting_browser_learns_of_its_refusal(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let thief = ada.new_browser();
    let response = thief.post("/login", &ada.credentials()).await;
    let approval = response.json()["approval"].as_str().unwrap().to_owned();
    let link = site.mail_to(&ada.email).await.token();
    let path = format!("/device-approval?approval={approval}");
    assert_eq!(thief.get(&path).await.json(), json!({"approved": false}));
    ada.new_browser().decide_device(&link, false).await;
    assert_refused!(thief.get(&path), InvalidToken);
}

on_both_databases!(a_new_approval_mail_replaces_only_that_of_the_same_device);
async fn a_new_approval_mail_replaces_only_that_of_the_same_device(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let (laptop, thief) = (ada.new_browser(), ada.new_browser());
    for browser in [&laptop, &thief, &thief] {
        ada.assert_needs_approval(browser).await;
    }
    let mails = site.mails().await;
    assert_eq!(mails.len(), 2);
    let mut codes = Vec::new();
    for mail in &mails {
        codes.push(laptop.confirm_email(&mail.token()).await.json()["code"].clone());
    }
    codes.sort_by_key(Value::to_string);
    assert_eq!(codes, ["device_approved", "device_pending"]);
}

/// A signed-in person with a pending approval and a confirmed address change.
async fn changed_address_and_pending_approval(site: &Site) -> (Person, String, String) {
    let ada = site.signed_in("ada").await;
    change_email(&ada.browser, "new@example.org").await;
    let undo = site.mail_to(&ada.email).await.token();
    let moved = json!({"email": "new@example.org", "password": crate::support::actors::PASSWORD});
    assert_refused!(ada.new_browser().post("/login", &moved), NewDevice);
    let approval = site.mail_to("new@example.org").await.token();
    (ada, undo, approval)
}

// A thief could otherwise use the refusal to destroy the only link that restores the address.
on_both_databases!(refusing_a_device_keeps_the_undo_link_of_an_address_change);
async fn refusing_a_device_keeps_the_undo_link_of_an_address_change(db: Database) {
    let site = db.site().await;
    let (ada, undo, approval) = changed_address_and_pending_approval(&site).await;
    let response = ada.new_browser().decide_device(&approval, false).await;
    assert_eq!(response.json()["code"], "device_refused");
    assert_refused!(ada.new_browser().confirm_email(&approval), InvalidToken);
    let response = ada.new_browser().undo_email_change(&undo).await;
    assert_eq!(response.json()["email"], ada.email);
    site.mails().await;
}

// The refused device may belong to a thief who requested the change.
on_both_databases!(refusing_a_device_ends_a_pending_address_change);
async fn refusing_a_device_ends_a_pending_address_change(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    assert_status!(ada.browser.request_email_change("sent@example.org"), 200);
    let sent = site.mail_to("sent@example.org").await.token();
    let laptop = ada.new_browser();
    ada.assert_needs_approval(&laptop).await;
    let approval = site.mail_to(&ada.email).await.token();
    ada.assert_needs_approval(&ada.new_browser()).await;
    ada.new_browser().decide_device(&approval, false).await;
    assert_refused!(site.browser().confirm_email_change(&sent), InvalidToken);
    assert!(
        site.mails().await.is_empty(),
        "the other approval mail was withdrawn"
    );

    let bob = site.signed_in("bob").await;
    bob.assert_needs_approval(&bob.new_browser()).await;
    let approval = site.mail_to(&bob.email).await.token();
    assert_status!(bob.browser.request_email_change("queued@example.org"), 200);
    bob.new_browser().decide_device(&approval, false).await;
    assert!(
        site.mails().await.is_empty(),
        "no mail to queued@example.org"
    );
}
