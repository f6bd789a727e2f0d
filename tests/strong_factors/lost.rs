//! The way back after a lost passkey: the same wait as for a lost authenticator app.

use super::{Factors, holder, with_password};
use crate::nodes::browser_on_node;
use crate::passkeys;
use crate::second_factor::{fetch_security, first_step, second_step};
use crate::support::prelude::*;

async fn site(db: &Database) -> Site {
    db.allow_unread_mails();
    db.site_with(|c| {
        allow_new_devices(c);
        c.lifetimes.session_idle = "30d".parse().unwrap();
    })
    .await
}

async fn request(browser: &Browser) -> Response {
    browser.post_defaults("/second-factor/reset").await
}

on_both_databases!(
    a_session_with_a_recent_password_requests_the_removal_of_lost_factors,
    only_an_account_with_a_strong_factor_has_one_to_lose,
    the_sessions_fall_to_level_one_with_the_last_strong_factor,
);

// security: TF-7
async fn a_session_with_a_recent_password_requests_the_removal_of_lost_factors(db: Database) {
    let site = site(&db).await;
    for factors in [Factors::App, Factors::Passkey, Factors::Both] {
        let owner = holder(&site, &format!("{factors:?}").to_lowercase(), factors).await;
        let browser = &owner.browser;
        // A sign-in with the password alone, as on a trusted device.
        let sql =
            "UPDATE sessions SET methods = 'password', level_two_at = NULL, authenticated_at = $1";
        site.execute(sql, params![site.now()]).await;
        site.advance("10m");
        assert_code!(request(browser), ReauthenticationRequired);
        site.execute(sql, params![site.now()]).await;
        let at = assert_status!(request(browser), 202).json()["at"].clone();
        assert_eq!(at, rfc3339(site.now() + 7 * 86_400_000));
        assert_eq!(fetch_security(browser).await["second_factor_reset_at"], at);
        assert_eq!(
            request(browser).await.json()["at"],
            at,
            "a pending reset stays"
        );

        site.mails().await;
        site.advance("7d");
        let link = json!({"token": site.last_token_to(&owner.email, "").await});
        assert_ok!(site.browser().post("/second-factor/reset/confirm", &link));
        browser.assert_signed_out().await;
        for table in ["credentials", "totp", "recovery_codes"] {
            site.assert_count(table, 0).await;
        }
        let mails = site.mails().await;
        for (was_held, words) in [
            (factors.has_passkey(), "passkey was removed"),
            (factors.has_app(), "Two-step verification is off"),
        ] {
            let is_told = mails.iter().any(|mail| mail.subject.contains(words));
            assert_eq!(is_told, was_held, "{factors:?} {words}: {mails:?}");
        }
        let browser = with_password(&owner).await;
        assert_eq!(fetch_security(&browser).await["passkeys"], 0);
        // The first strong factor needs only the password again.
        assert_ok!(browser.post_defaults("/passkeys/options"));
    }
}

async fn only_an_account_with_a_strong_factor_has_one_to_lose((site, ada): (Site, Person)) {
    assert_refused!(request(&ada.browser), SecondFactorOff);
    assert_refused!(request(&site.browser()), Unauthenticated);
}

// security: LV-8
async fn the_sessions_fall_to_level_one_with_the_last_strong_factor(db: Database) {
    let nodes = [site(&db).await, site(&db).await];
    for factors in [Factors::Passkey, Factors::App, Factors::Both] {
        let name = format!("{factors:?}").to_lowercase();
        let mut owner = holder(&nodes[0], &name, factors).await;
        nodes[0].advance("30s");
        let other = owner.new_browser();
        let signed_in = match &owner.app {
            Some(app) => {
                let token = first_step(&owner, &other).await;
                second_step(&other, &token, &app.code(nodes[0].now())).await
            }
            None => passkeys::sign_in(&other, &mut owner.authenticator).await,
        };
        assert_eq!(signed_in.status, 200, "{factors:?}");
        let there = browser_on_node(&nodes[1], &other);
        let own = &owner.browser;
        let levels = async || {
            let mut levels = Vec::new();
            for browser in [own, &other, &there] {
                levels.push(fetch_security(browser).await["aal"].clone());
            }
            levels
        };
        assert_eq!(levels().await, [2, 2, 2], "{factors:?}");
        if factors.has_app() {
            own.delete("/second-factor").await.assert_empty();
        }
        if factors.has_passkey() {
            assert_eq!(
                levels().await,
                [2, 2, 2],
                "{factors:?}: the passkey is left"
            );
            let path = passkeys::first_path(own).await;
            assert_ok!(own.delete(&path));
        }
        assert_eq!(levels().await, [1, 1, 1], "{factors:?}");
        // The proof is still a recent one, with which a person sets up the first factor again.
        assert_ok!(there.post_defaults("/passkeys/options"));
    }
}
