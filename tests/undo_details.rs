//! What the page behind an undo link tells about the change that the mail has reported.

use account::testing::clock::rfc3339;
use serde_json::{Value, json};

use crate::email_change::change_email;
use crate::passkeys::add_passkey;
use crate::second_factor::{begin_setup, person_with_second_factor, second_step};
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Response, Site};

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

on_both_databases!(an_undo_link_tells_what_was_added_when_and_where_and_stays_valid);
async fn an_undo_link_tells_what_was_added_when_and_where_and_stays_valid(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.advance("1m");
    let added_at = site.now();
    let passkey = add_passkey(&ada.browser, &mut Authenticator::synced()).await;
    // The worker sends the mail later, and a thief renames the passkey.
    site.advance("1m");
    let path = format!("/passkeys/{}", passkey["id"].as_str().unwrap());
    assert_status!(ada.browser.patch(&path, &json!({"name": "Harmless"})), 200);
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
    assert_status!(stranger.undo_credential(&token), 200);
    assert_refused!(read(&stranger, &token), InvalidToken);
    site.mails().await;
}

on_both_databases!(an_undo_link_of_each_mail_tells_its_own_change);
async fn an_undo_link_of_each_mail_tells_its_own_change(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.signed_in("ada").await;
    let browser = ada.browser.copy();
    let app = begin_setup(&browser).await;
    let form = json!({"code": app.code(site.now())});
    assert_status!(browser.post("/second-factor/totp/confirm", &form), 200);
    let told = |kind| change(kind, site.now(), None);
    let token = undo_token(&site, &ada.email).await;
    assert_json!(read(&browser, &token), 200, &told("second_factor_enabled"));

    site.advance("1m");
    let none = json!({});
    assert_status!(browser.post("/second-factor/recovery-codes", &none), 200);
    let token = undo_token(&site, &ada.email).await;
    assert_json!(
        read(&browser, &token),
        200,
        &told("recovery_codes_regenerated")
    );
}

on_both_databases!(the_mails_of_a_reset_and_of_a_deletion_tell_the_request);
async fn the_mails_of_a_reset_and_of_a_deletion_tell_the_request(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    let step = ada.first_step(&phone).await;
    let requested_at = site.now();
    assert_status!(phone.request_factor_reset(&step), 202);
    for wait in ["0s", "3d"] {
        site.advance(wait);
        let token = undo_token(&site, &ada.person.email).await;
        let told = change("second_factor_reset_requested", requested_at, None);
        assert_json!(read(&phone, &token), 200, &told);
    }

    let bob = site.signed_in("bob").await;
    change_email(&bob.browser, "new@example.net").await;
    site.mails().await;
    let requested_at = site.now();
    assert_status!(bob.browser.post("/delete-account", &json!({})), 202);
    let token = undo_token(&site, &bob.email).await;
    let mut told = change("deletion_requested", requested_at, None);
    assert_json!(read(&phone, &token), 200, &told);
    site.execute("DELETE FROM pending_acts", &[]).await;
    told["change"]["over"] = json!(true);
    assert_json!(read(&phone, &token), 200, &told);
}

// A person whose sign-in stopped the reset would otherwise believe that it still runs.
on_both_databases!(the_mail_of_a_stopped_reset_tells_that_it_is_over);
async fn the_mail_of_a_stopped_reset_tells_that_it_is_over(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let phone = site.browser();
    let step = ada.first_step(&phone).await;
    let told = |over: bool| {
        let mut told = change("second_factor_reset_requested", site.now(), None);
        told["change"]["over"] = json!(over);
        told
    };
    assert_status!(phone.request_factor_reset(&step), 202);
    let stopped = undo_token(&site, &ada.person.email).await;
    assert_json!(read(&phone, &stopped), 200, &told(false));
    let expected = told(true);
    assert_status!(second_step(&phone, &step, &ada.codes[0]), 200);
    assert_json!(read(&phone, &stopped), 200, &expected);

    // The link in the mail of the first reset does not describe the second reset.
    site.advance("1m");
    let step = ada.first_step(&site.browser()).await;
    assert_status!(phone.request_factor_reset(&step), 202);
    assert_json!(read(&phone, &stopped), 200, &expected);
    let running = undo_token(&site, &ada.person.email).await;
    assert_json!(read(&phone, &running), 200, &told(false));
}

on_both_databases!(the_undo_link_of_an_email_change_tells_the_masked_address_and_the_time);
async fn the_undo_link_of_an_email_change_tells_the_masked_address_and_the_time(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.advance("1m");
    let changed_at = site.now();
    change_email(&ada.browser, "new@example.net").await;
    // The worker sends the mail later.
    site.advance("1m");
    let token = site.mail_to(&ada.email).await.token();
    let stranger = site.browser();
    let told = json!({
        "change": null,
        "email_change": {"email": "n…@e….net", "at": rfc3339(changed_at)},
    });
    for _ in 0..2 {
        assert_json!(read(&stranger, &token), 200, &told);
    }
    assert_status!(stranger.undo_email_change(&token), 200);
    assert_refused!(read(&stranger, &token), InvalidToken);
    site.mails().await;
}

on_both_databases!(the_link_that_cancels_a_deletion_tells_its_time);
async fn the_link_that_cancels_a_deletion_tells_its_time(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let requested = ada.browser.post("/delete-account", &json!({})).await;
    let delete_at = requested.json()["delete_at"].clone();
    let token = site.mail_to(&ada.email).await.token();
    let stranger = site.browser();
    let told = json!({"change": null, "delete_at": delete_at});
    assert_json!(read(&stranger, &token), 200, &told);
    let form = json!({ "token": token });
    assert_status!(stranger.post("/restore-account", &form), 200);
    assert_refused!(read(&stranger, &token), InvalidToken);
    site.mails().await;
}

on_both_databases!(a_change_that_cannot_be_known_is_not_told);
async fn a_change_that_cannot_be_known_is_not_told(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
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
