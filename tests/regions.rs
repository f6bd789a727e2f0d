//! The appearance of a region: brand, sender, fragments, and the targets of its links.

use account::config::{self, Config, Landscape, Links, Region};
use account::testing::outbox::queues;

use crate::prelude::*;
use crate::support::smtp::Smtp;

on_both_databases!(
    mails_have_the_colours_and_the_sender_of_the_region,
    a_mailed_link_leads_to_the_region_of_its_request
);
on_sqlite!(
    a_page_has_the_colours_of_its_region,
    only_the_pages_of_a_region_may_show_its_pictures_of_people,
    every_link_of_the_default_region_works,
    a_placeholder_exists_only_for_a_configured_link
);

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config.regions.example.toml");

const HOST: &str = "www.lomaluna.example";

fn sample_config() -> Config {
    config::load(Some(SAMPLE.as_ref()), std::iter::empty()).unwrap()
}

pub fn brand(id: &str, host: &str) -> Region {
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

async fn site_with_brand(db: &Database) -> Site {
    db.site_with(|c| c.regions.push(brand("latam", HOST))).await
}

async fn page_on(browser: &Browser, host: &str, path: &str) -> Response {
    browser.send(Request::get(path).header("host", host)).await
}

// security: HD-2
async fn a_page_has_the_colours_of_its_region(db: Database) {
    let site = site_with_brand(&db).await;
    let browser = site.browser();
    let page = page_on(&browser, HOST, "/account/").await;
    let (_, rest) = page.text().split_once("<style>").unwrap();
    let (style, _) = rest.split_once("</style>").unwrap();
    assert_contains!(style, "--accent:#c2185b;");
    assert_contains!(style, "--on-accent:#ffffff;");
    assert_contains!(style, ".landscape .hills{display:none}");
    let policy = page.header("content-security-policy").unwrap();
    let digest = account::testing::pages::branding::digest(style);
    assert_contains!(policy, &format!(" {digest}; img-src"));
    assert_contains!(policy, "https://static.example");
    assert_lacks!(policy, "unsafe");

    let header = page_on(&browser, HOST, &format!("{API}/ui/header")).await;
    let logo = "<img src=\"https://static.example/logo.svg\" alt=\"Loma &amp; Luna\">";
    assert_contains!(header.text(), logo);

    for host in ["unknown.example", "localhost"] {
        let page = page_on(&browser, host, "/account/").await;
        let (head, _) = page.text().split_once("</head>").unwrap();
        assert!(!head.contains("<style>") && !page.text().contains("c2185b"));
        let policy = page.header("content-security-policy").unwrap();
        assert_lacks!(policy, "static.example");
    }
}

async fn mails_have_the_colours_and_the_sender_of_the_region(db: Database) {
    let smtp = Smtp::start().await;
    let site = db
        .site_with(|c| {
            c.mail.smtp_url = Some(smtp.url().parse().unwrap());
            c.regions.push(brand("latam", HOST));
        })
        .await;
    for (host, name) in [(HOST, "ada"), ("unknown.example", "bob")] {
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
    assert!(link(&html, HOST), "{html}");
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

async fn a_mailed_link_leads_to_the_region_of_its_request(db: Database) {
    let site = site_with_brand(db.allow_unread_mails()).await;
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
        let request = request.header("host", HOST);
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

async fn only_the_pages_of_a_region_may_show_its_pictures_of_people(db: Database) {
    let images = "https://images.example/faces/{username}.png";
    let site = db
        .site_with(|c| {
            let region = brand("latam", HOST);
            c.regions.push(Region {
                avatar_images: Some(images.into()),
                ..region
            });
        })
        .await;
    let browser = site.browser();
    for (host, found) in [(HOST, true), ("localhost", false)] {
        let page = page_on(&browser, host, "/account/").await;
        let policy = page.header("content-security-policy").unwrap();
        let sources = policy.split("; ").find(|part| part.starts_with("img-src"));
        let allows = sources.unwrap().contains("https://images.example");
        assert_eq!(allows, found, "{policy}");
        let config = page_on(&browser, host, &format!("{API}/config")).await;
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

async fn every_link_of_the_default_region_works(site: Site) {
    let browser = site.browser();
    for (language, terms) in [
        ("en", "Terms of Use"),
        ("de", "Nutzungsbedingungen"),
        ("es", "Condiciones de uso"),
        ("pt", "Termos de uso"),
    ] {
        let get = |path: &str| Request::get(path).header("accept-language", language);
        let mut addresses = Vec::new();
        for part in ["header", "footer"] {
            let page = browser.send(get(&format!("{API}/ui/{part}"))).await;
            addresses.extend(links(page.text()));
        }
        // The links of the terms in registration and completion come from this configuration.
        let config = browser.get("/config").await.json();
        let known = config["region"]["links"].members();
        addresses.extend(known.values().map(|link| link.text().to_owned()));
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), 7, "{addresses:?}");
        for address in addresses {
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
        let page = browser.send(get("/legal/us/terms-of-use")).await;
        assert_contains!(page.text(), &format!("<h1>{terms}</h1>"));
    }
}

// security: HD-1, HD-7
async fn a_placeholder_exists_only_for_a_configured_link(db: Database) {
    let site = db
        .site_with(|c| {
            c.regions[0].links.terms = Some("https://www.example.org/terms".into());
            c.regions[0].links.episodes = None;
            c.regions.push(brand("latam", HOST));
        })
        .await;
    let browser = site.browser();
    let page = page_on(&browser, HOST, "/legal/latam/privacy").await;
    page.assert_status(200);
    page.assert_header("x-robots-tag", "noindex");
    page.assert_header("x-content-type-options", "nosniff");
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert_lacks!(policy, "script-src", "unsafe");
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
    assert_status!(browser.send(post), 404);
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
        (HOST, "latam", "prod"),
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
    let folder = folder();
    let (_, said) = run_to_success(&folder, &format!("check-config --config {SAMPLE}"), &[]);
    let (_, of_germany) = said.split_once("\nwww.mondhuegel.example\n").unwrap();
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
    assert_contains!(said, "any other host\n  region        us (prod)");
    assert_contains!(said, "consent: its scripts run");

    write(
        &folder,
        "account.toml",
        "[[regions]]\nid = \"us\"\naccent = \"#402020\"\n",
    );
    let contrast = "account: regions[0].accent: #402020 has a contrast of";
    let check = "check-config --config account.toml";
    let error = run_to_failure(&folder, check, &[], 2, contrast);
    assert!(error.starts_with(contrast), "{error}");
}
