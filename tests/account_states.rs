//! Disabled accounts, and the order of the checks that refuse a sign-in.

mod links;

use account::testing::accounts::{disable, enable, request_deletion};
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::{Browser, Database, Person, Site, eventually};
use crate::{passkeys, second_factor};

const NEW_PASSWORD: &str = "Orange-Tree-43";

/// Runs an UPDATE that changes the state of an account.
async fn set_columns(site: &Site, name: &str, columns: &str) {
    let sql = format!("UPDATE accounts SET {columns} WHERE username = $1");
    site.execute(&sql, account::params![name]).await;
}

async fn reset_password(browser: &Browser, token: &str) -> crate::support::Response {
    crate::password_reset::confirm_reset(browser, token, NEW_PASSWORD).await
}

on_both_databases!(after_the_right_password_the_first_failed_check_is_reported);
async fn after_the_right_password_the_first_failed_check_is_reported(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = second_factor::person_with_second_factor(&site, "ada")
        .await
        .person;
    let known = site.now() - 1;
    let cases = [
        ((true, true, true), ErrorCode::AccountDisabled),
        ((true, false, true), ErrorCode::AccountDisabled),
        ((true, false, false), ErrorCode::AccountDisabled),
        ((false, true, true), ErrorCode::EmailNotVerified),
        ((false, false, true), ErrorCode::DeletionPending),
        ((false, false, false), ErrorCode::SecondFactorRequired),
    ];
    for ((disabled, unverified, pending), code) in cases {
        let value = |is: bool| {
            if is {
                known.to_string()
            } else {
                "NULL".to_owned()
            }
        };
        let columns = format!(
            "disabled_at = {}, email_verified_at = {}",
            value(disabled),
            value(!unverified)
        );
        set_columns(&site, "ada", &columns).await;
        site.execute("DELETE FROM pending_acts", &[]).await;
        if pending {
            site.insert_act("ada", "deletion", known, known).await;
        }
        let browser = ada.new_browser();
        let wrong = json!({"email": ada.email, "password": "Wrong-Tree-42"});
        assert_refused!(browser.post("/login", &wrong), InvalidCredentials);
        let response = browser.post("/login", &ada.credentials()).await;
        let body = response.assert_error_with_data(code);
        for member in ["delete_at", "restore_token"] {
            let is_pending = code == ErrorCode::DeletionPending;
            assert_eq!(body[member].is_string(), is_pending, "{body}");
        }
    }
}

/// A person with a passkey, an authenticator app and one unused mailed link of each kind.
struct SignInMethods {
    person: Person,
    authenticator: Authenticator,
    reset: String,
    change: String,
    undo: String,
    second_step: String,
    code: String,
}

async fn prepare_sign_in_methods(site: &Site) -> SignInMethods {
    let holder = second_factor::person_with_second_factor(site, "ada").await;
    let mut authenticator = Authenticator::synced();
    passkeys::add_passkey(&holder.person.browser, &mut authenticator).await;
    let undo = site.mail_to(&holder.person.email).await.token();
    let (person, code) = (&holder.person, holder.code(site));
    let second_step = holder.first_step(&person.new_browser()).await;
    assert_status!(person.browser.request_email_change("new@example.org"), 200);
    let change = site.mail_to("new@example.org").await.token();
    person.new_browser().request_reset(&person.email).await;
    let reset = site.mail_to(&person.email).await.token();
    SignInMethods {
        person: holder.person,
        authenticator,
        reset,
        change,
        undo,
        second_step,
        code,
    }
}

impl SignInMethods {
    /// Asserts that sign-ins are refused with `code` and that all other calls respond as for an unknown account. Undo links
    /// are in the table of `links`.
    async fn assert_refused(&mut self, site: &Site, code: ErrorCode) {
        let person = &self.person;
        for path in ["/users/me", "/security", "/devices", "/data-export"] {
            assert_refused!(person.browser.get(path), Unauthenticated);
        }
        for browser in [&person.browser, &site.browser()] {
            let response = browser.post("/login", &person.credentials()).await;
            response.assert_error_with_data(code);
            let response = passkeys::sign_in(browser, &mut self.authenticator).await;
            response.assert_error_with_data(code);
            assert!(response.set_cookie("session").is_none());
        }
        let stranger = site.browser();
        let form = json!({"token": self.second_step, "code": self.code});
        let response = stranger.post("/login/second-factor", &form).await;
        assert_eq!(response.json()["code"], "invalid_token");
        assert_refused!(reset_password(&stranger, &self.reset), InvalidToken);
        assert_refused!(stranger.confirm_email_change(&self.change), InvalidToken);
        assert_eq!(site.count("sessions").await, 0);
        assert_eq!(site.count("sign_in_challenges").await, 0);
    }
}

