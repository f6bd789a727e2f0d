//! The effective settings for a person: as TOML, with every secret masked.

use super::{Config, NewDevice};

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

/// What works and is unwise where real people come.
pub fn warnings(config: &Config) -> Vec<String> {
    let mut found = Vec::new();
    let mut warn = |is_so: bool, text: &str| {
        if is_so {
            found.push(text.to_owned());
        }
    };
    warn(
        !config.https(),
        "server.public_url is http: cookies and links are not protected on the way",
    );
    warn(
        config.mail.smtp_url.is_none(),
        "mail.smtp_url is unset: mails are kept at /account/dev/mail for anybody to read",
    );
    warn(
        !config.limits.enabled,
        "limits.enabled is false: passwords can be guessed without end",
    );
    warn(
        config.password.memory_kib < 19456,
        "password.memory_kib is below 19456, the OWASP minimum for 2 iterations",
    );
    warn(
        config.security.new_device == NewDevice::Off,
        "security.new_device is off: a stolen password is enough",
    );
    found
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
