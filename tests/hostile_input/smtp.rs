//! Addresses and names that try to inject SMTP commands or mail headers.

use crate::support::prelude::*;
use crate::support::smtp::Smtp;

const HOSTILE_ADDRESSES: [&str; 14] = [
    "ann@example.org\r\nBcc: eve@example.org",
    "ann@example.org\nBcc: eve@example.org",
    "ann@example.org\rBcc:eve@example.org",
    "ann@example.org%0d%0aBcc:eve@example.org",
    "ann@example.org\u{2028}Bcc:eve@example.org",
    "ann@example.org\u{85}Bcc:eve@example.org",
    "ann@example.org> RCPT TO:<eve@example.org",
    "ann@example.org>\r\nRCPT TO:<eve@example.org>",
    "<ann@example.org>,<eve@example.org>",
    "ann@example.org,eve@example.org",
    "ann@example.org;eve@example.org",
    "ann@example.org eve@example.org",
    "\"ann@example.org\r\nDATA\r\n\"@example.org",
    "Ann <ann@example.org>",
];

async fn site_with_smtp(db: &Database) -> (Site, Smtp) {
    let smtp = Smtp::start().await;
    let url = smtp.url();
    let site = db
        .site_with(|config| {
            config.mail.smtp_url = Some(url.parse().unwrap());
            config.limits.enabled = false;
        })
        .await;
    (site, smtp)
}

/// Sends the queued mails. Asserts that each has one recipient without separators.
async fn deliver_mails(site: &Site, smtp: &Smtp) -> Vec<String> {
    account::testing::outbox::queues::drain_mails(&site.app)
        .await
        .unwrap();
    let mut all = Vec::new();
    for mail in smtp.received() {
        assert_eq!(mail.to.len(), 1, "{mail:?}");
        let head = mail.message.split("\r\n\r\n").next().unwrap();
        assert!(!head.to_lowercase().contains("\nbcc:"), "{head}");
        assert!(!head.contains("eve@"), "{head}");
        all.push(mail.to[0].clone());
    }
    assert_eq!(smtp.recipient_count(), all.len());
    all
}

on_both_databases!(an_address_with_smtp_commands_is_never_sent);

on_sqlite!(user_input_is_not_mailed_to_unverified_addresses);

// security: IN-3
async fn an_address_with_smtp_commands_is_never_sent(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    let (browser, ada) = (site.browser(), site.signed_in("ada").await.browser);
    for poison in HOSTILE_ADDRESSES {
        for path in ["/reset-password", "/migration", "/resend-verification"] {
            let status = browser.post(path, &json!({"email": poison})).await.status;
            assert!(status == 422 || status == 200, "{path} {poison:?}");
        }
        let change = ada.request_email_change(poison).await.status;
        let response = browser.register("bob", &json!({"email": poison})).await;
        // An accepted registration's address has no space, line end or second address.
        let is_address = response.status == 201;
        assert_eq!(change == 200, is_address, "{poison:?}");
        assert!(!is_address || poison.contains('%'), "{poison:?}");
        for to in deliver_mails(&site, &smtp).await {
            assert!(is_address && to == poison, "{poison:?} went to {to:?}");
        }
    }
}

// security: IN-3, IN-6
async fn user_input_is_not_mailed_to_unverified_addresses(db: Database) {
    let (site, smtp) = site_with_smtp(&db).await;
    let browser = site.browser();
    let form = form_with("VISITevilEXAMPLEnow", &json!({"zipcode": "EVIL-EXAMPLE"}));
    let request = browser
        .post_request("/register")
        .header("user-agent", "<b>EVIL</b> https://evil.example\t")
        .header("accept-language", "en-EVIL;q=\"<EVIL>\"")
        .header("x-forwarded-host", "evil.example")
        .header("host", "evil.example");
    assert_status!(browser.send_with(request, form.to_string()), 201);
    account::testing::outbox::queues::drain_mails(&site.app)
        .await
        .unwrap();
    let mails = smtp.received();
    assert_eq!(mails.len(), 1);
    let mut message = mails[0].message.replace("=\r\n", "").to_lowercase();
    assert!(message.contains("http://localhost:8080/account/"));
    // The mail may contain the address itself.
    message = message.replace(&form["email"].as_str().unwrap().to_lowercase(), "");
    assert!(!message.contains("evil"), "{message}");
}
