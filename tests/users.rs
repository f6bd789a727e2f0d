//! `account users …` and `account support …`, beside a running site on the same database.

mod corrections;
mod waiting;

use account::params;
use account::testing::clock::{Clock, rfc3339};
use account::testing::error::ErrorCode;

use crate::old_accounts::old;
use crate::prelude::*;
use crate::support::process::Arguments;

on_both_databases!(
    text_of_people_cannot_forge_the_audit_on_a_terminal,
    an_account_is_shown_as_text_and_as_json,
    bounced_mails_are_shown,
    failures_that_are_not_about_the_address_mark_no_account,
    commands_require_a_known_account,
    commands_take_effect_at_once_on_a_running_site,
    an_export_is_written_once_and_only_for_its_owner,
    granting_and_revoking_roles_is_recorded_in_the_audit,
    the_audit_names_the_operator_of_a_container_as_a_claim
);

/// A site with the system clock, which the commands use too.
pub async fn site_with_system_clock(db: &Database) -> Site {
    let site = db.allow_unread_mails().site().await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    site
}

/// Runs a command on the database of the test. Returns its standard output.
#[track_caller]
pub fn run_successfully(db: &Database, arguments: &(impl Arguments + ?Sized)) -> String {
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    run_to_success(db.folder(), arguments, &url).0
}

#[track_caller]
fn assert_failure(db: &Database, arguments: &(impl Arguments + ?Sized), expected: i32, part: &str) {
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    run_to_failure(db.folder(), arguments, &url, expected, part);
}

/// The JSON that a command prints.
#[track_caller]
fn run_for_json(db: &Database, arguments: &str) -> Value {
    serde_json::from_str(&run_successfully(db, arguments)).unwrap()
}

/// The account that `users show` returns for these arguments.
fn show_account(db: &Database, arguments: &str) -> Value {
    run_for_json(db, &format!("users show --json {arguments}"))["account"].clone()
}

/// The document and the page of an archive that `users export` has written.
fn read_archive(db: &Database, name: &str) -> (Value, String) {
    let file = std::fs::File::open(db.folder().join(name)).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut read = |name: &str| {
        let file = archive.by_name(name).unwrap();
        std::io::read_to_string(file).unwrap()
    };
    let document = serde_json::from_str(&read("account.json")).unwrap();
    (document, read("index.html"))
}

async fn text_of_people_cannot_forge_the_audit_on_a_terminal(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let forged =
        "x\n2026-11-25T00:00:00Z  cli:eve  delete_now  - by owner\u{1b}[1A\u{9b}2K\u{202e}";
    let settings = [("ACCOUNT_DATABASE__URL", db.url()), ("SUDO_USER", forged)];
    let long = "x".repeat(501);
    for reason in [forged, "a\tb", "a\u{7f}", "", " ", &long] {
        let errors = run_to_failure(
            db.folder(),
            &[
                "users", "disable", "--email", "ada@example.org", "--reason", reason,
            ],
            &settings,
            2,
            "",
        );
        assert!(errors.starts_with("account: --reason must"), "{errors:?}");
    }
    site.assert_count("support_audit", 0).await;
    run_to_success(
        db.folder(),
        &[
            "users", "disable", "--email", "ada@example.org", "--reason", "ticket 17",
        ],
        &settings,
    );
    // Rows of earlier versions, and a device with such a name.
    for sql in [
        "UPDATE support_audit SET reason = $1",
        "UPDATE devices SET name = $1",
        "UPDATE accounts SET username = $1",
    ] {
        site.execute(sql, params![forged]).await;
    }
    let audit = run_successfully(&db, "support audit");
    assert_eq!(audit.lines().count(), 1, "{audit}");
    assert!(
        audit.contains("  disable  ") && !audit.contains("sudo by"),
        "{audit}"
    );
    assert_contains!(audit, "x\\u000a2026-11-25T00:00:00Z  cli:eve");
    for arguments in [
        "support audit",
        "support audit --json",
        "users show --email ada@example.org",
        "users show --email ada@example.org --json",
    ] {
        let shown = run_successfully(&db, arguments);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!shown.contains(acts), "{arguments}: {shown:?}");
        assert_lacks!(format!("\n{shown}"), "\n2026-11-25T00:00:00Z");
    }
}

impl Site {
    /// Asserts the entries of the audit, the oldest first.
    async fn assert_audit(&self, actions: &str) {
        assert_eq!(audit_actions(self).await.join(", "), actions);
    }
}

