//! The pages that applications lead to: the error page, and the wishes of a request for the sign-in and the sign-out.

use account::testing::i18n::Language;

use super::{
    Provider, RelyingParty, avatar, enable_provider, query_value, redirect_target,
    site_with_provider, vault, wiki,
};
use crate::forward_auth::config_of;
use crate::prelude::*;
use crate::regions::brand;

on_both_databases!(
    the_error_page_uses_the_language_of_the_reader_and_repeats_no_input,
    the_parameters_of_a_request_configure_the_form,
    the_form_of_an_application_sends_its_app_value,
    the_pages_of_an_application_have_the_brand_of_its_region,
    the_question_before_a_sign_out_has_the_requested_language
);
on_sqlite!(
    a_login_hint_that_is_not_an_address_is_ignored,
    a_page_of_an_authorization_request_keeps_its_opener
);

/// The texts of a language under `placeholder`.
fn texts_of(language: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/locales");
    let file = std::fs::read_to_string(format!("{folder}/{language}.json")).unwrap();
    let texts: Value = serde_json::from_str(&file).unwrap();
    texts["placeholder"].clone()
}

/// The page of an application that the browser is not signed in to.
async fn sign_in_page(browser: &Browser, of: &RelyingParty, changes: &str) -> (String, Response) {
    let ticket = of.ticket(browser, changes, "/account/").await;
    let path = format!("/account/?continue={ticket}");
    let page = assert_status!(browser.open(&path), 200);
    (path, page)
}

#[track_caller]
fn assert_language(page: &Response, language: &str) {
    assert!(
        page.text().contains(&format!("<html lang=\"{language}\"")),
        "{language}"
    );
}

// security: OP-1
async fn the_error_page_uses_the_language_of_the_reader_and_repeats_no_input(db: Database) {
    let site = site_with_provider(&db).await;
    let evil = "redirect_uri=https://evil.example/x?\"><a href=//evil.example>";
    for language in Language::ALL.map(Language::code) {
        let texts = texts_of(language);
        for (change, words) in [
            ("client_id=evil", "unknown_app"),
            (evil, "unknown_address"),
            ("redirect_uri=", "unknown_address"),
        ] {
            let path = wiki().request(change);
            let browser = site.browser();
            let request = Request::get(&path).header("accept-language", language);
            let page = assert_status!(browser.send(request), 400);
            assert_eq!(page.header("location"), None);
            assert_eq!(page.header("set-cookie"), None);
            page.assert_header("cache-control", "no-store");
            assert_eq!(page.headers.get_all("cache-control").iter().count(), 1);
            page.assert_header("content-type", "text/html; charset=utf-8");
            let policy = page.header("content-security-policy").unwrap();
            assert_contains!(policy, "default-src 'none'");
            assert_contains!(policy, "frame-ancestors 'none'");
            assert_language(&page, language);
            for text in ["wrong_app", words] {
                assert!(page.text().contains(texts[text].text()), "{text}");
            }
            assert_lacks!(page.text(), "evil", "wiki.example.org", "a state");
            // The wish of the request counts more than the languages of the browser, the choice of the person most.
            let wished = browser.open(&format!("{path}&ui_locales=la+pt-BR")).await;
            assert_language(&wished, "pt");
            browser.set_cookie("account_language", "es");
            assert_language(&browser.open(&format!("{path}&ui_locales=de")).await, "es");
        }
    }
    site.assert_count("security_events", 0).await;
}

async fn the_parameters_of_a_request_configure_the_form(db: Database) {
    let site = site_with_provider(&db).await;
    let browser = site.browser();
    let wishes = "login_hint=ada@example.org&ui_locales=xx de-AT es";
    let (path, page) = sign_in_page(&browser, &wiki(), wishes).await;
    assert_language(&page, "de");
    let config = config_of(&page);
    assert_eq!(config["signing_in_to"], "wiki of ours");
    assert_eq!(config["login_hint"], "ada@example.org");
    // Without the setting it is the id of the client.
    assert_eq!(config["app"], "wiki");
    // The pages between the sign-in and its end keep the language.
    assert_language(&browser.open("/account/request-password").await, "de");
    assert_language(&browser.open(&format!("{path}&lang=es")).await, "es");
    browser.set_cookie("account_language", "pt");
    assert_language(&browser.open(&path).await, "pt");

    let plain = site.browser().open("/account/").await;
    assert_language(&plain, "en");
    let config = config_of(&plain);
    assert_eq!(config["app"], "wiki");
    assert_eq!(config.get("login_hint"), None);
}

async fn a_login_hint_that_is_not_an_address_is_ignored(db: Database) {
    let site = site_with_provider(&db).await;
    let long = format!("{}@example.org", "a".repeat(255));
    for hint in [
        "ada",
        "%2B1 555 0100",
        "</script><script>alert(1)</script>",
        &long,
    ] {
        let wishes = format!("login_hint={hint}&ui_locales=xx ;q=1,de x");
        let (_, page) = sign_in_page(&site.browser(), &wiki(), &wishes).await;
        assert_eq!(config_of(&page).get("login_hint"), None, "{hint}");
        assert!(!page.text().contains("<script>alert"));
        assert_language(&page, "en");
    }
    let odd = "login_hint=x</script>y@example.org";
    let (_, page) = sign_in_page(&site.browser(), &wiki(), odd).await;
    assert_lacks!(page.text(), "x</script>y");
}

