//! What an undo leaves behind: nothing that came with the undone change or after it.
//!
//! Each history is a random sequence of changes of one account. Afterwards its undo links and its former mailboxes (for
//! the operator) are used in random order, and the tables are read after each.

mod history;

use std::collections::{BTreeMap, BTreeSet};

use account::config::Config;
use account::testing::accounts::set_email;
use account::testing::mail::MailKind;
use account::testing::store::tokens::Purpose;
use uuid::Uuid;

use crate::support::mails::Mail;
use crate::support::prelude::*;

const DAY: i64 = 86_400_000;

/// SplitMix64: the same numbers for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }

    fn flips(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A way back to the time just before the change with this number, when the account had this mailbox.
#[derive(Debug, Clone)]
struct Entrance {
    number: i64,
    mailbox: String,
    /// The path and the token of an undo link. `None`: the operator sets the address.
    link: Option<(&'static str, String)>,
}

/// What the tables contain of an account.
#[derive(Debug, PartialEq)]
struct Rows {
    email: String,
    password_hash: String,
    password_changed_at: i64,
    number: i64,
    /// The numbers of the strong factors: passkeys, the app, and recovery codes.
    factors: BTreeSet<(String, i64)>,
}

struct History {
    site: Site,
    random: Random,
    name: String,
    id: Uuid,
    browser: Browser,
    password: String,
    mailbox: String,
    /// The former mailboxes and the numbers of the changes by which the account left them.
    former: BTreeMap<String, i64>,
    taken: BTreeSet<String>,
    is_disabled: bool,
    arrived: Vec<Mail>,
    log: Vec<String>,
}

impl History {
    async fn rows(&self) -> Rows {
        let sql = "SELECT email, password_hash, password_changed_at, change_number
                   FROM accounts WHERE id = $1";
        let account = &self.site.rows(sql, params![self.id]).await[0];
        let sql = "SELECT 'passkey', created_at FROM credentials WHERE account_id = $1
             UNION ALL SELECT 'app', confirmed_at FROM totp
                       WHERE account_id = $1 AND confirmed_at IS NOT NULL
             UNION ALL SELECT 'codes', created_at FROM recovery_codes
                       WHERE account_id = $1 AND session_hash IS NULL";
        let factors = self.site.rows(sql, params![self.id]).await;
        Rows {
            email: account.get(0),
            password_hash: account.get(1),
            password_changed_at: account.get(2),
            number: account.get(3),
            factors: factors.iter().map(|row| (row.get(0), row.get(1))).collect(),
        }
    }

    async fn take_back(&mut self, entrance: &Entrance) {
        self.log.push(format!("{entrance:?}"));
        let is_free = !self.taken.contains(&entrance.mailbox);
        if is_free && entrance.mailbox != self.mailbox && self.random.below(3) == 0 {
            self.take(&entrance.mailbox.clone()).await;
        }
        let before = self.rows().await;
        let is_taken = self.taken.contains(&entrance.mailbox);
        let after = match &entrance.link {
            Some((path, token)) => {
                let form = json!({"token": token});
                let response = assert_ok!(self.site.browser().post(path, &form));
                let after = self.rows().await;
                self.assert_answer(&response.json(), &after, is_taken);
                after
            }
            None => {
                let set = set_email(&self.site.app, self.id, &entrance.mailbox).await;
                assert!(set.is_ok(), "{set:?}: {:?}", self.log);
                self.rows().await
            }
        };
        self.assert_account(entrance, &before, &after, is_taken)
            .await;
        self.assert_nothing_left(entrance.number, entrance.link.is_some())
            .await;
        self.former.retain(|_, number| *number < entrance.number);
        if entrance.link.is_none() && !before.email.ends_with(".invalid") {
            self.former.insert(before.email.clone(), after.number);
        }
        self.former.remove(&entrance.mailbox);
        self.mailbox = after.email;
        self.site.advance("1s");
    }

    fn assert_answer(&self, answer: &Value, after: &Rows, is_taken: bool) {
        let count = |kind: &str| {
            after
                .factors
                .iter()
                .filter(|(name, _)| name == kind)
                .count()
        };
        let remaining = &answer["remaining"];
        let passkeys = remaining["passkeys"].as_array().map(Vec::len);
        assert_eq!(
            (&answer["taken"], passkeys, &remaining["second_factor"]),
            (
                &json!(is_taken),
                Some(count("passkey")),
                &json!(count("app") > 0)
            ),
            "{answer}: {:?}",
            self.log
        );
    }

    async fn assert_account(
        &self,
        entrance: &Entrance,
        before: &Rows,
        after: &Rows,
        is_taken: bool,
    ) {
        let log = &self.log;
        match is_taken {
            true => assert!(
                after.email.ends_with(".invalid"),
                "{}: {log:?}",
                after.email
            ),
            false => assert_eq!(after.email, entrance.mailbox, "{log:?}"),
        }
        // An operator takes a month more back, because the proof of a thief may be older than the change.
        let first = match entrance.link {
            Some(_) => entrance.number,
            None => entrance.number - 30 * DAY,
        };
        let mut factors = before.factors.clone();
        factors.retain(|(_, number)| *number < first);
        if !factors.iter().any(|(kind, _)| kind == "app") {
            factors.retain(|(kind, _)| kind != "codes");
        }
        assert_eq!(after.factors, factors, "{log:?}");
        let must_end = is_taken || before.password_changed_at >= entrance.number;
        let has_ended = before.password_hash != after.password_hash;
        assert_eq!(has_ended, must_end, "the password: {log:?}");
        let resets = kinds(|kind| kind.purpose() == Some(Purpose::Reset));
        let sql =
            format!("SELECT COUNT(*) FROM outbox WHERE subject_id = $1 AND kind IN ({resets})");
        let resets = self.number(&sql).await;
        assert_eq!(resets, i64::from(must_end && !self.is_disabled), "{log:?}");
        let sql = "SELECT COUNT(*) FROM accounts WHERE id = $1 AND disabled_at IS NOT NULL";
        assert_eq!(
            self.number(sql).await,
            i64::from(self.is_disabled),
            "{log:?}"
        );
    }

    /// Reads every table that may hold something of the thief. The operator can take back an own correction.
    async fn assert_nothing_left(&self, number: i64, is_by_link: bool) {
        let undo_mails = kinds(|kind| kind.purpose().is_some_and(Purpose::is_undo));
        let queued = format!(
            "outbox WHERE subject_id = $1 AND change_number >= {{}} AND kind IN ({undo_mails})"
        );
        let leaves_mailbox = !is_by_link && !self.mailbox.ends_with(".invalid");
        for (part, expected) in [
            ("sessions WHERE account_id = $1", 0),
            ("devices WHERE account_id = $1", i64::from(is_by_link)),
            ("pending_acts WHERE account_id = $1 AND number >= {}", 0),
            (&*queued, 0),
            (
                "former_emails WHERE account_id = $1 AND change_number >= {}",
                i64::from(leaves_mailbox),
            ),
            (
                "tokens WHERE subject_id = $1 AND spent_at IS NULL AND NOT
                   (purpose IN ('email_undo', 'credential_undo') AND change_number < {})",
                0,
            ),
        ] {
            let sql = format!("SELECT COUNT(*) FROM {part}").replace("{}", &number.to_string());
            assert_eq!(self.number(&sql).await, expected, "{part}: {:?}", self.log);
        }
    }
}

/// The names of some kinds of mail, for a condition.
fn kinds(is_meant: impl Fn(MailKind) -> bool) -> String {
    let meant = MailKind::ALL.iter().filter(|kind| is_meant(**kind));
    let names: Vec<_> = meant.map(|kind| format!("'{}'", kind.as_str())).collect();
    names.join(", ")
}

fn settings(config: &mut Config) {
    allow_new_devices(config);
    config.limits.enabled = false;
}

on_both_databases!(an_undo_leaves_nothing_of_the_change_and_of_what_came_later);
// security: SE-9, WA-7
async fn an_undo_leaves_nothing_of_the_change_and_of_what_came_later(db: Database) {
    let site = db.allow_unread_mails().site_with(settings).await;
    for seed in 0..24 {
        let mut history = History::begin(&site, seed).await;
        for _ in 0..3 + history.random.below(6) {
            history.act().await;
        }
        history.block().await;
        for _ in 0..3 {
            let entrances = history.entrances().await;
            if entrances.is_empty() {
                break;
            }
            let chosen = history.random.below(entrances.len());
            history.take_back(&entrances[chosen]).await;
        }
    }
}
