//! Disabled accounts, and the order of the checks that refuse a sign-in.

mod links;

use account::testing::accounts::{disable, enable, request_deletion};

use crate::email_change::change_link;
use crate::passkeys;
use crate::password_reset::confirm_reset;
use crate::second_factor::{person_with_second_factor, second_step};
use crate::support::eventually;
use crate::support::prelude::*;

const NEW_PASSWORD: &str = "Orange-Tree-43";

/// A number of SQL, or NULL.
fn value(is: bool, number: i64) -> String {
    if is {
        number.to_string()
    } else {
        "NULL".to_owned()
    }
}

/// Runs an UPDATE that changes the state of an account.
async fn set_columns(site: &Site, name: &str, columns: &str) {
    let sql = format!("UPDATE accounts SET {columns} WHERE username = $1");
    site.execute(&sql, params![name]).await;
}

on_both_databases!(
    after_the_right_password_the_first_failed_check_is_reported,
    a_disabled_account_refuses_every_sign_in,
    an_account_pending_deletion_refuses_every_sign_in,
    an_approval_link_does_not_enrol_a_device_of_a_disabled_account,
    a_sign_in_while_the_account_is_disabled_leaves_no_session,
);

async fn after_the_right_password_the_first_failed_check_is_reported(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    site.allow_unread_mails();
    let known = site.now() - 1;
    for ((disabled, unverified, pending), code) in [
        ((true, true, true), ErrorCode::AccountDisabled),
        ((true, false, true), ErrorCode::AccountDisabled),
        ((true, false, false), ErrorCode::AccountDisabled),
        ((false, true, true), ErrorCode::EmailNotVerified),
        ((false, false, true), ErrorCode::DeletionPending),
        ((false, false, false), ErrorCode::SecondFactorRequired),
    ] {
        let (disabled, verified) = (value(disabled, known), value(!unverified, known));
        let columns = format!("disabled_at = {disabled}, email_verified_at = {verified}");
        set_columns(&site, "ada", &columns).await;
        site.execute("DELETE FROM pending_acts", &[]).await;
        if pending {
            site.insert_act("ada", "deletion", known, known).await;
        }
        let browser = ada.new_browser();
        assert_refused!(
            browser.try_sign_in(&ada.email, "Wrong-Tree-42"),
            InvalidCredentials
        );
        let response = ada.try_sign_in(&browser).await;
        let body = response.assert_error_with_data(code);
        for member in ["delete_at", "restore_token"] {
            let is_pending = code == ErrorCode::DeletionPending;
            assert_eq!(body[member].is_string(), is_pending, "{body}");
        }
    }
}

/// A person with a passkey, an authenticator app and one unused mailed link of each kind.
struct SignInMethods {
    person: PersonWithSecondFactor,
    authenticator: Authenticator,
    reset: String,
    change: String,
    undo: String,
    second_step: String,
}

async fn prepare_sign_in_methods(site: &Site) -> SignInMethods {
    let person = person_with_second_factor(site, "ada").await;
    let mut authenticator = Authenticator::synced();
    passkeys::add_passkey(&person.browser, &mut authenticator).await;
    SignInMethods {
        undo: person.mailed_token().await,
        second_step: person.first_step(&person.new_browser()).await,
        change: change_link(&person.browser, "new@example.org").await,
        reset: person.reset_token(&person.new_browser()).await,
        person,
        authenticator,
    }
}

impl SignInMethods {
    /// Asserts that sign-ins are refused with `code` and that all other calls respond as for an unknown account. Undo links
    /// are in the table of `links`.
    async fn assert_refused(&mut self, site: &Site, code: ErrorCode) {
        let (person, stranger) = (&self.person, site.browser());
        for path in ["/users/me", "/security", "/devices", "/data-export"] {
            assert_refused!(person.browser.get(path), Unauthenticated);
        }
        for browser in [&person.browser, &stranger] {
            let by_password = person.try_sign_in(browser).await;
            by_password.assert_error_with_data(code);
            let by_passkey = passkeys::sign_in(browser, &mut self.authenticator).await;
            by_passkey.assert_error_with_data(code);
            assert!(by_passkey.set_cookie("session").is_none());
        }
        let (step, right) = (&self.second_step, person.code(site));
        assert_code!(second_step(&stranger, step, &right), InvalidToken);
        assert_refused!(
            confirm_reset(&stranger, &self.reset, NEW_PASSWORD),
            InvalidToken
        );
        assert_refused!(stranger.confirm_email_change(&self.change), InvalidToken);
        for table in ["sessions", "sign_in_challenges"] {
            site.assert_count(table, 0).await;
        }
    }
}

