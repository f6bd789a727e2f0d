//! A stolen session cookie: everything that a thief can do with it, for every order of delivery of the mails, against
//! the one link that restores the account to its owner.

use account::testing::outbox::queues;
use serde_json::{Value, json};

use crate::support::database::Kind;
use crate::support::smtp::{Received, Smtp};
use crate::support::{Browser, Database, Person, Site};

const OWNERS_NEW_PASSWORD: &str = "Orange-Tree-43";
const OWNERS_LAST_PASSWORD: &str = "Apple-Tree-46";
const THIEFS_PASSWORD: &str = "Thief-Tree-44";
const THIEFS_NEW_PASSWORD: &str = "Other-Tree-45";

/// The delivery of the mails in one run: how often the server defers each notice of a change, and whether the thief
/// refuses a device before or after the second password reset.
#[derive(Debug, Clone, Copy)]
struct DeliveryOrder {
    first_notice: u32,
    second_notice: u32,
    refuses_last: bool,
}

/// All orders on SQLite. The program sends mails with the same code on both databases, so PostgreSQL gets the extremes
/// and both orders of the two notices.
fn delivery_orders(kind: Kind) -> Vec<DeliveryOrder> {
    let all = (0..=2).flat_map(|first| {
        (0..=2).flat_map(move |second| [false, true].map(|last| (first, second, last)))
    });
    let selected = [(0, 0, false), (2, 1, true), (1, 2, false), (2, 2, true)];
    all.filter(|order| kind == Kind::Sqlite || selected.contains(order))
        .map(
            |(first_notice, second_notice, refuses_last)| DeliveryOrder {
                first_notice,
                second_notice,
                refuses_last,
            },
        )
        .collect()
}

struct Takeover {
    site: Site,
    smtp: Smtp,
    /// Every delivered mail, oldest first.
    arrived: Vec<Received>,
}

impl Takeover {
    /// Sends the due mails.
    async fn deliver(&mut self) {
        queues::drain_mails(&self.site.app).await.unwrap();
        self.arrived.extend(self.smtp.received());
    }

    fn mails_to<'a>(&'a self, address: &'a str) -> impl Iterator<Item = &'a Received> {
        self.arrived
            .iter()
            .filter(move |mail| mail.to == [address.to_owned()])
    }

    /// The token of the newest mail with a link to this page.
    async fn token(&mut self, to: &str, page: &str) -> String {
        self.deliver().await;
        let has_link = |mail: &&Received| mail.message.replace("=\r\n", "").contains(page);
        let mail = self.mails_to(to).filter(has_link).last();
        mail.unwrap_or_else(|| panic!("a mail to {to} with a link to {page}"))
            .token()
    }

    fn undo_tokens(&self, to: &str) -> Vec<String> {
        self.mails_to(to).filter_map(Received::undo_token).collect()
    }

    async fn sign_in(&mut self, browser: &Browser, email: &str, password: &str) {
        if browser.try_sign_in(email, password).await.status == 403 {
            let token = self.token(email, "/account/verify-email").await;
            assert_eq!(browser.confirm_email(&token).await.status, 200);
            assert_status!(browser.try_sign_in(email, password), 200);
        }
    }

    async fn reset_password(&mut self, browser: &Browser, email: &str, password: &str) {
        browser.request_reset(email).await;
        let token = self.token(email, "/account/reset-password").await;
        let response = crate::password_reset::confirm_reset(browser, &token, password).await;
        assert_eq!(response.status, 200);
    }

    /// Changes the address. The mail server defers the notice to the old address `refused` times.
    async fn change_email(&mut self, browser: &Browser, from: &str, to: &str, refused: u32) {
        assert_status!(browser.request_email_change(to), 200);
        let token = self.token(to, "/account/change-email").await;
        self.smtp.greylist(from, refused);
        assert_eq!(browser.confirm_email_change(&token).await.status, 200);
        self.deliver().await;
        self.site.advance("1s");
    }

    /// Signs in on another device with the password, and follows the link that refuses that device.
    async fn refuse_own_device(&mut self, email: &str, password: &str) {
        let stranger = self.site.browser();
        assert_refused!(stranger.try_sign_in(email, password), NewDevice);
        let token = self.token(email, "/account/verify-email").await;
        let response = self.site.browser().decide_device(&token, false).await;
        assert_eq!(response.json()["code"], "device_refused");
    }

    async fn email_of(&self, name: &str) -> Value {
        self.site.user(name).await["email"].clone()
    }
}

