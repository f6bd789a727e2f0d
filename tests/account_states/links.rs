//! The table of mailed links and blocks of an account: which link works, and the state that it leaves.

use account::config::Duration;
use account::testing::domain::secret::Secret;
use account::testing::rng::Rng;
use account::testing::store::tokens::Purpose;

use super::{set_columns, value};
use crate::old_accounts::{old, old_with};
use crate::support::prelude::*;

/// Disabled, deletion pending.
const BLOCKS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

/// The lifetime of a link, and whether it works in each of [`BLOCKS`].
fn lifetime_and_answers(purpose: Purpose) -> (&'static str, [bool; 4]) {
    let usual = [true, false, false, false];
    match purpose {
        Purpose::VerifyEmail => ("24h", usual),
        Purpose::DeviceApproval => ("30m", usual),
        Purpose::Reset => ("30m", usual),
        Purpose::EmailChange => ("1h", usual),
        Purpose::EmailUndo => ("7d", [true; 4]),
        Purpose::CredentialUndo => ("7d", [true; 4]),
        Purpose::SecondFactorReset => ("7d", usual),
        Purpose::AccountRestore => ("14d", [false, true, false, true]),
        Purpose::Migration => ("24h", usual),
        Purpose::Completion => ("24h", usual),
        Purpose::DeviceChoice => ("30m", usual),
        Purpose::Unsubscribe => ("365d", usual),
    }
}

/// Returns the address in the token.
fn mailbox(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::EmailUndo | Purpose::CredentialUndo => "old@example.org",
        Purpose::EmailChange => "new@example.org",
        _ => "ada@example.org",
    }
}

async fn redeem(site: &Site, purpose: Purpose, token: &str) -> Response {
    let browser = site.browser();
    let post = async |path: &str, mut form: serde_json::Value| {
        form["token"] = json!(token);
        browser.post(path, &form).await
    };
    let new = "Orange-Tree-43";
    match purpose {
        Purpose::VerifyEmail => browser.confirm_email(token).await,
        Purpose::DeviceApproval => post("/confirm-device", json!({"approve": true})).await,
        Purpose::Reset => {
            let form = json!({"new_password": new, "confirm_password": new});
            post("/reset-password/confirm", form).await
        }
        Purpose::EmailChange => browser.confirm_email_change(token).await,
        Purpose::EmailUndo => post("/undo-email-change", json!({})).await,
        Purpose::CredentialUndo => post("/undo-credential", json!({})).await,
        Purpose::SecondFactorReset => post("/second-factor/reset/confirm", json!({})).await,
        Purpose::AccountRestore => post("/restore-account", json!({})).await,
        Purpose::Migration => {
            let form = json!({"password": new, "confirm_password": new});
            post("/migration/confirm", form).await
        }
        Purpose::Completion => {
            let form = json!({"first_name": "Ada", "last_name": "Old", "country": "us",
                "birthday_day": 10, "birthday_month": 12, "birthday_year": 1990,
                "zipcode": "90210", "password": new, "confirm_password": new,
                "marketing_consent": false});
            post("/migration/complete", form).await
        }
        Purpose::DeviceChoice => {
            let form = json!({"id": uuid::Uuid::nil()});
            post("/devices/sign-out", form).await
        }
        Purpose::Unsubscribe => post("/unsubscribe", json!({})).await,
    }
}

/// Sets the account to the block, with the deletion requested at the change number `requested`.
async fn block(site: &Site, (disabled, pending): (bool, bool), requested: i64) {
    let now = site.now();
    let columns = format!(
        "email = 'ada@example.org', email_key = 'ada@example.org', disabled_at = {}",
        value(disabled, now)
    );
    set_columns(site, "ada", &columns).await;
    site.execute("DELETE FROM pending_acts", &[]).await;
    if pending {
        let due_at = now + 1_000_000_000;
        site.insert_act("ada", "deletion", requested, due_at).await;
    }
    let sql = "UPDATE names SET key = 'ada@example.org'
               WHERE kind = 'email' AND account_id = (SELECT id FROM accounts WHERE username = 'ada')";
    site.execute(sql, &[]).await;
}

/// Stores a token of the change with this number that works for one more millisecond. Returns its text.
async fn store_token(site: &Site, subject: uuid::Uuid, purpose: Purpose, number: i64) -> String {
    let token = Secret::generate(&Rng::System);
    let mut tx = site.app.store.write().await.unwrap();
    let (hash, device) = (token.hash(), Secret::generate(&Rng::System).hash());
    let device = (purpose == Purpose::DeviceApproval).then_some(&device);
    tx.execute("DELETE FROM tokens", &[]).await.unwrap();
    let sql =
        "INSERT INTO tokens (token_hash, purpose, subject_id, email, device_hash, change_number,
               requested_at, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8)";
    let (now, end) = (site.now(), site.now() + 1);
    let values = params![
        &hash,
        purpose.as_str(),
        subject,
        mailbox(purpose),
        device,
        number,
        now,
        end,
    ];
    tx.execute(sql, values).await.unwrap();
    let sql = "DELETE FROM pending_acts WHERE act <> 'deletion'";
    tx.execute(sql, &[]).await.unwrap();
    if purpose == Purpose::SecondFactorReset {
        let sql =
            "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at, ends_at)
                   VALUES ($1, 'factor_reset', $2, $2, $2, $3)";
        let values = params![subject, now, now + 1_000_000];
        tx.execute(sql, values).await.unwrap();
    }
    tx.commit().await.unwrap();
    token.expose().to_owned()
}

