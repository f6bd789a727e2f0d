//! The import: exact counts, no silent merges, and a second run that changes nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use account::testing::legacy::import::{ImportOptions, ImportReport, InputFormat};
use serde_json::{Value, json};

use crate::old_accounts::{import_options, old, old_with, write_file};
use crate::support::Database;

fn json_lines(rows: &[Value]) -> Vec<u8> {
    rows.iter()
        .flat_map(|row| format!("{row}\n").into_bytes())
        .collect()
}

fn rejects(file: &Path) -> Vec<Value> {
    let path = format!("{}.rejects.jsonl", file.display());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn read_rejects(file: &Path) -> Vec<(u64, String)> {
    let pair = |reject: &Value| {
        assert!(!reject["row"].is_null());
        let reason = reject["reason"].as_str().unwrap().to_owned();
        (reject["line"].as_u64().unwrap(), reason)
    };
    rejects(file).iter().map(pair).collect()
}

/// The numbers of rows that are not zero.
fn counts_of(report: &ImportReport) -> Value {
    let mut counts = json!(report.counts);
    let members = counts.as_object_mut().unwrap();
    members.retain(|_, count| *count != 0);
    counts
}

on_both_databases!(a_repeated_import_writes_only_changed_rows);
async fn a_repeated_import_writes_only_changed_rows(db: Database) {
    let site = db.site().await;
    let mut rows: Vec<_> = (0..2500).map(|n| old(&format!("fan{n}"))).collect();
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    let first = json!({"read": 2500, "new": 2500});
    assert_eq!(counts_of(&site.import_file(&file).await), first);
    let again = json!({"read": 2500, "unchanged": 2500});
    assert_eq!(counts_of(&site.import_file(&file).await), again);
    rows[7]["zipcode"] = json!("20095");
    rows[8].as_object_mut().unwrap().remove("password_hash");
    rows.push(old("late"));
    write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    let newer = json!({"read": 2501, "new": 1, "unchanged": 2498, "updated": 2, "without_hash": 1});
    assert_eq!(counts_of(&site.import_file(&file).await), newer);
    let sql = "SELECT zipcode FROM legacy_accounts WHERE email_key = 'fan7@example.org'";
    assert_eq!(site.rows(sql, &[]).await[0].get::<String>(0), "20095");
    assert_eq!(site.count("legacy_accounts").await, 2501);
}

on_both_databases!(an_invalid_row_is_rejected_with_line_and_reason);
async fn an_invalid_row_is_rejected_with_line_and_reason(db: Database) {
    let site = db.site().await;
    let long = format!("{{\"email\":\"{}@example.org\"}}", "x".repeat(70_000));
    let text = [
        old("ada").to_string(),
        "{\"email\":".into(),
        "[]".into(),
        String::new(),
        json!({"username": "bob"}).to_string(),
        json!({"email": "bob"}).to_string(),
        json!({"email": ["a@example.org"]}).to_string(),
        long,
        old_with("x", &json!({"email": "ADA@example.org"})).to_string(),
        old("ada").to_string(),
        r#"{"email":"eve","legacy_id":106871676498477390003,"size":1.10}"#.into(),
        old("kim").to_string(),
    ]
    .join("\n");
    let file = write_file(db.folder(), "old.jsonl", text.as_bytes());
    let outcome = site.import_file(&file).await;
    let counts = json!({"read": 11, "new": 2, "rejected": 9});
    assert_eq!(counts_of(&outcome), counts);
    let found = read_rejects(&file);
    let numbers: Vec<_> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(numbers, [2, 3, 5, 6, 7, 8, 9, 10, 11]);
    let reason = |at: usize| found[at].1.as_str();
    assert!(reason(0).starts_with("no JSON object of a row: EOF"));
    assert_eq!(reason(2), "no email");
    assert_eq!(reason(3), "email is no valid address");
    assert_eq!(reason(4), "email is no text");
    assert_eq!(reason(5), "longer than 64 KiB");
    assert_eq!(
        reason(6),
        "the address of line 1 again, in other upper and lower case"
    );
    assert_eq!(reason(7), "the address of line 1 again");
    assert_eq!(reason(8), "email is no valid address");
    // A rejected row keeps its digits.
    let text = std::fs::read_to_string(&outcome.rejects).unwrap();
    assert!(text.contains(r#""legacy_id":106871676498477390003,"size":1.10}"#));
    // A second import of the repaired file leaves no rejects.
    write_file(
        db.folder(),
        "old.jsonl",
        &json_lines(&[old("ada"), old("kim")]),
    );
    assert_eq!(site.import_file(&file).await.counts.unchanged, 2);
    assert!(read_rejects(&file).is_empty());
}

on_both_databases!(an_unusable_value_is_left_out_and_its_row_imported);
async fn an_unusable_value_is_left_out_and_its_row_imported(db: Database) {
    let site = db.site().await;
    let odd = json!({
        "email": " Ada@Example.org ", "username": "a\u{0}b", "password_hash": "secret",
        "first_name": "x".repeat(101), "last_name": {"a": 1}, "country": "Atlantis",
        "birthday_day": 30, "birthday_month": 2, "birthday_year": 1990, "zipcode": "!",
        "marketing_consent": "perhaps", "language": "xx", "legacy_id": [1], "created_at": "soon",
    });
    let fine = json!({
        "email": "bob@example.org", "country": "US", "birthday_day": "5", "birthday_month": 7.0,
        "birthday_year": 1990, "zipcode": 90210, "marketing_consent": 1, "language": "pt-BR",
        "created_at": 1_335_866_400,
    });
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&[odd, fine]));
    let outcome = site.import_file(&file).await;
    let counts = json!({"read": 2, "new": 2, "without_hash": 2});
    assert_eq!(counts_of(&outcome), counts);
    let left_out: Vec<_> = outcome
        .omitted_values
        .iter()
        .map(|(reason, ..)| reason)
        .collect();
    assert_eq!(
        left_out,
        [
            "birthday: no such day",
            "country: no known two-letter code",
            "created_at: no point in time",
            "first_name: not usable",
            "language: none of the site",
            "last_name: not usable",
            "legacy_id: not usable",
            "marketing_consent: neither yes nor no",
            "password_hash: of an unknown form",
            "username: not usable",
            "zipcode: not usable",
        ]
    );
    let sql = "SELECT email, country, birthday_day, birthday_month, zipcode, marketing_consent,
                 language, created_at FROM legacy_accounts ORDER BY email_key";
    let rows = site.rows(sql, &[]).await;
    assert_eq!(rows[0].get::<String>(0), "Ada@Example.org");
    assert_eq!(rows[0].get::<Option<i64>>(2), None);
    let text = |at| rows[1].get::<Option<String>>(at).unwrap();
    assert_eq!(
        (text(1), text(4), text(6)),
        ("us".into(), "90210".into(), "pt".into())
    );
    let number = |at| rows[1].get::<Option<i64>>(at).unwrap();
    assert_eq!((number(2), number(3), number(5)), (5, 7, 1));
    assert_eq!(number(7), 1_335_866_400_000);
}

fn csv_options(db: &Database, name: &str, text: &[u8], format: InputFormat) -> ImportOptions {
    ImportOptions {
        format,
        ..import_options(write_file(db.folder(), name, text), 100)
    }
}

on_both_databases!(a_row_never_replaces_an_account_of_another_legacy_id);
// The rejected duplicate of an address is often a different person.
async fn a_row_never_replaces_an_account_of_another_legacy_id(db: Database) {
    let site = db.site().await;
    let person = |email: &str, id: &str, name: &str| {
        old_with(
            "x",
            &json!({"email": email, "legacy_id": id, "username": name}),
        )
    };
    let rows = [
        person("ada@example.org", "1", "ada"),
        person("ADA@example.org", "2", "other"),
        person("kim@example.org", "3", "kim"),
    ];
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    assert_eq!(site.import_file(&file).await.counts.rejected, 1);
    let found = rejects(&file);
    assert_eq!(found[0]["code"], "duplicate_email");
    // A second import of the unchanged rejects file.
    let again = [
        found[0]["row"].clone(),
        person("kim@example.org", "3", "kimberly"),
    ];
    let repaired = write_file(db.folder(), "repaired.jsonl", &json_lines(&again));
    let counts = site.import_file(&repaired).await.counts;
    assert_eq!((counts.read, counts.rejected, counts.updated), (2, 1, 1));
    let found = rejects(&repaired);
    assert_eq!(
        (&found[0]["code"], &found[0]["line"]),
        (&json!("legacy_id_conflict"), &json!(1))
    );
    let sql = "SELECT legacy_id, username FROM legacy_accounts ORDER BY email_key";
    let stored = site.rows(sql, &[]).await;
    let accounts: Vec<_> = stored
        .iter()
        .map(|row| (row.get::<String>(0), row.get::<String>(1)))
        .collect();
    assert_eq!(accounts[0], ("1".into(), "ada".into()));
    assert_eq!(accounts[1], ("3".into(), "kimberly".into()));
    // A newer export without ids changes the other fields and keeps the id.
    let without = [old_with(
        "x",
        &json!({"email": "ada@example.org", "legacy_id": null, "username": "ada2"}),
    )];
    let newer = write_file(db.folder(), "newer.jsonl", &json_lines(&without));
    assert_eq!(site.import_file(&newer).await.counts.updated, 1);
    assert_eq!(site.import_file(&newer).await.counts.unchanged, 1);
    let stored = site.rows(sql, &[]).await;
    assert_eq!(
        (stored[0].get::<String>(0), stored[0].get::<String>(1)),
        ("1".into(), "ada2".into())
    );
}

on_both_databases!(hashes_of_unknown_formats_are_counted_by_format);
async fn hashes_of_unknown_formats_are_counted_by_format(db: Database) {
    let site = db.site().await;
    let with = |name: &str, hash: String| old_with(name, &json!({"password_hash": hash}));
    let long = "a".repeat(40);
    let rows = [
        with("ada", format!("$7${long}")),
        with("bob", format!("$7$b{long}")),
        with("cleo", long.clone()),
        with("dora", "{SSHA}gVK8WC9YyFT1gMsQHTGCgT3sSv5zYWx0".into()),
    ];
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    let outcome = site.import_file(&file).await;
    let forms: Vec<_> = outcome.unknown_hashes.iter().collect();
    assert_eq!(forms, [("$7$", 2), ("40 hexadecimal digits", 1)]);
    assert_eq!(outcome.counts.without_hash, 3);
}

on_both_databases!(a_dry_run_counts_and_writes_nothing);
async fn a_dry_run_counts_and_writes_nothing(db: Database) {
    let site = db.site().await;
    site.import_accounts(&[old("ada")]).await;
    let rows = [old("ada"), old_with("bob", &json!({"password_hash": null}))];
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    let options = ImportOptions {
        dry_run: true,
        ..import_options(file, 1)
    };
    let counts = json!({"read": 2, "new": 1, "unchanged": 1, "without_hash": 1});
    assert_eq!(counts_of(&site.import(&options).await), counts);
    assert_eq!(site.count("legacy_accounts").await, 1);
}

on_both_databases!(an_address_with_an_account_is_skipped);
async fn an_address_with_an_account_is_skipped(db: Database) {
    let site = db.site().await;
    site.member("ada").await;
    let rows = [
        old_with("x", &json!({"email": "ADA@example.org"})),
        old("bob"),
    ];
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    let counts = json!({"read": 2, "new": 1, "already_migrated": 1});
    assert_eq!(counts_of(&site.import_file(&file).await), counts);
    crate::migration::migrate(&site, "bob@example.org", "Orange-Tree-42").await;
    let changed = [old("ada"), old_with("bob", &json!({"zipcode": "20095"}))];
    write_file(db.folder(), "old.jsonl", &json_lines(&changed));
    assert_eq!(site.import_file(&file).await.counts.already_migrated, 2);
    assert_eq!(site.count("accounts").await, 2);
}

on_both_databases!(parallel_imports_neither_lose_nor_duplicate_rows);
async fn parallel_imports_neither_lose_nor_duplicate_rows(db: Database) {
    let site = db.site().await;
    let rows: Vec<_> = (0..3000).map(|n| old(&format!("fan{n}"))).collect();
    let options =
        |name: &str| import_options(write_file(db.folder(), name, &json_lines(&rows)), 100);
    let (one, two) = (options("one.jsonl"), options("two.jsonl"));
    let (one, two) = tokio::join!(site.import(&one), site.import(&two));
    let (one, two) = (one.counts, two.counts);
    assert_eq!(one.new + two.new, 3000);
    assert_eq!(one.unchanged + two.unchanged, 3000);
    assert_eq!(site.count("legacy_accounts").await, 3000);
}

mod formats;
mod ids;

on_both_databases!(other_writers_can_write_between_two_batches);
async fn other_writers_can_write_between_two_batches(db: Database) {
    const BATCH: Duration = Duration::from_millis(30);
    let site = db.site().await;
    let bulk = site.app.store.for_bulk_writes().unwrap();
    // Writes like those of registrations: each waits for the writer, and none is refused.
    let others = tokio::spawn({
        let site = site.clone();
        async move {
            for _ in 0..10 {
                let sql = "UPDATE secrets SET name = name";
                site.execute(sql, &[]).await;
            }
        }
    });
    // Writes like an import whose next batch is ready before the current one is written.
    while !others.is_finished() {
        let started = Instant::now();
        let mut tx = bulk.write().await.unwrap();
        while started.elapsed() < BATCH {
            let sql = "DELETE FROM limits WHERE ends_at = 0";
            tx.execute(sql, &[]).await.unwrap();
        }
        tx.commit().await.unwrap();
        bulk.yield_to_writers().await;
    }
    others.await.unwrap();
}
