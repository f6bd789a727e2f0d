//! Passkeys of several hosts: related origins, and the files at the root of a host.

use account::config::{PasskeyScope, Region};

use super::person_and_passkey;
use crate::support::prelude::*;

/// A site whose regions use the passkeys of its default host, their own passkeys, or none.
async fn site_with_every_scope(db: Database) -> Site {
    let region = |id: &str, passkeys| Region {
        id: id.into(),
        hosts: vec![format!("{id}.example")],
        passkeys,
        ..Region::default()
    };
    db.site_with(|c| {
        c.regions.push(region("related", PasskeyScope::Related));
        c.regions.push(region("own", PasskeyScope::Own));
        c.regions.push(region("off", PasskeyScope::Off));
    })
    .await
}

on_both_databases!(
    the_host_of_the_relying_party_lists_its_related_origins,
    the_security_summary_tells_whether_a_passkey_works_on_this_host,
);

async fn the_host_of_the_relying_party_lists_its_related_origins(db: Database) {
    let site = site_with_every_scope(db).await;
    let browser = site.browser();
    let path = "/.well-known/webauthn";
    let get = |host: &'static str| browser.send(Request::get(path).header("host", host));
    let stated = assert_ok!(get("localhost:8080"));
    let cached = stated.header("cache-control").unwrap().to_owned();
    assert!(cached.contains("max-age=3600"), "{cached}");
    let origins = json!(["http://localhost:8080", "http://related.example:8080"]);
    assert_eq!(stated.json(), json!({"origins": origins}));
    for other in ["related.example", "own.example", "off.example"] {
        assert_eq!(get(other).await.status, 404, "{other}");
    }
    let pages = browser
        .send(Request::get("/.well-known/passkey-endpoints").header("host", "localhost:8080"))
        .await;
    let page = Value::from("http://localhost:8080/account/settings/security");
    assert_eq!(pages.json(), json!({"enroll": page, "manage": page}));
}

async fn the_security_summary_tells_whether_a_passkey_works_on_this_host(db: Database) {
    let site = site_with_every_scope(db).await;
    let (ada, _) = person_and_passkey(&site, "ada").await;
    for (host, works) in [
        ("localhost:8080", true),
        ("related.example:8080", true),
        ("own.example:8080", false),
        ("off.example:8080", false),
    ] {
        let request = Request::get("/account/account-api/security").header("host", host);
        let summary = ada.browser.send(request).await.json();
        assert_eq!(summary["passkeys"], 1, "{host}");
        assert_eq!(summary["passkey_on_this_site"], works, "{host}");
    }
}
