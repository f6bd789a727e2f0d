//! Raw paths, not normalised by a client. The response is a page, a redirect within the site, or not
//! found; never a file of the machine or personal data.

use crate::support::prelude::*;

const SECRET_FILES: [&str; 6] = [
    "/account/.env", "/account/.git/config", "/account/assets/nope.js",
    "/account/assets/index.js.map", "/account/index.html", "/account/Cargo.toml",
];

const TRAVERSALS: [&str; 10] = [
    "/account/../Cargo.toml",
    "/account/assets/../../../../etc/passwd",
    "/account/%2e%2e%2f%2e%2e%2fetc/passwd",
    "/account/assets/%2e%2e/%2e%2e/Cargo.toml",
    "/account/..%5c..%5cCargo.toml",
    "/account/..\\Cargo.toml",
    "/account/assets/..%00/x.js",
    "/account/%c0%ae%c0%ae/Cargo.toml",
    "/account//etc/passwd.txt",
    "/account/file:///etc/passwd.txt",
];

/// Other spellings of our own paths.
const SPELLINGS: [&str; 15] = [
    "//account/",
    "/account//",
    "/account/./settings",
    "/account/settings/",
    "/ACCOUNT/settings",
    "/account/SETTINGS",
    "/%61ccount/settings",
    "/%2faccount/settings",
    "/account%2fsettings",
    "/account/settings;x=1",
    "/account/settings%20",
    "/account/account-api//users/me",
    "/account//account-api/users/me",
    "/account/x/../account-api/users/me",
    "/account/account-api/users/me/",
];

/// File names with extensions that caches store, appended to paths with personal data.
const DECEPTIONS: [&str; 7] = [
    "/account/account-api/users/me/x.css",
    "/account/account-api/users/me;.css",
    "/account/account-api/users/me%2Fx.js",
    "/account/account-api/users/me.js",
    "/account/account-api/users/me%00.css",
    "/account/account-api/users/me%3f.css",
    "/account/settings/a.js",
];

on_sqlite!(path_traversal_is_refused, a_forged_language_reads_no_file,);

// security: HD-5, HD-7, BI-12
async fn path_traversal_is_refused(live: LiveSite) {
    let ada = live.site.signed_in("ada").await;
    let session = ada.browser.cookie("session").unwrap();
    let mut client = live.client().await;
    client.headers += &format!("Cookie: session={session}\r\n");
    for path in [&SECRET_FILES[..], &TRAVERSALS, &DECEPTIONS].concat() {
        let response = client.get(path).await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        assert!(!response.text().contains("ada@"), "{path}");
        assert!(!response.text().contains("<html"), "{path}");
    }
    for path in SPELLINGS {
        let response = client.get(path).await;
        let status = response.status.as_u16();
        assert!(
            [200, 301, 307, 308, 404].contains(&status),
            "{path}: {status}"
        );
        assert!(!response.text().contains("ada@"), "{path}");
        let target = response.header("location").unwrap_or("/account/");
        assert!(target.starts_with("/account/"), "{path}: {target}");
        if status == 200 {
            assert!(response.text().contains("<html"), "{path}");
        }
    }
    let long = format!("/account/{}", "a".repeat(8000));
    assert_status!(client.get(&long), 404);
}

// security: IN-10
async fn a_forged_language_reads_no_file(live: LiveSite) {
    let mut client = live.client().await;
    let long = "a".repeat(4000);
    for language in [
        "xx", "EN", "en.json", "en%00", "..%2fen", "..%2f..%2fCargo.toml", "%2e%2e",
        "en%2f..%2fde", "de%0d%0aX-Evil:1", &long,
    ] {
        let path = format!("/account/account-api/translations/{language}");
        let response = client.get(&path).await;
        assert_eq!(response.status, 404, "{language}");
        assert_eq!(response.json()["code"], "not_found");
        assert_eq!(response.header("x-evil"), None);
        assert_ok!(client.get(&format!("/account/?lang={language}")));
    }
}
