//! Limits count requests for known and for unknown addresses alike.

use super::measure::registration;
use super::people::People;
use crate::support::prelude::*;

/// More requests than any limit admits.
const MAX_REQUESTS: u32 = 40;

on_both_databases!(limits_are_the_same_for_known_and_unknown_addresses);
// security: EN-7, RL-5, RL-9
async fn limits_are_the_same_for_known_and_unknown_addresses(site: Site) {
    site.allow_unread_mails();
    let people = People::create(&site).await;
    let addresses = [
        &people.v.email, &people.u.email, &people.l, "n000000@example.org",
    ];
    for (path, count, wait) in [
        ("/login", 5, "300"),
        ("/reset-password", 5, "60"),
        ("/migration", 5, "60"),
        ("/resend-verification", 1, "180"),
        ("/register", 20, "60"),
    ] {
        // All limits have expired.
        site.advance("1d");
        let tries = addresses.iter().enumerate();
        let tries = tries.map(|(class, email)| until_limited(&site, path, email, class));
        let mut counts = join_all(tries).await;
        counts.dedup();
        assert_eq!(counts.len(), 1, "{path}: {counts:?}");
        assert_eq!((counts[0].0, &*counts[0].1), (count, wait), "{path}");
    }
}

/// The number of accepted requests of one browser, and the response to the next one.
async fn until_limited(
    site: &Site,
    path: &str,
    email: &str,
    class: usize,
) -> (u32, String, String) {
    let browser = site.browser();
    for let_through in 0..MAX_REQUESTS {
        let body = match path {
            "/register" => registration(email, &format!("f{class}{let_through:03}")),
            _ => json!({"email": email, "password": "Wrong-Horse-7"}),
        };
        let response = browser.post(path, &body).await;
        if response.status == 429 {
            assert_eq!(response.json()["code"], ErrorCode::RateLimited.as_str());
            let wait = response.header("retry-after").unwrap().to_owned();
            return (let_through, wait, response.text().to_owned());
        }
    }
    panic!("{path} has no limit for {email}");
}
