//! The details that a person has entered about themselves.

use account::testing::error::ErrorCode;
use serde_json::json;

use crate::second_factor::person_with_second_factor;
use crate::support::Database;

const DETAILS: &str =
    "UPDATE accounts SET first_name = 'Ada', last_name = 'Lovelace', country = 'de',
                       zipcode = '10115', birthday = '1990-12-10'";

on_both_databases!(a_person_reads_their_own_details);
async fn a_person_reads_their_own_details(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    site.execute(DETAILS, &[]).await;
    site.signed_in("bob").await;
    let details = json!({"first_name": "Ada", "last_name": "Lovelace", "country": "de",
        "zipcode": "10115", "birthday": "1990-12-10"});
    assert_json!(ada.browser.get("/profile"), 200, &details);
}

on_both_databases!(details_that_the_account_does_not_have_are_null);
async fn details_that_the_account_does_not_have_are_null(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    let sql = "UPDATE accounts SET first_name = NULL, last_name = NULL, zipcode = '', country = '',
               birthday = '1990-12-01'";
    site.execute(sql, &[]).await;
    let details = json!({"first_name": null, "last_name": null, "country": null, "zipcode": null,
        "birthday": "1990-12-01"});
    assert_json!(ada.browser.get("/profile"), 200, &details);
}

on_both_databases!(the_details_require_a_session_and_a_recent_proof);
async fn the_details_require_a_session_and_a_recent_proof(db: Database) {
    let (site, ada) = db.site_with_signed_in("ada").await;
    assert_refused!(site.browser().get("/profile"), Unauthenticated);
    site.advance("10m");
    let refused = ada.browser.get("/profile").await;
    refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(refused.json()["methods"], json!(["password"]));
    assert!(!refused.text().contains("birthday"), "{}", refused.text());
    ada.browser.reauthenticate(&ada.credentials()).await;
    assert_status!(ada.browser.get("/profile"), 200);
}

on_both_databases!(a_password_alone_does_not_show_the_details_of_an_account_with_an_app);
async fn a_password_alone_does_not_show_the_details_of_an_account_with_an_app(db: Database) {
    let site = db.site().await;
    let ada = person_with_second_factor(&site, "ada").await;
    let browser = &ada.person.browser;
    site.advance("10m");
    let refused = browser.get("/profile").await;
    refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(refused.json()["methods"], json!(["password", "totp"]));
    let mut proof = ada.person.credentials();
    proof["code"] = json!(ada.code(&site));
    browser.reauthenticate(&proof).await;
    assert_status!(browser.get("/profile"), 200);
}
