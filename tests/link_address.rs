//! The address that a link which sets a password was mailed to, and the details that the older system knew.

use account::config::CompletionVariant;

use crate::migration_completion::{complete, completion_token};
use crate::old_accounts::old_with;
use crate::password_reset::confirm_reset;
use crate::support::prelude::*;

async fn ask(browser: &Browser, token: &str) -> Response {
    browser
        .post("/link-address", &json!({ "token": token }))
        .await
}

on_both_databases!(
    only_the_holder_of_a_valid_reset_link_learns_its_address,
    a_link_of_another_purpose_tells_no_address,
    the_holder_of_a_completion_link_learns_the_details_that_the_form_asks_for,
    the_short_form_learns_neither_names_nor_the_day_of_birth,
    a_migration_link_tells_no_details,
);

async fn only_the_holder_of_a_valid_reset_link_learns_its_address(Member(site, ada): Member) {
    let stranger = site.browser();
    let token = ada.reset_token(&stranger).await;
    for _ in 0..2 {
        assert_json!(ask(&stranger, &token), 200, &json!({"email": ada.email}));
    }
    for unknown in ["", "x", &"x".repeat(43)] {
        assert_refused!(ask(&stranger, unknown), InvalidToken);
    }
    assert_ok!(confirm_reset(&ada.browser, &token, "Orange-Tree-43"));
    ada.mail().await;
    assert_refused!(ask(&stranger, &token), InvalidToken);
}

async fn a_link_of_another_purpose_tells_no_address(site: Site) {
    let (ada, token) = site.registered("ada").await;
    assert_refused!(ask(&ada.browser, &token), InvalidToken);
}

/// Imports a legacy account with these changes. Returns the token of its completion link.
async fn incomplete(site: &Site, name: &str, changes: &Value) -> String {
    site.import_accounts(&[old_with(name, changes)]).await;
    completion_token(site, &format!("{name}@example.org")).await
}

async fn the_holder_of_a_completion_link_learns_the_details_that_the_form_asks_for(site: Site) {
    let changes = json!({"zipcode": null, "birthday_day": null, "birthday_year": null});
    let token = incomplete(&site, "ada", &changes).await;
    let ada = json!({
        "email": "ada@example.org",
        "known": {
            "first_name": "Ada",
            "last_name": "Ampère",
            "country": "de",
            "birthday_day": null,
            "birthday_month": 11,
            "birthday_year": null,
            "zipcode": null,
        },
    });
    let stranger = site.browser();
    for _ in 0..2 {
        assert_json!(ask(&stranger, &token), 200, &ada);
    }
    for unknown in ["", "x", &"x".repeat(43)] {
        assert_refused!(ask(&stranger, unknown), InvalidToken);
    }
    assert_ok!(complete(&stranger, &token, &json!({})));
    assert_refused!(ask(&stranger, &token), InvalidToken);

    let token = incomplete(&site, "bob", &json!({"username": null})).await;
    let known = ask(&stranger, &token).await.json()["known"].clone();
    assert_eq!(known["birthday_day"], 30);
    assert_eq!(
        (&known["zipcode"], &known["birthday_year"]),
        (&json!("10115"), &json!(1990))
    );
    site.advance("24h");
    assert_refused!(ask(&stranger, &token), InvalidToken);
}

async fn the_short_form_learns_neither_names_nor_the_day_of_birth(db: Database) {
    let site = db
        .site_with(|c| c.regions[0].migration_form = CompletionVariant::Short)
        .await;
    let token = incomplete(&site, "ada", &json!({"zipcode": null})).await;
    let known = json!({
        "first_name": null,
        "last_name": null,
        "country": "de",
        "birthday_day": null,
        "birthday_month": 11,
        "birthday_year": 1990,
        "zipcode": null,
    });
    let answer = json!({"email": "ada@example.org", "known": known});
    assert_json!(ask(&site.browser(), &token), 200, &answer);
}

async fn a_migration_link_tells_no_details(site: Site) {
    let token = incomplete(&site, "ada", &json!({})).await;
    assert_refused!(ask(&site.browser(), &token), InvalidToken);
}
