//! `deploy/citus.sql` places every table of the schema, and the statements of the program fit these placements.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

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
fn every_table_is_placed() {
    let script = file("deploy/citus.sql");
    let tables = tables();
    assert!(tables.len() > 10, "{tables:?}");
    for table in &tables {
        let named = format!("'{table}'");
        assert!(
            script.contains(&named),
            "{table}: add it to deploy/citus.sql, by the account if it contains rows of accounts"
        );
    }
    assert!(script.contains("('citus.multi_shard_modify_mode', 'sequential')"));
    assert!(script.contains("('plan_cache_mode', 'force_custom_plan')"));
}

/// An SQL statement of the program, on one line, and the file that contains it.
struct Statement {
    path: String,
    sql: String,
}

impl Statement {
    /// The words after `FROM`, `JOIN`, `UPDATE` and `INTO`.
    fn tables(&self) -> Vec<&str> {
        let words: Vec<&str> = self.sql.split(' ').collect();
        let pairs = words.windows(2);
        let named = pairs.filter(|pair| ["FROM", "JOIN", "UPDATE", "INTO"].contains(&pair[0]));
        named.map(|pair| pair[1].trim_end_matches(')')).collect()
    }

    fn is_write_of(&self, table: &str) -> bool {
        ["INSERT INTO", "UPDATE", "DELETE FROM"]
            .into_iter()
            .any(|verb| self.sql.starts_with(&format!("{verb} {table} ")))
    }

    fn is_locking(&self) -> bool {
        ["{lock}", "FOR UPDATE", "FOR SHARE"]
            .into_iter()
            .any(|clause| self.sql.contains(clause))
    }

    /// Whether the statement sets the column.
    fn sets(&self, table: &str, column: &str) -> bool {
        let set = format!("UPDATE {table} SET ");
        let rest = self.sql.strip_prefix(&set).unwrap_or_default();
        let assignments = rest.split(" WHERE ").next().unwrap_or_default();
        let mut names = assignments.split(", ").map(|one| one.split(' ').next());
        names.any(|name| name == Some(column))
    }

    /// Whether a condition names the rows' value of the column, so that Citus knows their shard.
    fn selects_by(&self, column: &str) -> bool {
        let conditions = [" = $", " IN ($", " = ANY($"];
        conditions.into_iter().any(|condition| {
            let needle = format!("{column}{condition}");
            self.sql.match_indices(&needle).any(|(at, _)| {
                let before = self.sql[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
            })
        })
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The string literals of a source file.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix("'\"'") {
            rest = after;
        } else if let Some(text) = rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = text.find(|c| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            let end = end.unwrap_or(text.len());
            found.push(text[..end].replace("\\\n", " "));
            rest = text.get(end + 1..).unwrap_or_default();
        } else {
            rest = &rest[1..];
        }
    }
    found
}

fn statements() -> Vec<Statement> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut paths = Vec::new();
    rust_files(root, &mut paths);
    let mut found = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root).unwrap().display().to_string();
        for literal in literals(&source) {
            let words: Vec<&str> = literal.split_whitespace().collect();
            let sql = words.join(" ");
            let verbs = [
                "SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM ", "FROM ",
            ];
            if verbs.into_iter().any(|verb| sql.starts_with(verb)) {
                let path = path.clone();
                found.push(Statement { path, sql });
            }
        }
    }
    found
}

/// The shard key of each distributed table.
fn shard_keys() -> HashMap<String, String> {
    let script = file("deploy/citus.sql");
    let mut keys = HashMap::new();
    for line in script.lines().filter(|line| line.starts_with("  (")) {
        let names: Vec<&str> = line.split('\'').skip(1).step_by(2).collect();
        if let [table, key] = names[..] {
            keys.insert(table.to_owned(), key.to_owned());
        }
    }
    keys
}

/// The files whose statements read or change rows on all members: jobs, commands, support, links and codes of an account.
const FILES_OF_ALL_MEMBERS: [&str; 15] = [
    "maintenance/backup.rs", "store/account_emails.rs", "store/account_states.rs",
    "store/accounts.rs", "store/credentials.rs", "store/deleted_accounts.rs", "store/legacy.rs",
    "store/oidc_tokens.rs", "store/pending_acts.rs", "store/sessions.rs", "store/sessions/sids.rs",
    "store/sessions/end_sessions.rs", "store/sign_in_challenges.rs", "store/support_audit.rs",
    "store/support_roles.rs",
];

#[test]
fn statements_name_the_shard_of_their_rows() {
    let keys = shard_keys();
    assert_eq!(keys.len(), 22, "{keys:?}");
    let statements = statements();
    assert!(statements.len() > 200, "{}", statements.len());
    for statement in &statements {
        let Statement { path, sql } = statement;
        let is_exempt = path == "store/tokens.rs" || FILES_OF_ALL_MEMBERS.contains(&path.as_str());
        for table in statement.tables() {
            let Some(key) = keys.get(table) else { continue };
            assert!(
                !statement.sets(table, key),
                "Citus moves no row: {path}: {sql}"
            );
            if sql.starts_with("INSERT") || statement.selects_by(key) {
                continue;
            }
            assert!(
                !statement.is_locking(),
                "Citus locks no rows of all shards: {path}: {sql}"
            );
            assert!(is_exempt, "{table} is not selected by {key}: {path}: {sql}");
        }
    }
}

#[test]
fn requests_write_no_reference_table() {
    // These files serve imports, migrations of legacy accounts, keys and the start of the program.
    let writers = [
        "maintenance/copy.rs", "store/legacy.rs", "store/legacy_import.rs", "store/oidc_keys.rs",
        "store/secrets.rs",
    ];
    for statement in &statements() {
        let Statement { path, sql } = statement;
        for table in [
            "legacy_accounts", "oidc_keys", "secrets", "refinery_schema_history",
        ] {
            let is_permitted = writers.contains(&path.as_str());
            assert!(
                !statement.is_write_of(table) || is_permitted,
                "{path}: {sql}"
            );
        }
    }
}
