//! Changing the password while signed in.

use account::testing::error::{ErrorCode, FieldRule};
use serde_json::{Value, json};

use crate::support::actors::PASSWORD;
use crate::support::{Browser, Database, Response, allow_new_devices, eventually};

const NEW_PASSWORD: &str = "Orange-Tree-43";

fn change_form(current: &str, new: &str) -> Value {
    json!({"current_password": current, "new_password": new, "confirm_password": new})
}

pub(crate) async fn change_password(browser: &Browser, current: &str, new: &str) -> Response {
    let form = change_form(current, new);
    browser.post("/change-password", &form).await
}

on_both_databases!(a_change_rotates_this_session_and_ends_all_others);
async fn a_change_rotates_this_session_and_ends_all_others(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let (thief, phone) = (ada.browser.copy(), ada.new_browser());
    ada.sign_in(&phone).await;
    let done = json!({"message": "Successfully Updated Password"});
    let response = change_password(&ada.browser, PASSWORD, NEW_PASSWORD).await;
    response.assert_json(200, &done);
    assert!(response.set_cookie("session").is_some());
    for other in [thief, phone] {
        other.assert_signed_out().await;
    }
    ada.assert_signed_in(&ada.browser).await;
    assert_eq!(
        site.mail_to(&ada.email).await.subject,
        "Your localhost password was changed"
    );
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);
    ada.sign_in_with(&ada.browser, NEW_PASSWORD).await;
}

on_both_databases!(the_rules_are_checked_in_the_specified_order);
// security: BI-8
async fn the_rules_are_checked_in_the_specified_order(db: Database) {
    let site = db.site_without_limits().await;
    let ada = site.signed_in("ada").await;
    for (form, rule) in [
        (json!({}), FieldRule::CurrentPasswordMissing),
        (
            json!({"current_password": null, "new_password": "x"}),
            FieldRule::CurrentPasswordMissing,
        ),
        (change_form("", ""), FieldRule::CurrentPasswordMissing),
        (change_form("wrong", ""), FieldRule::PasswordMissing),
        (
            json!({"current_password": "wrong", "new_password": NEW_PASSWORD}),
            FieldRule::PasswordsDiffer,
        ),
    ] {
        ada.browser
            .post("/change-password", &form)
            .await
            .assert_broken_rule(rule);
    }
    assert_refused!(
        change_password(&ada.browser, "wrong", NEW_PASSWORD),
        CurrentPasswordMismatch
    );
    assert_refused!(
        change_password(&ada.browser, PASSWORD, PASSWORD),
        PasswordEqualsCurrent
    );
}

on_both_databases!(only_the_current_password_of_the_account_is_accepted);
// security: AZ-2, AZ-4
async fn only_the_current_password_of_the_account_is_accepted(db: Database) {
    let site = db.site().await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let eves = json!({
        "current_password": PASSWORD, "new_password": NEW_PASSWORD, "confirm_password": NEW_PASSWORD,
        "email": ada.email, "user_id": "1", "id": "1", "username": "ada",
    });
    assert_status!(eve.browser.post("/change-password", &eves), 200);
    site.mail_to(&eve.email).await;
    ada.sign_in(&ada.browser).await;
    eve.assert_signed_in(&eve.browser).await;
    assert_refused!(
        change_password(&ada.browser, NEW_PASSWORD, "Third-Tree-44"),
        CurrentPasswordMismatch
    );
}

on_both_databases!(wrong_current_passwords_count_as_failed_sign_ins_of_their_device);
// security: RL-6
async fn wrong_current_passwords_count_as_failed_sign_ins_of_their_device(db: Database) {
    let site = db
        .site_with(|c| c.limits.change_password = "100/m".parse().unwrap())
        .await;
    let ada = site.signed_in("ada").await;
    for _ in 0..5 {
        assert_refused!(
            change_password(&ada.browser, "Wrong-Tree-1", NEW_PASSWORD),
            CurrentPasswordMismatch
        );
    }
    assert_refused!(
        change_password(&ada.browser, PASSWORD, NEW_PASSWORD),
        RateLimited
    );
    assert_refused!(ada.try_sign_in(&ada.browser), RateLimited);
    ada.assert_needs_approval(&ada.new_browser()).await;
    site.mail_to(&ada.email).await;
}

