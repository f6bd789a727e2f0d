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
    match url::Url::parse(url) {
        Ok(mut parsed) if parsed.password().is_some() => {
            // An URL that has a password can be given another one.
            let _ = parsed.set_password(Some("***"));
            parsed.to_string()
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_masked() {
        let url = masked("postgres://site:s3cret@db.example/account");
        assert_eq!(url, "postgres://site:***@db.example/account");
    }
}
