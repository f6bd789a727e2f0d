//! Changing the password while signed in.

use account::error::Code;
use serde_json::{Value, json};

use crate::support::Database;
use crate::support::actors::PASSWORD;

const NEW: &str = "Orange-Tree-43";

fn change(current: &str, new: &str) -> Value {
    json!({"current_password": current, "new_password": new, "confirm_password": new})
}

both!(a_change_keeps_this_session_under_a_new_id_and_ends_all_others);
async fn a_change_keeps_this_session_under_a_new_id_and_ends_all_others(db: Database) {
    let site = db
        .site_with(|c| c.security.new_device = account::config::NewDevice::Off)
        .await;
    let ada = site.signed_in("ada").await;
    let (thief, phone) = (ada.browser.copy(), ada.elsewhere());
    phone
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    let done = json!({"message": "Successfully Updated Password"});
    let answer = ada
        .browser
        .post("/change-password", &change(PASSWORD, NEW))
        .await;
    answer.is(200, &done);
    assert!(answer.set_cookie("session").is_some());
    for other in [thief, phone] {
        other.get("/users/me").await.refuses(Code::Unauthenticated);
    }
    ada.browser.get("/users/me").await.is(200, &ada.me());
    assert_eq!(
        site.mail_to(&ada.email).await.subject,
        "Your localhost password was changed"
    );
    ada.browser
        .post("/login", &ada.credentials())
        .await
        .refuses(Code::InvalidCredentials);
    ada.browser
        .post("/login", &ada.signs_in_with(NEW))
        .await
        .is(200, &ada.me());
}

both!(the_rules_come_in_the_specified_order);
// security: BI-8
async fn the_rules_come_in_the_specified_order(db: Database) {
    let site = db.site_with(|c| c.limits.enabled = false).await;
    let ada = site.signed_in("ada").await;
    for (form, rule) in [
        (json!({}), Code::CurrentPasswordMissing),
        (
            json!({"current_password": null, "new_password": "x"}),
            Code::CurrentPasswordMissing,
        ),
        (change("", ""), Code::CurrentPasswordMissing),
        (change("wrong", ""), Code::PasswordMissing),
        (change("wrong", "Ab1"), Code::PasswordTooShort),
        (change("wrong", "abcdef"), Code::PasswordUppercase),
        (change("wrong", "ABCDEF"), Code::PasswordLowercase),
        (change("wrong", "Abcdef"), Code::PasswordDigit),
        (
            json!({"current_password": "wrong", "new_password": NEW}),
            Code::PasswordsDiffer,
        ),
    ] {
        ada.browser
            .post("/change-password", &form)
            .await
            .breaks(rule);
    }
    let answer = ada
        .browser
        .post("/change-password", &change("wrong", NEW))
        .await;
    answer.refuses(Code::CurrentPasswordMismatch);
    let answer = ada
        .browser
        .post("/change-password", &change(PASSWORD, PASSWORD))
        .await;
    answer.refuses(Code::PasswordEqualsCurrent);
}

both!(only_the_own_current_password_counts_and_nothing_else_is_taken);
// security: AZ-2, AZ-4
async fn only_the_own_current_password_counts_and_nothing_else_is_taken(db: Database) {
    let site = db.site().await;
    let (ada, eve) = (site.signed_in("ada").await, site.signed_in("eve").await);
    let eves = json!({
        "current_password": PASSWORD, "new_password": NEW, "confirm_password": NEW,
        "email": ada.email, "user_id": "1", "id": "1", "username": "ada",
    });
    assert_eq!(
        eve.browser.post("/change-password", &eves).await.status,
        200
    );
    site.mail_to(&eve.email).await;
    ada.browser
        .post("/login", &ada.credentials())
        .await
        .is(200, &ada.me());
    eve.browser.get("/users/me").await.is(200, &eve.me());
    let wrong = ada
        .browser
        .post("/change-password", &change(NEW, "Third-Tree-44"))
        .await;
    wrong.refuses(Code::CurrentPasswordMismatch);
}

both!(wrong_current_passwords_count_as_failed_sign_ins);
// security: RL-6
async fn wrong_current_passwords_count_as_failed_sign_ins(db: Database) {
    let site = db
        .site_with(|c| c.limits.change_password = "100/m".parse().unwrap())
        .await;
    let ada = site.signed_in("ada").await;
    for _ in 0..5 {
        let answer = ada
            .browser
            .post("/change-password", &change("Wrong-Tree-1", NEW))
            .await;
        answer.refuses(Code::CurrentPasswordMismatch);
    }
    let answer = ada
        .browser
        .post("/change-password", &change(PASSWORD, NEW))
        .await;
    answer.refuses(Code::RateLimited);
    let elsewhere = ada.elsewhere().post("/login", &ada.credentials()).await;
    elsewhere.refuses(Code::RateLimited);
}

both!(of_twenty_changes_at_once_one_is_made);
async fn of_twenty_changes_at_once_one_is_made(db: Database) {
    let site = db.site_with(|c| c.limits.enabled = false).await;
    let ada = site.signed_in("ada").await;
    let tries = (0..20).map(|n| {
        let browser = ada.browser.copy();
        let form = change(PASSWORD, &format!("Number-{n}-Tree"));
        async move {
            browser
                .post("/change-password", &form)
                .await
                .status
                .as_u16()
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
