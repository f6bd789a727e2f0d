//! Properties of every API response: the shape of errors, languages, caching.

use account::testing::i18n::Language;

use crate::support::prelude::*;

on_sqlite!(
    an_unknown_path_is_404,
    errors_are_in_the_language_of_the_request,
    every_error_code_has_its_own_message_in_each_language,
    translations_are_cacheable_and_include_the_countries,
    the_screens_receive_the_configuration_of_the_host,
);

// security: HD-5, BI-12
async fn an_unknown_path_is_404((_, ada): (Site, Person)) {
    for path in [
        "/nothing",
        "/users",
        "/users/me/x.css",
        "/users/me;.css",
        "/users/me%2Fx.js",
        "/USERS/ME",
        "/users//me",
        "//users/me",
        "/translations",
        "/translations/xx",
        "/translations/EN",
        "/translations/..%2f..%2fsecrets",
        "/translations/%00",
        "/translations/en.json",
        "/ui",
        "/ui/sidebar",
        "/.env",
        "/legacy/import",
    ] {
        assert_refused!(ada.browser.get(path), NotFound);
    }
    for path in ["/account/account-api", "/account/account-api/"] {
        let response = ada.browser.open(path).await;
        assert_eq!(response.status, 404, "{path}: {}", response.text());
        assert!(!response.text().contains("<html"));
    }
}

async fn errors_are_in_the_language_of_the_request(browser: Browser) {
    for (accepted, language) in [
        ("en", Language::En),
        ("de", Language::De),
        ("de-CH, xx;q=0.9", Language::De),
        ("es-419", Language::Es),
        ("xx, pt;q=0.5, en;q=0.4", Language::Pt),
        ("xx", Language::En),
        ("*", Language::En),
        ("de;q=0, en;q=0.1", Language::En),
        ("../../etc/passwd", Language::En),
    ] {
        let request = browser
            .fetch(Method::GET, "/users/me")
            .header("accept-language", accepted);
        let response = browser.send(request).await;
        let sentence = ErrorCode::Unauthenticated.message().text(language);
        response.assert_json(401, &json!({"code": "unauthenticated", "detail": sentence}));
        response.assert_header("vary", "accept-language");
        let request = browser.post_request("/register");
        let request = request.header("accept-language", accepted);
        let response = browser.send_with(request, "{}").await.json();
        let sentence = FieldRule::CountryMissing.message().text(language);
        assert_eq!(response["detail"]["fields"]["country"], sentence);
    }
}

async fn every_error_code_has_its_own_message_in_each_language(_: Database) {
    for code in ErrorCode::ALL {
        for language in Language::ALL {
            let sentence = code.message().text(language);
            assert!(
                !sentence.is_empty() && !sentence.contains("{{"),
                "{code:?} {language:?}"
            );
        }
    }
}

async fn translations_are_cacheable_and_include_the_countries(browser: Browser) {
    for (language, germany) in [
        ("en", "Germany"),
        ("de", "Deutschland"),
        ("es", "Alemania"),
        ("pt", "Alemanha"),
    ] {
        let response = assert_ok!(browser.get(&format!("/translations/{language}")));
        response.assert_header("cache-control", "public, max-age=300");
        let words = response.json();
        assert_eq!(words["countryvalues"]["de"], germany);
        assert!(words["countryvalues"].as_object().unwrap().len() > 240);
        assert!(words.get("mail").is_none());
    }
}

async fn the_screens_receive_the_configuration_of_the_host(db: Database) {
    let region = account::config::Region {
        id: "br".into(),
        hosts: vec!["www.example.com.br".into()],
        brand: "Lua".into(),
        locale: "pt-BR".into(),
        ..account::config::Region::default()
    };
    let site = db.site_with(|c| c.regions.push(region)).await;
    let browser = site.browser();
    let of_host = async |host: &str| {
        let request = browser.fetch(Method::GET, "/config").header("host", host);
        browser.send(request).await.json()
    };
    insta::assert_json_snapshot!(
        "configuration_of_the_default_region",
        of_host("unknown.example").await
    );
    let lua = of_host("WWW.example.com.br:8080").await;
    assert_eq!(
        (&lua["region"]["id"], &lua["default_language"]),
        (&json!("br"), &json!("pt"))
    );
    for secret in ["sqlite", "postgres", "smtp", "password_history", "limits"] {
        assert!(!lua.to_string().contains(secret), "{secret}");
    }
    // A request without a language uses that of the region.
    let request = browser
        .fetch(Method::GET, "/users/me")
        .header("host", "www.example.com.br");
    let response = browser.send(request).await.json();
    assert_eq!(
        response["detail"],
        ErrorCode::Unauthenticated.message().text(Language::Pt)
    );
}
