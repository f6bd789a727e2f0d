//! Profile `strict`: the responses that a stranger gets for an unverified registration, and the mails to its address.

use account::testing::mail::MailKind;
use account::testing::rate_limit::MailBudget;

use crate::migration::confirm;
use crate::migration_completion::completion_token;
use crate::old_accounts::old;
use crate::support::prelude::*;

on_both_databases!(
    an_unverified_account_signs_in_like_an_unknown_address,
    the_right_password_of_an_unverified_account_counts_as_wrong,
    a_username_is_reserved_until_unverified_accounts_expire,
    a_reserved_username_is_refused_except_for_old_accounts,
    a_device_keeps_its_newest_twenty_sessions,
    registrations_do_not_use_up_the_budget_of_reset_mails,
);

// Any other response would reveal that the registered address was free.
async fn an_unverified_account_signs_in_like_an_unknown_address(db: Database) {
    let site = db.strict_site().await;
    let (kim, _) = site.registered("kim").await;
    let response = kim.try_sign_in(&kim.browser).await;
    response.assert_error(ErrorCode::InvalidCredentials);
    assert_eq!(response.set_cookies().count(), 0);
    let token = kim.mailed_token().await;
    assert_ok!(kim.browser.confirm_email(&token));
    kim.sign_in(&kim.browser).await;
}

async fn the_right_password_of_an_unverified_account_counts_as_wrong(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let browser = site.browser();
    browser.post("/register", &form("kim")).await;
    for email in ["kim@example.org", "x@example.org"] {
        for _ in 0..5 {
            assert_refused!(browser.try_sign_in(email, PASSWORD), InvalidCredentials);
        }
        assert_refused!(site.browser().try_sign_in(email, PASSWORD), RateLimited);
        site.advance("5m");
    }
}

async fn a_username_is_reserved_until_unverified_accounts_expire(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    site.member("olive").await;
    for (name, email) in [("taken", "olive@example.org"), ("free", "free@example.org")] {
        let browser = site.browser();
        assert_status!(browser.register(name, &json!({"email": email})), 201);
        let other = json!({"email": "other@example.org"});
        let response = site.browser().register(name, &other).await;
        response.assert_username_in_use();
    }
    site.advance("7d 1s");
    site.run_expiry().await;
    for name in ["taken", "free"] {
        assert_status!(site.browser().post("/register", &form(name)), 201);
    }
}

async fn a_reserved_username_is_refused_except_for_old_accounts(site: Site) {
    let reserved = [("username", FieldRule::UsernameReserved)];
    for name in ["admin", "Support", "ROOT"] {
        let response = site.browser().post("/register", &form(name)).await;
        response.assert_field_errors(ErrorCode::UsernameInUse, &reserved);
    }
    let email = "staff@example.org";
    site.import_accounts(&[old("staff")]).await;
    let token = completion_token(&site, email).await;
    let moved = confirm(&site.browser(), &token, "Orange-Tree-42").await;
    moved.assert_json(200, &json!({"email": email, "username": "staff"}));
}

async fn a_device_keeps_its_newest_twenty_sessions(Unlimited(site): Unlimited) {
    let kim = site.signed_in("kim").await;
    let first = kim.browser.copy();
    for _ in 0..20 {
        site.advance("1s");
        kim.browser.remove_cookie("session");
        assert_ok!(kim.try_sign_in(&kim.browser));
    }
    site.assert_count("sessions", 20).await;
    first.assert_signed_out().await;
    assert_ok!(kim.browser.get("/users/me"));
}

async fn registrations_do_not_use_up_the_budget_of_reset_mails(db: Database) {
    let site = db.allow_unread_mails().strict_site().await;
    let kim = site.signed_in("kim").await;
    for n in 0..12 {
        let registered = site.browser();
        let changes = json!({"email": kim.email});
        assert_status!(registered.register(&format!("s{n}"), &changes), 201);
    }
    let mails = site
        .count("kept_mail WHERE recipient = 'kim@example.org'")
        .await;
    assert!(mails <= 11, "{mails}");
    site.browser().request_reset(&kim.email).await;
    kim.assert_needs_approval(&kim.new_browser()).await;
    for kind in ["reset_password", "approve_device"] {
        site.assert_count(&format!("outbox WHERE kind = '{kind}'"), 1)
            .await;
    }
}

#[test]
fn recovery_mails_have_their_own_budgets() {
    for (budget, kinds) in [
        (
            MailBudget::Recovery,
            &[
                MailKind::ResetPassword,
                MailKind::Migrate,
                MailKind::CompleteMigration,
            ][..],
        ),
        (MailBudget::Approval, &[MailKind::ApproveDevice]),
        (
            MailBudget::CausedByAnybody,
            &[
                MailKind::AccountExists,
                MailKind::EmailAddressTaken,
                MailKind::LegacyAccountExists,
            ],
        ),
    ] {
        for kind in kinds {
            assert_eq!(kind.budget(), Some(budget));
        }
    }
}
