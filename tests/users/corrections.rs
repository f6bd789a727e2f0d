//! Corrections of an account by an operator: its address, its details, and the ends of an account.

use account::params;

use super::{
    assert_failure, audit_actions, run_for_json, run_successfully, show_account,
    site_with_system_clock,
};
use crate::email_change::change_email;
use crate::passkeys::{add_passkey, person_with_passkey, sign_in};
use crate::password_change::change_password;
use crate::password_reset::confirm_reset;
use crate::prelude::*;
use crate::support::authenticator::Authenticator;
use crate::support::mails::{Mail, last_token_to};
use crate::support::process::Arguments;

on_both_databases!(
    a_new_address_is_set_when_its_mailbox_confirms_it,
    a_former_address_is_restored_with_all_that_came_later_undone,
    an_address_of_somebody_else_is_refused,
    a_mistyped_registration_gets_its_link_at_the_right_address,
    an_account_is_found_by_its_former_address_for_180_days,
    corrected_details_are_mailed_by_their_names,
    details_follow_the_rules_of_the_forms,
    a_quiet_disabling_mails_nothing,
    a_username_that_an_account_lets_go_is_held_for_others,
    only_a_verified_account_holds_its_username_after_the_deletion
);

const DAY: i64 = 24 * 3_600_000;

/// The unread mails, by recipient. The clock of the commands is ahead of that of the site.
pub async fn mails(site: &Site) -> Vec<Mail> {
    site.advance("1m");
    let mut mails = site.mails().await;
    mails.sort_by(|a, b| a.to.cmp(&b.to));
    mails
}

fn set_email(from: &str, to: &str) -> String {
    format!("users set-email --reason ticket-17 --email {from} --to {to}")
}

fn set(details: &str) -> String {
    format!("users set --reason ticket-17 --email ada@example.org {details}")
}

async fn a_new_address_is_set_when_its_mailbox_confirms_it(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    site.mails().await;
    run_successfully(&db, &set_email(&ada.email, "wrong@example.org"));
    let first = mails(&site).await;
    let again = set_email(&ada.email, "Neu@Example.org --json");
    let waiting = run_successfully(&db, &again);
    assert_eq!(waiting, "{\"done\":true,\"email\":\"asked\"}\n");
    ada.browser.assert_signed_out().await;
    let shown = show_account(&db, &format!("--email {}", ada.email));
    assert_eq!(shown["pending_email"], "Neu@Example.org");
    let second = mails(&site).await;
    let seen = |mails: &[Mail]| -> Vec<_> {
        let all = mails.iter();
        all.map(|m| format!("{}: {}", m.to, m.subject)).collect()
    };
    let confirm = "Confirm this address for your localhost account";
    assert_eq!(seen(&first), [format!("wrong@example.org: {confirm}")]);
    assert_eq!(seen(&second), [format!("Neu@Example.org: {confirm}")]);
    assert_lacks!(second[0].text, "ada");
    // Until then the account is as before.
    assert_eq!(site.user("ada").await["email"], ada.email);
    let browser = site.browser();
    assert_refused!(
        browser.confirm_email_change(&first[0].token()),
        InvalidToken
    );
    assert_status!(browser.confirm_email_change(&second[0].token()), 200);
    assert_eq!(site.user("ada").await["email"], "Neu@Example.org");
    let notices = mails(&site).await;
    let changed = "ada@example.org: The email of your localhost account was changed";
    assert_eq!(seen(&notices), [changed]);
    let response = browser.undo_email_change(&notices[0].token()).await;
    assert_eq!(response.json()["email"], ada.email);
    let audit = run_successfully(&db, "support audit");
    assert_contains!(audit, "  set_email  ", "ticket-17\n");
}

