//! The content of responses: the same for every address, except where a profile reveals it on purpose.

use account::config::{Config, Profile};

use super::measure::{measure_interleaved, observable_response, registration};
use super::people::{OLD_PASSWORD, People};
use super::routes;
use crate::support::prelude::*;

async fn site(db: &Database, profile: Profile) -> (Site, People) {
    db.allow_unread_mails();
    let site = db
        .site_with(|config| {
            config.security.profile = profile;
            config.limits.enabled = false;
        })
        .await;
    let people = People::create(&site).await;
    (site, people)
}

on_both_databases!(
    profile_spec_reveals_an_address_only_where_specified,
    only_the_right_legacy_password_reveals_the_legacy_account,
    an_invalid_form_does_not_reveal_whether_its_address_is_taken,
    a_taken_username_is_reported_last_and_without_its_owner,
);

// security: EN-4
async fn profile_spec_reveals_an_address_only_where_specified(db: Database) {
    db.allow_unread_mails();
    let live = db.live_site_with(|c| c.limits.enabled = false).await;
    let people = People::create(&live.site).await;
    let mut client = live.client().await;
    for mut route in routes::uniform_routes(&people) {
        match route.path {
            "/migration" | "/resend-verification" => {}
            // The screen sends the owner of an unmigrated account to the migration, so this response reveals it.
            "/reset-password" => route.classes.retain(|(name, _)| *name != "L"),
            _ => continue,
        }
        measure_interleaved(&mut client, route.path, &route.classes, 0..2).await;
    }
    let mut sign_in = routes::sign_in(&people);
    sign_in.classes.retain(|(name, _)| *name != "L");
    measure_interleaved(&mut client, sign_in.path, &sign_in.classes, 0..2).await;
}

// security: EN-8
async fn only_the_right_legacy_password_reveals_the_legacy_account(db: Database) {
    let (site, people) = site(&db, Profile::Strict).await;
    let browser = site.browser();
    for (email, password, tells) in [
        (&people.l, OLD_PASSWORD, false),
        (&people.l_hash, "Wrong-Horse-7", false),
        (&people.l_hash, "quiet-river-7", false),
        (&people.l_hash, OLD_PASSWORD, true),
        (&people.v.email, OLD_PASSWORD, false),
    ] {
        let response = browser.try_sign_in(email, password).await;
        if tells {
            response.assert_error(ErrorCode::NeedsMigration);
        } else {
            response.assert_error(ErrorCode::InvalidCredentials);
        }
        let header = response.header("x-needs-migration");
        assert_eq!(header, tells.then_some("true"), "{email}");
        assert_eq!(response.set_cookies().count(), 0);
    }
}

// security: EN-6
async fn an_invalid_form_does_not_reveal_whether_its_address_is_taken(db: Database) {
    let (spec, people) = site(&db, Profile::Spec).await;
    let strict = |config: &mut Config| {
        config.security.profile = Profile::Strict;
        config.limits.enabled = false;
    };
    for site in [spec, db.site_with(strict).await] {
        let browser = site.browser();
        let addresses = [
            people.v.email.as_str(),
            &people.u.email,
            &people.l,
            "n000000@example.org",
        ];
        for fault in [
            json!({"password": "short"}),
            json!({"password": "lemon-tree-42"}),
            json!({"zipcode": "!"}),
            json!({"country": null}),
            json!({"birthday_day": 31, "birthday_month": 2}),
            json!({"birthday_year": 2020}),
            json!({"username": "no spaces"}),
            json!({"username": "", "password": "", "country": "", "zipcode": ""}),
        ] {
            let mut seen: Vec<String> = Vec::new();
            for email in addresses {
                let mut form = form_with("fresh00", &fault);
                form["email"] = email.into();
                let response = browser.post("/register", &form).await;
                assert_eq!(response.status, 422, "{fault}");
                // The counter of under-age attempts would change the next response.
                browser.remove_cookie("attempts");
                seen.push(observable_response(&response, &form));
            }
            seen.dedup();
            assert_eq!(seen.len(), 1, "{fault}: {seen:#?}");
        }
    }
}

// security: EN-9, EN-6
async fn a_taken_username_is_reported_last_and_without_its_owner(db: Database) {
    let (site, people) = site(&db, Profile::Strict).await;
    let browser = site.browser();
    let mut responses = Vec::new();
    for email in [
        "n000000@example.org", &people.v.email, &people.v2.email, &people.u.email, &people.l,
    ] {
        let mut form = registration(email, "Member0");
        form["zipcode"] = Value::from("!");
        let response = browser.post("/register", &form).await;
        response.assert_invalid_field("zipcode", FieldRule::ZipcodeInvalid);
        form["zipcode"] = "90210".into();
        let response = browser.post("/register", &form).await;
        response.assert_username_in_use();
        assert!(!response.text().contains('@'));
        responses.push(observable_response(&response, &form));
    }
    responses.dedup();
    assert_eq!(responses.len(), 1);
}
