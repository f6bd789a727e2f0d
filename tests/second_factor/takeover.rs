//! A thief with a session, and what the activity says of the second factor.

use account::testing::error::ErrorCode;
use serde_json::json;

use super::{recovery_codes_in, turn_on};
use crate::activity::event_kinds;
use crate::support::{Database, allow_new_devices};

// security: TF-3: a session from before the enrolment of the second factor does not count as a session with it.
on_both_databases!(a_session_stolen_before_the_setup_cannot_turn_the_second_factor_off);
async fn a_session_stolen_before_the_setup_cannot_turn_the_second_factor_off(db: Database) {
    let site = db.allow_unread_mails().site_with(allow_new_devices).await;
    let ada = site.signed_in("ada").await;
    let other = ada.new_browser();
    ada.sign_in(&other).await;
    let ada = turn_on(&site, ada).await;
    other
        .delete("/second-factor")
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    other
        .post("/passkeys/options", &json!({}))
        .await
        .assert_error_with_data(ErrorCode::ReauthenticationRequired);
    // The session stays valid.
    ada.person.assert_signed_in(&other).await;
}

on_both_databases!(the_activity_lists_every_change_of_the_second_factor);
async fn the_activity_lists_every_change_of_the_second_factor(db: Database) {
    let (site, person) = db.allow_unread_mails().site_with_signed_in("ada").await;
    site.advance("1m");
    let ada = turn_on(&site, person).await;
    let browser = &ada.person.browser;
    site.advance("1m");
    let token = ada.first_step(browser).await;
    assert_status!(super::second_step(browser, &token, &ada.codes[0]), 200);
    recovery_codes_in(
        &browser
            .post("/second-factor/recovery-codes", &json!({}))
            .await,
    );
    let stranger = site.browser();
    let token = ada.first_step(&stranger).await;
    stranger.request_factor_reset(&token).await;
    browser.delete("/second-factor").await.assert_empty();
    let kinds = event_kinds(browser).await;
    let mut kinds = kinds[kinds.len() - 7..].to_vec();
    // Events with the same timestamp have no order.
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            "recovery_code_used", "recovery_codes_regenerated", "second_factor_disabled",
            "second_factor_enabled", "second_factor_reset_cancelled",
            "second_factor_reset_requested", "signed_in",
        ]
    );
}