// security: SE-9, WA-7
async fn a_former_address_is_restored_with_all_that_came_later_undone(db: Database) {
    let site = site_with_system_clock(&db).await;
    let mut own = Authenticator::synced();
    let ada = person_with_passkey(&site, "ada", &mut own).await;
    let sql = "UPDATE credentials SET created_at = created_at - $1";
    site.execute(sql, params![31 * DAY]).await;
    let thief = ada.browser.copy();
    add_passkey(&thief, &mut Authenticator::synced()).await;
    let mut before = site.mails().await;
    for stolen in ["thief@example.net", "second@example.net"] {
        change_email(&thief, stolen).await;
        before.extend(site.mails().await);
    }
    assert_status!(change_password(&thief, PASSWORD, "Thief-Tree-44"), 200);
    assert_status!(thief.post("/delete-account", &json!({})), 202);
    before.extend(site.mails().await);
    let command = set_email("second@example.net", "ADA@example.org --json");
    let mut undone = run_for_json(&db, &command);
    for factor in ["removed", "remaining"] {
        let at = undone[factor][0]
            .as_object_mut()
            .unwrap()
            .remove("added_at");
        assert!(at.unwrap().is_string());
    }
    let passkey = json!([{"passkey": "Passkey"}]);
    assert_eq!(
        undone,
        json!({"done": true, "email": "undone", "taken": false, "password_ended": true,
            "removed": passkey, "remaining": passkey})
    );
    assert_eq!(site.user("ada").await["email"], "ADA@example.org");
    thief.assert_signed_out().await;
    site.assert_count("pending_acts WHERE act = 'deletion'", 0)
        .await;
    for mail in before
        .iter()
        .filter(|mail| mail.to.ends_with("@example.net"))
    {
        if mail.has_token() {
            let token = mail.token();
            let browser = site.browser();
            assert_refused!(browser.undo_email_change(&token), InvalidToken);
            assert_refused!(browser.undo_credential(&token), InvalidToken);
            assert_refused!(browser.restore_account(&token), InvalidToken);
        }
    }
    let after = mails(&site).await;
    let removed = after.iter().filter(|mail| mail.to == "second@example.net");
    let removed: Vec<_> = removed
        .map(|mail| (&*mail.subject, mail.has_token()))
        .collect();
    let no_longer = "An account at localhost no longer uses this address";
    assert_eq!(removed, [(no_longer, false)]);
    let link = last_token_to(&after, "ADA@example.org", "Choose a new password");
    let owner = site.browser();
    assert_status!(confirm_reset(&owner, &link, "Cherry-Tree-44"), 200);
    assert_status!(sign_in(&owner, &mut own), 200);
    // The thief's first address was undone, so its mailbox would have to confirm it; the removed one was not.
    run_successfully(&db, &set_email("ada@example.org", "thief@example.net"));
    assert_eq!(site.user("ada").await["email"], "ADA@example.org");
    run_successfully(&db, &set_email("ada@example.org", "second@example.net"));
    assert_eq!(site.user("ada").await["email"], "second@example.net");
    site.mails().await;
}

async fn an_address_of_somebody_else_is_refused(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.member("ada").await;
    site.member("bob").await;
    site.import_accounts(&[crate::old_accounts::old("oldie")])
        .await;
    site.registered("eve").await;
    site.mails().await;
    for taken in ["BOB@example.org", "oldie@example.org"] {
        let command = set_email(&ada.email, taken);
        assert_failure(&db, &command, 1, "belongs to another account");
    }
    let same = set_email(&ada.email, "ada@example.org");
    assert_failure(&db, &same, 1, "has this address already");
    assert_failure(&db, &set_email(&ada.email, "ada@"), 2, "--to: ");
    let without_reason = "users set-email --email ada@example.org --to a@b.example";
    assert_failure(&db, without_reason, 2, "--reason");
    run_successfully(&db, &format!("users delete --email {}", ada.email));
    let pending = set_email(&ada.email, "new@example.org");
    assert_failure(&db, &pending, 1, "cancel-deletion");
    run_successfully(&db, &format!("users cancel-deletion --email {}", ada.email));
    assert_eq!(site.user("ada").await["email"], ada.email);
    // A registration that was never verified has no claim to the address, but stays until the mailbox confirms it.
    run_successfully(&db, &set_email(&ada.email, "eve@example.org"));
    site.assert_count("accounts WHERE username = 'eve'", 1)
        .await;
    let mails = mails(&site).await;
    let link = last_token_to(&mails, "eve@example.org", "Confirm this address");
    assert_status!(site.browser().confirm_email_change(&link), 200);
    site.assert_count("accounts WHERE username = 'eve'", 0)
        .await;
    site.assert_audit(
        "set_email refused: account_exists, set_email refused: account_exists, \
         set_email refused: email_unchanged, delete, set_email refused: nothing_pending, \
         cancel_deletion, set_email",
    )
    .await;
}

