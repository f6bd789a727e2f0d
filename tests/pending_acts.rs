//! Acts that wait: who is told of them, who stops them, and for how long.

use account::config::Config;
use account::params;
use serde_json::json;

use crate::email_change::change_email;
use crate::passkeys::{add_passkey, person_with_passkey, sign_in};
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::support::actors::PASSWORD;
use crate::support::authenticator::Authenticator;
use crate::support::mails::Mail;
use crate::support::{Browser, Database, Person, Site, eventually};

const THIEF: &str = "thief@example.net";
/// The password that the thief sets.
const STOLEN: &str = "Stolen-Tree-45";

fn without_limits(config: &mut Config) {
    config.limits.enabled = false;
    config.lifetimes.session_idle = "60d".parse().unwrap();
}

/// Changes the email address, whatever other mails are unread. Returns the mails.
async fn change_address(browser: &Browser, new: &str) -> Vec<Mail> {
    browser.site.mails().await;
    change_email(browser, new).await;
    browser.site.mails().await
}

fn to<'a>(mails: &'a [Mail], address: &str) -> Vec<&'a Mail> {
    mails.iter().filter(|mail| mail.to == address).collect()
}

/// The owner has a passkey and an undo link, and a thief has changed the address and the password.
struct Takeover {
    owner: Person,
    passkey: Authenticator,
    thief: Browser,
    thief_email: String,
    undo: String,
}

async fn take_over(site: &Site, name: &str) -> Takeover {
    let mut passkey = Authenticator::synced();
    let owner = person_with_passkey(site, name, &mut passkey).await;
    // The undo link of the owner's passkey has expired.
    site.execute("DELETE FROM tokens", &[]).await;
    site.advance("1d");
    // The thief has copied the cookie of a session with a recent proof.
    assert_status!(sign_in(&owner.browser, &mut passkey), 200);
    let thief = owner.browser.copy();
    let thief_email = format!("{name}@example.net");
    let mails = change_address(&thief, &thief_email).await;
    let undo = to(&mails, &owner.email)[0].token();
    thief.request_reset(&thief_email).await;
    let reset = site.last_token_to(&thief_email, "").await;
    assert_status!(confirm_reset(&thief, &reset, STOLEN), 200);
    assert_status!(thief.try_sign_in(&thief_email, STOLEN), 200);
    site.mails().await;
    Takeover {
        owner,
        passkey,
        thief,
        thief_email,
        undo,
    }
}

/// Which of Ada's links takes the account back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkOf {
    Address,
    FirstNotice,
    LastNotice,
}

// security: TF-7
on_both_databases!(a_former_mailbox_is_told_of_a_factor_reset_and_takes_the_account_back);
async fn a_former_mailbox_is_told_of_a_factor_reset_and_takes_the_account_back(db: Database) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    for (name, link) in [
        ("ada", LinkOf::Address),
        ("bob", LinkOf::FirstNotice),
        ("kim", LinkOf::LastNotice),
    ] {
        let mut people = take_over(&site, name).await;
        site.advance("6d");
        let proof = json!({"password": STOLEN});
        people.thief.reauthenticate(&proof).await;
        assert_status!(people.thief.post("/second-factor/reset", &json!({})), 202);
        let mut told = Vec::new();
        for wait in ["0s", "3d", "4d"] {
            site.advance(wait);
            let mails = site.mails().await;
            let own = to(&mails, &people.owner.email);
            assert_eq!(own.len(), 1, "{wait}");
            own[0].assert_subject_contains("extra protection");
            assert!(
                !own[0].text.contains(&format!("Hi {name}")),
                "{}",
                own[0].text
            );
            told.push(own[0].token());
            assert_eq!(to(&mails, &people.thief_email).len(), 1, "{wait}");
        }
        site.advance("13d");
        let owner = people.owner.new_browser();
        match link {
            LinkOf::Address => assert_status!(owner.undo_email_change(&people.undo), 200),
            LinkOf::FirstNotice => assert_status!(owner.undo_credential(&told[0]), 200),
            LinkOf::LastNotice => assert_status!(owner.undo_credential(&told[2]), 200),
        };
        people.thief.assert_signed_out().await;
        site.assert_count("pending_acts", 0).await;
        assert_eq!(
            site.user(name).await["email"],
            people.owner.email,
            "{link:?}"
        );
        assert_status!(sign_in(&owner, &mut people.passkey), 200);
        site.mails().await;
    }
}

