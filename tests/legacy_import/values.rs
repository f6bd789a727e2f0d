//! Values as the exports of other programs write them.

use std::path::Path;

use account::params;
use account::testing::legacy::import::InputFormat;
use serde_json::{Value, json};

use super::csv_options;
use crate::old_accounts::write_file;
use crate::support::{Database, Site};

/// A column of the account with this address.
async fn value(site: &Site, column: &str, name: &str) -> Option<String> {
    let sql = format!("SELECT CAST({column} AS TEXT) FROM legacy_accounts WHERE email_key = $1");
    let email = format!("{name}@example.org");
    site.rows(&sql, params![&email]).await[0].get(0)
}

fn reject_rows(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(format!("{}.rejects.jsonl", file.display())).unwrap();
    text.lines().map(str::to_owned).collect()
}

on_both_databases!(numbers_keep_their_digits);
async fn numbers_keep_their_digits(db: Database) {
    let site = db.site().await;
    let lines = r#"{"email":"ada@example.org","legacy_id":106871676498477390001,"zipcode":10115.0}
{"email":"bob@example.org","legacy_id":106871676498477390002,"birthday_month":7.0,"created_at":20120501100000}
{"email":"cleo@example.org","legacy_id":0.1000000000000000055511151231257827}
{"email":"none","legacy_id":106871676498477390003,"size":1.10}
"#;
    let file = write_file(db.folder(), "old.jsonl", lines.as_bytes());
    let outcome = site.import_file(&file).await;
    assert_eq!((outcome.counts.new, outcome.counts.rejected), (3, 1));
    for (name, column, expected) in [
        ("ada", "legacy_id", "106871676498477390001"),
        ("ada", "zipcode", "10115"),
        ("bob", "legacy_id", "106871676498477390002"),
        ("bob", "birthday_month", "7"),
        ("bob", "created_at", "1335866400000"),
        ("cleo", "legacy_id", "0.1000000000000000055511151231257827"),
    ] {
        assert_eq!(
            value(&site, column, name).await.as_deref(),
            Some(expected),
            "{name}.{column}"
        );
    }
    let rejected = reject_rows(&file);
    assert!(
        rejected[0].contains(r#""legacy_id":106871676498477390003,"size":1.10}"#),
        "{rejected:?}"
    );
}

on_both_databases!(markers_of_null_are_absent_values);
async fn markers_of_null_are_absent_values(db: Database) {
    let site = db.site().await;
    for (name, delimiter) in [("comma", ","), ("tab", "\t")] {
        let rows = [
            "email,first_name,last_name,legacy_id,zipcode",
            &format!(r"{name}1@example.org,\N,\N,\N,\N"),
            &format!("{name}2@example.org,NULL,NULL,NULL,NULL"),
            &format!(r#"{name}3@example.org,"NULL",Null,"","\N""#),
            r"\N,x,x,x,x",
        ];
        let text = rows.join("\n").replace(',', delimiter);
        let format = InputFormat {
            delimiter: Some(name.parse().unwrap()),
            ..InputFormat::default()
        };
        let options = csv_options(&db, "old.csv", text.as_bytes(), format);
        let outcome = site.import(&options).await;
        assert_eq!((outcome.counts.new, outcome.counts.rejected), (3, 1));
        assert_eq!(outcome.omitted_values.iter().count(), 0);
        assert!(reject_rows(&options.file)[0].contains("email_missing"));
        for column in ["first_name", "last_name", "legacy_id", "zipcode"] {
            for number in ["1", "2"] {
                let stored = value(&site, column, &format!("{name}{number}")).await;
                assert_eq!(stored, None, "{column}{number}");
            }
        }
        let kept = format!("{name}3");
        assert_eq!(
            value(&site, "first_name", &kept).await.as_deref(),
            Some("NULL")
        );
        assert_eq!(
            value(&site, "last_name", &kept).await.as_deref(),
            Some("Null")
        );
        assert_eq!(value(&site, "zipcode", &kept).await, None);
    }
    let json = r#"{"email":"ada@example.org","first_name":"\\N","last_name":null}"#;
    site.import_file(&write_file(db.folder(), "old.jsonl", json.as_bytes()))
        .await;
    assert_eq!(value(&site, "first_name", "ada").await, None);
}

on_both_databases!(names_that_are_no_columns_are_reported_for_every_format);
async fn names_that_are_no_columns_are_reported_for_every_format(db: Database) {
    let site = db.site().await;
    let lines = "{\"email\":\"ada@example.org\",\"dob\":\"1985-04-05\",\"Email\":null}\n\
                 {\"karma\":{\"a\":1},\"email\":\"bob@example.org\",\"dob\":1,\"\\u001b[31m\":2}\n";
    let outcome = site
        .import_file(&write_file(db.folder(), "old.jsonl", lines.as_bytes()))
        .await;
    assert_eq!(outcome.counts.new, 2);
    assert_eq!(outcome.unknown_columns, ["Email", "[31m", "dob", "karma"]);
    let options = csv_options(
        &db,
        "old.csv",
        b"email,dob,\x1b[31m\nx@example.org,1,2\n",
        InputFormat::default(),
    );
    let outcome = site.import(&options).await;
    assert_eq!(outcome.unknown_columns, ["dob", "[31m"]);
}

on_both_databases!(a_first_line_with_the_separator_is_skipped);
async fn a_first_line_with_the_separator_is_skipped(db: Database) {
    let site = db.site().await;
    for (number, (first, delimiter, row)) in [
        ("sep=;", Some("semicolon"), "email;first_name"),
        ("sep=;", None, "email;first_name"),
        ("\u{feff}SEP=,\r", None, "email,first_name"),
        ("\"sep=\t\"", None, "email\tfirst_name"),
        // The option decides.
        ("sep=,", Some("pipe"), "email|first_name"),
    ]
    .into_iter()
    .enumerate()
    {
        let values = row.replace("email", &format!("x{number}@example.org"));
        let text = format!("{first}\n{row}\n{values}\nwrong\n");
        let format = InputFormat {
            delimiter: delimiter.map(|name| name.parse().unwrap()),
            ..InputFormat::default()
        };
        let options = csv_options(&db, "old.csv", text.as_bytes(), format);
        let counts = site.import(&options).await.counts;
        assert_eq!(
            (counts.read, counts.new, counts.rejected),
            (2, 1, 1),
            "{first:?}"
        );
        let reject: Value = serde_json::from_str(&reject_rows(&options.file)[0]).unwrap();
        assert_eq!(
            (&reject["line"], &reject["row"]),
            (&json!(4), &json!("wrong"))
        );
    }
}

on_both_databases!(a_time_in_the_future_is_left_out_with_a_warning);
async fn a_time_in_the_future_is_left_out_with_a_warning(db: Database) {
    let site = db.site().await;
    let later = site.now() + 1;
    let text = format!(
        "email,created_at\nada@example.org,{}\nbob@example.org,{later}\ncleo@example.org,26070806000000\n\
         dora@example.org,1335866400000000\n",
        site.now()
    );
    let options = csv_options(&db, "old.csv", text.as_bytes(), InputFormat::default());
    let outcome = site.import(&options).await;
    let warnings: Vec<_> = outcome.omitted_values.iter().collect();
    assert_eq!(
        warnings,
        [
            ("created_at: in the future", 2, 3),
            // Microseconds are no unit of the import.
            ("created_at: no point in time", 1, 5),
        ]
    );
    assert_eq!(
        value(&site, "created_at", "ada").await,
        Some(site.now().to_string())
    );
    assert_eq!(value(&site, "created_at", "bob").await, None);
}