async fn a_mistyped_registration_gets_its_link_at_the_right_address(db: Database) {
    let site = site_with_system_clock(&db).await;
    let (ada, wrong) = site.registered("ada").await;
    run_successfully(&db, &set_email(&ada.email, "right@example.org"));
    site.advance("1m");
    let mail = site.mail_to("right@example.org").await;
    let confirm = async |token: &str| ada.browser.confirm_email(token).await;
    assert_refused!(confirm(&wrong), InvalidToken);
    assert_status!(confirm(&mail.token()), 200);
    // Another spelling is no other account.
    let (eve, _) = site.registered("eve").await;
    run_successfully(&db, &set_email(&eve.email, "Eve@example.org"));
    assert_eq!(site.user("eve").await["email"], "Eve@example.org");
}

async fn an_account_is_found_by_its_former_address_for_180_days(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.member("ada").await;
    let show = "users show --json --former ADA@example.org";
    assert_failure(&db, show, 1, "no such account");
    let both = "users show --former a@b.example --email a@b.example";
    assert_failure(&db, both, 2, "cannot be used with");
    site.mails().await;
    ada.sign_in(&ada.browser).await;
    change_email(&ada.browser, "new@example.org").await;
    let shown = run_for_json(&db, show);
    assert_eq!(shown["account"]["email"], "new@example.org");
    assert_eq!(shown["account"]["birthday"], "1990-07-05");
    let text = run_successfully(&db, "users show --username ada");
    assert!(text.starts_with("birthday       1990-07-05\n"), "{text}");
    site.assert_count("former_emails", 1).await;
    site.run_expiry().await;
    site.assert_count("former_emails", 1).await;
    let days: i64 = 180 * 24 * 3_600_000;
    let sql = "UPDATE former_emails SET changed_at = changed_at - $1";
    site.execute(sql, params![days]).await;
    assert_failure(&db, show, 1, "no such account");
    site.advance("1m");
    site.run_expiry().await;
    site.assert_count("former_emails", 0).await;
}

async fn corrected_details_are_mailed_by_their_names(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = form_with("ada", &json!({"marketing_consent": true}));
    assert_status!(site.browser().post("/register", &ada), 201);
    site.mails().await;
    let details = set(
        "--username Lovelace --country gb --birthday 1985-12-10 --last-name King \
                       --newsletter off",
    );
    let spaced = ["--zipcode", " SW1A 1AA ", "--first-name", " Zoë "];
    run_successfully(&db, &[&details.words()[..], &spaced].concat());
    let sql = "SELECT username, username_key, country, zipcode, birthday, first_name,
                 last_name, marketing_consent FROM accounts";
    let row = &site.rows(sql, &[]).await[0];
    let texts: Vec<String> = (0..7).map(|at| row.get(at)).collect();
    let expected = [
        "Lovelace", "lovelace", "gb", "SW1A 1AA", "1985-12-10", "Zoë", "King",
    ];
    assert_eq!(texts, expected);
    assert!(!row.get::<bool>(7));
    let sql = "SELECT consent, text_version FROM consents ORDER BY id DESC LIMIT 1";
    let consent = &site.rows(sql, &[]).await[0];
    assert_eq!((consent.get::<bool>(0), consent.get::<i64>(1)), (false, 0));
    let mails = mails(&site).await;
    assert_eq!(mails.len(), 1);
    let text = mails[0].text.replace('\n', " ");
    let names = "Username, Country, Zip code, Date of birth, First name, Last name, Newsletter";
    assert_contains!(text, names);
    assert_lacks!(text, "Lovelace", "1985");
    let sql = "SELECT details FROM security_events WHERE kind = 'support_acted'";
    let details: String = site.value(sql).await;
    let details: Value = serde_json::from_str(&details).unwrap();
    assert_eq!(details["action"], "set_details");
    assert_eq!(details["fields"].list().len(), 7);
    let same = set("--username Lovelace --newsletter off");
    assert_failure(&db, &same, 1, "has these details already");
    // Another spelling of the own name.
    run_successfully(&db, &set("--username LoveLace"));
    site.assert_audit("set_details, set_details refused: nothing_pending, set_details")
        .await;
}

