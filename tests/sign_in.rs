//! Sign-in: one response for all wrong credentials, and the checks between a right password and a session.

use account::config::Profile;

use crate::support::prelude::*;

on_both_databases!(
    implausible_credentials_are_refused_before_any_lookup,
    a_wrong_password_and_an_unknown_address_get_the_same_response,
    an_unknown_application_counts_as_wiki_and_changes_nothing,
    an_unverified_account_gets_a_new_link_and_no_session,
    signing_in_again_ends_the_earlier_session_of_the_browser,
    a_session_id_of_the_client_is_never_adopted,
    outdated_hashes_are_replaced_at_the_next_sign_in,
    two_people_with_one_password_have_different_hashes,
);

async fn implausible_credentials_are_refused_before_any_lookup(browser: Browser) {
    for (email, password) in [
        ("", PASSWORD),
        ("ada", PASSWORD),
        ("ada@example", PASSWORD),
        ("ada@example.org", ""),
        ("ada@example.org", "    "),
        ("ada@example.org", "abc"),
    ] {
        let response = browser.try_sign_in(email, password).await;
        response.assert_broken_rule(ErrorCode::InvalidCredentials);
    }
    for body in [
        json!({}),
        json!({"email": "ada@example.org"}),
        json!({"email": 1, "password": PASSWORD}),
    ] {
        assert_refused!(browser.post("/login", &body), ValidationFailed);
    }
    browser.site.assert_count("limits", 0).await;
}

async fn a_wrong_password_and_an_unknown_address_get_the_same_response(db: Database) {
    for profile in [Profile::Spec, Profile::Strict] {
        let site = db.site_with(|c| c.security.profile = profile).await;
        let name = format!("ada{}", profile as u8);
        let ada = site.member(&name).await;
        let unverified = site.registered(&format!("bob{}", profile as u8)).await.0;
        let mut responses = Vec::new();
        for email in [&ada.email, &unverified.email, "nobody@example.org"] {
            let response = site.browser().try_sign_in(email, "Wrong-Password-1").await;
            response.assert_error(ErrorCode::InvalidCredentials);
            assert_eq!(response.set_cookies().count(), 0);
            let names: Vec<_> = response.headers.keys().cloned().collect();
            responses.push((response.body, names));
        }
        responses.dedup();
        assert_eq!(responses.len(), 1);
    }
}

// security: AZ-9, CS-6
async fn an_unknown_application_counts_as_wiki_and_changes_nothing(Unlimited(site): Unlimited) {
    let ada = site.member("ada").await;
    for app in [
        json!("wiki"),
        json!("//evil.example"),
        json!(null),
        json!({"a": [1]}),
        json!(7),
    ] {
        let body = json!({
            "email": ada.email, "password": PASSWORD, "app": app,
            "redirect_url": "https://evil.example",
        });
        let response = ada.browser.post("/login", &body).await;
        response.assert_json(200, &ada.me());
        assert_eq!(response.header("location"), None);
    }
}

// security: AZ-6
async fn an_unverified_account_gets_a_new_link_and_no_session(site: Site) {
    let (ada, first) = site.registered("ada").await;
    assert_refused!(ada.try_sign_in(&ada.browser), EmailNotVerified);
    assert_eq!(ada.browser.cookie("session"), None);
    ada.browser.assert_signed_out().await;
    let second = ada.mailed_token().await;
    ada.browser.assert_email_link_ended(&first).await;
    // One link in three minutes, for any number of sign-ins.
    assert_refused!(ada.try_sign_in(&ada.browser), EmailNotVerified);
    assert!(site.mails().await.is_empty());
    assert_ok!(ada.browser.confirm_email(&second));
    ada.sign_in(&ada.browser).await;
}

async fn signing_in_again_ends_the_earlier_session_of_the_browser((site, ada): (Site, Person)) {
    let earlier = ada.browser.copy();
    ada.sign_in(&ada.browser).await;
    earlier.assert_signed_out().await;
    ada.assert_still_signed_in().await;
    site.assert_count("sessions", 1).await;
}

async fn a_session_id_of_the_client_is_never_adopted(Member(site, ada): Member) {
    let planted = "A".repeat(43);
    ada.browser.set_cookie("session", &planted);
    ada.sign_in(&ada.browser).await;
    assert_ne!(ada.browser.cookie("session").unwrap(), planted);
    let thief = site.browser();
    thief.set_cookie("session", &planted);
    thief.assert_signed_out().await;
}

// security: LG-3
async fn outdated_hashes_are_replaced_at_the_next_sign_in(db: Database) {
    let old = db.site().await;
    let ada = old.member("ada").await;
    let stronger = db
        .site_with(|c| {
            c.password.memory_kib = 19456;
            c.password.iterations = 2;
        })
        .await;
    let hash = async || -> String {
        let sql = "SELECT password_hash FROM accounts";
        old.rows(sql, &[]).await[0].get(0)
    };
    assert!(hash().await.starts_with("$argon2id$v=19$m=64,t=1,p=1$"));
    ada.sign_in(&stronger.browser()).await;
    let kept = hash().await;
    assert!(
        kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{kept}"
    );
    old.assert_count("password_history", 0).await;
    ada.assert_needs_approval(&stronger.browser()).await;
    assert_eq!(hash().await, kept);
    ada.mail().await;
}

// security: LG-3
async fn two_people_with_one_password_have_different_hashes(site: Site) {
    site.allow_unread_mails();
    for name in ["ada", "bob"] {
        site.browser().post("/register", &form(name)).await;
    }
    site.assert_count("(SELECT DISTINCT password_hash FROM accounts) AS d", 2)
        .await;
}
