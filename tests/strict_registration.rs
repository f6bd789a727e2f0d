//! Profile `strict`: the responses that a stranger gets for an unverified registration, and the mails to its address.

use account::testing::error::{ErrorCode, FieldRule};
use account::testing::mail::MailKind;
use account::testing::rate_limit::MailBudget;
use serde_json::json;

use crate::migration::confirm;
use crate::migration_completion::completion_token;
use crate::support::Database;
use crate::support::actors::{PASSWORD, form, form_with};

on_both_databases!(an_unverified_account_signs_in_like_an_unknown_address);
// Any other response would reveal that the registered address was free.
async fn an_unverified_account_signs_in_like_an_unknown_address(db: Database) {
    let site = db.strict_site().await;
    let (kim, _) = site.registered("kim").await;
    let response = kim.try_sign_in(&kim.browser).await;
    response.assert_error(ErrorCode::InvalidCredentials);
    assert_eq!(response.set_cookies().count(), 0);
    let token = site.mail_to(&kim.email).await.token();
    assert_eq!(kim.browser.confirm_email(&token).await.status, 200);
    kim.sign_in(&kim.browser).await;
}

on_both_databases!(the_right_password_of_an_unverified_account_counts_as_wrong);
async fn the_right_password_of_an_unverified_account_counts_as_wrong(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let browser = site.browser();
    browser.post("/register", &form("kim")).await;
    for email in ["kim@example.org", "x@example.org"] {
        for _ in 0..5 {
            assert_refused!(browser.try_sign_in(email, PASSWORD), InvalidCredentials);
        }
        let response = site.browser().try_sign_in(email, PASSWORD).await;
        assert_eq!(response.status, 429, "{email}");
        site.advance("5m");
    }
}

on_both_databases!(a_username_is_reserved_until_unverified_accounts_expire);
async fn a_username_is_reserved_until_unverified_accounts_expire(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    site.member("olive").await;
    for (name, email) in [("taken", "olive@example.org"), ("free", "free@example.org")] {
        let first = form_with(name, &json!({ "email": email }));
        assert_status!(site.browser().post("/register", &first), 201);
        let second = form_with(name, &json!({"email": "other@example.org"}));
        let response = site.browser().post("/register", &second).await;
        response.assert_username_in_use();
    }
    site.advance("7d 1s");
    site.run_expiry().await;
    for name in ["taken", "free"] {
        assert_status!(site.browser().post("/register", &form(name)), 201);
    }
}

on_both_databases!(a_reserved_username_is_refused_except_for_old_accounts);
async fn a_reserved_username_is_refused_except_for_old_accounts(db: Database) {
    let site = db.site().await;
    for name in ["admin", "Support", "ROOT"] {
        let form = form_with(name, &json!({"email": "kim@example.org"}));
        let response = site.browser().post("/register", &form).await;
        response.assert_field_errors(
            ErrorCode::UsernameInUse,
            &[("username", FieldRule::UsernameReserved)],
        );
    }
    site.import_accounts(&[crate::old_accounts::old("staff")])
        .await;
    let token = completion_token(&site, "staff@example.org").await;
    let response = confirm(&site.browser(), &token, "Orange-Tree-42").await;
    response.assert_json(
        200,
        &json!({"email": "staff@example.org", "username": "staff"}),
    );
}

on_both_databases!(a_device_keeps_its_newest_twenty_sessions);
async fn a_device_keeps_its_newest_twenty_sessions(db: Database) {
    let site = db.site_without_limits().await;
    let kim = site.signed_in("kim").await;
    let first = kim.browser.copy();
    for _ in 0..20 {
        site.advance("1s");
        kim.browser.remove_cookie("session");
        assert_status!(kim.try_sign_in(&kim.browser), 200);
    }
    assert_eq!(site.count("sessions").await, 20);
    first.assert_signed_out().await;
    assert_eq!(kim.browser.get("/users/me").await.status, 200);
}

on_both_databases!(registrations_do_not_use_up_the_budget_of_reset_mails);
async fn registrations_do_not_use_up_the_budget_of_reset_mails(db: Database) {
    let site = db.strict_site().await;
    let kim = site.signed_in("kim").await;
    for n in 0..12 {
        let form = form_with(&format!("s{n}"), &json!({"email": kim.email}));
        assert_eq!(site.browser().post("/register", &form).await.status, 201);
    }
    let mails = site
        .count("kept_mail WHERE recipient = 'kim@example.org'")
        .await;
    assert!(mails <= 11, "{mails}");
    site.browser().request_reset(&kim.email).await;
    assert_eq!(site.count("outbox WHERE kind = 'reset_password'").await, 1);
    kim.assert_needs_approval(&kim.new_browser()).await;
    assert_eq!(site.count("outbox WHERE kind = 'approve_device'").await, 1);
    db.allow_unread_mails();
}

#[test]
fn recovery_mails_have_their_own_budgets() {
    for kind in [
        MailKind::ResetPassword,
        MailKind::Migrate,
        MailKind::CompleteMigration,
    ] {
        assert_eq!(kind.budget(), Some(MailBudget::Recovery));
    }
    assert_eq!(MailKind::ApproveDevice.budget(), Some(MailBudget::Approval));
    for kind in [
        MailKind::AccountExists,
        MailKind::EmailAddressTaken,
        MailKind::LegacyAccountExists,
    ] {
        assert_eq!(kind.budget(), Some(MailBudget::CausedByAnybody));
    }
}
