//! The steps of a row.

use account::testing::accounts::{disable, enable, set_email};
use uuid::Uuid;

use super::super::{Link, Mailbox, Party, Step};
use super::Play;
use crate::old_accounts::old;
use crate::passkeys;
use crate::password_change::change_password;
use crate::second_factor::{begin_setup, confirm};
use crate::support::prelude::*;

use Party::Thief;

/// Steps that are one call of the API.
pub const EXPORTS: Step = Step::Calls(Thief, Method::GET, "/data-export", 200);
pub const REQUESTS_DELETION: Step = Step::Calls(Thief, Method::POST, "/delete-account", 202);
pub const REQUESTS_FACTOR_RESET: Step =
    Step::Calls(Thief, Method::POST, "/second-factor/reset", 202);
pub const MAKES_RECOVERY_CODES: Step =
    Step::Calls(Thief, Method::POST, "/second-factor/recovery-codes", 200);

/// A step that runs beside others.
enum Call {
    Open(String, Link),
    Set(Uuid, String),
    Delete,
}

impl Play {
    pub async fn step(&mut self, step: &Step) {
        self.take_step(step).await;
        self.deliver().await;
    }

    async fn take_step(&mut self, step: &Step) {
        let now = self.site.now();
        match *step {
            Step::HasOldPasskey(party) => {
                self.add_passkey(party).await;
                let days_40 = 40 * 86_400_000_i64;
                let sql =
                    "UPDATE credentials SET created_at = created_at - $1 WHERE account_id = $2";
                let aged = params![days_40, self.id];
                self.site.execute(sql, aged).await;
                let sql = "DELETE FROM tokens WHERE subject_id = $1";
                self.site.execute(sql, params![self.id]).await;
                self.arrived.clear();
            }
            Step::StealsIdleCookie => {
                self.site.advance("11m");
                self.thief.browser = self.owner.browser.copy();
            }
            Step::StealsFreshCookie => {
                self.thief.browser = self.owner.browser.copy();
            }
            Step::ProvesWithPasskey(party) => {
                let hand = self.hand(party);
                let passkey = hand.passkey.as_mut().expect("a passkey");
                passkeys::reauthenticate(&hand.browser, passkey).await;
            }
            Step::Reads(mailbox) => self.thief.mailboxes.push(mailbox),
            Step::Loses(mailbox) => self.owner.mailboxes.retain(|own| *own != mailbox),
            Step::Changes(party, to) => {
                let address = self.address_of(to);
                assert_ok!(self.hand(party).browser.request_email_change(&address));
                self.open(party, to, Link::NewEmail).await;
            }
            Step::CannotChange(party, to) => {
                let address = self.address_of(to);
                let changed = self.hand(party).browser.request_email_change(&address);
                assert_code!(changed, ReauthenticationRequired);
            }
            Step::Resets(party, mailbox) => self.reset_password(party, mailbox).await,
            Step::AddsPasskey(party) => self.add_passkey(party).await,
            Step::TurnsAppOn(party) => {
                let browser = &self.hand(party).browser;
                let app = begin_setup(browser).await;
                assert_ok!(confirm(browser, &app.code(now)));
                self.hand(party).app = Some(app);
                self.site.advance("30s");
            }
            Step::ChangesPassword(party) => {
                let hand = self.hand(party);
                let new = format!("{party:?}-Tree-{now}");
                let changed = change_password(&hand.browser, &hand.password, &new);
                assert_ok!(changed);
                hand.password = new;
            }
            Step::Calls(party, ref method, path, status) => {
                let browser = &self.hand(party).browser;
                let request = browser.fetch(method.clone(), path);
                let request = request.header("content-type", "application/json");
                let body = if method == Method::GET { "" } else { "{}" };
                let response = browser.send_with(request, body).await;
                assert_eq!(response.status, status, "{path}: {}", response.text());
            }
            Step::TriesPassword(party) => {
                let mailbox = self.mailbox().await.expect("an address");
                let (address, browser) = (self.address_of(mailbox), self.site.browser());
                let password = &self.hand(party).password;
                assert_code!(browser.try_sign_in(&address, password), NewDevice);
                self.hand(party).browser = browser;
            }
            Step::RefusesDevice(mailbox) => {
                let token = self.last_token(mailbox, Link::Device).await;
                let refused = self.site.browser().decide_device(&token, false).await;
                assert_eq!(refused.json()["code"], "device_refused");
            }
            Step::SignsInElsewhere(party, mailbox) => {
                let browser = self.site.browser();
                self.sign_in(party, browser, mailbox).await;
            }
            Step::SpendsBudgets => self.spend_budgets().await,
            Step::Protects => self.protect().await,
            Step::UsesPasskey(party) => assert!(self.can_use_passkey(party).await),
            Step::Opens(party, mailbox, link) => self.open(party, mailbox, link).await,
            Step::OpensOldest(party, mailbox, link) => {
                let token = self.tokens(mailbox, link).await.remove(0);
                let browser = self.hand(party).browser.copy();
                assert_ok!(self.redeem(&browser, &token, link));
            }
            Step::CannotOpen(party, mailbox, link) => {
                for token in self.tokens(mailbox, link).await {
                    let browser = self.hand(party).browser.copy();
                    assert_status!(self.redeem(&browser, &token, link), 400);
                }
            }
            Step::AtOnce(steps) => self.at_once(steps, 0).await,
            Step::All(steps) => {
                for step in steps {
                    Box::pin(self.step(step)).await;
                }
            }
            Step::SecondAccountAsksFor(mailbox) => {
                if self.second.is_none() {
                    let name = format!("second{}", self.row);
                    self.second = Some(self.site.signed_in(&name).await.browser);
                }
                let address = self.address_of(mailbox);
                let asked = self.second.as_ref().unwrap().request_email_change(&address);
                assert_ok!(asked);
            }
            Step::SecondAccountOpens(mailbox) => self.open(Thief, mailbox, Link::NewEmail).await,
            Step::DeletesDue => drop(self.site.run_deletion().await),
            Step::Waits(time) => self.site.advance(time),
            Step::OperatorSets(mailbox) => {
                let address = self.address_of(mailbox);
                set_email(&self.site.app, self.id, &address).await.unwrap();
                self.site.advance("1s");
            }
            Step::OperatorDisables => drop(disable(&self.site.app, self.id).await.unwrap()),
            Step::OperatorEnables => drop(enable(&self.site.app, self.id).await.unwrap()),
            Step::IsWaitingAccount => {
                let name = format!("old{}", self.row);
                let mut row = old(&name);
                row["email"] = json!(self.address_of(Mailbox::V));
                self.site.remove_accounts().await;
                self.site.import_accounts(&[row]).await;
                let sql = "SELECT id FROM legacy_accounts WHERE legacy_id = $1";
                let id = format!("id-{name}");
                self.id = self.site.rows(sql, params![id.as_str()]).await[0].get(0);
            }
            Step::Days(days) => {
                for _ in 0..days {
                    self.site.advance("1d");
                    self.site.run_expiry().await;
                    self.site.run_deletion().await;
                    self.deliver().await;
                }
            }
        }
    }

