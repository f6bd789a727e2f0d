//! The effective settings for a person: as TOML, with every secret masked.

use super::Config;

/// The settings in force. Passwords inside URLs are masked.
pub fn effective(config: &Config) -> String {
    let mut shown = config.clone();
    shown.database.url = masked(&shown.database.url);
    shown.mail.smtp_url = shown.mail.smtp_url.as_deref().map(masked);
    toml::to_string(&shown).unwrap_or_else(|error| format!("# cannot be shown: {error}\n"))
}

fn masked(url: &str) -> String {
    // By hand: PostgreSQL's form with several hosts is no URL by the standard, and its passwords may hold
    // what a standard one may not. Rather too much is masked than too little.
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let before_query = rest.split('?').next().unwrap_or_default();
    let credentials = before_query
        .rsplit_once('@')
        .map(|(credentials, _)| credentials);
    match credentials.and_then(|credentials| credentials.split_once(':')) {
        Some((user, password)) => {
            let after = &rest[user.len() + 1 + password.len()..];
            format!("{scheme}://{user}:***{after}")
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_masked() {
        let url = masked("postgres://site:s3cret@db.example/account");
        assert_eq!(url, "postgres://site:***@db.example/account");
        let url = masked("postgres://site:s3c:r@/t@one:5432,two:5433/account?a=b@c");
        assert_eq!(url, "postgres://site:***@one:5432,two:5433/account?a=b@c");
        for none in [
            "sqlite://data/a@b:c.db",
            "smtp://mail.example:25",
            "smtp://me@mail.example",
            "nothing",
        ] {
            assert_eq!(masked(none), none);
        }
    }
}
