//! An immediate deletion ends the sessions of the account as a sign-out does.

use account::testing::clock::Clock;

use crate::oidc::{CALLBACK, site_with_provider, wiki};
use crate::support::prelude::*;
use crate::users::run_successfully;

/// The settings of the command, whose application and subscriber listen for ended sessions.
fn settings() -> String {
    let secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    format!(
        "[oidc]\nenabled = true\n\
         [[oidc.clients]]\nid = 'wiki'\nname = 'wiki of ours'\nredirect_uris = ['{CALLBACK}']\n\
         backchannel_logout_uri = 'https://wiki.example.org/logout'\n\
         [[webhooks]]\nurl = 'https://hooks.example.org/'\nsecret = '{secret}'\n"
    )
}

on_both_databases!(an_immediate_deletion_is_reported_as_the_end_of_the_sessions);
async fn an_immediate_deletion_is_reported_as_the_end_of_the_sessions(db: Database) {
    // The command has the system clock, by which the session must be live.
    let now = rfc3339(Clock::System.millis());
    db.site().await.set_clock(&now);
    let site = site_with_provider(&db).await;
    let ada = site.signed_in("ada").await;
    wiki().tokens(&site, &ada.browser).await;
    wiki().code(&ada.browser).await;
    site.assert_count("oidc_codes WHERE spent_at IS NULL", 1)
        .await;
    std::fs::write(db.folder().join("account.toml"), settings()).unwrap();
    let delete = ["users", "delete", "--now", "--email", &ada.email];
    run_successfully(&db, &[&delete[..], &["--config", "account.toml"]].concat());
    for (rows, number) in [
        ("accounts", 0),
        ("oidc_codes", 0),
        ("oidc_tokens", 0),
        ("deliveries WHERE kind = 'backchannel_logout'", 1),
        ("deliveries WHERE facts LIKE '%sessions.ended%'", 1),
        ("deliveries WHERE facts LIKE '%account.deleted%'", 1),
    ] {
        site.assert_count(rows, number).await;
    }
}
