//! The random changes of one account, and the ways back from them.

use std::collections::{BTreeMap, BTreeSet};

use account::testing::accounts::disable;
use account::testing::domain::secret::Secret;

use super::{DAY, Entrance, History, Random};
use crate::passkeys::add_passkey;
use crate::password_change::change_password;
use crate::second_factor::{begin_setup, confirm};
use crate::support::prelude::*;

impl History {
    /// A person with a passkey from long before.
    pub async fn begin(site: &Site, seed: u64) -> History {
        let name = format!("ada{seed}");
        let person = site.signed_in(&name).await;
        add_passkey(&person.browser, &mut Authenticator::synced()).await;
        let id = site.id_of(&name).await;
        let sql = "UPDATE credentials SET created_at = created_at - $1 WHERE account_id = $2";
        site.execute(sql, params![40 * DAY, id]).await;
        site.mails().await;
        let sql = "DELETE FROM tokens WHERE subject_id = $1";
        site.execute(sql, params![id]).await;
        History {
            site: site.clone(),
            random: Random(seed),
            id,
            name,
            browser: person.browser,
            password: PASSWORD.to_owned(),
            mailbox: person.email,
            former: BTreeMap::new(),
            taken: BTreeSet::new(),
            is_disabled: false,
            arrived: Vec::new(),
            log: vec![format!("seed {seed}")],
        }
    }

    pub async fn number(&self, sql: &str) -> i64 {
        self.site.rows(sql, params![self.id]).await[0].get(0)
    }

    async fn deliver(&mut self) {
        self.arrived.extend(self.site.mails().await);
    }

    async fn last_token(&mut self, to: &str, page: &str) -> String {
        self.deliver().await;
        let links = self.arrived.iter().rev();
        let mut links = links.filter(|mail| mail.to == to && mail.has_token());
        let found = links.find(|mail| mail.link().contains(page));
        found
            .unwrap_or_else(|| panic!("{page} at {to}: {:?}", self.log))
            .token()
    }

    async fn has_app(&self) -> bool {
        let sql = "SELECT COUNT(*) FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL";
        self.number(sql).await > 0
    }

    /// The session has just been proved at level 2.
    async fn prove(&self) {
        let sql =
            "UPDATE sessions SET authenticated_at = $1, level_two_at = $1, methods = 'passkey'
                   WHERE account_id = $2";
        let proved = params![self.site.now(), self.id];
        self.site.execute(sql, proved).await;
    }

    /// One random change by whoever has the session.
    pub async fn act(&mut self) {
        self.prove().await;
        let last = self.rows().await.number;
        let (now, empty) = (self.site.now(), json!({}));
        match self.random.below(9) {
            0 | 1 => {
                let to = format!("{}-{}@example.net", self.name, self.log.len());
                self.log.push(format!("changes to {to}"));
                assert_ok!(self.browser.request_email_change(&to));
                let token = self.last_token(&to, "verificationToken=").await;
                assert_ok!(self.browser.confirm_email_change(&token));
                let number = self
                    .number("SELECT change_number FROM accounts WHERE id = $1")
                    .await;
                self.former
                    .insert(std::mem::replace(&mut self.mailbox, to), number);
            }
            2 => {
                self.log.push("adds a passkey".into());
                add_passkey(&self.browser, &mut Authenticator::synced()).await;
            }
            3 if self.has_app().await => {
                self.log.push("turns the app off".into());
                self.browser.delete("/second-factor").await.assert_empty();
            }
            3 => {
                self.log.push("turns the app on".into());
                let app = begin_setup(&self.browser).await;
                assert_ok!(confirm(&self.browser, &app.code(now)));
            }
            4 if self.has_app().await => {
                self.log.push("makes recovery codes".into());
                assert_ok!(self.browser.post("/second-factor/recovery-codes", &empty));
            }
            4 | 5 => {
                self.log.push("changes the password".into());
                let new = format!("Pear-Tree-{}", self.log.len());
                assert_ok!(change_password(&self.browser, &self.password, &new));
                self.password = new;
            }
            6 => {
                self.log.push("requests a reset of the factors".into());
                assert_status!(self.browser.post("/second-factor/reset", &empty), 202);
            }
            7 => {
                self.log.push("requests a change of the address".into());
                let to = format!("{}-asked-{}@example.net", self.name, self.log.len());
                assert_ok!(self.browser.request_email_change(&to));
            }
            _ => {
                self.log.push("mails are sent".into());
                self.deliver().await;
            }
        }
        let number = self.rows().await.number;
        let grows = [
            "mails are sent",
            "requests a reset of the factors",
            "turns the app off",
        ]
        .iter()
        .all(|act| self.log.last().unwrap() != act);
        // Whatever the clock did before.
        assert!(
            number > last || (number == last && !grows),
            "{number} after {last}: {:?}",
            self.log
        );
        match self.random.below(5) {
            0 => {
                self.log.push("the clock steps back".into());
                self.site.set_clock_back("28s");
            }
            1 => {}
            2 => self.site.advance("8h"),
            _ => self.site.advance("1s"),
        }
    }

    /// The state of the account in which it is taken back.
    pub async fn block(&mut self) {
        if self.random.below(3) == 0 {
            self.log.push("requests the deletion".into());
            self.prove().await;
            assert_status!(self.browser.post_defaults("/delete-account"), 202);
        }
        if self.random.below(4) == 0 {
            self.log.push("is disabled".into());
            assert!(disable(&self.site.app, self.id).await.unwrap());
            self.is_disabled = true;
        }
    }

    /// The live undo links in sent mails, and the former mailboxes.
    pub async fn entrances(&mut self) -> Vec<Entrance> {
        if self.random.flips() {
            self.deliver().await;
        }
        let mut found = Vec::new();
        for mail in self.arrived.iter().filter(|mail| mail.has_token()) {
            let link = mail.link();
            let path = match (link.contains("?undo="), link.contains("/account/undo?")) {
                (true, _) => "/undo-email-change",
                (_, true) => "/undo-credential",
                _ => continue,
            };
            let hash = Secret::parse(&mail.token()).unwrap().hash();
            let sql = "SELECT change_number FROM tokens WHERE token_hash = $1 AND subject_id = $2
                       AND spent_at IS NULL AND expires_at > $3";
            let live = params![&hash, self.id, self.site.now()];
            if let Some(row) = self.site.rows(sql, live).await.first() {
                found.push(Entrance {
                    number: row.get(0),
                    mailbox: mail.to.clone(),
                    link: Some((path, mail.token())),
                });
            }
        }
        let former = self.former.iter();
        found.extend(former.map(|(mailbox, number)| Entrance {
            number: *number,
            mailbox: mailbox.clone(),
            link: None,
        }));
        found
    }

    /// Another account gets this mailbox, or a registration that nobody verifies has it.
    pub async fn take(&mut self, mailbox: &str) {
        let name = format!("{}x{}", self.name, self.log.len());
        if self.random.flips() {
            self.log.push(format!("somebody registers {mailbox}"));
            assert_status!(
                self.site
                    .browser()
                    .register(&name, &json!({"email": mailbox})),
                201
            );
            return;
        }
        self.log.push(format!("somebody takes {mailbox}"));
        let other = self.site.signed_in(&name).await;
        assert_ok!(other.browser.request_email_change(mailbox));
        let token = self.last_token(mailbox, "verificationToken=").await;
        assert_ok!(other.browser.confirm_email_change(&token));
        self.taken.insert(mailbox.to_owned());
    }
}