on_both_databases!(of_twenty_parallel_changes_one_succeeds);
async fn of_twenty_parallel_changes_one_succeeds(db: Database) {
    let site = db.site_without_limits().await;
    let ada = site.signed_in("ada").await;
    let tries = (0..20).map(|n| {
        let browser = ada.browser.copy();
        async move {
            let new = format!("Number-{n}-Tree");
            let response = change_password(&browser, PASSWORD, &new).await;
            response.status.as_u16()
        }
    });
    let statuses = futures_util::future::join_all(tries).await;
    assert_eq!(
        statuses.iter().filter(|s| **s == 200).count(),
        1,
        "{statuses:?}"
    );
    assert!(
        statuses.iter().all(|s| matches!(s, 200 | 401 | 403)),
        "{statuses:?}"
    );
    site.mail_to(&ada.email).await;
    assert_eq!(site.count("password_history").await, 1);
}

// The device of a thief would otherwise remain known after the change.
on_both_databases!(a_change_forgets_the_other_devices_by_default);
// security: SE-3
async fn a_change_forgets_the_other_devices_by_default(db: Database) {
    let site = db.site().await;
    for (name, forget, is_known) in [
        ("absent", Value::Null, false),
        ("yes", json!(true), false),
        ("no", json!(false), true),
    ] {
        let ada = site.signed_in(name).await;
        let phone = ada.new_browser();
        ada.assert_needs_approval(&phone).await;
        let token = site.mail_to(&ada.email).await.token();
        assert_eq!(phone.confirm_email(&token).await.status, 200);
        ada.sign_in(&phone).await;

        let mut form = change_form(PASSWORD, NEW_PASSWORD);
        if forget != Value::Null {
            form["forget_other_devices"] = forget;
        }
        assert_status!(ada.browser.post("/change-password", &form), 200);
        site.mail_to(&ada.email).await;
        phone.assert_signed_out().await;
        let response = phone.try_sign_in(&ada.email, NEW_PASSWORD).await;
        if is_known {
            response.assert_json(200, &ada.me());
        } else {
            response.assert_error(ErrorCode::NewDevice);
            site.mail_to(&ada.email).await;
        }
        ada.sign_in_with(&ada.browser, NEW_PASSWORD).await;
    }
}

on_both_databases!(forget_other_devices_must_be_a_boolean);
async fn forget_other_devices_must_be_a_boolean(db: Database) {
    let (_, ada) = db.site_with_signed_in("ada").await;
    let mut form = change_form(PASSWORD, NEW_PASSWORD);
    form["forget_other_devices"] = json!("no");
    let response = ada.browser.post("/change-password", &form).await;
    response.assert_error_with_data(ErrorCode::ValidationFailed);
}

/// The worker creates a link during a password change: the link must be invalid afterwards.
async fn assert_link_created_during_change_is_invalid(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    ada.new_browser().request_reset(&ada.email).await;
    // Inserting a token waits for a lock of this test; deleting tokens does not.
    let key = i64::from(std::process::id());
    let mut setup = site.app.store.write().await.unwrap();
    let function = format!(
        "CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared({key}); RETURN NEW; END $$"
    );
    setup.execute(&function, &[]).await.unwrap();
    let trigger = "CREATE TRIGGER wait BEFORE INSERT ON tokens FOR EACH ROW
                   EXECUTE FUNCTION wait_for_the_test()";
    setup.execute(trigger, &[]).await.unwrap();
    setup.commit().await.unwrap();
    let mut person = site.app.store.write().await.unwrap();
    let lock = format!("SELECT 1 FROM (SELECT pg_advisory_xact_lock({key})) AS held");
    person.row(&lock, &[]).await.unwrap();

    let worker_site = site.clone();
    let worker = tokio::spawn(async move { worker_site.mails().await });
    let waits = format!("pg_locks WHERE locktype = 'advisory' AND objid = {key} AND NOT granted");
    eventually("a transaction that waits", async || {
        site.count(&waits).await > 0
    })
    .await;
    let tab = ada.browser.copy();
    let changing = tokio::spawn(async move { change_password(&tab, PASSWORD, NEW_PASSWORD).await });
    // The password change waits for the account, which the worker has locked before the mail.
    eventually("a transaction that waits", async || {
        site.count("pg_locks WHERE locktype = 'tuple' AND relation = 'accounts'::regclass")
            .await
            > 0
    })
    .await;
    drop(person);
    let mails = worker.await.unwrap();
    assert_eq!(changing.await.unwrap().status, 200);
    let reset = mails
        .iter()
        .find(|mail| mail.text.contains("/account/reset-password"));
    let token = reset.expect("the mail went out").token();
    assert_refused!(
        crate::password_reset::confirm_reset(&ada.new_browser(), &token, "Third-Tree-44"),
        InvalidToken
    );
    site.mails().await;
}

// security: TK-5, MN-3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_made_during_a_password_change_is_invalid() {
    use crate::support::database::{Kind, run};
    // SQLite has one writer, so the two transactions cannot overlap there.
    run(Kind::Postgres, assert_link_created_during_change_is_invalid).await;
}
