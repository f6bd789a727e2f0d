//! Settings that a release has removed. Using one is an error, so that its operator knows that it has no effect.

/// The name of each removed setting, and what the program does instead.
const RETIRED: [(&str, &str); 18] = [
    (
        "database.read_url",
        "sessions are looked up only in database.url",
    ),
    (
        "database.read_url_file",
        "sessions are looked up only in database.url",
    ),
    (
        "server.max_connections",
        "fixed at 10,000, or fewer if the limit of open files is lower",
    ),
    ("server.body_limit", "fixed at 16 KiB"),
    ("security.password_history", "fixed at 5"),
    (
        "security.legacy_hint",
        "fixed at after_password, or always if the hash of the old password is unknown",
    ),
    ("age.attempts", "fixed at 3"),
    ("passkeys.offer", "fixed at true"),
    ("password.parallelism", "fixed at 1"),
    ("oidc.key_prepublish", "fixed at 24h"),
    ("limits.mail_address", "fixed at 10/h"),
    ("limits.mail_approval", "fixed at 10/h"),
    ("limits.change_email", "fixed at 10/m"),
    ("limits.reauthenticate_account", "fixed at 5/5m"),
    ("limits.recovery_code_account", "fixed at 10/d"),
    ("limits.preference_account", "fixed at 60/h"),
    ("limits.resend_address", "fixed at 1/3m"),
    ("limits.oidc_token_ip", "fixed at 600/m"),
];

/// Returns an error message for each removed setting that the table contains.
pub(super) fn problems(table: &toml::Table) -> Vec<String> {
    let is_set = |name: &str| {
        let (section, key) = name.split_once('.').unwrap_or_default();
        table.get(section).is_some_and(|s| s.get(key).is_some())
    };
    let used = RETIRED.iter().filter(|(name, _)| is_set(name));
    used.map(|(name, instead)| format!("{name}: no longer a setting; {instead}; remove it"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_removed_setting_is_named_and_its_value_is_not() {
        assert!(problems(&toml::Table::new()).is_empty());
        let lines = RETIRED.map(|(name, _)| format!("{name} = 's3cret'\n"));
        let found = problems(&lines.concat().parse().expect("TOML"));
        assert_eq!(found.len(), RETIRED.len());
        for ((name, _), problem) in RETIRED.iter().zip(&found) {
            let begin = format!("{name}: no longer a setting; ");
            assert!(
                problem.starts_with(&begin) && !problem.contains("s3cret"),
                "{problem}"
            );
        }
    }
}