pub async fn audit_actions(site: &Site) -> Vec<String> {
    let rows = site
        .rows(
            "SELECT action, operator, refusal FROM support_audit ORDER BY id",
            &[],
        )
        .await;
    rows.iter()
        .map(|row| {
            let operator: Option<String> = row.get(1);
            assert!(operator.is_some_and(|name| !name.is_empty()));
            let action: String = row.get(0);
            match row.get::<Option<String>>(2) {
                Some(refusal) => format!("{action} refused: {refusal}"),
                None => action,
            }
        })
        .collect()
}

async fn an_account_is_shown_as_text_and_as_json(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.joined_and_signed_in("ada").await;
    let id = ada.user().await["id"].text().to_owned();
    let text = run_successfully(&db, "users show --username Ada");
    assert_contains!(
        text, "ada@example.org", "active", "Firefox · Linux", "verify_email", "signed_in"
    );
    let shown = run_for_json(&db, &format!("users show --json --id {id}"));
    assert_eq!(shown["account"]["email"], "ada@example.org");
    assert_eq!(shown["account"]["state"], "active");
    assert_eq!(shown["sessions"][0]["methods"], json!(["password"]));
    for list in ["devices", "sessions", "mails", "events"] {
        assert!(!shown[list].list().is_empty(), "{list}");
    }
    site.import_accounts(&[old("oldie")]).await;
    let waiting = run_successfully(&db, "users show --email oldie@example.org");
    assert_contains!(waiting, "legacy");
    site.assert_audit("find, find, find").await;
    let activity = ada.browser.get("/activity").await.json();
    assert_eq!(activity["events"][0]["kind"], "support_viewed");
}

async fn bounced_mails_are_shown(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    site.import_accounts(&[old("oldie")]).await;
    let show = |email: &'static str| {
        let shown = show_account(&db, &format!("--email {email}"));
        ["bounced_at", "bounce_status"].map(|key| shown[key].clone())
    };
    for email in ["ada@example.org", "oldie@example.org"] {
        assert_eq!(show(email), [Value::Null, Value::Null]);
    }
    let lines = "{\"email\":\"ada@example.org\",\"status\":\"5.1.1\"}\n\
        {\"email\":\"oldie@example.org\",\"status\":\"5.2.1\"}\n";
    write(db.folder(), "bounces", lines);
    run_successfully(&db, "mail bounces bounces");
    let [at, status] = show("ada@example.org");
    assert!(at.is_string() && status == "5.1.1", "{at} {status}");
    let [at, status] = show("oldie@example.org");
    assert!(at.is_string() && status.is_null(), "{at} {status}");
    let text = run_successfully(&db, "users show --username ada");
    assert_contains!(text, "bounce_status  5.1.1");
    for email in ["ada@example.org", "oldie@example.org"] {
        let clear = format!("mail bounces --clear --email {email}");
        run_successfully(&db, &clear);
        assert_eq!(show(email), [Value::Null, Value::Null]);
        assert_failure(&db, &clear, 1, "no account with a mark");
    }
}

async fn failures_that_are_not_about_the_address_mark_no_account(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let statuses = ["5.7.1", "5.7.26", "5.2.2", "5.7.1"];
    let lines = statuses.map(|s| format!("{{\"email\":\"ada@example.org\",\"status\":\"{s}\"}}\n"));
    write(db.folder(), "bounces", lines.concat());
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    let (_, said) = run_to_success(db.folder(), "mail bounces bounces", &url);
    assert_contains!(said, "1 with 5.2.2, 2 with 5.7.1, 1 with 5.7.26");
    site.assert_count("accounts WHERE bounced_at IS NOT NULL", 0)
        .await;
}

async fn commands_require_a_known_account(db: Database) {
    let _site = site_with_system_clock(&db).await;
    for command in [
        "users show --email ada@example.org",
        "users show --email no-address",
        "users show --username ada",
        "users show --id 0190b0a0-0000-7000-8000-000000000000",
        "users disable --username ada",
        "users enable --username ada",
        "users delete --username ada",
        "users sign-out --username ada",
        "users export --username ada",
        "users resend --kind reset --username ada",
        "support grant --role admin --email ada@example.org",
    ] {
        assert_failure(&db, command, 1, "no such account");
    }
}

