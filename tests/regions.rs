//! The appearance of a region: brand, sender, fragments, and the targets of its links.

use account::config::{self, Config, Landscape, Links, Region};
use account::testing::outbox::queues;
use axum::http::Request;
use serde_json::json;

use crate::support::process::run_to_exit;
use crate::support::smtp::Smtp;
use crate::support::{Browser, Database, form};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config.regions.example.toml");

fn sample_config() -> Config {
    config::load(Some(SAMPLE.as_ref()), std::iter::empty()).unwrap()
}

pub(crate) fn brand(id: &str, host: &str) -> Region {
    Region {
        id: id.into(),
        hosts: vec![host.into()],
        brand: "Loma & Luna".into(),
        logo: Some("https://static.example/logo.svg".into()),
        accent: "#c2185b".parse().unwrap(),
        landscape: Landscape::Sky,
        mail_from: Some("Loma Luna <cuenta@lomaluna.example>".into()),
        links: Links::placeholders(id),
        ..Region::default()
    }
}

async fn page_on(browser: &Browser, host: &str, path: &str) -> crate::support::Response {
    browser.send(Request::get(path).header("host", host)).await
}

on_both_databases!(a_page_has_the_colours_of_its_region);
// security: HD-2
async fn a_page_has_the_colours_of_its_region(db: Database) {
    let site = db
        .site_with(|c| c.regions.push(brand("latam", "www.lomaluna.example")))
        .await;
    let browser = site.browser();
    let page = page_on(&browser, "www.lomaluna.example", "/account/").await;
    let (_, rest) = page.text().split_once("<style>").unwrap();
    let (style, _) = rest.split_once("</style>").unwrap();
    assert!(style.contains("--accent:#c2185b;"), "{style}");
    assert!(style.contains("--on-accent:#ffffff;"), "{style}");
    assert!(style.contains(".landscape .hills{display:none}"), "{style}");
    let policy = page.header("content-security-policy").unwrap();
    let digest = account::testing::pages::branding::digest(style);
    assert!(policy.contains(&format!(" {digest}; img-src")), "{policy}");
    assert!(policy.contains("https://static.example"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");

    let header = page_on(
        &browser, "www.lomaluna.example", "/account/account-api/ui/header",
    )
    .await;
    let logo = "<img src=\"https://static.example/logo.svg\" alt=\"Loma &amp; Luna\">";
    assert!(header.text().contains(logo), "{}", header.text());

    for host in ["unknown.example", "localhost"] {
        let page = page_on(&browser, host, "/account/").await;
        let (head, _) = page.text().split_once("</head>").unwrap();
        assert!(!head.contains("<style>") && !page.text().contains("c2185b"));
        let policy = page.header("content-security-policy").unwrap();
        assert!(!policy.contains("static.example"), "{policy}");
    }
}

on_both_databases!(mails_have_the_colours_and_the_sender_of_the_region);
async fn mails_have_the_colours_and_the_sender_of_the_region(db: Database) {
    let smtp = Smtp::start().await;
    let site = db
        .site_with(|c| {
            c.mail.smtp_url = Some(smtp.url().parse().unwrap());
            c.regions.push(brand("latam", "www.lomaluna.example"));
        })
        .await;
    for (host, name) in [("www.lomaluna.example", "ada"), ("unknown.example", "bob")] {
        let browser = site.browser();
        let request = browser.post_request("/register").header("host", host);
        assert_status!(browser.send_with(request, form(name).to_string()), 201);
    }
    queues::drain_mails(&site.app).await.unwrap();
    let mut mails = smtp.received();
    mails.sort_by(|a, b| a.to.cmp(&b.to));
    let [ada, bob] = &mails[..] else {
        panic!("{mails:?}")
    };
    assert_eq!(ada.from, "cuenta@lomaluna.example");
    assert_eq!(
        ada.header("From"),
        "\"Loma Luna\" <cuenta@lomaluna.example>"
    );
    let html = ada.message.replace("=\r\n", "");
    let link = |mail: &str, host: &str| {
        mail.contains(&format!("http://{host}:8080/account/verify-email?token="))
    };
    assert!(link(&html, "www.lomaluna.example"), "{html}");
    assert!(link(&bob.message.replace("=\r\n", ""), "localhost"));
    assert!(html.contains("background-color:#c2185b") && html.contains("color:#ffffff"));
    assert!(
        html.contains("Loma &#38; Luna") || html.contains("Loma &amp; Luna"),
        "{html}"
    );
    // The mail does not contain an unknown host.
    assert_eq!(bob.header("From"), "Account <account@localhost>");
    assert!(bob.message.contains("#ffd21f") && !bob.message.contains("unknown.example"));
}

on_both_databases!(a_mailed_link_leads_to_the_region_of_its_request);
async fn a_mailed_link_leads_to_the_region_of_its_request(db: Database) {
    let site = db
        .allow_unread_mails()
        .site_with(|c| c.regions.push(brand("latam", "www.lomaluna.example")))
        .await;
    let (unverified, _) = site.registered("una").await;
    let ada = site.signed_in("ada").await;
    let cases = [
        (
            &unverified.browser,
            "/resend-verification",
            json!({"email": unverified.email}),
            &unverified.email,
        ),
        (
            &ada.new_browser(),
            "/reset-password",
            json!({"email": ada.email}),
            &ada.email,
        ),
        (&ada.new_browser(), "/login", ada.credentials(), &ada.email),
        (
            &ada.browser,
            "/change-email",
            json!({"email": "new@example.org"}),
            &"new@example.org".to_owned(),
        ),
        (&ada.browser, "/delete-account", json!({}), &ada.email),
    ];
    for (browser, path, body, recipient) in cases {
        site.mails().await;
        let request = browser.post_request(path);
        let request = request.header("host", "www.lomaluna.example");
        let response = browser.send_with(request, body.to_string()).await;
        assert!(
            response.status.as_u16() < 404,
            "{path}: {}",
            response.text()
        );
        let mail = site.mail_to(recipient).await;
        let link = mail.link();
        assert!(
            link.starts_with("http://www.lomaluna.example:8080/"),
            "{path}: {link}"
        );
    }
}

on_both_databases!(only_the_pages_of_a_region_may_show_its_pictures_of_people);
async fn only_the_pages_of_a_region_may_show_its_pictures_of_people(db: Database) {
    let images = "https://images.example/faces/{username}.png";
    let site = db
        .site_with(|c| {
            let region = brand("latam", "www.lomaluna.example");
            c.regions.push(Region {
                avatar_images: Some(images.into()),
                ..region
            });
        })
        .await;
    let browser = site.browser();
    for (host, found) in [("www.lomaluna.example", true), ("localhost", false)] {
        let page = page_on(&browser, host, "/account/").await;
        let policy = page.header("content-security-policy").unwrap();
        let sources = policy.split("; ").find(|part| part.starts_with("img-src"));
        let allows = sources.unwrap().contains("https://images.example");
        assert_eq!(allows, found, "{policy}");
        let config = page_on(&browser, host, "/account/account-api/config").await;
        let value = config.json()["region"]["avatar_images"].clone();
        assert_eq!(value.as_str(), found.then_some(images));
    }
}

fn links(html: &str) -> Vec<String> {
    let parts = html.split("href=\"").skip(1);
    parts
        .map(|part| part.split('"').next().unwrap().to_owned())
        .collect()
}

on_both_databases!(every_link_of_the_default_region_works);
async fn every_link_of_the_default_region_works(db: Database) {
    let site = db.site().await;
    let browser = site.browser();
    for (language, terms) in [
        ("en", "Terms of Use"),
        ("de", "Nutzungsbedingungen"),
        ("es", "Condiciones de uso"),
        ("pt", "Termos de uso"),
    ] {
        let mut addresses = Vec::new();
        for part in ["header", "footer"] {
            let request = Request::get(format!("/account/account-api/ui/{part}"))
                .header("accept-language", language);
            addresses.extend(links(browser.send(request).await.text()));
        }
        // The links of the terms in registration and completion come from this configuration.
        let config = browser.get("/config").await.json();
        let known = config["region"]["links"].as_object().unwrap();
        addresses.extend(known.values().map(|link| link.as_str().unwrap().to_owned()));
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), 7, "{addresses:?}");
        for address in addresses {
            let get = |path: &str| Request::get(path).header("accept-language", language);
            let mut page = browser.send(get(&address)).await;
            if address == "/" {
                page.assert_header("location", "/account/");
                page = browser.send(get("/account/")).await;
            }
            assert_eq!(page.status, 200, "{address}");
            let html = page.text();
            assert!(
                html.contains(&format!("<html lang=\"{language}\"")),
                "{address}"
            );
            for link in links(html)
                .iter()
                .filter(|link| link.starts_with('/') && !link.contains("assets/"))
            {
                let found = browser.send(get(link)).await.status;
                let expected = if link == "/" { 307 } else { 200 };
                let is_icon = link.ends_with(".svg");
                assert!(is_icon || found == expected, "{link} on {address}: {found}");
            }
        }
        let page = page_in_language(&browser, "/legal/us/terms-of-use", language).await;
        assert!(
            page.text().contains(&format!("<h1>{terms}</h1>")),
            "{}",
            page.text()
        );
    }
}

