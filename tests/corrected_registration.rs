//! A registration that the browser of an earlier one corrects.

use crate::support::prelude::*;

/// The same username with the address that was meant.
async fn correct(browser: &Browser) -> Response {
    let meant = json!({"email": MEANT});
    browser.register("robin", &meant).await
}

const MEANT: &str = "meant@example.org";

on_both_databases!(
    a_registration_of_the_same_browser_replaces_the_unverified_account,
    the_corrected_account_is_replaced_under_another_username_too,
    another_person_in_the_same_browser_replaces_nothing,
    a_refused_registration_of_the_same_browser_keeps_the_account,
    other_browsers_late_verified_and_disabled_registrations_replace_nothing,
    in_profile_strict_a_correction_reveals_no_address,
);

async fn a_registration_of_the_same_browser_replaces_the_unverified_account(site: Site) {
    let (robin, dead) = site.registered("robin").await;
    site.advance("59m");
    assert_json!(
        correct(&robin.browser),
        201,
        &json!({"email": MEANT, "username": "robin"})
    );
    site.assert_count("accounts", 1).await;
    site.browser().assert_email_link_ended(&dead).await;
    let token = site.mail_to(MEANT).await.token();
    assert_ok!(robin.browser.confirm_email(&token));

    // An unsent mail of the replaced account is withdrawn.
    let browser = site.browser();
    assert_status!(browser.post("/register", &form("kim")), 201);
    assert_status!(
        browser.register("kim", &json!({"email": "kims@example.org"})),
        201
    );
    site.mail_to("kims@example.org").await;
}

async fn the_corrected_account_is_replaced_under_another_username_too(site: Site) {
    let (robin, dead) = site.registered("robin").await;
    let changes = json!({"corrected_email": robin.email});
    assert_status!(robin.browser.register("kim", &changes), 201);
    site.mail_to("kim@example.org").await;
    site.browser().assert_email_link_ended(&dead).await;
    site.assert_count("accounts", 1).await;
}

async fn another_person_in_the_same_browser_replaces_nothing(site: Site) {
    let (robin, token) = site.registered("robin").await;
    assert_status!(robin.browser.post("/register", &form("kim")), 201);
    site.mail_to("kim@example.org").await;
    assert_ok!(robin.browser.confirm_email(&token));
}

async fn a_refused_registration_of_the_same_browser_keeps_the_account(site: Site) {
    let kim = site.member("kim").await;
    let (robin, token) = site.registered("robin").await;
    let taken = ("email", FieldRule::AccountExists);
    let in_use = ("username", FieldRule::UsernameInUse);
    for (email, fields) in [(&robin.email, &[taken, in_use][..]), (&kim.email, &[taken])] {
        let changes = json!({"email": email});
        let response = robin.browser.register("robin", &changes).await;
        response.assert_field_errors(ErrorCode::AccountExists, fields);
    }
    assert_ok!(robin.browser.confirm_email(&token));
}

async fn other_browsers_late_verified_and_disabled_registrations_replace_nothing(site: Site) {
    let (robin, token) = site.registered("robin").await;
    let verified = site.member("kim").await;
    correct(&site.browser()).await.assert_username_in_use();
    for (browser, person) in [(&site.browser(), &robin), (&verified.browser, &verified)] {
        let named = json!({"email": MEANT, "corrected_email": person.email});
        let response = browser.register(&person.name, &named).await;
        response.assert_username_in_use();
    }
    for (disabled, wait) in [("1", "0s"), ("NULL", "1h")] {
        let sql = format!("UPDATE accounts SET disabled_at = {disabled}");
        site.execute(&sql, &[]).await;
        site.advance(wait);
        correct(&robin.browser).await.assert_username_in_use();
    }
    assert_ok!(robin.browser.confirm_email(&token));
    site.assert_count("accounts", 2).await;
}

async fn in_profile_strict_a_correction_reveals_no_address(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let member = site.member("kim").await;
    for (name, first) in [
        ("alex", member.email.as_str()),
        ("robin", "free@example.org"),
    ] {
        let browser = site.browser();
        let try_with = async |email: &str| browser.register(name, &json!({"email": email})).await;
        // A taken address in between replaces the earlier account too.
        for email in [first, first, &member.email, &format!("{name}@example.org")] {
            site.advance("40m");
            assert_eq!(try_with(email).await.status, 201, "{name} {email}");
        }
        let other = json!({"email": "x@example.org"});
        let response = site.browser().register(name, &other).await;
        response.assert_username_in_use();
        site.advance("1h");
        try_with(first).await.assert_username_in_use();
    }
    site.assert_count("accounts", 3).await;
}
