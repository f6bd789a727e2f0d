//! The details that a person has entered about themselves.

use crate::support::prelude::*;

const DETAILS: &str =
    "UPDATE accounts SET first_name = 'Ada', last_name = 'Lovelace', country = 'de',
                       zipcode = '10115', birthday = '1990-12-10'";

on_both_databases!(
    a_person_reads_their_own_details,
    details_that_the_account_does_not_have_are_null,
    the_details_require_a_session_and_a_recent_proof,
    a_password_alone_does_not_show_the_details_of_an_account_with_an_app,
);

async fn a_person_reads_their_own_details((site, ada): (Site, Person)) {
    site.execute(DETAILS, &[]).await;
    site.signed_in("bob").await;
    let details = json!({"first_name": "Ada", "last_name": "Lovelace", "country": "de",
        "zipcode": "10115", "birthday": "1990-12-10"});
    assert_json!(ada.browser.get("/profile"), 200, &details);
}

async fn details_that_the_account_does_not_have_are_null((site, ada): (Site, Person)) {
    let sql = "UPDATE accounts SET first_name = NULL, last_name = NULL, zipcode = '', country = '',
               birthday = '1990-12-01'";
    site.execute(sql, &[]).await;
    let details = json!({"first_name": null, "last_name": null, "country": null, "zipcode": null,
        "birthday": "1990-12-01"});
    assert_json!(ada.browser.get("/profile"), 200, &details);
}

async fn the_details_require_a_session_and_a_recent_proof((site, ada): (Site, Person)) {
    assert_refused!(site.browser().get("/profile"), Unauthenticated);
    site.advance("10m");
    let refused = ada.browser.get("/profile").await;
    refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(refused.json()["methods"], json!(["password"]));
    assert!(!refused.text().contains("birthday"), "{}", refused.text());
    ada.browser.reauthenticate(&ada.credentials()).await;
    assert_ok!(ada.browser.get("/profile"));
}

async fn a_password_alone_does_not_show_the_details_of_an_account_with_an_app(
    (site, ada): (Site, PersonWithSecondFactor),
) {
    let browser = &ada.browser;
    site.advance("10m");
    let refused = browser.get("/profile").await;
    refused.assert_error_with_data(ErrorCode::ReauthenticationRequired);
    assert_eq!(refused.json()["methods"], json!(["password", "totp"]));
    ada.reauthenticate().await;
    assert_ok!(browser.get("/profile"));
}