async fn commands_take_effect_at_once_on_a_running_site(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    let on = |command: &str| format!("users {command} --email {}", ada.email);
    run_successfully(&db, &on("sign-out"));
    ada.browser.assert_signed_out().await;
    run_successfully(&db, &on("disable --reason ticket-17"));
    assert_refused!(ada.try_sign_in(&ada.browser), AccountDisabled);
    run_successfully(&db, &on("enable"));
    site.advance("1m");
    site.mails().await;
    run_successfully(&db, &on("resend --kind reset"));
    site.advance("1m");
    assert!(ada.mail().await.has_token());
    assert_failure(&db, &on("resend --kind verify"), 1, "not in the state");
    assert_failure(&db, &on("cancel-deletion"), 1, "not in the state");
    run_successfully(&db, &on("delete"));
    ada.try_sign_in(&ada.browser)
        .await
        .assert_error_with_data(ErrorCode::DeletionPending);
    run_successfully(&db, &on("cancel-deletion"));
    run_successfully(&db, &on("delete --now"));
    assert_failure(&db, &on("show"), 1, "no such account");
    let audit = run_successfully(&db, "support audit");
    assert_contains!(audit, "resend_verify refused: nothing_pending");
    site.assert_audit(
        "sign_out, disable, enable, resend_reset, resend_verify refused: nothing_pending, \
         cancel_deletion refused: nothing_pending, delete, cancel_deletion, delete_now, find",
    )
    .await;
}

async fn an_export_is_written_once_and_only_for_its_owner(db: Database) {
    use std::os::unix::fs::PermissionsExt;
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let command = "users export --username ada --output ada.zip";
    run_successfully(&db, command);
    let file = db.folder().join("ada.zip");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (document, _) = read_archive(&db, "ada.zip");
    assert_eq!(document["account"]["email"], "ada@example.org");
    assert_failure(&db, command, 1, "ada.zip");
    let url = [("ACCOUNT_DATABASE__URL", db.url())];
    let (_, said) = run_to_success(db.folder(), "users export --username ada", &url);
    assert_contains!(said, "account-ada-");
}

async fn granting_and_revoking_roles_is_recorded_in_the_audit(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    let grant = |role| format!("support grant --role {role} --email ada@example.org");
    assert_failure(&db, &grant("owner"), 2, "support or admin");
    let weak = "the account has no authenticator app and no passkey";
    assert_failure(&db, &grant("support"), 1, weak);
    crate::second_factor::turn_on(&site, ada).await;
    run_successfully(&db, &grant("support"));
    run_successfully(&db, &grant("admin"));
    let listed = run_for_json(&db, "support list --json");
    assert_eq!(
        (&listed["username"], &listed["role"]),
        (&json!("ada"), &json!("admin"))
    );
    let lines = |command| run_successfully(&db, command).lines().count();
    assert_eq!(lines("support list"), 1);
    let revoke = "support revoke --email ada@example.org";
    run_successfully(&db, revoke);
    assert_failure(&db, revoke, 1, "the account has no role");
    let unknown = "support revoke --email nobody@example.org";
    assert_failure(&db, unknown, 1, "no such account");
    assert_eq!(run_successfully(&db, "support list"), "");
    site.assert_audit(
        "grant_support refused: second_factor_off, grant_support, grant_admin, revoke, \
         revoke refused: nothing_pending, revoke refused: not_found",
    )
    .await;
    let audit = run_successfully(&db, "support audit --json --since 1d");
    let entries: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(entries.len(), 6);
    assert_eq!(entries[0]["refusal"], "not_found", "the newest first");
    assert!(entries[0]["actor"].text().starts_with("cli:"));
    assert_eq!(lines("support audit"), 6);
}

async fn the_audit_names_the_operator_of_a_container_as_a_claim(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let of_ada = |command| format!("{command} --email ada@example.org --operator");
    for command in ["users sign-out", "users show", "users export"] {
        run_successfully(&db, &(of_ada(command) + " kim@example.org"));
    }
    for operator in site
        .column::<String>("SELECT operator FROM support_audit")
        .await
    {
        let claimed = operator.strip_suffix(" (operator kim@example.org)");
        assert!(claimed.is_some_and(|user| !user.is_empty()), "{operator}");
    }
    for command in [
        "users show", "users disable", "legacy unsubscribe", "support grant --role admin",
        "support revoke",
    ] {
        let command = of_ada(command);
        for name in ["", "kim) root", "kim\u{1b}[2K", "a\nb"] {
            let command = [&command.words()[..], &[name]].concat();
            assert_failure(&db, &command, 2, "account: --operator must have");
        }
    }
}
