//! Tickets: the way from the sign-in back to the page of the application.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{config_of, redirect_of, sign_in_page_for, signed_in_behind_proxy, site_behind_proxy};
use crate::prelude::*;

on_both_databases!(
    the_sign_in_redirects_back_to_the_page_with_its_query,
    a_return_address_on_another_host_becomes_the_start_page,
    a_ticket_of_another_browser_or_host_shows_the_plain_sign_in,
    a_path_is_checked_again_when_a_ticket_is_opened
);
on_sqlite!(a_mailed_link_in_the_same_browser_continues_the_sign_in);

fn is_plain_sign_in(page: &Response) -> bool {
    let config = config_of(page);
    config["signing_in_to"].is_null() && config["signed_in_home"] == "/"
}

// security: FA-3
async fn the_sign_in_redirects_back_to_the_page_with_its_query(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.member("ada").await;
    let page = sign_in_page_for(&ada.browser, "/wiki/A?b=c&d=%2F%2Fe").await;
    let opened = assert_status!(ada.browser.open(&page), 200);
    let config = config_of(&opened);
    assert_eq!(config["signing_in_to"], "localhost");
    let cookie = opened.set_cookie("ticket").unwrap();
    assert_contains!(
        cookie, "; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=86400"
    );
    let home = config["signed_in_home"].text().to_owned();
    let without_session = redirect_of(&ada.browser, &home).await;
    assert!(without_session.starts_with("/account/?continue="));

    ada.sign_in(&ada.browser).await;
    let back = assert_status!(ada.browser.open(&home), 303);
    back.assert_header("location", "/wiki/A?b=c&d=%2F%2Fe");
    back.assert_header("cache-control", "no-store");
    // With the live session the next ticket continues without a sign-in.
    ada.browser.remove_cookie("ticket");
    let at_once = redirect_of(&ada.browser, &page).await;
    let back = redirect_of(&ada.browser, &at_once).await;
    assert_eq!(back, "/wiki/A?b=c&d=%2F%2Fe");
}

// security: FA-3
async fn a_return_address_on_another_host_becomes_the_start_page(db: Database) {
    let (site, ada) = signed_in_behind_proxy(&db).await;
    let stranger = site.browser();
    for page in [
        "//evil.example", "/\\evil.example", "https://evil.example/", "evil", "/a b",
    ] {
        let page = sign_in_page_for(&stranger, page).await;
        let resumed = redirect_of(&ada.browser, &page).await;
        assert_eq!(redirect_of(&ada.browser, &resumed).await, "/", "{page}");
    }
}

// security: OP-1, OP-4
async fn a_ticket_of_another_browser_or_host_shows_the_plain_sign_in(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.browser();
    let page = sign_in_page_for(&ada, "/wiki").await;
    let home = config_of(&ada.open(&page).await)["signed_in_home"].clone();
    let home = home.text();
    let own = home.replace("oidc/authorize", "");
    let page_of_ticket = ada.open(&own).await;
    assert!(!is_plain_sign_in(&page_of_ticket), "bound to this browser");

    let bob = site.signed_in("bob").await;
    assert!(is_plain_sign_in(&bob.browser.open(&own).await));
    assert_eq!(redirect_of(&bob.browser, home).await, "/account/");
    for page in [
        "/account/?continue=https://evil.example",
        "/account/?continue=",
        &format!("{own}x"),
        &format!("{own}&continue=x"),
    ] {
        assert!(is_plain_sign_in(&ada.open(page).await), "{page}");
    }
    let elsewhere = Request::get(&page).header("host", "www.example.org");
    assert!(is_plain_sign_in(&ada.send(elsewhere).await));

    for (time, is_forgotten) in [("1h", false), ("1d", true)] {
        site.advance(time);
        let expired = is_plain_sign_in(&ada.open(&own).await);
        assert_eq!(expired, is_forgotten, "{time}");
    }
}

// security: OP-4
async fn a_mailed_link_in_the_same_browser_continues_the_sign_in(db: Database) {
    let site = site_behind_proxy(&db).await;
    let ada = site.browser();
    let page = sign_in_page_for(&ada, "/wiki").await;
    let home = config_of(&ada.open(&page).await)["signed_in_home"].clone();
    for link in [
        "verify-email?token=x", "reset-password?token=x", "migration?token=x", "signup",
    ] {
        let config = config_of(&ada.open(&format!("/account/{link}")).await);
        assert_eq!(config["signed_in_home"], home, "{link}");
    }
    let by_hand = ada.open("/account/").await;
    assert!(is_plain_sign_in(&by_hand), "opened by hand");
    let other = site.browser().open("/account/verify-email?token=x").await;
    assert!(is_plain_sign_in(&other), "another browser");
}

// security: FA-3
async fn a_path_is_checked_again_when_a_ticket_is_opened(db: Database) {
    let (site, ada) = signed_in_behind_proxy(&db).await;
    let page = sign_in_page_for(&site.browser(), "/wiki").await;
    let (json, _) = page.rsplit_once('=').unwrap().1.split_once('.').unwrap();
    let json = URL_SAFE_NO_PAD.decode(json).unwrap();
    let json = String::from_utf8(json).unwrap();
    for (path, opened) in [
        ("/wiki", "/wiki"),
        ("//evil.example", "/"),
        ("/\\\\evil", "/"),
    ] {
        // A forgery needs the key of the installation.
        let forged = json.replace("\"/wiki\"", &format!("\"{path}\""));
        let mut mac = Hmac::<Sha256>::new_from_slice(&site.app.signed_text_keys.cookies).unwrap();
        mac.update(b"ticket\0");
        mac.update(forged.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        let ticket = format!("{}.{signature}", URL_SAFE_NO_PAD.encode(&forged));
        let page = format!("/account/?continue={ticket}");
        let bound = redirect_of(&ada.browser, &page).await;
        assert_eq!(redirect_of(&ada.browser, &bound).await, opened, "{path}");
    }
}
