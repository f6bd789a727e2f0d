//! The commands as processes of their own: exit codes, output, and a kill in the middle.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::old_accounts::{old, write_file};
use crate::support::database::Kind;
use crate::support::process::{run_account, run_to_exit, start};
use crate::support::{Database, eventually};

impl Database {
    /// The counts of an import that took every row.
    fn import_accounts(&self, file: &str) -> Value {
        let (code, out, errors) = run_account(self, &["legacy", "import", file, "--json"]);
        assert_eq!(code, 0, "{out}{errors}");
        serde_json::from_str(&out).unwrap()
    }

    fn write_rows(&self, rows: usize) -> PathBuf {
        let lines: String = (0..rows)
            .map(|n| format!("{}\n", old(&format!("fan{n}"))))
            .collect();
        write_file(self.folder(), "old.jsonl", lines.as_bytes())
    }
}

on_both_databases!(a_killed_import_resumes_and_counts_exactly);
async fn a_killed_import_resumes_and_counts_exactly(db: Database) {
    const ROWS: i64 = 20_000;
    let site = db.site().await;
    db.write_rows(ROWS as usize);
    let words = ["legacy", "import", "old.jsonl", "--batch", "200"];
    let settings = [("ACCOUNT_DATABASE__URL", db.url())];
    let mut killed = start(db.folder(), &words, &settings, Stdio::null());
    eventually("a thousand rows are imported", async || {
        site.count("legacy_accounts").await >= 1000
    })
    .await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    // The server may still be in the last transaction of the killed import.
    if db.kind() == Kind::Postgres {
        eventually("the table is not being written", async || {
            let sql = "SELECT COUNT(*) FROM pg_locks
                       WHERE relation = 'legacy_accounts'::regclass AND mode = 'RowExclusiveLock'";
            site.rows(sql, &[]).await[0].get::<i64>(0) == 0
        })
        .await;
    }
    let there = site.count("legacy_accounts").await;
    assert!((1000..ROWS).contains(&there), "{there} rows came through");
    assert_eq!(there % 200, 0, "whole batches only");
    let counts = json!({
        "read": ROWS, "new": ROWS - there, "unchanged": there, "updated": 0, "rejected": 0,
        "already_migrated": 0, "without_hash": 0, "unknown_hashes": {},
    });
    assert_eq!(db.import_accounts("old.jsonl"), counts);
    assert_eq!(site.count("legacy_accounts").await, ROWS);
}

on_both_databases!(exit_codes_distinguish_done_rejected_failed_and_wrong_use);
async fn exit_codes_distinguish_done_rejected_failed_and_wrong_use(db: Database) {
    let code = |words: &[&str]| run_account(&db, words).0;
    let import = ["legacy", "import", "bad.jsonl"];
    assert_eq!(code(&import), 2, "no database yet");
    assert_eq!(code(&["migrate"]), 0);
    write_file(
        db.folder(),
        "bad.jsonl",
        b"{\"email\":\"ada@example.org\"}\n{}\n",
    );
    write_file(db.folder(), "bad.csv", b"mail\nada@example.org\n");
    write_file(db.folder(), "old.xml", b"<x/>");
    assert_eq!(
        code(&["legacy", "import", "bad.jsonl", "--rejects", "r.jsonl"]),
        3
    );
    let rejects = std::fs::read_to_string(db.folder().join("r.jsonl")).unwrap();
    let reject = "{\"line\":2,\"code\":\"email_missing\",\"reason\":\"no email\",\"row\":{}}\n";
    assert_eq!(rejects, reject);
    let mapped = ["legacy", "import", "bad.csv", "--map", "mail=email"];
    assert_eq!(code(&mapped), 0);
    let named = ["legacy", "import", "/dev/null", "--format", "jsonl"];
    assert_eq!(code(&named), 0);
    assert_eq!(code(&["mail", "retry", "--since", "2d"]), 0);
    for wrong in [
        &["legacy", "import", "none.jsonl"][..],
        &["legacy", "import", "old.xml"],
        &["legacy", "import", "/dev/null"],
        &["legacy", "import", "bad.csv", "--format", "xml"],
        &["legacy", "import", "bad.csv"],
        &["legacy", "import"],
        &["legacy", "import", "bad.jsonl", "--batch", "0"],
        &["legacy", "import", "bad.csv", "--map", "mail=post"],
        &["legacy", "import", "bad.csv", "--delimiter", "ab"],
        &["legacy", "import", "bad.jsonl", "--delimiter", "tab"],
        &["legacy", "import", "bad.csv", "--encoding", "ebcdic"],
        &["legacy", "invite", "--rate", "many"],
        &["mail", "retry", "--since", "soon"],
        &["legacy"],
    ] {
        assert_eq!(code(wrong), 2, "{wrong:?}");
    }
    let away = [("ACCOUNT_DATABASE__URL", "postgres://me@127.0.0.1:1/a")];
    assert_eq!(run_to_exit(db.folder(), &import, &away).0, 1);
}

on_both_databases!(messages_go_to_stderr_and_json_to_stdout);
async fn messages_go_to_stderr_and_json_to_stdout(db: Database) {
    db.allow_unread_mails();
    db.write_rows(3);
    assert_eq!(run_account(&db, &["migrate"]).0, 0);
    let (_, out, text) = run_account(&db, &["legacy", "import", "old.jsonl"]);
    assert_eq!(out, "");
    assert!(text.contains("new                        3"), "{text}");
    let invite = ["legacy", "invite", "--limit", "2", "--rate", "1000/s"];
    let (_, _, text) = run_account(&db, &invite);
    assert_eq!(
        text,
        "account: 2 invited; a running `account serve` sends the mails\n"
    );
    let (_, out, _) = run_account(&db, &["legacy", "status", "--json"]);
    let status: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&status["imported"], &status["invited"]),
        (&json!(3), &json!(2))
    );
    let (_, out, text) = run_account(&db, &["legacy", "status"]);
    assert!(out.is_empty() && text.contains("imported"), "{out}{text}");
    for command in ["import", "status", "invite"] {
        // With the default database: a file below the current folder.
        let (code, out, _) = run_to_exit(db.folder(), &["legacy", command, "--help"], &[]);
        assert!(code == 0 && !out.is_empty(), "{command}");
    }
    assert!(!db.folder().join("data").exists(), "asking made a database");
}

on_both_databases!(a_purge_deletes_waiting_accounts_imported_before_a_date);
async fn a_purge_deletes_waiting_accounts_imported_before_a_date(db: Database) {
    let purge = |date: &str| run_account(&db, &["legacy", "purge", "--before", date]);
    db.remove_tables().await;
    assert_eq!(purge("2999-01-01").0, 2, "no database yet");
    db.write_rows(3);
    assert_eq!(run_account(&db, &["migrate"]).0, 0);
    db.import_accounts("old.jsonl");
    let deleted = |count: u8| (0, String::new(), format!("account: {count} deleted\n"));
    assert_eq!(purge("2020-01-01"), deleted(0));
    assert_eq!(purge("2999-01-01"), deleted(3));
    assert_eq!(purge("2999-01-01"), deleted(0));
    for wrong in ["tomorrow", "2026-02-30", "01/02/2026"] {
        assert_eq!(purge(wrong).0, 2, "{wrong}");
    }
    assert_eq!(run_account(&db, &["legacy", "purge"]).0, 2);
}