async fn details_follow_the_rules_of_the_forms(db: Database) {
    let site = site_with_system_clock(&db).await;
    for name in ["ada", "bob", "kim"] {
        site.member(name).await;
    }
    run_successfully(&db, "users delete --now --username kim");
    let set_nothing = set("");
    for (argument, value) in [
        ("--username", "a b"),
        ("--country", "GB"),
        ("--zipcode", "1"),
        ("--birthday", "1985-02-30"),
        ("--birthday", "10.12.1985"),
        ("--birthday", "1899-12-31"),
        ("--first-name", ""),
        ("--last-name", "a\u{1b}[2Kb"),
    ] {
        let command = [&set_nothing.words()[..], &[argument, value]].concat();
        assert_failure(&db, &command, 2, &format!("account: {argument}: "));
    }
    assert_failure(&db, &set(""), 2, "required");
    assert_failure(&db, &set("--newsletter on"), 2, "off");
    let without_reason = "users set --email ada@example.org --country gb";
    assert_failure(&db, without_reason, 2, "--reason");
    // Of an account, and of a deleted one whose username is held.
    for taken in ["BOB", "kim"] {
        let command = set(&format!("--username {taken} --country gb"));
        assert_failure(&db, &command, 1, "the username is taken");
    }
    let minor = set("--birthday 2014-01-01 --country gb");
    assert_failure(&db, &minor, 1, "account users disable");
    let sql = "SELECT country, birthday FROM accounts WHERE username = 'ada'";
    let row = &site.rows(sql, &[]).await[0];
    let stored: (String, String) = (row.get(0), row.get(1));
    assert_eq!(stored, ("us".to_owned(), "1990-07-05".to_owned()));
    let audit = audit_actions(&site).await;
    let refusals = ["username_in_use", "username_in_use", "underage"];
    assert_eq!(
        audit[1..],
        refusals.map(|code| format!("set_details refused: {code}"))
    );
}

async fn a_quiet_disabling_mails_nothing(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    site.mails().await;
    run_successfully(&db, "users disable --quiet --email ada@example.org");
    run_successfully(&db, &set("--country gb"));
    assert!(mails(&site).await.is_empty());
    assert_refused!(ada.try_sign_in(&ada.browser), AccountDisabled);
    let sql = "SELECT details FROM security_events WHERE kind = 'disabled'";
    let details: String = site.value(sql).await;
    assert_eq!(details, "{\"quiet\":true}");
    site.assert_audit("disable, set_details").await;
}

fn rename(email: &str, username: &str) -> String {
    format!("users set --reason ticket-17 --email {email} --username {username}")
}

/// The ways in which an account lets its username go, and everybody who may want the username afterwards.
async fn a_username_that_an_account_lets_go_is_held_for_others(db: Database) {
    let site = site_with_system_clock(&db).await;
    let stranger = site.member("stranger").await;
    let ways = [
        ("ada", 1, false),
        ("bob", 2, false),
        ("eve", 1, true),
        ("kim", 0, true),
    ];
    for (name, renamings, is_deleted) in ways {
        let person = site.member(name).await;
        for number in 0..renamings {
            run_successfully(&db, &rename(&person.email, &format!("{name}{number}")));
        }
        if is_deleted {
            run_successfully(&db, &format!("users delete --now --email {}", person.email));
        }
        let email = format!("{name}@other.example.org");
        let claim = form_with(name, &json!({"email": email}));
        assert_status!(site.browser().post("/register", &claim), 409);
        let taken = "the username is taken";
        let upper = rename(&stranger.email, &name.to_uppercase());
        assert_failure(&db, &upper, 1, taken);
        if !is_deleted {
            // The account takes the username back, and lets it go again.
            run_successfully(&db, &rename(&person.email, name));
            run_successfully(&db, &rename(&person.email, &format!("{name}9")));
            assert_failure(&db, &rename(&stranger.email, name), 1, taken);
        }
    }
    // Deleted accounts are no longer named.
    let held = "names WHERE kind = 'held_username'";
    site.assert_count(held, 8).await;
    site.assert_count(&format!("{held} AND account_id IS NULL"), 3)
        .await;
    // The clock of the commands is ahead of that of the site.
    site.advance("91d");
    site.run_expiry().await;
    site.assert_count(held, 0).await;
    for (name, ..) in ways {
        let claim = form_with(name, &json!({"email": format!("{name}@other.example.org")}));
        assert_status!(site.browser().post("/register", &claim), 201);
    }
}

async fn only_a_verified_account_holds_its_username_after_the_deletion(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.registered("ada").await;
    site.member("bob").await;
    for (name, status) in [("ada", 201), ("bob", 409)] {
        run_successfully(&db, &format!("users delete --now --username {name}"));
        let again = form_with(name, &json!({"email": format!("{name}2@example.org")}));
        assert_status!(site.browser().post("/register", &again), status);
    }
    // The same address registers at once.
    let mut again = form("bob");
    again["username"] = json!("bobby");
    assert_status!(site.browser().post("/register", &again), 201);
}
