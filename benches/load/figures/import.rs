//! `account legacy import` of new rows into an empty database, on both cores.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::ROUNDS;
use crate::report::{Report, median};
use crate::server::{Database, PROGRAM};

/// The import of these rows takes about three seconds.
const ROWS: u64 = 200_000;

pub(super) async fn run(report: &mut Report) {
    let export = tempfile::tempdir().expect("a folder");
    let file = export.path().join("accounts.jsonl");
    std::fs::write(&file, rows()).expect("a file");
    for (name, goal) in [("SQLite", 50_000.0), ("PostgreSQL", 30_000.0)] {
        let mut speeds = Vec::new();
        for round in 0..ROUNDS {
            let database = match name {
                "SQLite" => Some(Database::Sqlite),
                _ => Database::postgres(&format!("bench_import_{round}")).await,
            };
            let Some(database) = database else { return };
            speeds.push(rows_per_second(&database, &file));
        }
        let speed = median(speeds);
        report.row(
            &format!("import of {ROWS} rows, {name}, both cores"),
            &format!("{speed:.0} rows/s"),
            "",
            &format!("≥ {goal:.0} rows/s"),
            speed >= goal,
        );
    }
}

fn rows_per_second(database: &Database, file: &Path) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let account = |arguments: &str| {
        let mut command = Command::new("taskset");
        command.args(["-c", "0,1", PROGRAM]);
        command.args(arguments.split(' ')).env_clear();
        if let Database::Postgres(url) = database {
            command.env("ACCOUNT_DATABASE__URL", url);
        }
        let output = command.current_dir(folder.path()).output();
        output.expect("the release binary").stdout
    };
    account("migrate");
    let begun = Instant::now();
    let output = account(&format!("legacy import --json {}", file.display()));
    let seconds = begun.elapsed().as_secs_f64();
    let counts: Value = serde_json::from_slice(&output).expect("counts");
    assert_eq!(counts["new"], ROWS, "{counts}");
    ROWS as f64 / seconds
}

/// The rows have unordered email addresses and usernames, because these are the slowest for the indexes.
fn rows() -> String {
    let hashes = include_str!("../../../testdata/hashes.json");
    let hashes: Vec<Value> = serde_json::from_str(hashes).expect("hashes");
    let row = |number: u64| {
        let key = format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let hash = &hashes[number as usize % hashes.len()]["hash"];
        let row = json!({
            "email": format!("fan.{key}@mail.example.org"), "username": format!("fan{key}"),
            "password_hash": hash, "first_name": "Jürgen", "last_name": "Rodríguez", "country": "de",
            "birthday_day": 1 + number % 28, "birthday_month": 1 + number % 12,
            "birthday_year": 1950 + number % 50, "zipcode": "10115", "marketing_consent": false,
            "language": "de", "legacy_id": number.to_string(), "created_at": "2012-05-01T10:00:00Z",
        });
        format!("{row}\n")
    };
    (0..ROWS).map(row).collect()
}
