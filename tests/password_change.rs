//! Changing the password while signed in.

use crate::password_reset::confirm_reset;
use crate::support::eventually;
use crate::support::mails::last_token_to;
use crate::support::prelude::*;

const NEW_PASSWORD: &str = "Orange-Tree-43";

pub fn change_form(current: &str, new: &str) -> Value {
    json!({"current_password": current, "new_password": new, "confirm_password": new})
}

pub async fn change_password(browser: &Browser, current: &str, new: &str) -> Response {
    let form = change_form(current, new);
    browser.post("/change-password", &form).await
}

on_both_databases!(
    a_change_rotates_this_session_and_ends_all_others,
    the_rules_are_checked_in_the_specified_order,
    only_the_current_password_of_the_account_is_accepted,
    wrong_current_passwords_count_as_failed_sign_ins_of_their_device,
    of_twenty_parallel_changes_one_succeeds,
    a_change_forgets_the_other_devices_by_default,
);

async fn a_change_rotates_this_session_and_ends_all_others(db: Database) {
    let (_, ada) = db.site_with_ada(allow_new_devices).await;
    let (thief, phone) = (ada.browser.copy(), ada.new_browser());
    ada.sign_in(&phone).await;
    let response = change_password(&ada.browser, PASSWORD, NEW_PASSWORD).await;
    response.assert_json(200, &json!({"message": "Successfully Updated Password"}));
    assert!(response.set_cookie("session").is_some());
    for other in [thief, phone] {
        other.assert_signed_out().await;
    }
    ada.assert_still_signed_in().await;
    let subject = ada.mail().await.subject;
    assert_eq!(subject, "Your localhost password was changed");
    assert_refused!(ada.try_sign_in(&ada.browser), InvalidCredentials);
    ada.sign_in_with(&ada.browser, NEW_PASSWORD).await;
}

// security: BI-8
async fn the_rules_are_checked_in_the_specified_order(Unlimited(site): Unlimited) {
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
        let response = ada.browser.post("/change-password", &form).await;
        response.assert_broken_rule(rule);
    }
    let change = async |current, new| change_password(&ada.browser, current, new).await;
    assert_refused!(change("wrong", NEW_PASSWORD), CurrentPasswordMismatch);
    assert_refused!(change(PASSWORD, PASSWORD), PasswordEqualsCurrent);
    let mut form = change_form(PASSWORD, NEW_PASSWORD);
    form["forget_other_devices"] = json!("no");
    assert_code!(
        ada.browser.post("/change-password", &form),
        ValidationFailed
    );
}

// security: AZ-2, AZ-4
async fn only_the_current_password_of_the_account_is_accepted(site: Site) {
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let mut eves = change_form(PASSWORD, NEW_PASSWORD);
    for (name, of_ada) in [
        ("email", &*ada.email),
        ("user_id", "1"),
        ("id", "1"),
        ("username", "ada"),
    ] {
        eves[name] = json!(of_ada);
    }
    assert_ok!(eve.browser.post("/change-password", &eves));
    eve.mail().await;
    ada.sign_in(&ada.browser).await;
    eve.assert_still_signed_in().await;
    let foreign = change_password(&ada.browser, NEW_PASSWORD, "Third-Tree-44");
    assert_refused!(foreign, CurrentPasswordMismatch);
}

// security: RL-6
async fn wrong_current_passwords_count_as_failed_sign_ins_of_their_device(db: Database) {
    let (_, ada) = db
        .site_with_ada(|c| c.limits.change_password = "100/m".parse().unwrap())
        .await;
    let change = async |current| change_password(&ada.browser, current, NEW_PASSWORD).await;
    for _ in 0..5 {
        assert_refused!(change("Wrong-Tree-1"), CurrentPasswordMismatch);
    }
    assert_refused!(change(PASSWORD), RateLimited);
    assert_refused!(ada.try_sign_in(&ada.browser), RateLimited);
    ada.assert_needs_approval(&ada.new_browser()).await;
    ada.mail().await;
}

async fn of_twenty_parallel_changes_one_succeeds(Unlimited(site): Unlimited) {
    let ada = site.signed_in("ada").await;
    let tries = (0..20).map(|n| {
        let browser = ada.browser.copy();
        async move {
            let new = format!("Number-{n}-Tree");
            let response = change_password(&browser, PASSWORD, &new).await;
            response.status.as_u16()
        }
    });
    let mut statuses = join_all(tries).await;
    statuses.sort_unstable();
    assert_eq!(statuses.remove(0), 200);
    assert!(
        statuses.iter().all(|s| matches!(s, 401 | 403)),
        "{statuses:?}"
    );
    ada.mail().await;
    site.assert_count("password_history", 1).await;
}

// The device of a thief would otherwise remain known after the change.
// security: SE-3
async fn a_change_forgets_the_other_devices_by_default(site: Site) {
    for (name, forget) in [
        ("absent", Value::Null),
        ("yes", json!(true)),
        ("no", json!(false)),
    ] {
        let ada = site.signed_in(name).await;
        let phone = ada.new_browser();
        ada.assert_needs_approval(&phone).await;
        assert_ok!(phone.confirm_email(&ada.mailed_token().await));
        ada.sign_in(&phone).await;

        let mut form = change_form(PASSWORD, NEW_PASSWORD);
        if forget != Value::Null {
            form["forget_other_devices"] = forget;
        }
        assert_ok!(ada.browser.post("/change-password", &form));
        ada.mail().await;
        phone.assert_signed_out().await;
        let response = phone.try_sign_in(&ada.email, NEW_PASSWORD).await;
        if name == "no" {
            response.assert_json(200, &ada.me());
        } else {
            response.assert_error(ErrorCode::NewDevice);
            ada.mail().await;
        }
        ada.sign_in_with(&ada.browser, NEW_PASSWORD).await;
    }
}

// SQLite has one writer, so the two transactions cannot overlap there.
on_postgres!(a_link_made_during_a_password_change_is_invalid);
// security: TK-5, MN-3
async fn a_link_made_during_a_password_change_is_invalid((site, ada): (Site, Person)) {
    ada.new_browser().request_reset(&ada.email).await;
    // Inserting a token waits for a lock of this test; deleting tokens does not.
    let key = i64::from(std::process::id());
    let function = format!(
        "CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared({key}); RETURN NEW; END $$"
    );
    let trigger = "CREATE TRIGGER wait BEFORE INSERT ON tokens FOR EACH ROW
                   EXECUTE FUNCTION wait_for_the_test()";
    site.execute_all(&[&function, trigger]).await;
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
    let waits = "pg_locks WHERE locktype = 'tuple' AND relation = 'accounts'::regclass";
    eventually("a transaction that waits", async || {
        site.count(waits).await > 0
    })
    .await;
    drop(person);
    let mails = worker.await.unwrap();
    assert_eq!(changing.await.unwrap().status, 200);
    let token = last_token_to(&mails, &ada.email, "Choose a new password");
    assert_refused!(
        confirm_reset(&ada.new_browser(), &token, "Third-Tree-44"),
        InvalidToken
    );
    site.mails().await;
}