on_both_databases!(an_undo_link_outlives_the_reset_that_began_after_it_by_its_own_lifetime_only);
async fn an_undo_link_outlives_the_reset_that_began_after_it_by_its_own_lifetime_only(
    db: Database,
) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    let people = take_over(&site, "ada").await;
    let proof = json!({"password": STOLEN});
    people.thief.reauthenticate(&proof).await;
    assert_status!(people.thief.post("/second-factor/reset", &json!({})), 202);
    site.advance("21d");
    assert_refused!(
        people.owner.new_browser().undo_email_change(&people.undo),
        InvalidToken
    );
}

// security: WA-7
on_both_databases!(a_former_mailbox_is_told_of_each_changed_way_to_sign_in);
async fn a_former_mailbox_is_told_of_each_changed_way_to_sign_in(db: Database) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    let ada = site.signed_in("ada").await;
    let thief = ada.browser.copy();
    change_address(&thief, THIEF).await;
    site.advance("1m");
    let mut stolen = Authenticator::synced();
    add_passkey(&thief, &mut stolen).await;
    let mails = site.mails().await;
    let own = to(&mails, &ada.email)[0];
    own.assert_subject_contains("way to sign in");
    for shown in ["What happened: A passkey was added", "Hi there,"] {
        assert!(own.text.contains(shown), "{}", own.text);
    }
    let undo = own.token();
    assert_eq!(to(&mails, THIEF).len(), 1);
    assert_status!(change_password(&thief, PASSWORD, "Stolen-Tree-45"), 200);
    let mails = site.mails().await;
    let second = to(&mails, &ada.email)[0];
    assert!(
        second.text.contains("The password was changed"),
        "{}",
        second.text
    );

    let owner = ada.new_browser();
    assert_status!(owner.undo_credential(&undo), 200);
    assert_eq!(site.user("ada").await["email"], ada.email);
    assert_refused!(sign_in(&thief, &mut stolen), PasskeyUnknown);
    assert_refused!(owner.undo_credential(&second.token()), InvalidToken);
}

on_both_databases!(notices_do_not_prolong_the_power_of_a_former_mailbox);
async fn notices_do_not_prolong_the_power_of_a_former_mailbox(db: Database) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    let ada = site.signed_in("ada").await;
    change_address(&ada.browser, "new@example.org").await;
    site.advance("6d");
    assert_status!(
        change_password(&ada.browser, PASSWORD, "Orange-Tree-43"),
        200
    );
    let mails = site.mails().await;
    let undo = to(&mails, &ada.email)[0].token();
    site.advance("1d");
    assert_refused!(site.browser().undo_credential(&undo), InvalidToken);
    assert_status!(
        change_password(&ada.browser, "Orange-Tree-43", "Cherry-Tree-44"),
        200
    );
    let mails = site.mails().await;
    assert_eq!(to(&mails, &ada.email).len(), 0, "the link has expired");
}

on_both_databases!(the_five_earliest_mailboxes_are_told);
async fn the_five_earliest_mailboxes_are_told(db: Database) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    let ada = site.signed_in("ada").await;
    let thief = ada.browser.copy();
    let mailboxes: Vec<_> = (1..=7)
        .map(|nth| format!("thief{nth}@example.net"))
        .collect();
    for mailbox in &mailboxes {
        change_address(&thief, mailbox).await;
        site.advance("1m");
    }
    assert_status!(thief.post("/delete-account", &json!({})), 202);
    let mails = site.mails().await;
    let mut told: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
    told.sort_unstable();
    let mut expected = vec![&*ada.email, &mailboxes[6]];
    expected.extend(mailboxes[..4].iter().map(|mailbox| &**mailbox));
    expected.sort_unstable();
    assert_eq!(told, expected);
}

