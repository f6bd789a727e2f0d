//! What the page behind an undo link tells about the change that the mail has reported.

use crate::email_change::change_email;
use crate::passkeys::add_passkey;
use crate::second_factor::{begin_setup, person_with_second_factor, second_step};
use crate::support::prelude::*;

const PATH: &str = "/undo-credential/details";

async fn read(browser: &Browser, token: &str) -> Response {
    browser.post(PATH, &json!({ "token": token })).await
}

/// The answer for a change that happened at this time in the browser of the tests.
fn change(kind: &str, at: i64, name: Option<&Value>) -> Value {
    json!({"change": {"kind": kind, "at": rfc3339(at), "device": "Firefox · Linux", "name": name,
        "over": false}})
}

/// The token of the last mail to the address with a link to the page `/account/undo`.
async fn undo_token(site: &Site, address: &str) -> String {
    let mails = site.mails().await;
    let mut links = mails
        .iter()
        .rev()
        .filter(|mail| mail.to == address && mail.text.contains("/account/undo?token="));
    links.next().expect("an undo link").token()
}

on_both_databases!(
    an_undo_link_tells_what_was_added_when_and_where_and_stays_valid,
    an_undo_link_of_each_mail_tells_its_own_change,
    the_mails_of_a_reset_and_of_a_deletion_tell_the_request,
    the_mail_of_a_stopped_reset_tells_that_it_is_over,
    the_undo_link_of_an_email_change_tells_the_masked_address_and_the_time,
    the_link_that_cancels_a_deletion_tells_its_time,
    a_change_that_cannot_be_known_is_not_told,
);

async fn an_undo_link_tells_what_was_added_when_and_where_and_stays_valid(
    (site, ada): (Site, Person),
) {
    site.advance("1m");
    let added_at = site.now();
    let passkey = add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    // The worker sends the mail later, and a thief renames the passkey.
    site.advance("1m");
    let path = format!("/passkeys/{}", passkey["id"].as_str().unwrap());
    assert_ok!(ada.browser.patch(&path, &json!({"name": "Harmless"})));
    let token = undo_token(&site, &ada.email).await;
    let stranger = site.browser();
    // A valid link is not counted: a network may send 20 wrong links per minute.
    for _ in 0..21 {
        let told = change("passkey_added", added_at, Some(&passkey["name"]));
        assert_json!(read(&stranger, &token), 200, &told);
    }
    for dead in ["", "x", &"x".repeat(43)] {
        assert_refused!(read(&stranger, dead), InvalidToken);
    }
    assert_ok!(stranger.undo_credential(&token));
    assert_refused!(read(&stranger, &token), InvalidToken);
    ada.mail()
        .await
        .assert_subject_contains("passkey was removed");
}

async fn an_undo_link_of_each_mail_tells_its_own_change(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.signed_in("ada").await;
    let browser = ada.browser.copy();
    let app = begin_setup(&browser).await;
    let form = json!({"code": app.code(site.now())});
    assert_ok!(browser.post("/second-factor/totp/confirm", &form));
    let told = |kind| change(kind, site.now(), None);
    let token = undo_token(&site, &ada.email).await;
    assert_json!(read(&browser, &token), 200, &told("second_factor_enabled"));

    site.advance("1m");
    let none = json!({});
    assert_ok!(browser.post("/second-factor/recovery-codes", &none));
    let token = undo_token(&site, &ada.email).await;
    assert_json!(
        read(&browser, &token),
        200,
        &told("recovery_codes_regenerated")
    );
}

async fn the_mails_of_a_reset_and_of_a_deletion_tell_the_request(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    let step = ada.first_step(&phone).await;
    let requested_at = site.now();
    assert_status!(phone.request_factor_reset(&step), 202);
    for wait in ["0s", "3d"] {
        site.advance(wait);
        let token = undo_token(&site, &ada.email).await;
        let told = change("second_factor_reset_requested", requested_at, None);
        assert_json!(read(&phone, &token), 200, &told);
    }

    let bob = site.signed_in("bob").await;
    change_email(&bob.browser, "new@example.net").await;
    site.mails().await;
    let requested_at = site.now();
    assert_status!(bob.browser.post_defaults("/delete-account"), 202);
    let token = undo_token(&site, &bob.email).await;
    let mut told = change("deletion_requested", requested_at, None);
    assert_json!(read(&phone, &token), 200, &told);
    site.execute("DELETE FROM pending_acts", &[]).await;
    told["change"]["over"] = json!(true);
    assert_json!(read(&phone, &token), 200, &told);
}

// A person whose sign-in stopped the reset would otherwise believe that it still runs.
async fn the_mail_of_a_stopped_reset_tells_that_it_is_over(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    let step = ada.first_step(&phone).await;
    let told = |over: bool| {
        let mut told = change("second_factor_reset_requested", site.now(), None);
        told["change"]["over"] = json!(over);
        told
    };
    assert_status!(phone.request_factor_reset(&step), 202);
    let stopped = undo_token(&site, &ada.email).await;
    assert_json!(read(&phone, &stopped), 200, &told(false));
    let expected = told(true);
    assert_ok!(second_step(&phone, &step, &ada.codes[0]));
    assert_json!(read(&phone, &stopped), 200, &expected);

    // The link in the mail of the first reset does not describe the second reset.
    site.advance("1m");
    let step = ada.first_step(&site.browser()).await;
    assert_status!(phone.request_factor_reset(&step), 202);
    assert_json!(read(&phone, &stopped), 200, &expected);
    let running = undo_token(&site, &ada.email).await;
    assert_json!(read(&phone, &running), 200, &told(false));
}

async fn the_undo_link_of_an_email_change_tells_the_masked_address_and_the_time(
    (site, ada): (Site, Person),
) {
    site.advance("1m");
    let changed_at = site.now();
    change_email(&ada.browser, "new@example.net").await;
    // The worker sends the mail later.
    site.advance("1m");
    let token = ada.mailed_token().await;
    let stranger = site.browser();
    let told = json!({
        "change": null,
        "email_change": {"email": "n…@e….net", "at": rfc3339(changed_at)},
    });
    for _ in 0..2 {
        assert_json!(read(&stranger, &token), 200, &told);
    }
    assert_ok!(stranger.undo_email_change(&token));
    assert_refused!(read(&stranger, &token), InvalidToken);
    site.mails().await;
}

async fn the_link_that_cancels_a_deletion_tells_its_time((site, ada): (Site, Person)) {
    let requested = ada.browser.post_defaults("/delete-account").await;
    let delete_at = requested.json()["delete_at"].clone();
    let token = ada.mailed_token().await;
    let stranger = site.browser();
    let told = json!({"change": null, "delete_at": delete_at});
    assert_json!(read(&stranger, &token), 200, &told);
    let form = json!({ "token": token });
    assert_ok!(stranger.post("/restore-account", &form));
    assert_refused!(read(&stranger, &token), InvalidToken);
    site.mails().await;
}

async fn a_change_that_cannot_be_known_is_not_told((site, ada): (Site, Person)) {
    let unknown = json!({ "change": null });
    let browser = site.browser();
    add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    site.advance("1m");
    let token = undo_token(&site, &ada.email).await;
    // An earlier version of the program stored no time of the change, which is now the time of the mail.
    site.execute("UPDATE tokens SET requested_at = created_at", &[])
        .await;
    assert_json!(read(&browser, &token), 200, &unknown);

    add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    let token = undo_token(&site, &ada.email).await;
    site.execute("DELETE FROM security_events", &[]).await;
    assert_json!(read(&browser, &token), 200, &unknown);
}
