//! One mailbox is one address: the spellings of a domain, of letters with marks, and of pasted text.

use account::testing::outbox::queues;

use crate::mail_server::retry_given_up;
use crate::old_accounts::old_with;
use crate::support::prelude::*;
use crate::support::smtp::{Behaviour, Smtp};

const TYPED: &str = "anna@münchen.example.com";
const ASCII: &str = "anna@xn--mnchen-3ya.example.com";

async fn register(site: &Site, name: &str, email: &str) -> Response {
    site.browser()
        .register(name, &json!({"email": email}))
        .await
}

/// An account with this address, which is verified.
async fn member_at(site: &Site, name: &str, email: &str) -> Browser {
    let browser = site.browser();
    assert_status!(browser.register(name, &json!({"email": email})), 201);
    let token = site.mail_to(email).await.token();
    assert_ok!(browser.confirm_email(&token));
    browser
}

async fn sign_in(site: &Site, email: &str) -> Response {
    site.browser().try_sign_in(email, PASSWORD).await
}

on_both_databases!(
    every_spelling_of_an_address_is_one_account,
    an_old_account_is_found_and_imported_by_every_spelling,
    mail_servers_get_domains_in_ascii,
    an_address_that_cannot_be_mailed_is_refused,
    full_width_digits_of_a_zip_code_are_stored_as_digits,
);

async fn every_spelling_of_an_address_is_one_account(db: Database) {
    let site = db.site_with(allow_new_devices).await;
    member_at(&site, "anna", TYPED).await;
    member_at(&site, "jose", "jos\u{e9}@example.org").await;
    for (stored, spellings) in [
        (
            TYPED,
            [
                TYPED,
                ASCII,
                "Anna@XN--MNCHEN-3YA.example.com",
                "anna@mu\u{308}nchen.example.com",
                "anna@ｍünchen。example.com",
                "\u{200b}anna@münchen.example.com\u{feff}",
            ],
        ),
        (
            "jos\u{e9}@example.org",
            [
                "jose\u{301}@example.org", "JOS\u{c9}@example.org", "JOSE\u{301}@Example.Org",
                "jos\u{e9}@example.org\u{200b}", " jos\u{e9}@example.org",
                "jos\u{e9}@ｅxample.org",
            ],
        ),
    ] {
        for spelling in spellings {
            let signed_in = sign_in(&site, spelling).await;
            assert_eq!(signed_in.status, 200, "{spelling}: {}", signed_in.text());
            // Shown as the owner typed it.
            assert_eq!(signed_in.json()["email"], stored);
            let taken = register(&site, "other", spelling).await;
            assert_eq!(taken.status, 409, "{spelling}: {}", taken.text());
        }
    }
    site.browser().request_reset(ASCII).await;
    assert!(site.mail_to(TYPED).await.has_token());
}

async fn an_old_account_is_found_and_imported_by_every_spelling(site: Site) {
    let row = |email: &str| old_with("anna", &json!({"email": email}));
    site.import_accounts(&[row(TYPED)]).await;
    site.import_accounts(&[row(ASCII)]).await;
    site.assert_count("legacy_accounts", 1).await;
    assert_refused!(sign_in(&site, TYPED), NeedsMigration);
    assert_status!(register(&site, "other", TYPED), 409);
}

async fn mail_servers_get_domains_in_ascii(db: Database) {
    db.allow_unread_mails();
    let smtp = Smtp::start().await;
    let site = db
        .site_with(|c| {
            c.mail.smtp_url = Some(smtp.url().parse().unwrap());
            c.mail.from = "Fan <a@münchen.de>".into();
        })
        .await;
    // A relay without SMTPUTF8 (RFC 6531).
    smtp.set_behaviour(Behaviour::RespondsTo("EHLO", "250-sink\r\n250 8BITMIME"));
    assert_status!(register(&site, "user", "user@münchen.de"), 201);
    assert_eq!(queues::drain_mails(&site.app).await.unwrap(), 1);
    let mails = smtp.received();
    let (mail, to) = (&mails[0], "user@xn--mnchen-3ya.de");
    assert_eq!(
        (&*mail.from, &*mail.to[0], mail.header("To")),
        ("a@xn--mnchen-3ya.de", to, to)
    );
    assert!(mail.message.is_ascii());

    // A local part outside ASCII has no other form.
    let hindi = "संपर्क@डाटामेल.भारत";
    assert_status!(register(&site, "hindi", hindi), 201);
    queues::drain_mails(&site.app).await.unwrap();
    assert!(smtp.received().is_empty());
    retry_given_up(&site, "1d").await;
    smtp.set_behaviour(Behaviour::Accepts);
    assert_status!(register(&site, "jose", "jose\u{301}@example.org"), 201);
    queues::drain_mails(&site.app).await.unwrap();
    let to = smtp.recipients();
    let all = ["संपर्क@xn--c2bd4bq1db8d.xn--h2brj9c", "jos\u{e9}@example.org"];
    assert!(
        all.iter().all(|one| to.iter().any(|to| to == one)),
        "{to:?}"
    );
    assert_eq!(smtp.ehlo_names()[0], "xn--mnchen-3ya.de");
}

async fn an_address_that_cannot_be_mailed_is_refused(site: Site) {
    for email in [
        "\"quoted..x\"@example.com", "\"bob\"@example.com", "\"a<script>\"@example.org",
        "x@exa/mple.com", "a@127.0.0.1", "a@localhost.localdomain", "x@no-address.invalid",
        "a\u{3164}b@example.org", "a\u{115f}b@example.org",
    ] {
        let response = register(&site, "x", email).await;
        response.assert_invalid_field("email", FieldRule::EmailInvalid);
    }
    site.assert_count("outbox", 0).await;
}

async fn full_width_digits_of_a_zip_code_are_stored_as_digits(site: Site) {
    site.allow_unread_mails();
    let japanese = json!({"country": "jp", "zipcode": "１５４－００２３"});
    assert_status!(site.browser().register("ken", &japanese), 201);
    site.assert_count("accounts WHERE zipcode = '154-0023'", 1)
        .await;
}