async fn page_in_language(
    browser: &Browser,
    path: &str,
    language: &str,
) -> crate::support::Response {
    let request = Request::get(path).header("accept-language", language);
    browser.send(request).await
}

on_both_databases!(a_placeholder_exists_only_for_a_configured_link);
// security: HD-1, HD-7
async fn a_placeholder_exists_only_for_a_configured_link(db: Database) {
    let site = db
        .site_with(|c| {
            c.regions[0].links.terms = Some("https://www.example.org/terms".into());
            c.regions[0].links.episodes = None;
            c.regions.push(brand("latam", "www.lomaluna.example"));
        })
        .await;
    let browser = site.browser();
    let page = page_on(&browser, "www.lomaluna.example", "/legal/latam/privacy").await;
    assert_eq!(page.status, 200);
    page.assert_header("x-robots-tag", "noindex");
    page.assert_header("x-content-type-options", "nosniff");
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(
        !policy.contains("script-src") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert!(page.text().contains("--accent:#c2185b") && !page.text().contains("<script"));
    for path in [
        "/legal/us/terms-of-use", "/legal/de/privacy", "/legal/us/privacy/", "/legal/us/privacy/x",
        "/legal/../legal/us/privacy",
    ] {
        let response = browser.open(path).await;
        assert_eq!(
            (response.status.as_u16(), response.text()),
            (404, "Not found\n"),
            "{path}"
        );
    }
    let post = Request::post("/legal/latam/privacy");
    assert_eq!(browser.send(post).await.status, 404);
}

#[test]
fn the_sample_has_seven_brands_in_four_environments() {
    let config = sample_config();
    let prod = config.regions.iter().filter(|r| r.environment == "prod");
    assert_eq!(prod.count(), 7);
    for (host, id, environment) in [
        ("www.moonhill.example", "us", "prod"),
        ("west.moonhill.example", "us-west", "prod"),
        ("MONDHUEGEL.example", "de", "prod"),
        ("uk.moonhill.example", "uk", "prod"),
        ("nordics.moonhill.example", "nordics", "prod"),
        ("www.morrodalua.example", "br", "prod"),
        ("www.lomaluna.example", "latam", "prod"),
        ("preprod.moonhill.example", "us-preprod", "preProd"),
        ("stage.moonhill.example", "us-stage", "stage"),
        ("dev.localhost", "us-dev", "dev"),
        ("nobody.example", "us", "prod"),
    ] {
        let region = config.region(host);
        assert_eq!(
            (region.id.as_str(), region.environment.as_str()),
            (id, environment)
        );
    }
    for region in &config.regions {
        for host in &region.hosts {
            let reserved = [".example", ".test", ".localhost"];
            assert!(reserved.iter().any(|end| host.ends_with(end)), "{host}");
        }
    }
}

#[test]
fn check_config_explains_hosts_and_unsafe_settings() {
    let folder = tempfile::tempdir().unwrap();
    let check = |file: &str| run_to_exit(folder.path(), &["check-config", "--config", file], &[]);
    let (code, _, errors) = check(SAMPLE);
    assert_eq!(code, 0, "{errors}");
    let (_, of_germany) = errors.split_once("\nwww.mondhuegel.example\n").unwrap();
    for (label, value) in [
        ("region", "de (prod)"),
        ("brand", "Mondhügel, #ffd21f"),
        ("language", "de, times as in Europe/Berlin"),
        ("zip code", "any"),
        ("mail from", "Mondhügel <konto@mondhuegel.example>"),
        (
            "header from",
            "https://fragments.moonhill.example/header?domain=www.mondhuegel.example",
        ),
        ("words from", "https://words.moonhill.example/prod/de.json"),
        ("consent", "https://consent.moonhill.example/boot.js"),
    ] {
        let line = format!("  {label:<13} {value}");
        let found = of_germany.lines().take(10).any(|found| found == line);
        assert!(found, "{line} is not in:\n{of_germany}");
    }
    assert!(
        errors.contains("any other host\n  region        us (prod)"),
        "{errors}"
    );
    assert!(
        errors.contains("warning: regions.de.consent: its scripts run"),
        "{errors}"
    );

    let file = folder.path().join("account.toml");
    std::fs::write(&file, "[[regions]]\nid = \"us\"\naccent = \"#402020\"\n").unwrap();
    let (code, _, errors) = check("account.toml");
    assert_eq!((code, errors.lines().count()), (2, 1), "{errors}");
    assert!(
        errors.starts_with("account: regions.us.accent: #402020 has a contrast of"),
        "{errors}"
    );
}
