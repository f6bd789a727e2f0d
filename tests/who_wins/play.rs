//! The steps of an attack and of its defence, and what each party can still do afterwards.

mod steps;

use uuid::Uuid;

use super::{Link, Mailbox, Party};
use crate::migration::confirm as confirm_migration;
use crate::passkeys::{add_passkey, sign_in};
use crate::password_reset::confirm_reset;
use crate::second_factor::second_step;
use crate::support::authenticator_app::AuthenticatorApp;
use crate::support::mails::Mail;
use crate::support::prelude::*;

use Party::{Owner, Thief};

pub use steps::{EXPORTS, MAKES_RECOVERY_CODES, REQUESTS_DELETION, REQUESTS_FACTOR_RESET};

/// What one party holds.
struct Hand {
    browser: Browser,
    password: String,
    passkey: Option<Authenticator>,
    app: Option<AuthenticatorApp>,
    mailboxes: Vec<Mailbox>,
}

pub struct Play {
    row: String,
    site: Site,
    /// The nodes of the site. Only steps at once use the second.
    nodes: [Site; 2],
    /// The account, or the waiting account of the older system.
    id: Uuid,
    owner: Hand,
    thief: Hand,
    /// The thief's second account, with a browser of its own.
    second: Option<Browser>,
    arrived: Vec<Mail>,
}

impl Play {
    pub async fn begin(nodes: &[Site; 2], row: &str) -> Play {
        let site = &nodes[0];
        let name = format!("owner{row}");
        let browser = site.signed_in(&name).await.browser;
        let hand = |browser, mailboxes| Hand {
            browser,
            password: PASSWORD.to_owned(),
            passkey: None,
            app: None,
            mailboxes,
        };
        Play {
            id: site.id_of(&name).await,
            owner: hand(browser, vec![Mailbox::V, Mailbox::W]),
            thief: hand(site.browser(), vec![Mailbox::T, Mailbox::T2]),
            row: row.to_owned(),
            site: site.clone(),
            nodes: nodes.clone(),
            second: None,
            arrived: Vec::new(),
        }
    }

    fn hand(&mut self, party: Party) -> &mut Hand {
        match party {
            Owner => &mut self.owner,
            Thief => &mut self.thief,
        }
    }

    fn address_of(&self, mailbox: Mailbox) -> String {
        match mailbox {
            Mailbox::V => format!("owner{}@example.org", self.row),
            other => format!("{other:?}{}@example.net", self.row).to_lowercase(),
        }
    }

    async fn deliver(&mut self) {
        self.arrived.extend(self.site.mails().await);
    }

    /// The subjects and texts of the mails to a mailbox, oldest first.
    pub async fn texts_to(&mut self, mailbox: Mailbox) -> Vec<String> {
        self.deliver().await;
        let address = self.address_of(mailbox);
        let own = self.arrived.iter().filter(|mail| mail.to == address);
        own.map(|mail| format!("{}\n{}", mail.subject, mail.text))
            .collect()
    }

    /// The tokens of the links to this page in the mails to the mailbox, the newest last.
    async fn tokens(&mut self, mailbox: Mailbox, link: Link) -> Vec<String> {
        self.deliver().await;
        let address = self.address_of(mailbox);
        let own = self.arrived.iter().filter(|mail| mail.to == address);
        let links = own.filter(|mail| mail.has_token() && mail.link().contains(link.page()));
        links.map(Mail::token).collect()
    }

    async fn last_token(&mut self, mailbox: Mailbox, link: Link) -> String {
        let found = self.tokens(mailbox, link).await.pop();
        found.unwrap_or_else(|| panic!("{mailbox:?} has no link {link:?}"))
    }

    async fn add_passkey(&mut self, party: Party) {
        let mut passkey = Authenticator::synced();
        add_passkey(&self.hand(party).browser, &mut passkey).await;
        self.hand(party).passkey = Some(passkey);
        self.deliver().await;
        self.site.advance("1s");
    }

    /// Chooses a new password with a mailed link, and signs in with it.
    async fn reset_password(&mut self, party: Party, mailbox: Mailbox) {
        let address = self.address_of(mailbox);
        let new = format!("{party:?}-Tree-{}", self.site.now());
        let browser = self.site.browser();
        browser.request_reset(&address).await;
        let token = self.last_token(mailbox, Link::Reset).await;
        assert_ok!(confirm_reset(&browser, &token, &new));
        self.hand(party).password = new;
        self.sign_in(party, browser, mailbox).await;
    }

