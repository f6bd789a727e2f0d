//! Settings that a release has removed. Using one is an error, so that its operator knows that it has no effect.

/// The name of each removed setting, and what the program does instead.
const RETIRED: [(&str, &str); 2] = [
    (
        "database.read_url",
        "sessions are looked up only in database.url",
    ),
    (
        "database.read_url_file",
        "sessions are looked up only in database.url",
    ),
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
        let mut table = toml::Table::new();
        for (name, _) in RETIRED {
            let (section, key) = name.split_once('.').expect("a section");
            let section = table.entry(section).or_insert(toml::Table::new().into());
            let section = section.as_table_mut().expect("a section");
            section.insert(key.into(), "s3cret".into());
        }
        let found = problems(&table);
        for ((name, _), problem) in RETIRED.iter().zip(&found) {
            assert!(
                problem.starts_with(&format!("{name}: no longer a setting; ")),
                "{problem}"
            );
            assert!(!problem.contains("s3cret"), "{problem}");
        }
        assert_eq!(found.len(), RETIRED.len());
    }
}
