//! Files of the pages, redirects, and paths that are neither.

use account::testing::pages::files::EmbeddedFiles;
use account::testing::pages::table::PAGES;

use crate::pages::{boot_data, page_policy};
use crate::prelude::*;

on_sqlite!(
    old_addresses_redirect_within_the_site,
    a_trailing_slash_is_redirected,
    the_root_redirects_to_site_home,
    a_path_that_looks_like_a_file_is_a_file_or_404,
    an_unknown_address_gets_the_not_found_page,
    files_are_small_and_immutable
);

async fn redirect(browser: &Browser, path: &str) -> (u16, Option<String>) {
    let response = browser.open(path).await;
    (
        response.status.as_u16(),
        response.header("location").map(str::to_owned),
    )
}

// security: CS-6
async fn old_addresses_redirect_within_the_site(site: Site) {
    let browser = site.browser();
    for (path, status, target) in [
        ("/", 307, "/account/"),
        ("/account", 308, "/account/"),
        ("/login", 307, "/account/"),
        ("/account/login", 307, "/account/"),
        (
            "/account/login?redirect_url=https://evil.example",
            307,
            "/account/",
        ),
        ("/login?app=episodes", 307, "/account/?app=episodes"),
        ("/account/login?app=wiki", 307, "/account/?app=wiki"),
        (
            "/account/login?redirect_url=https://evil.example&app=a%26b%2F%2F",
            307,
            "/account/?app=a%26b%2F%2F",
        ),
        ("/account/login?app=", 307, "/account/"),
        ("/account/migrate-account/step-1", 307, "/account/migration"),
        (
            "/.well-known/change-password",
            307,
            "/account/settings?change=password",
        ),
        ("/?redirect_url=//evil.example", 307, "/account/"),
    ] {
        assert_eq!(
            redirect(&browser, path).await,
            (status, Some(target.into())),
            "{path}"
        );
    }
    for evil in [
        "https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)",
        "%09//evil.example",
    ] {
        let page = browser
            .open(&format!("/account/?redirect_url={evil}&app={evil}"))
            .await;
        assert_eq!((page.status.as_u16(), page.header("location")), (200, None));
        assert!(
            !page.text().contains("evil") && !page.text().contains("alert(1)"),
            "{evil}"
        );
    }
}

async fn a_trailing_slash_is_redirected(site: Site) {
    let browser = site.browser();
    for (path, target) in [
        ("/account/signup/", "/account/signup"),
        ("/account/settings///?a=b/", ""),
        (
            "/account/reset-password/?token=a%2Fb&next=//evil.example/",
            "/account/reset-password?token=a%2Fb&next=//evil.example/",
        ),
        ("/login/", "/login"),
        ("/account/dev/mail/", "/account/dev/mail"),
        ("/account/oidc/jwks/", "/account/oidc/jwks"),
        (
            "/.well-known/change-password/", "/.well-known/change-password",
        ),
        ("/healthz/", "/healthz"),
        ("/account/login/?app=wiki", "/account/login?app=wiki"),
        (
            "/account/account-api/users/me/", "/account/account-api/users/me",
        ),
        (
            "/account/account-api/translations/de/?x=1",
            "/account/account-api/translations/de?x=1",
        ),
    ] {
        let found = redirect(&browser, path).await;
        let expected = match target {
            "" => (404, None),
            target => (308, Some(target.to_owned())),
        };
        assert_eq!(found, expected, "{path}");
    }
    for page in PAGES.iter().filter(|page| page.path != "/account/") {
        let found = redirect(&browser, &format!("{}/?lang=de", page.path)).await;
        assert_eq!(found, (308, Some(format!("{}?lang=de", page.path))));
    }
    let sent = browser.post("/login/", &serde_json::json!({})).await;
    assert_eq!(sent.status, 308, "the method and the body stay");
    assert_eq!(redirect(&browser, "/account/").await, (200, None));
    for elsewhere in [
        "//evil.example/", "/%5cevil.example/", "/account//evil.example/",
    ] {
        let (status, target) = redirect(&browser, elsewhere).await;
        assert_eq!((status, target), (404, None), "{elsewhere}");
    }
}