    /// Signs in with the password in a browser that the mailbox approves.
    async fn sign_in(&mut self, party: Party, browser: Browser, mailbox: Mailbox) {
        let (address, password) = (self.address_of(mailbox), self.hand(party).password.clone());
        let mut signed_in = browser.try_sign_in(&address, &password).await;
        if signed_in.json()["code"] == "new_device" {
            let token = self.last_token(mailbox, Link::Device).await;
            assert_ok!(browser.confirm_email(&token));
            signed_in = browser.try_sign_in(&address, &password).await;
        }
        if let Some(app) = &self.hand(party).app {
            let token = signed_in.json()["second_factor_token"].clone();
            let token = token.as_str().expect("a second step").to_owned();
            signed_in = second_step(&browser, &token, &app.code(browser.site.now())).await;
        }
        signed_in.assert_status(200);
        self.hand(party).browser = browser;
        self.site.advance("1s");
    }

    async fn redeem(&self, browser: &Browser, token: &str, link: Link) -> Response {
        let form = json!({ "token": token });
        let new = format!("Reset-Tree-{}", self.site.now());
        match link {
            Link::EmailUndo => browser.undo_email_change(token).await,
            Link::CredentialUndo => browser.undo_credential(token).await,
            Link::NewEmail => browser.confirm_email_change(token).await,
            Link::Reset => confirm_reset(browser, token, &new).await,
            Link::FactorReset => browser.post("/second-factor/reset/confirm", &form).await,
            Link::Restore => browser.restore_account(token).await,
            Link::Device => browser.decide_device(token, true).await,
            Link::Migration => confirm_migration(browser, token, &new).await,
        }
    }

    async fn can_use_passkey(&mut self, party: Party) -> bool {
        let browser = self.site.browser();
        match &mut self.hand(party).passkey {
            Some(passkey) => sign_in(&browser, passkey).await.status == 200,
            None => false,
        }
    }

    pub async fn end(&mut self) -> (Option<Mailbox>, String, String) {
        let thief = self.ways(Thief).await;
        (self.mailbox().await, self.ways(Owner).await, thief)
    }

    /// The mailbox that has the account. `None`: the account has a placeholder or is gone.
    async fn mailbox(&self) -> Option<Mailbox> {
        let sql = "SELECT email FROM accounts WHERE id = $1
                   UNION ALL SELECT email FROM legacy_accounts WHERE id = $1 AND account_id IS NULL";
        let rows = self.site.rows(sql, params![self.id]).await;
        let email: String = rows.first()?.get(0);
        let has_account = |mailbox: &Mailbox| self.address_of(*mailbox) == email;
        Mailbox::ALL.into_iter().find(has_account)
    }

    /// The ways by which a party can enter the account now.
    async fn ways(&mut self, party: Party) -> String {
        let mut ways = Vec::new();
        // The owner can sign in again in any case.
        if party == Thief && self.thief.browser.get("/users/me").await.status == 200 {
            ways.push("session");
        }
        if self.can_use_passkey(party).await {
            ways.push("passkey");
        }
        if self.gets_mailed_link(party).await {
            ways.push("mailbox");
        }
        // A link of another party must be dead, and the attempt may change the account.
        if party == Thief && ways.is_empty() && self.opens_any_link().await {
            ways.push("link");
        }
        ways.join(" ")
    }

    /// Whether the account is at a mailbox of this party, which gets a link with which to enter.
    async fn gets_mailed_link(&mut self, party: Party) -> bool {
        let Some(mailbox) = self.mailbox().await else {
            return false;
        };
        if !self.hand(party).mailboxes.contains(&mailbox) {
            return false;
        }
        let form = json!({"email": self.address_of(mailbox)});
        let mut links = 0;
        for (path, link) in [
            ("/reset-password", Link::Reset),
            ("/migration", Link::Migration),
        ] {
            let before = self.tokens(mailbox, link).await.len();
            self.site.browser().post(path, &form).await;
            links += self.tokens(mailbox, link).await.len() - before;
        }
        links > 0
    }

    async fn opens_any_link(&mut self) -> bool {
        let mut opened = false;
        for mailbox in self.thief.mailboxes.clone() {
            for link in Link::ALL {
                for token in self.tokens(mailbox, link).await {
                    let browser = self.site.browser();
                    // A link that was opened before repeats its answer while its change is in force.
                    let is_open = self.redeem(&browser, &token, link).await.status == 200;
                    opened |= is_open;
                }
            }
        }
        opened
    }

    /// The owner's last step: enters by the mailbox.
    pub async fn assert_owner_enters(&mut self) {
        let mailbox = self.mailbox().await.expect("an address");
        let is_waiting = !self.tokens(mailbox, Link::Migration).await.is_empty();
        match is_waiting {
            true => self.open(Owner, mailbox, Link::Migration).await,
            false => self.reset_password(Owner, mailbox).await,
        }
    }
}