async fn the_form_of_an_application_sends_its_app_value(db: Database) {
    let site = site_with_provider(&db).await;
    let (_, page) = sign_in_page(&site.browser(), &vault(), "").await;
    assert_eq!(config_of(&page)["app"], "safe");
    // The value changes nothing, as with every other sign-in.
    let ada = site.member("ada").await;
    let mut credentials = ada.credentials();
    credentials["app"] = json!("safe");
    assert_status!(ada.browser.post("/login", &credentials), 200);
}

async fn the_pages_of_an_application_have_the_brand_of_its_region(db: Database) {
    let site = db
        .site_with(|c| {
            enable_provider(c);
            let mut latam = brand("latam", "www.lomaluna.example");
            latam.migration_zip = serde_json::from_str("\"any\"").unwrap();
            c.regions.push(latam);
            c.oidc.clients[0].region = Some("latam".into());
        })
        .await;
    let browser = site.browser();
    let is_branded = |page: &Response| {
        let (head, _) = page.text().split_once("</head>").unwrap();
        let is_branded = head.contains("--accent:#c2185b;");
        assert_eq!(head.contains("Loma &amp; Luna</title>"), is_branded);
        assert_eq!(
            config_of(page)["region"]["brand"] == "Loma & Luna",
            is_branded
        );
        is_branded
    };
    let (_, page) = sign_in_page(&browser, &wiki(), "").await;
    assert!(is_branded(&page));
    // The API goes by the host, so its rules stay.
    let own = config_of(&site.browser().open("/account/").await);
    assert_eq!(
        config_of(&page)["region"]["migration_zip"],
        own["region"]["migration_zip"]
    );
    assert_eq!(config_of(&page)["passkeys"], own["passkeys"]);
    assert!(is_branded(&browser.open("/account/signup").await));
    assert!(!is_branded(&sign_in_page(&browser, &avatar(), "").await.1));

    let ada = site.signed_in("ada").await;
    let logout = "/account/oidc/logout?client_id=wiki";
    let way_back = "&post_logout_redirect_uri=https%3A%2F%2Fwiki.example.org%2Fbye%3Ffrom%3Dus";
    for request in [logout, &format!("{logout}{way_back}")] {
        let question = ada.browser.open(request).await;
        let path = question.header("location").unwrap();
        assert!(path.starts_with("/account/sign-out?"), "{path}");
        assert!(is_branded(&ada.browser.open(path).await), "{path}");
    }
    for other in [
        "/account/sign-out",
        "/account/sign-out?client_id=avatar",
        "/account/sign-out?client_id=stranger",
        "/account/sign-out?client_id=wiki&client_id=avatar",
        "/account/settings?client_id=wiki",
    ] {
        assert!(!is_branded(&ada.browser.open(other).await), "{other}");
    }
}

async fn the_question_before_a_sign_out_has_the_requested_language(Provider(site, ada): Provider) {
    let way_back = "post_logout_redirect_uri=https%3A%2F%2Fwiki.example.org%2Fbye%3Ffrom%3Dus";
    for (parameters, language) in [
        ("ui_locales=la+pt-BR+de", "pt"),
        (
            &*format!("client_id=wiki&{way_back}&state=s&ui_locales=es-419"),
            "es",
        ),
        (
            "client_id=wiki&logout_hint=ada%40example.org&ui_locales=de",
            "de",
        ),
        ("ui_locales=la", "en"),
        ("ui_locales=de&ui_locales=es", "en"),
        ("logout_hint=ada&logout_hint=eve", "en"),
    ] {
        let request = format!("/account/oidc/logout?{parameters}");
        let question = redirect_target(&ada.browser.open(&request).await);
        assert_eq!(question.path(), "/account/sign-out", "{parameters}");
        assert_eq!(query_value(&question, "logout_hint"), None);
        let path = format!(
            "{}?{}",
            question.path(),
            question.query().unwrap_or_default()
        );
        assert_language(&ada.browser.open(&path).await, language);
        let chosen = site.browser();
        chosen.set_cookie("account_language", "es");
        assert_language(&chosen.open(&path).await, "es");
    }
    // Only this page accepts the parameter.
    let settings = ada.browser.open("/account/settings?ui_locales=de").await;
    assert_language(&settings, "en");

    // The call after the question has the parameters of the question.
    let request =
        format!("/account/oidc/logout?client_id=wiki&{way_back}&ui_locales=de&logout_hint=ada");
    let question = redirect_target(&ada.browser.open(&request).await);
    ada.browser.post_empty("/logout").await;
    let again = format!("/account/oidc/logout?{}", question.query().unwrap());
    let end = redirect_target(&ada.browser.open(&again).await);
    assert_eq!(end.as_str(), "https://wiki.example.org/bye?from=us");
}

async fn a_page_of_an_authorization_request_keeps_its_opener(db: Database) {
    let site = site_with_provider(&db).await;
    let browser = site.browser();
    let opener_policy = async |path: &str| {
        let page = browser.open(path).await;
        page.header("cross-origin-opener-policy")
            .unwrap()
            .to_owned()
    };
    let mailed = "/account/verify-email?token=x";
    let reset = "/account/request-password";
    for path in ["/account/", "/account/signup", reset, mailed] {
        assert_eq!(opener_policy(path).await, "same-origin", "{path}");
    }
    let (path, page) = sign_in_page(&browser, &wiki(), "display=popup").await;
    let policy = page.header("content-security-policy");
    page.assert_header("cross-origin-opener-policy", "unsafe-none");
    assert!(policy.unwrap().contains("script-src 'self'"), "{policy:?}");
    // The pages on the way have the ticket in a cookie.
    for path in [
        &*path, "/account/signup", "/account/request-password", mailed,
    ] {
        assert_eq!(opener_policy(path).await, "unsafe-none", "{path}");
    }
    assert_eq!(opener_policy("/account/").await, "same-origin");
}
