//! `account users …` and `account support …`, beside a running site on the same database.

mod corrections;
mod waiting;

use account::params;
use account::testing::clock::{Clock, rfc3339};
use account::testing::error::ErrorCode;
use serde_json::{Value, json};

use crate::old_accounts::old;
use crate::support::process::{run_account, run_to_exit};
use crate::support::{Database, Site};

/// A site with the system clock, which the commands use too.
pub(crate) async fn site_with_system_clock(db: &Database) -> Site {
    let site = db.allow_unread_mails().site().await;
    site.set_clock(&rfc3339(Clock::System.millis()));
    site
}

#[track_caller]
pub(crate) fn run_successfully(db: &Database, arguments: &[&str]) -> String {
    let (code, out, errors) = run_account(db, arguments);
    assert_eq!(code, 0, "{arguments:?}: {errors}");
    out
}

#[track_caller]
pub(crate) fn assert_failure(db: &Database, arguments: &[&str], expected: i32, part: &str) {
    let (code, out, errors) = run_account(db, arguments);
    assert_eq!(
        (code, out.as_str()),
        (expected, ""),
        "{arguments:?}: {errors}"
    );
    assert!(errors.contains(part), "{arguments:?}: {errors}");
    if expected == 1 {
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
}

/// Runs `users show` with these arguments. Returns its JSON.
fn show_account(db: &Database, arguments: &[&str]) -> Value {
    let show = [&["users", "show", "--json"][..], arguments].concat();
    serde_json::from_str(&run_successfully(db, &show)).unwrap()
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

on_both_databases!(text_of_people_cannot_forge_the_audit_on_a_terminal);
async fn text_of_people_cannot_forge_the_audit_on_a_terminal(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let forged =
        "x\n2026-11-25T00:00:00Z  cli:eve  delete_now  - by owner\u{1b}[1A\u{9b}2K\u{202e}";
    let disable = |reason: &str| {
        let email = "ada@example.org";
        let arguments = ["users", "disable", "--email", email, "--reason", reason];
        let settings = [("ACCOUNT_DATABASE__URL", db.url()), ("SUDO_USER", forged)];
        let (code, _, errors) = run_to_exit(db.folder(), &arguments, &settings);
        (code, errors)
    };
    for reason in [forged, "a\tb", "a\u{7f}", "", " ", &"x".repeat(501)] {
        let (code, errors) = disable(reason);
        assert_eq!((code, errors.lines().count()), (2, 1), "{errors:?}");
        assert!(errors.starts_with("account: --reason must"), "{errors:?}");
    }
    assert_eq!(site.count("support_audit").await, 0);
    assert_eq!(disable("ticket 17").0, 0);
    // Rows of earlier versions, and a device with such a name.
    for sql in [
        "UPDATE support_audit SET reason = $1",
        "UPDATE devices SET name = $1",
        "UPDATE accounts SET username = $1",
    ] {
        site.execute(sql, params![forged]).await;
    }
    let audit = run_successfully(&db, &["support", "audit"]);
    assert_eq!(audit.lines().count(), 1, "{audit}");
    assert!(
        audit.contains("  disable  ") && !audit.contains("sudo by"),
        "{audit}"
    );
    assert!(
        audit.contains("x\\u000a2026-11-25T00:00:00Z  cli:eve"),
        "{audit}"
    );
    for arguments in [
        &["support", "audit"] as &[&str],
        &["support", "audit", "--json"],
        &["users", "show", "--email", "ada@example.org"],
        &["users", "show", "--email", "ada@example.org", "--json"],
    ] {
        let shown = run_successfully(&db, arguments);
        let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!shown.contains(acts), "{arguments:?}: {shown:?}");
        assert!(
            !shown
                .lines()
                .any(|line| line.starts_with("2026-11-25T00:00:00Z")),
            "{shown}"
        );
    }
}

impl Site {
    /// Asserts the entries of the audit, the oldest first.
    async fn assert_audit(&self, actions: &[&str]) {
        assert_eq!(audit_actions(self).await, actions);
    }
}

pub(crate) async fn audit_actions(site: &Site) -> Vec<String> {
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

on_both_databases!(an_account_is_shown_as_text_and_as_json);
async fn an_account_is_shown_as_text_and_as_json(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.joined_and_signed_in("ada").await;
    let id = ada.user().await["id"].as_str().unwrap().to_owned();
    let text = run_successfully(&db, &["users", "show", "--username", "Ada"]);
    for part in [
        "ada@example.org", "active", "Firefox · Linux", "verify_email", "signed_in",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let shown = show_account(&db, &["--id", &id]);
    assert_eq!(shown["account"]["email"], "ada@example.org");
    assert_eq!(shown["account"]["state"], "active");
    assert_eq!(shown["sessions"][0]["methods"], json!(["password"]));
    for list in ["devices", "sessions", "mails", "events"] {
        assert!(!shown[list].as_array().unwrap().is_empty(), "{list}");
    }
    site.import_accounts(&[old("oldie")]).await;
    let waiting = run_successfully(&db, &["users", "show", "--email", "oldie@example.org"]);
    assert!(waiting.contains("legacy"), "{waiting}");
    site.assert_audit(&["find", "find", "find"]).await;
    let activity = ada.browser.get("/activity").await.json();
    assert_eq!(activity["events"][0]["kind"], "support_viewed");
}

on_both_databases!(bounced_mails_are_shown);
async fn bounced_mails_are_shown(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    site.import_accounts(&[old("oldie")]).await;
    let show = |email: &'static str| {
        let shown = show_account(&db, &["--email", email]);
        let of = |key: &str| shown["account"][key].clone();
        (of("bounced_at"), of("bounce_status"))
    };
    for email in ["ada@example.org", "oldie@example.org"] {
        assert_eq!(show(email), (Value::Null, Value::Null));
    }
    let lines = "{\"email\":\"ada@example.org\",\"status\":\"5.1.1\"}\n\
        {\"email\":\"oldie@example.org\",\"status\":\"5.2.1\"}\n";
    std::fs::write(db.folder().join("bounces"), lines).unwrap();
    run_successfully(&db, &["mail", "bounces", "bounces"]);
    let (at, status) = show("ada@example.org");
    assert!(at.is_string() && status == "5.1.1", "{at} {status}");
    let (at, status) = show("oldie@example.org");
    assert!(at.is_string() && status.is_null(), "{at} {status}");
    let text = run_successfully(&db, &["users", "show", "--username", "ada"]);
    assert!(text.contains("bounce_status  5.1.1"), "{text}");
    for email in ["ada@example.org", "oldie@example.org"] {
        let clear = ["mail", "bounces", "--clear", "--email", email];
        run_successfully(&db, &clear);
        assert_eq!(show(email), (Value::Null, Value::Null));
        assert_failure(&db, &clear, 1, "no account with a mark");
    }
}

on_both_databases!(failures_that_are_not_about_the_address_mark_no_account);
async fn failures_that_are_not_about_the_address_mark_no_account(db: Database) {
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let statuses = ["5.7.1", "5.7.26", "5.2.2", "5.7.1"];
    let lines = statuses.map(|s| format!("{{\"email\":\"ada@example.org\",\"status\":\"{s}\"}}\n"));
    std::fs::write(db.folder().join("bounces"), lines.concat()).unwrap();
    let (code, _, said) = run_account(&db, &["mail", "bounces", "bounces"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("1 with 5.2.2, 2 with 5.7.1, 1 with 5.7.26"),
        "{said}"
    );
    assert_eq!(site.count("accounts WHERE bounced_at IS NOT NULL").await, 0);
}

on_both_databases!(commands_require_a_known_account);
async fn commands_require_a_known_account(db: Database) {
    let _site = site_with_system_clock(&db).await;
    for (key, value) in [
        ("--email", "ada@example.org"),
        ("--email", "no address"),
        ("--username", "ada"),
        ("--id", "0190b0a0-0000-7000-8000-000000000000"),
    ] {
        assert_failure(&db, &["users", "show", key, value], 1, "no such account");
    }
    for command in ["disable", "enable", "delete", "sign-out", "export"] {
        let unknown = ["users", command, "--username", "ada"];
        assert_failure(&db, &unknown, 1, "no such account");
    }
    let resend = ["users", "resend", "--kind", "reset", "--username", "ada"];
    assert_failure(&db, &resend, 1, "no such account");
    let grant = [
        "support", "grant", "--role", "admin", "--email", "ada@example.org",
    ];
    assert_failure(&db, &grant, 1, "no such account");
}

on_both_databases!(commands_take_effect_at_once_on_a_running_site);
async fn commands_take_effect_at_once_on_a_running_site(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    let me = ["--email", &ada.email];
    let on = |command: &'static str| [&["users", command][..], &me].concat();
    run_successfully(&db, &on("sign-out"));
    ada.browser.assert_signed_out().await;
    run_successfully(
        &db,
        &[&on("disable")[..], &["--reason", "ticket 17"]].concat(),
    );
    assert_refused!(ada.try_sign_in(&ada.browser), AccountDisabled);
    run_successfully(&db, &on("enable"));
    site.advance("1m");
    site.mails().await;
    run_successfully(&db, &[&on("resend")[..], &["--kind", "reset"]].concat());
    site.advance("1m");
    assert!(site.mail_to(&ada.email).await.has_token());
    assert_failure(
        &db,
        &[&on("resend")[..], &["--kind", "verify"]].concat(),
        1,
        "not in the state",
    );
    assert_failure(&db, &on("cancel-deletion"), 1, "not in the state");
    run_successfully(&db, &on("delete"));
    ada.try_sign_in(&ada.browser)
        .await
        .assert_error_with_data(ErrorCode::DeletionPending);
    run_successfully(&db, &on("cancel-deletion"));
    run_successfully(&db, &[&on("delete")[..], &["--now"]].concat());
    assert_failure(&db, &on("show"), 1, "no such account");
    let audit = run_successfully(&db, &["support", "audit"]);
    assert!(
        audit.contains("resend_verify refused: nothing_pending"),
        "{audit}"
    );
    site.assert_audit(&[
        "sign_out",
        "disable",
        "enable",
        "resend_reset",
        "resend_verify refused: nothing_pending",
        "cancel_deletion refused: nothing_pending",
        "delete",
        "cancel_deletion",
        "delete_now",
        "find",
    ])
    .await;
}

on_both_databases!(an_export_is_written_once_and_only_for_its_owner);
async fn an_export_is_written_once_and_only_for_its_owner(db: Database) {
    use std::os::unix::fs::PermissionsExt;
    let site = site_with_system_clock(&db).await;
    site.member("ada").await;
    let command = [
        "users", "export", "--username", "ada", "--output", "ada.zip",
    ];
    run_successfully(&db, &command);
    let file = db.folder().join("ada.zip");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (document, _) = read_archive(&db, "ada.zip");
    assert_eq!(document["account"]["email"], "ada@example.org");
    assert_failure(&db, &command, 1, "ada.zip");
    let (code, _, errors) = run_account(&db, &["users", "export", "--username", "ada"]);
    assert_eq!(code, 0);
    assert!(errors.contains("account-ada-"), "{errors}");
}

on_both_databases!(granting_and_revoking_roles_is_recorded_in_the_audit);
async fn granting_and_revoking_roles_is_recorded_in_the_audit(db: Database) {
    let site = site_with_system_clock(&db).await;
    let ada = site.signed_in("ada").await;
    let email = ["--email", "ada@example.org"];
    let grant = |role| [&["support", "grant", "--role", role][..], &email].concat();
    assert_failure(&db, &grant("owner"), 2, "support or admin");
    let weak = "the account has no authenticator app and no passkey";
    assert_failure(&db, &grant("support"), 1, weak);
    crate::second_factor::turn_on(&site, ada).await;
    run_successfully(&db, &grant("support"));
    run_successfully(&db, &grant("admin"));
    let listed = run_successfully(&db, &["support", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&listed["username"], &listed["role"]),
        (&json!("ada"), &json!("admin"))
    );
    assert_eq!(
        run_successfully(&db, &["support", "list"]).lines().count(),
        1
    );
    let revoke = [&["support", "revoke"][..], &email].concat();
    run_successfully(&db, &revoke);
    assert_failure(&db, &revoke, 1, "the account has no role");
    let unknown = ["support", "revoke", "--email", "nobody@example.org"];
    assert_failure(&db, &unknown, 1, "no such account");
    assert_eq!(run_successfully(&db, &["support", "list"]), "");
    site.assert_audit(&[
        "grant_support refused: second_factor_off",
        "grant_support",
        "grant_admin",
        "revoke",
        "revoke refused: nothing_pending",
        "revoke refused: not_found",
    ])
    .await;
    let audit = run_successfully(&db, &["support", "audit", "--json", "--since", "1d"]);
    let entries: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(entries.len(), 6);
    assert_eq!(entries[0]["refusal"], "not_found", "the newest first");
    assert!(entries[0]["actor"].as_str().unwrap().starts_with("cli:"));
    assert_eq!(
        run_successfully(&db, &["support", "audit"]).lines().count(),
        6
    );
}