    pub async fn open(&mut self, party: Party, mailbox: Mailbox, link: Link) {
        let token = self.last_token(mailbox, link).await;
        let browser = self.hand(party).browser.copy();
        let opened = self.redeem(&browser, &token, link).await;
        assert_eq!(opened.status, 200, "{link:?}: {}", opened.text());
        self.site.advance("1s");
    }

    /// Spends every limit that a session can spend.
    async fn spend_budgets(&self) {
        let thief = &self.thief.browser;
        for n in 0..61 {
            let choice = json!({"consent": n % 2 == 0});
            thief.put("/marketing-consent", &choice).await;
        }
        for _ in 0..6 {
            change_password(thief, "wrong", "Wrong-Tree-1").await;
            thief
                .post("/reauthenticate", &json!({"password": "wrong"}))
                .await;
        }
    }

    /// Everything with which the owner protects the account in the settings.
    async fn protect(&mut self) {
        let (owner, new) = (&self.owner.browser, "Owner-Tree-46");
        owner.reauthenticate(&json!({"password": PASSWORD})).await;
        let events = owner.get_json("/activity?limit=100").await["events"].clone();
        let is_foreign = |event: &&Value| event["kind"] == "signed_in" && event["current"] == false;
        let foreign = events.as_array().unwrap().iter().find(is_foreign);
        let id = foreign.expect("the sign-in of the stolen session")["id"].clone();
        let path = format!("/activity/{}/not-me", id.as_str().unwrap());
        assert_ok!(owner.post_empty(&path));
        assert_ok!(change_password(owner, PASSWORD, new));
        owner.sign_out_everywhere().await;
        new.clone_into(&mut self.owner.password);
    }

    /// Takes steps at the same time, in turn on the two nodes.
    pub async fn at_once(&mut self, steps: &[Step], first: usize) {
        let mut calls = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let node = self.nodes[(first + number) % 2].clone();
            calls.push((
                node,
                match *step {
                    Step::Opens(_, mailbox, link) => {
                        Call::Open(self.last_token(mailbox, link).await, link)
                    }
                    Step::SecondAccountOpens(mailbox) => Call::Open(
                        self.last_token(mailbox, Link::NewEmail).await,
                        Link::NewEmail,
                    ),
                    Step::OperatorSets(mailbox) => Call::Set(self.id, self.address_of(mailbox)),
                    Step::DeletesDue => Call::Delete,
                    ref other => panic!("{other:?} at once"),
                },
            ));
        }
        let play = &*self;
        let run = |(node, call): (Site, Call)| async move {
            match call {
                Call::Open(token, link) => {
                    let status = play.redeem(&node.browser(), &token, link).await.status;
                    assert!([200, 400, 409].contains(&status.as_u16()), "{status}");
                }
                // The owner's link may have restored the address already.
                Call::Set(id, address) => drop(set_email(&node.app, id, &address).await),
                Call::Delete => drop(node.run_deletion().await),
            }
        };
        join_all(calls.into_iter().map(run)).await;
    }
}