/// The address of the account, and whether it is disabled and about to be deleted.
async fn state(site: &Site) -> (String, (bool, bool)) {
    let sql = "SELECT email, disabled_at IS NOT NULL,
                 (SELECT number FROM pending_acts WHERE account_id = accounts.id AND act = 'deletion') IS NOT NULL
               FROM accounts WHERE username = 'ada'";
    let row = &site.rows(sql, &[]).await[0];
    (row.get(0), (row.get(1), row.get(2)))
}

/// The subject of a link: an old account where only those get such links.
async fn subject(site: &Site, purpose: Purpose) -> uuid::Uuid {
    let name = match purpose {
        Purpose::Migration => "old1",
        Purpose::Completion => "old2",
        Purpose::Unsubscribe => "old3",
        _ => return site.id_of("ada").await,
    };
    let sql = "SELECT id FROM legacy_accounts WHERE email = $1";
    let email = format!("{name}@example.org");
    site.rows(sql, params![email.as_str()]).await[0].get(0)
}

on_both_databases!(
    each_link_does_for_each_block_what_the_table_says,
    only_the_undo_link_of_an_earlier_change_beats_a_deletion,
);

// security: MD-3
async fn each_link_does_for_each_block_what_the_table_says(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    site.member("ada").await;
    let incomplete = old_with("old2", &json!({"zipcode": null}));
    site.import_accounts(&[old("old1"), incomplete, old("old3")])
        .await;
    for &purpose in Purpose::ALL {
        let (lifetime, answers) = lifetime_and_answers(purpose);
        let lifetime: Duration = lifetime.parse().unwrap();
        let lifetimes = &site.app.config.lifetimes;
        assert_eq!(purpose.lifetime(lifetimes), lifetime, "{purpose:?}");
        for (before, expected) in BLOCKS.into_iter().zip(answers) {
            let case = format!("{purpose:?}, (disabled, deletion pending) {before:?}");
            block(&site, before, site.now()).await;
            let subject = match before {
                (false, false) => subject(&site, purpose).await,
                _ => site.id_of("ada").await,
            };
            let number = site.now() - 1;
            if expected {
                let token = store_token(&site, subject, purpose, number).await;
                site.advance("1ms");
                let expired = redeem(&site, purpose, &token).await;
                assert_eq!(expired.json()["code"], "invalid_token", "expired, {case}");
            }
            let token = store_token(&site, subject, purpose, number).await;
            let answer = redeem(&site, purpose, &token).await;
            let works = answer.status.is_success();
            assert_eq!(works, expected, "{case}: {}", answer.text());
            let (email, after) = state(&site).await;
            let (mut expected_email, mut expected_block) = ("ada@example.org", before);
            if works {
                match purpose {
                    Purpose::EmailUndo | Purpose::CredentialUndo => {
                        (expected_email, expected_block.1) = ("old@example.org", false);
                    }
                    Purpose::AccountRestore => expected_block.1 = false,
                    Purpose::EmailChange => expected_email = "new@example.org",
                    _ => {}
                }
            } else {
                assert_eq!(answer.json()["code"], "invalid_token", "{case}");
                let unused = "tokens WHERE spent_at IS NULL";
                assert_eq!(site.count(unused).await, 1, "{case}");
            }
            assert_eq!(
                (email.as_str(), after),
                (expected_email, expected_block),
                "{case}"
            );
            assert_eq!(site.count("sessions").await, 0, "{case}");
        }
    }
}

async fn only_the_undo_link_of_an_earlier_change_beats_a_deletion(Unlimited(site): Unlimited) {
    site.allow_unread_mails();
    site.member("ada").await;
    let id = site.id_of("ada").await;
    for purpose in [Purpose::EmailUndo, Purpose::CredentialUndo] {
        for before in [(false, true), (true, true)] {
            for (number, status) in [(-1, 200), (1, 400)] {
                block(&site, before, site.now()).await;
                let token = store_token(&site, id, purpose, site.now() + number).await;
                let answer = redeem(&site, purpose, &token).await;
                assert_eq!(answer.status, status, "{purpose:?} {before:?} {number}");
                assert_eq!(state(&site).await.1.1, status == 400);
            }
        }
    }
}