/// A request that the thief began with the cookie has no effect after the owner's reset.
async fn assert_delayed_request_has_no_effect(takeover: &mut Takeover, owner: &Person) {
    let thief = owner.browser.copy();
    let target = format!("{}-held@example.org", owner.name);
    let held = thief
        .begin_delayed_post("/change-email", &json!({"email": target}))
        .await;
    takeover
        .reset_password(&owner.browser, &owner.email, OWNERS_NEW_PASSWORD)
        .await;
    assert_refused!(held.send_body(), Unauthenticated);
    takeover.deliver().await;
    assert_eq!(takeover.mails_to(&target).count(), 0);
}

/// The thief has only the session cookie and mailboxes outside the account. Returns the thief's browser.
async fn take_account_over(
    takeover: &mut Takeover,
    owner: &Person,
    order: DeliveryOrder,
) -> Browser {
    let (second, third) = thiefs_addresses(owner);
    let thief = owner.browser.copy();
    takeover
        .change_email(&thief, &owner.email, &second, order.first_notice)
        .await;
    takeover
        .change_email(&thief, &second, &third, order.second_notice)
        .await;
    takeover
        .reset_password(&thief, &third, THIEFS_PASSWORD)
        .await;
    if order.refuses_last {
        takeover
            .reset_password(&thief, &third, THIEFS_NEW_PASSWORD)
            .await;
        takeover
            .refuse_own_device(&third, THIEFS_NEW_PASSWORD)
            .await;
    } else {
        takeover.refuse_own_device(&third, THIEFS_PASSWORD).await;
        takeover
            .reset_password(&thief, &third, THIEFS_NEW_PASSWORD)
            .await;
    }
    takeover.sign_in(&thief, &third, THIEFS_NEW_PASSWORD).await;
    thief
}

fn thiefs_addresses(owner: &Person) -> (String, String) {
    let name = &owner.name;
    (
        format!("{name}-second@example.org"),
        format!("{name}-third@example.org"),
    )
}

async fn recover_account(
    takeover: &mut Takeover,
    owner: &Person,
    thief: &Browser,
    order: DeliveryOrder,
) {
    while takeover.undo_tokens(&owner.email).is_empty() {
        takeover.site.advance("1s");
        takeover.deliver().await;
    }
    let token = takeover.undo_tokens(&owner.email).pop().unwrap();
    let response = owner.new_browser().undo_email_change(&token).await;
    assert_eq!(response.json()["email"], owner.email, "{order:?}");
    thief.assert_signed_out().await;
    for _ in 0..20 {
        takeover.site.advance("5m");
        takeover.deliver().await;
    }
    let (second, third) = thiefs_addresses(owner);
    for address in [&second, &third] {
        for token in takeover.undo_tokens(address) {
            let browser = takeover.site.browser();
            assert_refused!(browser.undo_email_change(&token), InvalidToken);
        }
    }
    assert_eq!(
        takeover.email_of(&owner.name).await,
        owner.email,
        "{order:?}"
    );
    // The undo has ended the thief's password, and the thief receives no mail of the account.
    assert_refused!(
        thief.try_sign_in(&owner.email, THIEFS_NEW_PASSWORD),
        InvalidCredentials
    );
    let browser = owner.new_browser();
    takeover
        .reset_password(&browser, &owner.email, OWNERS_LAST_PASSWORD)
        .await;
    takeover
        .sign_in(&browser, &owner.email, OWNERS_LAST_PASSWORD)
        .await;
    owner.assert_signed_in(&browser).await;
}

on_both_databases!(the_undo_link_recovers_an_account_from_a_stolen_cookie);
// security: TK-5, SE-9
async fn the_undo_link_recovers_an_account_from_a_stolen_cookie(db: Database) {
    let smtp = Smtp::start().await;
    let keeping = db.site_without_limits().await;
    let site = db
        .site_with(|c| {
            c.limits.enabled = false;
            c.mail.smtp_url = Some(smtp.url().parse().unwrap());
        })
        .await;
    for (n, order) in delivery_orders(db.kind()).into_iter().enumerate() {
        let owner = keeping.signed_in(&format!("owner{n}")).await;
        let mut takeover = Takeover {
            site: site.clone(),
            smtp: smtp.clone(),
            arrived: Vec::new(),
        };
        assert_delayed_request_has_no_effect(&mut takeover, &owner).await;
        takeover
            .sign_in(&owner.browser, &owner.email, OWNERS_NEW_PASSWORD)
            .await;
        let thief = take_account_over(&mut takeover, &owner, order).await;
        recover_account(&mut takeover, &owner, &thief, order).await;
        takeover.deliver().await;
        assert_eq!(site.count("outbox").await, 0, "{order:?}");
    }
}