async fn the_root_redirects_to_site_home(db: Database) {
    let site = db
        .site_set("server.site_home = 'https://www.example.org/'")
        .await;
    let target = (307, Some("https://www.example.org/".into()));
    assert_eq!(redirect(&site.browser(), "/").await, target);
}

// security: HD-7, HD-5, BI-12
async fn a_path_that_looks_like_a_file_is_a_file_or_404(site: Site) {
    let browser = site.browser();
    for path in [
        "/account/assets/nope.js", "/account/.env", "/.env", "/.git/config",
        "/account/.git/config", "/account/assets/", "/account/assets", "/account/index.html",
        "/account/screens/early.js", "/account/screens.json", "/account/screens.json.gz",
        "/account/index.html.br", "/account/favicon.svg.br", "/account/assets/../index.html",
        "/account/%2e%2e%2fCargo.toml", "/account/..%5cCargo.toml", "/account/../Cargo.toml",
        "/account/settings/a.js", "/account/signup.map", "//account/", "/ACCOUNT/",
        "/account%2fsettings", "/Cargo.toml", "/metrics", "/debug",
    ] {
        let response = browser.open(path).await;
        response.assert_status(404);
        assert_eq!(response.text(), "Not found\n", "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
    }
}

async fn an_unknown_address_gets_the_not_found_page(site: Site) {
    for path in [
        "/account/nowhere", "/account/settings/more", "/account/signup/more/",
    ] {
        let page = site.browser().open(path).await;
        page.assert_status(404);
        let policy = page_policy(&page);
        assert_eq!(page.header("content-security-policy"), Some(&*policy));
        assert!(page.text().contains("content=\"noindex\""));
        assert_eq!(boot_data(&page)["language"], "en");
    }
    let post = Request::post("/account/nowhere");
    assert_status!(site.browser().send(post), 405);
}

async fn files_are_small_and_immutable(site: Site) {
    let browser = site.browser();
    let assets: Vec<_> = EmbeddedFiles::iter()
        .filter_map(|p| p.strip_suffix(".br").map(str::to_owned))
        .filter(|p| p.starts_with("assets/") && p.ends_with(".js"))
        .collect();
    // Without a built front end the program serves a placeholder page and no files.
    assert_eq!(
        assets.is_empty(),
        EmbeddedFiles::get("index.html").is_none()
    );
    for path in assets {
        let path = format!("/account/{path}");
        let get = || Request::get(&path);
        let plain = assert_status!(browser.send(get()), 200);
        plain.assert_header("content-type", "text/javascript; charset=utf-8");
        plain.assert_header("cache-control", "public, max-age=31536000, immutable");
        assert_eq!(
            (plain.header("vary"), plain.header("content-encoding")),
            (Some("accept-encoding"), None)
        );
        let tag = plain.header("etag").unwrap();
        let again = browser.send(get().header("if-none-match", tag)).await;
        assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
        assert_eq!(again.header("cache-control"), plain.header("cache-control"));
        let brotli = browser
            .send(get().header("accept-encoding", "gzip, br"))
            .await;
        brotli.assert_header("content-encoding", "br");
        assert!(brotli.body.len() < plain.body.len());
        assert_ne!(brotli.header("etag"), Some(tag));
        let gzip = browser.send(get().header("accept-encoding", "gzip")).await;
        gzip.assert_header("content-encoding", "gzip");
        assert_ne!(gzip.header("etag"), Some(tag));
        let none = browser
            .send(get().header("accept-encoding", "br;q=0, gzip;q=0"))
            .await;
        assert_eq!(none.body, plain.body);
    }
}
