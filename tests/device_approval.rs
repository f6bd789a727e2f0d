//! Approval links: one for each requesting device, and the effects of a refusal.

use crate::support::prelude::*;
use crate::support::response::assert_members;

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

/// Signs in with the User-Agent of a phone, which requests an approval.
pub async fn request_approval_by_phone(person: &Person, browser: &Browser) {
    let request = browser.post_request("/login").header("user-agent", PHONE);
    assert_refused!(
        browser.send_with(request, person.credentials().to_string()),
        NewDevice
    );
}

on_both_databases!(
    each_device_has_its_own_approval_link,
    a_waiting_browser_learns_of_the_decision,
    a_new_approval_mail_replaces_only_that_of_the_same_device,
);

// A thief who knows the password must not invalidate the link of the owner.
async fn each_device_has_its_own_approval_link((site, ada): (Site, Person)) {
    let (laptop, thief, reader) = (ada.new_browser(), ada.new_browser(), ada.new_browser());
    ada.assert_needs_approval(&laptop).await;
    let (requested_at, owners) = (site.now(), ada.mail().await);
    site.advance("2m");
    request_approval_by_phone(&ada, &thief).await;
    let thiefs_time = site.now();
    site.advance("3m");
    let thiefs = ada.mail().await;
    let laptops = "Firefox · Linux";
    // The question tells the time of the request, not of the mail.
    for (mail, at, is_laptop) in [(&owners, requested_at, true), (&thiefs, thiefs_time, false)] {
        assert_eq!(mail.text.contains(laptops), is_laptop, "{}", mail.text);
        let question = reader.confirm_email(&mail.token()).await.json();
        assert_members(
            &question,
            &json!({"code": "device_pending", "requested_at": rfc3339(at)}),
        );
        assert_eq!(question["device"] == laptops, is_laptop);
    }
    let response = reader.decide_device(&owners.token(), true).await;
    assert_eq!(response.json()["code"], "device_approved");
    ada.sign_in(&laptop).await;
    request_approval_by_phone(&ada, &thief).await;
    let newer = ada.mailed_token().await;
    assert_refused!(reader.confirm_email(&thiefs.token()), InvalidToken);
    assert_ok!(reader.confirm_email(&newer));
}

async fn a_waiting_browser_learns_of_the_decision((site, ada): (Site, Person)) {
    let (laptop, phone) = (ada.new_browser(), ada.new_browser());
    let ask = async |browser: &Browser| {
        let refused = assert_code!(ada.try_sign_in(browser), NewDevice);
        let path = format!(
            "/device-approval?approval={}",
            refused["approval"].as_str().unwrap()
        );
        assert_json!(browser.get(&path), 200, &json!({"approved": false}));
        (path, ada.mailed_token().await)
    };
    let (path, link) = ask(&laptop).await;
    phone.confirm_email(&link).await;
    assert_json!(laptop.get(&path), 200, &json!({"approved": false}));
    phone.decide_device(&link, true).await;
    assert_json!(laptop.get(&path), 200, &json!({"approved": true}));
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

    let thief = ada.new_browser();
    let (path, link) = ask(&thief).await;
    ada.new_browser().decide_device(&link, false).await;
    assert_refused!(thief.get(&path), InvalidToken);
}

async fn a_new_approval_mail_replaces_only_that_of_the_same_device((site, ada): (Site, Person)) {
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
