//! `deploy/citus.sql` distributes every table of the schema.

use super::file;

/// The names after `CREATE TABLE`, except those of tables that a later migration drops.
fn tables() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/postgres");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    paths.sort();
    let mut tables = vec!["refinery_schema_history".to_owned()];
    for path in paths {
        let sql = std::fs::read_to_string(path).unwrap();
        let code: Vec<_> = sql
            .lines()
            .map(|line| line.split("--").next().unwrap())
            .collect();
        let words: Vec<_> = code
            .iter()
            .flat_map(|line| line.split_whitespace())
            .collect();
        for (at, pair) in words.windows(2).enumerate() {
            let rest = &words[at + 2..];
            let after = match rest {
                ["IF", "NOT", "EXISTS", name, ..] | ["IF", "EXISTS", name, ..] | [name, ..] => {
                    *name
                }
                [] => continue,
            };
            let name = after.trim_end_matches([';', '(']).to_owned();
            match pair {
                ["CREATE", "TABLE"] => tables.push(name),
                ["DROP", "TABLE"] => tables.retain(|table| *table != name),
                _ => {}
            }
        }
    }
    tables
}

#[test]
fn every_table_is_distributed_or_a_reference_table() {
    let script = file("deploy/citus.sql");
    let tables = tables();
    assert!(tables.len() > 10, "{tables:?}");
    for table in &tables {
        let named = format!("'{table}'");
        assert!(
            script.contains(&named),
            "{table}: add it to deploy/citus.sql, as a reference table unless it changes with every request"
        );
    }
    assert!(script.contains("citus.multi_shard_modify_mode"));
}
