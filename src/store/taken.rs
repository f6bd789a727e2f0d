//! Which unique constraint refused a row.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    Email,
    Username,
    Other,
}

impl Taken {
    /// From SQLite's message, which names the column.
    pub(super) fn from_column(message: &str) -> Taken {
        if message.contains("accounts.email_key") && !message.contains("legacy_accounts.") {
            Taken::Email
        } else if message.contains("accounts.username_key") && !message.contains("legacy_accounts.")
        {
            Taken::Username
        } else {
            Taken::Other
        }
    }

    /// From what PostgreSQL says. A distributed engine may append the number of the shard to the name of the
    /// constraint, and a coordinator that forwards an error may leave the field out: then the message has the name.
    pub(super) fn from_constraint(constraint: Option<&str>, message: &str) -> Taken {
        let is_in_a_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut names = match constraint {
            Some(name) => vec![name],
            None => message.split(|c| !is_in_a_name(c)).collect(),
        };
        names.retain(|name| !name.is_empty());
        if names
            .iter()
            .any(|name| is_named(name, "accounts_email_key"))
        {
            Taken::Email
        } else if names
            .iter()
            .any(|name| is_named(name, "accounts_username_key"))
        {
            Taken::Username
        } else {
            Taken::Other
        }
    }
}

/// `name` itself, or `name` with `_` and the number of a shard.
fn is_named(found: &str, name: &str) -> bool {
    match found.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('_')
            .is_some_and(|shard| !shard.is_empty() && shard.bytes().all(|b| b.is_ascii_digit())),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // finding: E1
    #[test]
    fn a_constraint_is_known_with_and_without_the_number_of_a_shard() {
        for (name, taken) in [
            ("accounts_email_key", Taken::Email),
            ("accounts_email_key_102008", Taken::Email),
            ("accounts_username_key", Taken::Username),
            ("accounts_username_key_102008", Taken::Username),
            ("legacy_accounts_email_key", Taken::Other),
            ("legacy_accounts_email_key_102012", Taken::Other),
            ("accounts_email_key_old", Taken::Other),
            ("accounts_pkey", Taken::Other),
        ] {
            assert_eq!(Taken::from_constraint(Some(name), ""), taken, "{name}");
            for message in [
                format!("duplicate key value violates unique constraint \"{name}\""),
                format!("doppelter Schlüsselwert verletzt Unique-Constraint »{name}«"),
            ] {
                assert_eq!(Taken::from_constraint(None, &message), taken, "{message}");
            }
        }
    }

    #[test]
    fn of_sqlite_the_column_tells() {
        let of = |column| Taken::from_column(&format!("UNIQUE constraint failed: {column}"));
        assert_eq!(of("accounts.email_key"), Taken::Email);
        assert_eq!(of("accounts.username_key"), Taken::Username);
        assert_eq!(of("legacy_accounts.email_key"), Taken::Other);
    }
}
