//! The pages: status, language, content security policy and embedded data.

use account::testing::pages::files::EmbeddedFiles;
use account::testing::pages::table::PAGES;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::support::prelude::*;

/// The policy with the digests of the inline script and of the style of header and footer.
pub fn page_policy(page: &Response) -> String {
    let (_, rest) = page.text().split_once("<script>").unwrap();
    let (script, _) = rest.split_once("</script>").unwrap();
    let digest = STANDARD.encode(Sha256::digest(script));
    let parts =
        account::testing::pages::branding::digest(account::testing::pages::page_fragments::STYLE);
    PAGE_POLICY
        .replace("{digest}", &digest)
        .replace("{parts}", &parts)
}

const PAGE_POLICY: &str = "default-src 'none'; script-src 'self' 'sha256-{digest}'; style-src 'self' {parts}; img-src 'self' data:; \
    connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
    object-src 'none'; frame-ancestors 'none'";

pub fn boot_data(response: &Response) -> serde_json::Value {
    let (_, rest) = response.text().split_once("id=\"boot\">").unwrap();
    let (boot, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(boot).unwrap()
}

on_sqlite!(
    each_page_has_its_title_language_and_boot_data,
    the_language_is_chosen_in_the_specified_order,
    over_https_the_language_cookie_is_bound_to_the_host,
    the_page_reveals_only_whether_a_session_cookie_exists,
    a_form_posted_without_scripts_gets_the_page,
    screens_are_prerendered_for_language_and_region,
    the_name_of_a_region_is_escaped_in_the_page,
);

// security: HD-2, HD-8
async fn each_page_has_its_title_language_and_boot_data(site: Site) {
    let browser = site.browser();
    for (path, title, indexed) in [
        ("/account/", "Sign in", true),
        ("/account/signup", "Create account", true),
        ("/account/request-password", "Reset your password", true),
        (
            "/account/reset-password?token=x",
            "Choose a new password",
            false,
        ),
        (
            "/account/migration?email=a&token=b",
            "Migrate your account",
            false,
        ),
        (
            "/account/migration-confirmation?migration_token=x",
            "Complete your migration",
            false,
        ),
        ("/account/verify-email?token=x", "Verify your email", false),
        (
            "/account/change-email?verificationToken=x",
            "Change your email",
            false,
        ),
    ] {
        let page = browser.open(path).await;
        assert_eq!(page.status, 200, "{path}");
        page.assert_header("content-type", "text/html; charset=utf-8");
        page.assert_header("cache-control", "private, no-cache");
        page.assert_header("cross-origin-opener-policy", "same-origin");
        let policy = page_policy(&page);
        assert_eq!(page.header("content-security-policy"), Some(&*policy));
        assert!(
            page.text()
                .contains(&format!("<title>{title} · Account</title>")),
            "{path}"
        );
        assert!(page.text().contains("<html lang=\"en\""));
        assert!(
            page.text()
                .contains("<noscript><p class=\"no-script\">This site needs JavaScript.")
                || EmbeddedFiles::get("index.html").is_none(),
            "{path}"
        );
        assert_eq!(
            !page.text().contains("content=\"noindex\""),
            indexed,
            "{path}"
        );
        assert_eq!(boot_data(&page)["language"], "en");
        assert_eq!(boot_data(&page)["config"]["region"]["id"], "us");
        assert!(boot_data(&page)["translations"]["sign_in"].is_object());
    }
}

async fn the_language_is_chosen_in_the_specified_order(db: Database) {
    let site = db.site_with(|c| c.regions[0].locale = "es-MX".into()).await;
    let browser = site.browser();
    for (query, saved, accepted, language) in [
        ("?lang=pt", "de", "en", "pt"),
        ("?lang=xx", "de", "en", "de"),
        ("", "de", "en", "de"),
        ("", "../x", "en", "en"),
        ("", "", "pt-BR", "pt"),
        ("", "", "xx", "es"),
        ("", "", "", "es"),
    ] {
        let request = Request::get(format!("/account/{query}"))
            .header("cookie", format!("account_language={saved}"))
            .header("accept-language", accepted);
        let page = browser.send(request).await;
        let html = format!("<html lang=\"{language}\"");
        assert!(page.text().contains(&html), "{query} {saved} {accepted}");
        assert_eq!(boot_data(&page)["language"], language);
    }
}

async fn over_https_the_language_cookie_is_bound_to_the_host(db: Database) {
    let site = db
        .site_with(|c| c.server.public_url = "https://www.example.org".into())
        .await;
    let browser = site.browser();
    for (cookie, language) in [
        ("__Host-account_language=de", "de"),
        ("account_language=de", "en"),
    ] {
        let request = Request::get("/account/")
            .header("cookie", cookie)
            .header("accept-language", "en");
        let page = browser.send(request).await;
        assert_eq!(boot_data(&page)["language"], language, "{cookie}");
    }
}

async fn the_page_reveals_only_whether_a_session_cookie_exists((site, ada): (Site, Person)) {
    assert_eq!(
        boot_data(&ada.browser.open("/account/").await)["session"],
        true
    );
    for (cookie, session) in [
        ("", false),
        ("device=x; session2=y", false),
        ("session=made-up", true),
        ("session=one; session=two", true),
    ] {
        let request = Request::get("/account/").header("cookie", cookie);
        let page = site.browser().send(request).await;
        assert_eq!(boot_data(&page)["session"], session, "{cookie}");
        assert!(!page.text().contains("made-up"));
    }
}

async fn a_form_posted_without_scripts_gets_the_page(site: Site) {
    let browser = site.browser();
    for page in PAGES
        .iter()
        .filter(|page| !page.path.ends_with("unsubscribe"))
        .filter(|page| !page.requires_session)
    {
        let request = Request::post(page.path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "cross-site");
        let response = browser
            .send_with(request, "email=ada%40example.com&password=Abcde1")
            .await;
        assert_eq!(response.status, 200, "{}", page.path);
        assert_eq!(response.header("set-cookie"), None);
        assert!(!response.text().contains("Abcde1") && !response.text().contains("ada@"));
        let visited = browser.open(page.path).await;
        assert_eq!(response.text(), visited.text(), "{}", page.path);
    }
}

async fn screens_are_prerendered_for_language_and_region(db: Database) {
    if EmbeddedFiles::get("index.html").is_none() {
        return; // The front end was not built, so there is no page to check.
    }
    let site = db
        .site_with(|c| {
            c.regions[0].links.terms = Some("/terms?a=1&b=\"2\"".into());
            c.regions[0].links.privacy = None;
            c.age.registration = 21;
        })
        .await;
    let browser = site.browser();
    let page = browser.open("/account/signup?lang=de").await;
    let root = prerendered_html(&page);
    assert!(root.contains("<h1 tabindex=\"-1\">Konto erstellen</h1>"));
    assert!(root.contains("href=\"/terms?a=1&amp;b=&quot;2&quot;\""));
    assert!(root.contains("Datenschutzerklärung") && !root.contains(">Datenschutzerklärung</a>"));
    assert!(root.contains("21"));
    assert!(page.text().contains("rel=\"modulepreload\""));
    assert!(page.text().contains("\"countryvalues\":{"));

    for (path, shown) in [
        ("/account/", "type=\"password\""),
        ("/account/reset-password", "Invalid or missing reset token"),
        (
            "/account/reset-password?token=", "Invalid or missing reset token",
        ),
        ("/account/reset-password?token=x", "name=\"new_password\""),
        (
            "/account/migration?email=eve%40example.com",
            "name=\"email\"",
        ),
        ("/account/migration?token=x", "name=\"confirm_password\""),
        ("/account/migration-confirmation", "Invalid migration link"),
        (
            "/account/migration-confirmation?migration_token=x",
            "name=\"country-name\"",
        ),
        ("/account/verify-email", "No verification token found"),
        ("/account/verify-email?token=x", "Verifying your email..."),
        ("/account/change-email", "No verification token found"),
        (
            "/account/change-email?verificationToken=x",
            "Confirming your new email address...",
        ),
        (
            "/account/change-email?undo=x", "Restore my old email address",
        ),
        ("/account/unsubscribe", "<h1"),
        ("/account/unsubscribe?token=x", "<button"),
        ("/account/nowhere", "Page not found"),
    ] {
        let page = browser.open(path).await;
        let root = prerendered_html(&page);
        assert!(root.contains(shown), "{path}: {root}");
        assert!(!root.contains("eve@"), "{path}");
        assert!(
            !root.contains(|c| ('\u{e000}'..='\u{e002}').contains(&c)),
            "{path}"
        );
    }
}

fn prerendered_html(page: &Response) -> &str {
    let (_, rest) = page.text().split_once("<div id=\"root\">").unwrap();
    rest.split_once("<script type=\"application/json\"")
        .unwrap()
        .0
}

async fn the_name_of_a_region_is_escaped_in_the_page(db: Database) {
    let name = "</script><script>alert(1)</script><!-- \"'&";
    let site = db.site_with(|c| c.regions[0].brand = name.into()).await;
    let page = site.browser().open("/account/?lang=%3C/script%3E").await;
    assert!(!page.text().contains("<script>alert"));
    assert_eq!(boot_data(&page)["config"]["region"]["brand"], name);
    for path in ["header", "footer"] {
        let fragment = site
            .browser()
            .get(&format!("/ui/{path}?domain=%3Cscript%3E"))
            .await;
        assert!(!fragment.text().contains("<script"), "{}", fragment.text());
    }
}
