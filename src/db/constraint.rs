/// The unique constraint that a write violated, as the database reported it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// The possible names of the constraint, in the format `table_column`.
    names: Vec<String>,
}

impl Constraint {
    /// Returns the constraint with this name, because `ON CONFLICT DO NOTHING` reports no violated constraint.
    pub(crate) fn named(name: &str) -> Constraint {
        Constraint {
            names: vec![name.to_owned()],
        }
    }

    /// Parses SQLite's error message: `UNIQUE constraint failed: table.column, table.column`.
    pub(super) fn from_columns(message: &str) -> Constraint {
        let columns = message
            .rsplit_once(": ")
            .map_or(message, |(_, columns)| columns);
        let names = columns.split(", ").map(|column| column.replace('.', "_"));
        Constraint {
            names: names.collect(),
        }
    }

    /// Finds the name of the violated constraint in a PostgreSQL error. A distributed PostgreSQL may forward an error
    /// without the field `constraint`, but then the error message contains the name.
    pub(super) fn from_error(constraint: Option<&str>, message: &str) -> Constraint {
        let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let names = match constraint {
            Some(name) => vec![name.to_owned()],
            None => message
                .split(|c| !is_part_of_name(c))
                .map(str::to_owned)
                .collect(),
        };
        Constraint { names }
    }

    /// Returns whether this is the constraint `name`. A distributed PostgreSQL may append `_` and the number of a shard
    /// to the name.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|found| {
            let rest = found.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || is_shard_number(rest))
        })
    }
}

fn is_shard_number(suffix: &str) -> bool {
    let number = suffix.strip_prefix('_');
    number.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "accounts_email_key";

    #[test]
    fn a_constraint_is_known_with_and_without_the_number_of_a_shard() {
        for (name, expected) in [
            ("accounts_email_key", true),
            ("accounts_email_key_102008", true),
            ("accounts_username_key", false),
            ("legacy_accounts_email_key", false),
            ("legacy_accounts_email_key_102012", false),
            ("accounts_email_key_old", false),
            ("accounts_email_key_", false),
            ("accounts_pkey", false),
        ] {
            assert_eq!(
                Constraint::from_error(Some(name), "").has_name(NAME),
                expected,
                "{name}"
            );
            for message in [
                format!("duplicate key value violates unique constraint \"{name}\""),
                format!("doppelter Schlüsselwert verletzt Unique-Constraint »{name}«"),
            ] {
                let constraint = Constraint::from_error(None, &message);
                assert_eq!(constraint.has_name(NAME), expected, "{message}");
            }
        }
    }

    #[test]
    fn sqlite_names_the_columns() {
        let from_message = |columns| {
            Constraint::from_columns(&format!("UNIQUE constraint failed: {columns}")).has_name(NAME)
        };
        assert!(from_message("accounts.email_key"));
        assert!(from_message("accounts.id, accounts.email_key"));
        assert!(!from_message("accounts.username_key"));
        assert!(!from_message("legacy_accounts.email_key"));
    }
}
