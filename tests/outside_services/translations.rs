//! The texts of the translation service: valid ones override the bundled texts, all others are ignored.

use account::testing::i18n::{self, Language};
use serde_json::{Value, json};

use super::from;
use crate::support::Database;
use crate::wire::service::{Does, Service};

fn bundled() -> Value {
    serde_json::from_str(i18n::catalogue(Language::En)).unwrap()
}

both!(only_valid_translations_are_used);
// security: FI-6, IN-7
async fn only_valid_translations_are_used(db: Database) {
    let service = Service::start(Does::Closes).await;
    let site = db.site_with(from(&service)).await;
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
        service.now(Does::answers("200 OK", "application/json", words));
        site.wait("2d");
        browser.get("/translations/en").await.is(200, &bundled());
    }
    service.now(Does::answers(
        "200 OK",
        "application/json",
        &json!({"sign_in": {"title": "Come in"}, "new": "x"}).to_string(),
    ));
    site.wait("2d");
    let mut expected = bundled();
    expected["sign_in"]["title"] = "Come in".into();
    browser.get("/translations/en").await.is(200, &expected);
    let page = browser.open("/account/").await;
    assert!(page.text().contains("\"title\":\"Come in\""));
}