async fn recorded_events(site: &Site) -> Vec<(String, String, Option<String>)> {
    let sql = "SELECT kind, actor, network FROM security_events ORDER BY id";
    let rows = site.rows(sql, &[]).await;
    rows.iter()
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect()
}

on_both_databases!(a_disabled_account_refuses_every_sign_in);
// security: MD-3, WA-10, TF-3
async fn a_disabled_account_refuses_every_sign_in(db: Database) {
    let site = db.site_without_limits().await;
    let mut methods = prepare_sign_in_methods(&site).await;
    let id = site.id_of("ada").await;
    assert!(disable(&site.app, id).await.unwrap());
    assert!(
        !disable(&site.app, id).await.unwrap(),
        "the account is already disabled"
    );
    let mail = site.mail_to(&methods.person.email).await;
    mail.assert_subject_contains("has been disabled");
    methods
        .assert_refused(&site, ErrorCode::AccountDisabled)
        .await;
    let event = ("disabled".to_owned(), "support".to_owned(), None);
    assert!(recorded_events(&site).await.contains(&event));

    // No mail is sent, and the response equals that for an unknown address.
    let browser = site.browser();
    let other = browser.request_reset("unknown@example.org").await.json();
    assert_json!(browser.request_reset(&methods.person.email), 200, &other);
    assert!(site.mails().await.is_empty());

    assert!(enable(&site.app, id).await.unwrap());
    assert!(!enable(&site.app, id).await.unwrap());
    site.mail_to(&methods.person.email).await;
    // Ended links stay ended. The undo link works again.
    assert_refused!(
        reset_password(&site.browser(), &methods.reset),
        InvalidToken
    );
    let response = passkeys::sign_in(&methods.person.browser, &mut methods.authenticator).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_status!(site.browser().undo_credential(&methods.undo), 200);
    site.mails().await;
}

on_both_databases!(an_account_pending_deletion_refuses_every_sign_in);
// security: MD-3, WA-10
async fn an_account_pending_deletion_refuses_every_sign_in(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let mut methods = prepare_sign_in_methods(&site).await;
    let id = site.id_of("ada").await;
    request_deletion(&site.app, id).await.unwrap();
    methods
        .assert_refused(&site, ErrorCode::DeletionPending)
        .await;
    // After a password reset, the mail restores the account; the response equals that for an unknown address.
    site.mails().await;
    let browser = site.browser();
    let other = browser.request_reset("unknown@example.org").await.json();
    assert_json!(browser.request_reset(&methods.person.email), 200, &other);
    let way_back = site.mail_to(&methods.person.email).await;
    assert!(way_back.link().contains("/account/restore?token="));
    assert_status!(browser.restore_account(&way_back.token()), 200);
    // Everything is restored except the sessions and the ended links.
    let restored = &methods.person;
    restored.browser.assert_signed_out().await;
    let response = passkeys::sign_in(&restored.browser, &mut methods.authenticator).await;
    assert_eq!(response.status, 200);
    let state = restored.browser.get("/security").await.json();
    assert_eq!(state["passkeys"], 1);
    assert_eq!(state["second_factor"], true);
    assert_eq!(state["deletion_at"], Value::Null);
    assert_status!(site.browser().undo_credential(&methods.undo), 200);
}

on_both_databases!(an_approval_link_does_not_enrol_a_device_of_a_disabled_account);
async fn an_approval_link_does_not_enrol_a_device_of_a_disabled_account(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let other = site.browser();
    ada.assert_needs_approval(&other).await;
    let token = site.mail_to(&ada.email).await.token();
    disable(&site.app, site.id_of("ada").await).await.unwrap();
    site.mail_to(&ada.email).await;
    other.assert_email_link_ended(&token).await;
    assert_refused!(other.decide_device(&token, true), InvalidToken);
    assert_eq!(site.count("devices").await, 1);
}

on_both_databases!(a_sign_in_while_the_account_is_disabled_leaves_no_session);
async fn a_sign_in_while_the_account_is_disabled_leaves_no_session(db: Database) {
    let site = db.allow_unread_mails().site_without_limits().await;
    let ada = site.member("ada").await;
    let id = site.id_of("ada").await;
    for round in 0..8 {
        let credentials = json!({"email": ada.email, "password": PASSWORD});
        let tasks = (0..4).map(|_| {
            let (browser, credentials) = (ada.browser.copy(), credentials.clone());
            tokio::spawn(async move { browser.post("/login", &credentials).await.status.as_u16() })
        });
        let tasks: Vec<_> = tasks.collect();
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