/// A reset is answered as for an unknown address.
async fn request_reset(site: &Site, person: &Person) {
    let browser = site.browser();
    let other = browser.request_reset("unknown@example.org").await.json();
    assert_json!(browser.request_reset(&person.email), 200, &other);
}

// security: MD-3, WA-10, TF-3
async fn a_disabled_account_refuses_every_sign_in(Unlimited(site): Unlimited) {
    let mut methods = prepare_sign_in_methods(&site).await;
    let id = site.id_of("ada").await;
    // The second call changes nothing.
    for is_changed in [true, false] {
        assert_eq!(disable(&site.app, id).await.unwrap(), is_changed);
    }
    methods
        .person
        .mail()
        .await
        .assert_subject_contains("has been disabled");
    methods
        .assert_refused(&site, ErrorCode::AccountDisabled)
        .await;
    let event = "security_events WHERE kind = 'disabled' AND actor = 'support' AND network IS NULL";
    site.assert_count(event, 1).await;
    request_reset(&site, &methods.person).await;
    assert!(site.mails().await.is_empty());

    for is_changed in [true, false] {
        assert_eq!(enable(&site.app, id).await.unwrap(), is_changed);
    }
    methods.person.mail().await;
    // Ended links stay ended. The undo link works again.
    let browser = site.browser();
    assert_refused!(
        confirm_reset(&browser, &methods.reset, NEW_PASSWORD),
        InvalidToken
    );
    assert_ok!(passkeys::sign_in(&browser, &mut methods.authenticator));
    assert_ok!(browser.undo_credential(&methods.undo));
    site.mails().await;
}

// security: MD-3, WA-10
async fn an_account_pending_deletion_refuses_every_sign_in(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let mut methods = prepare_sign_in_methods(&site).await;
    let id = site.id_of("ada").await;
    request_deletion(&site.app, id).await.unwrap();
    methods
        .assert_refused(&site, ErrorCode::DeletionPending)
        .await;
    // After a password reset, the mail restores the account.
    site.mails().await;
    request_reset(&site, &methods.person).await;
    let way_back = methods.person.mail().await;
    assert!(way_back.link().contains("/account/restore?token="));
    assert_ok!(site.browser().restore_account(&way_back.token()));
    // Everything is restored except the sessions and the ended links.
    let browser = &methods.person.browser;
    browser.assert_signed_out().await;
    assert_ok!(passkeys::sign_in(browser, &mut methods.authenticator));
    let state = browser.get_json("/security").await;
    let seen = [
        &state["passkeys"], &state["second_factor"], &state["deletion_at"],
    ];
    assert_eq!(seen, [&json!(1), &json!(true), &Value::Null]);
    assert_ok!(site.browser().undo_credential(&methods.undo));
}

async fn an_approval_link_does_not_enrol_a_device_of_a_disabled_account(
    (site, ada): (Site, Person),
) {
    let other = site.browser();
    ada.assert_needs_approval(&other).await;
    let token = ada.mailed_token().await;
    disable(&site.app, site.id_of("ada").await).await.unwrap();
    ada.mail().await;
    other.assert_email_link_ended(&token).await;
    assert_refused!(other.decide_device(&token, true), InvalidToken);
    site.assert_count("devices", 1).await;
}

async fn a_sign_in_while_the_account_is_disabled_leaves_no_session(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    let ada = site.member("ada").await;
    let id = site.id_of("ada").await;
    for round in 0..8 {
        let tasks = [(); 4].map(|()| {
            let (browser, credentials) = (ada.browser.copy(), ada.credentials());
            tokio::spawn(async move { browser.post("/login", &credentials).await.status.as_u16() })
        });
        // Each round interrupts the sign-ins at another point.
        for _ in 0..round * 20 {
            tokio::task::yield_now().await;
        }
        disable(&site.app, id).await.unwrap();
        for task in tasks {
            let status = task.await.unwrap();
            assert!([200, 403].contains(&status), "{status}");
        }
        eventually("every sign-in is answered", async || {
            site.count("sessions").await == 0
        })
        .await;
        enable(&site.app, id).await.unwrap();
    }
}
