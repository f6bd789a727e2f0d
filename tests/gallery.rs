//! The gallery: its contents, and its absence on public sites.

use account::config::Region;
use account::testing::i18n::Language;
use account::testing::mail::MailKind;

use crate::support::prelude::*;

const ADDRESSES: [&str; 6] = [
    "/account/dev/gallery",
    "/account/dev/gallery/contents",
    "/account/dev/gallery/screen",
    "/account/dev/gallery/part/header",
    "/account/dev/gallery/mail/migrate",
    "/account/dev/gallery/fake-server.js",
];

async fn browser_of_two_brands(db: &Database) -> Browser {
    let region = Region {
        id: "br".into(),
        hosts: vec!["br.example.org".into()],
        brand: "Lua Cheia".into(),
        ..Region::default()
    };
    db.site_with(|c| c.regions.push(region)).await.browser()
}

on_sqlite!(
    a_gallery_screen_is_the_real_page_with_one_more_script,
    the_gallery_shows_every_mail_without_scripts,
    the_gallery_is_absent_in_production_and_with_a_mail_server,
    pages_for_developers_are_shown_only_at_a_name_of_this_machine,
);

async fn a_gallery_screen_is_the_real_page_with_one_more_script(db: Database) {
    let browser = browser_of_two_brands(&db).await;
    let screen = browser
        .open("/account/dev/gallery/screen?path=/account/signup&region=br&lang=pt")
        .await;
    assert_eq!(screen.status, 200);
    let html = screen.text();
    assert!(html.contains(" · Lua Cheia</title>"), "{html}");
    assert!(html.contains("<html lang=\"pt\">"), "{html}");
    let entry =
        "<head><script type=\"module\" src=\"/account/dev/gallery/fake-server.js\"></script>";
    assert_eq!(html.matches(entry).count(), 1);
    let policy = screen.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'"), "{policy}");
    assert!(policy.contains("frame-ancestors 'self'"), "{policy}");

    let header = browser
        .open("/account/dev/gallery/part/header?region=br")
        .await;
    assert!(header.text().contains("Lua Cheia"), "{}", header.text());
    // The real page is unchanged.
    let page = browser.open("/account/signup").await;
    assert!(!page.text().contains("gallery"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
}

async fn the_gallery_shows_every_mail_without_scripts(db: Database) {
    let browser = browser_of_two_brands(&db).await;
    let contents = browser.open("/account/dev/gallery/contents").await.json();
    let kinds = contents["mails"].as_array().unwrap();
    assert_eq!(kinds.len(), MailKind::ALL.len());
    for kind in kinds.iter().map(|kind| kind.as_str().unwrap()) {
        for language in Language::ALL {
            let path = format!(
                "/account/dev/gallery/mail/{kind}?region=br&lang={}",
                language.code()
            );
            let html = browser.open(&path).await;
            assert_eq!(html.status, 200, "{path}");
            let policy = html.header("content-security-policy").unwrap();
            assert!(policy.ends_with("sandbox"), "{policy}");
            let lang = format!("<html lang=\"{}\"", language.code());
            assert!(html.text().contains(&lang), "{path}");
            assert!(html.text().contains("Lua Cheia"), "{path}");
            let text = browser.open(&format!("{path}&text=true")).await;
            text.assert_header("content-type", "text/plain; charset=utf-8");
        }
    }
    assert_status!(browser.open("/account/dev/gallery/mail/advertising"), 404);
}

async fn the_gallery_is_absent_in_production_and_with_a_mail_server(db: Database) {
    let sending = db
        .site_with(|c| c.mail.smtp_url = Some("smtp://127.0.0.1:1".parse().unwrap()))
        .await;
    let production = db
        .site_with(|c| c.regions[0].environment = "prod".into())
        .await;
    for path in ADDRESSES {
        for site in [&sending, &production] {
            let response = site.browser().open(path).await;
            assert_eq!(response.status, 404, "{path}");
            assert_eq!(response.text(), "Not found\n", "{path}");
        }
    }
    // The route of the front end's files does not serve them either.
    for file in ["index.html", "fake-server.js", "index.css"] {
        let path = format!("/account/dev/gallery/{file}");
        assert_eq!(production.browser().open(&path).await.status, 404, "{path}");
    }
}

async fn pages_for_developers_are_shown_only_at_a_name_of_this_machine(site: Site) {
    let browser = site.browser();
    let mails = ["/account/dev/mail", "/account/dev/mail/messages"];
    for (host, fetch_site, status) in [
        ("localhost:8080", "same-origin", 200),
        ("localhost", "none", 200),
        ("LOCALHOST:99", "same-site", 200),
        ("a.localhost:8080", "same-origin", 200),
        ("127.0.0.1:8080", "same-origin", 200),
        ("127.8.9.1", "same-origin", 200),
        ("[::1]:8080", "same-origin", 200),
        ("[::1]", "same-origin", 200),
        ("localhost:8080", "cross-site", 404),
        ("evil.example:8080", "same-origin", 404),
        ("evil.example", "none", 404),
        ("localhost.evil.example", "same-origin", 404),
        ("127.0.0.1.evil.example:8080", "same-origin", 404),
        ("localhost.:8080", "same-origin", 308),
        ("192.168.0.7:8080", "same-origin", 404),
        ("[::2]:8080", "same-origin", 404),
    ] {
        for path in mails.iter().chain(&ADDRESSES) {
            let request = Request::get(*path)
                .header("host", host)
                .header("sec-fetch-site", fetch_site);
            let response = browser.send(request).await;
            assert_eq!(response.status, status, "{path} {host} {fetch_site}");
        }
    }
}
