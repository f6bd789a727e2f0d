//! The formats of an import: JSON Lines, CSV with the delimiters and encodings of legacy systems, and gzip.

use std::io::Write;

use account::testing::legacy::import::{
    ColumnNames, ImportError, ImportOptions, InputFormat, parse_encoding,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use super::{csv_options, json_lines, rejects};
use crate::old_accounts::{import_options, old, old_with, write_file};
use crate::support::Database;

on_both_databases!(csv_and_gzip_import_like_json_lines);
async fn csv_and_gzip_import_like_json_lines(db: Database) {
    let site = db.site().await;
    let quoted = json!({"first_name": "Ada \"A\"", "last_name": "Smith, Jr."});
    let rows = [old_with("ada", &quoted), old("bob")];
    let file = write_file(db.folder(), "old.jsonl", &json_lines(&rows));
    assert_eq!(site.import_file(&file).await.counts.new, 2);

    let names: Vec<_> = rows[0].as_object().unwrap().keys().cloned().collect();
    let mut csv = format!("\u{feff}{},shoe_size\r\n", names.join(","));
    for row in &rows {
        for name in &names {
            let text = row[name]
                .as_str()
                .map_or_else(|| row[name].to_string(), str::to_owned);
            csv.push_str(&format!("\"{}\",", text.replace('"', "\"\"")));
        }
        csv.push_str("42\r\n");
    }
    let file = write_file(db.folder(), "old.csv", csv.as_bytes());
    let outcome = site.import_file(&file).await;
    assert_eq!((outcome.counts.read, outcome.counts.unchanged), (2, 2));
    assert_eq!(outcome.unknown_columns, ["shoe_size"]);

    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&json_lines(&rows)).unwrap();
    let packed = gzip.finish().unwrap();
    let file = write_file(db.folder(), "old.jsonl.gz", &packed);
    assert_eq!(site.import_file(&file).await.counts.unchanged, 2);
    // A truncated file: rows before the damage are imported, and the error is reported.
    let mut rows: Vec<_> = (0..5000).map(|n| old(&format!("fan{n}"))).collect();
    rows.push(old("late"));
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&json_lines(&rows)).unwrap();
    let packed = gzip.finish().unwrap();
    let file = write_file(db.folder(), "cut.jsonl.gz", &packed[..packed.len() / 2]);
    let options = import_options(file, 100);
    let error = site.try_import(&options).await.unwrap_err();
    assert!(
        matches!(error, ImportError::Read { line: 1.., .. }),
        "{error}"
    );
    assert!(site.count("legacy_accounts").await > 1000);
}

on_both_databases!(delimiters_and_encodings_of_old_systems_are_read);
async fn delimiters_and_encodings_of_old_systems_are_read(db: Database) {
    let site = db.site().await;
    let semicolons = "E-Mail;Vorname;zipcode\nada@example.org;Ädä;20095\n";
    let mapped = |delimiter: &str| InputFormat {
        delimiter: Some(delimiter.parse().unwrap()),
        names: ColumnNames::parse(&["e-mail=email".into(), "Vorname=first_name".into()]).unwrap(),
        ..InputFormat::default()
    };
    let options = csv_options(&db, "semi.csv", semicolons.as_bytes(), mapped("semicolon"));
    assert_eq!(site.import(&options).await.counts.new, 1);
    let same = async |options: ImportOptions| {
        let counts = site.import(&options).await.counts;
        assert_eq!(
            (counts.read, counts.unchanged),
            (1, 1),
            "{}",
            options.file.display()
        );
    };
    let tabs = semicolons.replace(';', "\t");
    let tab = "tab.csv";
    same(csv_options(&db, tab, tabs.as_bytes(), mapped("tab"))).await;
    let macs = semicolons.replace('\n', "\r");
    same(csv_options(&db, "mac.csv", macs.as_bytes(), mapped(";"))).await;
    let wide: Vec<u8> = format!("\u{feff}{semicolons}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    same(csv_options(&db, "utf16.csv", &wide, mapped(";"))).await;
    let bytes: Vec<u8> = semicolons.chars().map(|c| c as u8).collect();
    let format = InputFormat {
        encoding: Some(parse_encoding("windows-1252").unwrap()),
        ..mapped(";")
    };
    same(csv_options(&db, "west.csv", &bytes, format)).await;
    // JSON Lines may also have the field names of the other system.
    let row = json!({"E-Mail": "ada@example.org", "Vorname": "Ädä", "zipcode": "20095"});
    let format = InputFormat {
        names: mapped(";").names,
        ..InputFormat::default()
    };
    same(csv_options(
        &db,
        "mapped.jsonl",
        &json_lines(&[row]),
        format,
    ))
    .await;
}

on_both_databases!(an_unreadable_file_is_an_error_that_names_the_option_to_use);
async fn an_unreadable_file_is_an_error_that_names_the_option_to_use(db: Database) {
    let site = db.site().await;
    for (text, expected) in [
        (
            &b"email;name\na@example.org;A\n"[..],
            "use --delimiter semicolon",
        ),
        (b"email\tname\na@example.org\tA\n", "use --delimiter tab"),
        (
            b"E-Mail,Name\na@example.org,A\n",
            "\"e-mail\", \"name\": name it by --map NAME=email",
        ),
        (b"email,Stra\xdfe\na@example.org,A\n", "--encoding"),
    ] {
        let options = csv_options(&db, "other.csv", text, InputFormat::default());
        let error = site.try_import(&options).await.unwrap_err();
        assert!(matches!(error, ImportError::Usage(_)));
        assert!(error.to_string().contains(expected), "{error}");
    }
    let options = csv_options(
        &db,
        "mac.csv",
        b"email,name\ra@example.org,A\rb@example.org,B\r",
        InputFormat::default(),
    );
    assert_eq!(site.import(&options).await.counts.new, 2);
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
        let reject = &rejects(&options.file)[0];
        assert_eq!(
            (&reject["line"], &reject["row"]),
            (&json!(4), &json!({"email": "wrong"}))
        );
    }
}