on_both_databases!(a_former_mailbox_is_told_of_the_deletion_of_an_inactive_account);
async fn a_former_mailbox_is_told_of_the_deletion_of_an_inactive_account(db: Database) {
    db.allow_unread_mails();
    let year = |config: &mut Config| {
        config.lifetimes.inactive_account = "365d".parse().unwrap();
        config.lifetimes.email_undo = "310d".parse().unwrap();
    };
    let site = db.site_with(year).await;
    let ada = site.signed_in("ada").await;
    let mails = change_address(&ada.browser, THIEF).await;
    let undo = to(&mails, &ada.email)[0].token();
    site.advance("306d");
    site.run_deletion().await;
    let mut told = Vec::new();
    for wait in ["0s", "30d", "23d"] {
        site.advance(wait);
        let mails = site.mails().await;
        assert_eq!(to(&mails, THIEF).len(), 1, "{wait}");
        let own = to(&mails, &ada.email);
        assert_eq!(own.len(), 1, "{wait}");
        own[0].assert_subject_contains("unused");
        told.push(own[0].token());
    }
    assert_status!(site.browser().undo_email_change(&undo), 200);
    assert_refused!(site.browser().undo_credential(&told[0]), InvalidToken);
    site.advance("7d");
    assert_eq!(site.run_deletion().await, 0);
    assert_eq!(site.user("ada").await["email"], ada.email);
}

on_both_databases!(the_number_of_each_change_grows_whatever_the_clock_does);
async fn the_number_of_each_change_grows_whatever_the_clock_does(db: Database) {
    let site = db.allow_unread_mails().site_with(without_limits).await;
    let ada = site.signed_in("ada").await;
    let number = async || {
        let rows = site.rows("SELECT change_number FROM accounts", &[]).await;
        rows[0].get::<i64>(0)
    };
    let mut last = number().await;
    let mut password = PASSWORD.to_owned();
    let start = site.now();
    for (round, minutes) in [0, 3, -2, -1, 0, 5, -4].into_iter().enumerate() {
        site.set_clock(&account::testing::clock::rfc3339(start + minutes * 60_000));
        let next = format!("Orange-Tree-{round}4");
        for action in 0..4 {
            match action {
                0 => drop(change_address(&ada.browser, &format!("ada{round}@example.org")).await),
                1 => drop(add_passkey(&ada.browser, &mut Authenticator::synced()).await),
                2 => {
                    assert_status!(change_password(&ada.browser, &password, &next), 200);
                    password.clone_from(&next);
                }
                _ => drop(ada.browser.request_email_change("other@example.org").await),
            }
            let now = number().await;
            assert!(
                now > last,
                "round {round}, action {action}: {now} after {last}"
            );
            last = now;
        }
    }
}

// PostgreSQL reads the other tables of a statement as they were before it waited for a lock.
on_postgres!(a_sign_in_that_waited_for_the_account_sees_the_deletion);
async fn a_sign_in_that_waited_for_the_account_sees_the_deletion(db: Database) {
    let site = db.allow_unread_mails().site().await;
    let ada = site.signed_in("ada").await;
    let id = site.id_of("ada").await;
    let mut tx = site.app.store.write().await.unwrap();
    let sql = "UPDATE accounts SET change_number = change_number + 1 WHERE id = $1";
    tx.execute(sql, params![id]).await.unwrap();
    let due_at = site.now() + 1_000_000;
    let sql = "INSERT INTO pending_acts (account_id, act, number, requested_at, due_at)
               VALUES ($1, 'deletion', $2, $2, $2)";
    tx.execute(sql, params![id, due_at]).await.unwrap();
    let own = tx
        .rows("SELECT pg_backend_pid()::bigint", &[])
        .await
        .unwrap();
    let blocked = format!(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE {} = ANY(pg_blocking_pids(pid))",
        own[0].get::<i64>(0)
    );
    let (browser, credentials) = (ada.browser.copy(), ada.credentials());
    let sign_in = tokio::spawn(async move { browser.post("/login", &credentials).await });
    eventually("the sign-in waits", async || {
        site.rows(&blocked, &[]).await[0].get::<i64>(0) > 0
    })
    .await;
    tx.commit().await.unwrap();
    let response = sign_in.await.unwrap();
    assert_eq!(
        response.json()["code"],
        "deletion_pending",
        "{}",
        response.text()
    );
}
