//! The texts of the translation service: valid ones override the bundled texts, all others are ignored.

use account::testing::i18n::{self, Language};

use super::use_service;
use crate::prelude::*;
use crate::wire::service::{Behaviour, Service};

on_sqlite!(only_valid_translations_are_used);

fn bundled_texts() -> Value {
    serde_json::from_str(i18n::catalogue(Language::En)).unwrap()
}

// security: FI-6, IN-7
async fn only_valid_translations_are_used(db: Database) {
    let service = Service::start(Behaviour::Closes).await;
    let site = db.site_with(use_service(&service)).await;
    let browser = site.browser();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for words in [
        "[]",
        "null",
        "\"text\"",
        "{",
        "{\"sign_in\":",
        "{\"sign_in\":\"no object\",\"error\":[],\"shell\":null}",
        "{\"sign_in\":{\"title\":{\"a\":1}}}",
        "{\"sign_in\":{\"title\":\"<img src=x onerror=alert(1)>\"}}",
        "{\"sign_in\":{\"title\":\"</script><script>alert(1)</script>\"}}",
        "{\"sign_in\":{\"title\":\"a\\u0000b\"}}",
        "{\"sign_in\":{\"title\":\"{{secret}}\"}}",
        "{\"sign_in\":{\"title\":\"\"}}",
        // A key instead of its text, and a text that is too long for any screen.
        "{\"sign_in\":{\"title\":\"sign_in.title\"}}",
        &format!("{{\"sign_in\":{{\"title\":\"{}\"}}}}", "x".repeat(500)),
        "{\"__proto__\":{\"admin\":true},\"constructor\":{\"x\":\"y\"}}",
        &deep,
    ] {
        service.set_behaviour(Behaviour::response("200 OK", "application/json", words));
        site.advance("2d");
        assert_json!(browser.get("/translations/en"), 200, &bundled_texts());
    }
    service.set_behaviour(Behaviour::response(
        "200 OK",
        "application/json",
        &json!({"sign_in": {"title": "Come in"}, "new": "x"}).to_string(),
    ));
    site.advance("2d");
    let mut expected = bundled_texts();
    expected["sign_in"]["title"] = "Come in".into();
    assert_json!(browser.get("/translations/en"), 200, &expected);
    let page = browser.open("/account/").await;
    assert!(page.text().contains("\"title\":\"Come in\""));
}
