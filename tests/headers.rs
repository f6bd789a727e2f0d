//! The complete headers of every kind of response.

use std::collections::BTreeMap;

use account::config::Profile;

use crate::support::prelude::*;

fn visible_headers(response: &Response) -> BTreeMap<String, String> {
    let hidden = ["content-length", "x-request-id", "etag", "set-cookie"];
    let headers = response.headers.iter().map(|(name, value)| {
        let value = if hidden.contains(&name.as_str()) {
            "…"
        } else {
            value.to_str().unwrap()
        };
        // The policy contains the digest of the page's script; tests/pages.rs compares it with the script.
        let value = value
            .split("sha256-")
            .enumerate()
            .map(|(at, part)| match at {
                0 => part.to_owned(),
                _ => format!("sha256-…{}", &part[part.find('\'').unwrap_or_default()..]),
            });
        (name.to_string(), value.collect::<String>())
    });
    headers
        .chain([("status".to_owned(), response.status.as_u16().to_string())])
        .collect()
}

on_sqlite!(
    every_kind_of_response_has_its_security_headers,
    hsts_includes_subdomains_only_if_configured,
);

// security: HD-1, HD-4, HD-8, SE-11
async fn every_kind_of_response_has_its_security_headers(db: Database) {
    let (site, ada) = db
        .site_with_ada(|c| {
            c.server.public_url = "https://www.example.org".into();
            c.limits.signup_ip = "1/m".parse().unwrap();
            c.security.profile = Profile::Spec;
        })
        .await;
    let (browser, stranger) = (&ada.browser, site.browser());
    // Stored mails are shown only where `public_url` is this machine.
    let home = db
        .site_with(|c| c.server.public_url = "https://localhost".into())
        .await;
    let at_home = home.browser();
    let mut kinds = BTreeMap::new();
    for (name, response) in [
        ("api 200", browser.get("/users/me").await),
        (
            "api 201",
            site.browser().post("/register", &form("bob")).await,
        ),
        (
            "api 204 sign-out",
            ada.browser.copy().post_empty("/devices/sign-out-all").await,
        ),
        (
            "api 400",
            browser.send_with(browser.post_request("/login"), "{").await,
        ),
        ("api 401", stranger.get("/users/me").await),
        (
            "api 403",
            browser
                .send(Request::post("/account/account-api/logout").header("origin", "null"))
                .await,
        ),
        ("api 404", browser.get("/nothing").await),
        ("api 405", browser.get("/login").await),
        (
            "api 413",
            browser
                .send_with(browser.post_request("/login"), " ".repeat(1 << 15))
                .await,
        ),
        (
            "api 415",
            browser
                .send_with(browser.fetch(Method::POST, "/login"), "{}")
                .await,
        ),
        ("api 422", browser.post_defaults("/login").await),
        ("api 429", {
            stranger.post_defaults("/register").await;
            stranger.post_defaults("/register").await
        }),
        ("fragment", browser.get("/ui/header").await),
        ("health", browser.send(Request::get("/healthz")).await),
        ("page", browser.open("/account/").await),
        ("page not found", browser.open("/account/nowhere").await),
        ("file not found", browser.open("/account/assets/x.js").await),
        ("redirect", browser.open("/").await),
        ("kept mails", at_home.open("/account/dev/mail").await),
        ("translations", browser.get("/translations/en").await),
    ] {
        kinds.insert(name, visible_headers(&response));
    }
    site.mail_to("bob@example.org").await;
    insta::assert_json_snapshot!("headers_of_every_kind_of_answer", kinds);
}

async fn hsts_includes_subdomains_only_if_configured(db: Database) {
    for (subdomains, expected) in [
        (false, "max-age=31536000"),
        (true, "max-age=31536000; includeSubDomains"),
    ] {
        let site = db.site_with(|c| {
            c.server.public_url = "https://www.example.org".into();
            c.server.hsts_subdomains = subdomains;
        });
        let browser = site.await.browser();
        let health = browser.send(Request::get("/healthz")).await;
        health.assert_header("strict-transport-security", expected);
    }
}
