//! The guide that the demo prints: things to try, in order.

use std::fmt::Write;

use super::seed::{OLD_PASSWORD, PASSWORD};
use crate::config::Config;

/// Email address, password, and the thing to try.
type Step = (&'static str, &'static str, &'static str);

const STEPS: [Step; 12] = [
    (
        "you@demo.example",
        "your own",
        "Create account; open the mail; sign in; settings, devices, sign out",
    ),
    (
        "verified",
        PASSWORD,
        "Sign in; change password and e-mail, and undo the latter from its mail",
    ),
    (
        "verified",
        PASSWORD,
        "Sign in again in a private window: a new device, approved by mail",
    ),
    (
        "verified",
        "-",
        "Forgot password? The link in the mail leads to a new one",
    ),
    (
        "unverified",
        PASSWORD,
        "Sign in: the address is to be proved first, by mail",
    ),
    (
        "old-bcrypt",
        OLD_PASSWORD,
        "Sign in: off to the migration; open the mail; choose a password",
    ),
    (
        "old-incomplete",
        OLD_PASSWORD,
        "The same, but the old site knew too little: the completion form",
    ),
    (
        "old-nameless",
        OLD_PASSWORD,
        "The same: a username is made from the names",
    ),
    (
        "old-taken",
        OLD_PASSWORD,
        "The old username belongs to somebody else here: another is made",
    ),
    (
        "old-nohash",
        "any",
        "No usable old hash: the address alone leads to the migration",
    ),
    (
        "old-minor",
        OLD_PASSWORD,
        "Too young: refused, and kept for later",
    ),
    (
        "old-phpass",
        OLD_PASSWORD,
        "Also old-crypt, old-django, old-mediawiki, old-argon2: one form each",
    ),
];

/// The text for a terminal of 100 columns.
pub(super) fn text(config: &Config) -> String {
    let url = &config.server.public_url;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let mut line = |text: std::fmt::Arguments<'_>| {
        let _ = writeln!(out, "{text}");
    };
    line(format_args!("\nThe site    {url}/account/"));
    line(format_args!("Its mails   {url}/account/dev/mail"));
    line(format_args!(
        "\nIn this order it takes five minutes. Ctrl-C ends it.\n"
    ));
    let emails = STEPS.map(|(email, ..)| match email.contains('@') {
        true => email.to_owned(),
        false => format!("{email}@demo.example"),
    });
    let email_width = width(emails.iter().map(String::as_str));
    let password_width = width(STEPS.iter().map(|(_, password, _)| *password));
    line(format_args!(
        "    {:<email_width$}{:<password_width$}what to try",
        "email", "password"
    ));
    for (number, ((_, password, what), email)) in STEPS.iter().zip(&emails).enumerate() {
        line(format_args!(
            "{:>2}  {email:<email_width$}{password:<password_width$}{what}",
            number + 1
        ));
    }
    line(format_args!(
        "\nRegions, each with its own language, time zone and zip rule:\n"
    ));
    let hosts = config.regions.iter().flat_map(|region| region.hosts.iter());
    let addresses: Vec<_> = hosts.map(|host| on_host(url, host)).collect();
    let address_width = width(addresses.iter().map(String::as_str));
    let brand_width = width(config.regions.iter().map(|region| region.brand.as_str()));
    for region in &config.regions {
        for host in &region.hosts {
            let address = on_host(url, host);
            line(format_args!(
                "    {address:<address_width$}{:<brand_width$}{}",
                region.brand, region.locale
            ));
        }
    }
    out.push('\n');
    out
}

/// The width of a column with these texts, with two spaces after it.
fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0) + 2
}

/// The site's address under another host name.
fn on_host(url: &str, host: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let port = rest
        .rsplit_once(':')
        .map_or(String::new(), |(_, port)| format!(":{port}"));
    format!("{scheme}://{host}{port}/account/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_names_every_old_account_and_fits_a_terminal() {
        let config = Config {
            regions: crate::cli::demo::regions::all(),
            ..Config::default()
        };
        let text = text(&config);
        for line in include_str!("old-accounts.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let email = row["email"].as_str().unwrap();
            let (name, _) = email.split_once('@').unwrap();
            assert!(text.contains(name), "{name}");
        }
        assert!(text.contains("http://de.localhost:8080/account/"));
        assert!(text.lines().all(|line| line.chars().count() <= 120));
        // finding: U12
        for region in &config.regions {
            let line = text
                .lines()
                .find(|line| line.contains(&format!("{}  ", region.brand)));
            assert!(line.is_some(), "{} runs into the next column", region.brand);
        }
    }
}
