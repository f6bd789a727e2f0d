//! The guide that the demo prints: steps to try, in order.

use std::fmt::Write;

use super::client::SampleApp;
use super::seed::{DemoAuthenticator, OLD_PASSWORD, PASSWORD};
use crate::config::Config;
use crate::domain::host_name::split_port;

/// An email address, its password, and what to try with them.
type GuideStep = (&'static str, &'static str, &'static str);

/// The first steps, one for each line. `new` and `old` stand for the password constants in `seed.rs`.
const FIRST_STEPS: &str = "\
you@demo.example | your own | Create account; open the mail; sign in; settings, devices, sign out
verified | new | Sign in; change password and e-mail, and undo the latter from its mail
verified | new | Sign in again in a private window: a new device, approved by mail
verified | new | Open the fan club: sign in; sign out there or here, which ends both";

/// The steps that are printed only if the site has passkeys.
const PASSKEY_STEPS: &str = "\
verified | new | Settings, Security: add a passkey; rename it; read the mail about it
verified | - | Sign out; choose the passkey in the field Email, or use its button
verified | - | \"No, undo it\" by that mail: no passkey and no session is left";

const MORE_STEPS: &str = "\
twostep | new | Sign in: it also takes a code (below); trust the device, sign in again
twostep | new | \"I can’t get a code\": three mails and a wait, which the code cancels
agent | new | Sign in with a code (below); look at /account/support
verified | - | Forgot password? The link in the mail leads to a new one
unverified | new | Sign in: the address is to be proved first, by mail
leaving | new | Sign in: the account is about to be deleted; keep it; read its mails
old-bcrypt | old | Sign in: off to the migration; open the mail; choose a password
old-incomplete | old | The same, but the old site knew too little: the completion form
old-nameless | old | The same: a username is made from the names
old-taken | old | The old username belongs to somebody else here: another is made
old-nohash | Guess-1 | No usable old hash: any password leads to the migration
old-minor | old | Too young: refused, and kept for later
old-phpass | old | Also old-crypt, old-django, old-mediawiki, old-argon2: one form each";

/// Returns the guide as text for a terminal of 100 columns.
pub(super) fn render(
    config: &Config,
    sample_app: &SampleApp,
    apps: &[(&str, Option<DemoAuthenticator>)],
) -> String {
    let url = &config.server.public_url;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let mut line = |text: std::fmt::Arguments<'_>| {
        let _ = writeln!(out, "{text}");
    };
    line(format_args!("\nThe site    {url}/account/"));
    line(format_args!("Its mails   {url}/account/dev/mail"));
    line(format_args!(
        "Fan club    {}  (a sample application: OpenID Connect; `make demo` starts it, or)\n            {sample_app}",
        sample_app.address()
    ));
    line(format_args!(
        "\nThe first four take five minutes. Ctrl-C ends the demo.\n"
    ));
    let steps = parse_steps(config);
    let emails: Vec<_> = steps.iter().map(|(email, ..)| full_email(email)).collect();
    let email_width = column_width(emails.iter().map(String::as_str));
    let password_width = column_width(steps.iter().map(|(_, password, _)| *password));
    line(format_args!(
        "    {:<email_width$}{:<password_width$}what to try",
        "email", "password"
    ));
    for (number, ((_, password, what), email)) in steps.iter().zip(&emails).enumerate() {
        line(format_args!(
            "{:>2}  {email:<email_width$}{password:<password_width$}{what}",
            number + 1
        ));
    }
    if config.has_passkeys() {
        line(format_args!(
            "\nPasskeys need a phone, a security key or a computer with a screen lock. Without one, Chrome simulates\n\
             it: DevTools, More tools, WebAuthn. A passkey works only at the host where it was added."
        ));
    }
    for (name, app) in apps {
        let Some(app) = app else { continue };
        line(format_args!(
            "\nThe authenticator app of {name}: enter the key {} into one of your own,\n\
             or sign in with its code of now, {}, or with a recovery code: {}.",
            app.secret,
            app.code,
            app.recovery_codes.join(", ")
        ));
    }
    write_regions(config, &mut out);
    out.push('\n');
    out
}

fn write_regions(config: &Config, out: &mut String) {
    out.push_str("\nRegions, each with its own host, brand and zip rule. A browser in none of the four languages\ngets the region's own, and mails lead to the region's host:\n\n");
    let url = &config.server.public_url;
    let hosts = config.regions.iter().flat_map(|region| region.hosts.iter());
    let addresses: Vec<_> = hosts.map(|host| url_on_host(url, host)).collect();
    let address_width = column_width(addresses.iter().map(String::as_str));
    let brand_width = column_width(config.regions.iter().map(|region| region.brand.as_str()));
    for region in &config.regions {
        for host in &region.hosts {
            let address = url_on_host(url, host);
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "    {address:<address_width$}{:<brand_width$}{}",
                region.brand, region.locale
            );
        }
    }
}

fn parse_steps(config: &Config) -> Vec<GuideStep> {
    let passkey_steps = if config.has_passkeys() {
        PASSKEY_STEPS
    } else {
        ""
    };
    let texts = [FIRST_STEPS, passkey_steps, MORE_STEPS];
    texts
        .into_iter()
        .flat_map(str::lines)
        .map(parse_step)
        .collect()
}

fn parse_step(line: &'static str) -> GuideStep {
    let mut cells = line.splitn(3, " | ");
    let mut cell = || cells.next().expect("every step has three cells");
    let (email, password, what) = (cell(), cell(), cell());
    let password = match password {
        "new" => PASSWORD,
        "old" => OLD_PASSWORD,
        other => other,
    };
    (email, password, what)
}

fn full_email(email: &str) -> String {
    match email.contains('@') {
        true => email.to_owned(),
        false => format!("{email}@demo.example"),
    }
}

/// Returns the width of a column that has two spaces after the longest of these texts.
fn column_width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0) + 2
}

/// Returns the URL of the sign-in page on another host, with the scheme and the port of `url`.
fn url_on_host(url: &str, host: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("http", url));
    let port = split_port(rest)
        .1
        .map_or(String::new(), |port| format!(":{port}"));
    format!("{scheme}://{host}{port}/account/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_app() -> SampleApp {
        SampleApp {
            origin: "http://127.0.0.1:8081".into(),
            settings: "/tmp/demo/sample-app.env".into(),
        }
    }

    #[test]
    fn the_guide_names_every_old_account_and_fits_a_terminal() {
        let config = Config {
            regions: crate::cli::demo::regions::sample_regions(),
            ..Config::default()
        };
        let text = render(&config, &sample_app(), &[]);
        for line in include_str!("old-accounts.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let email = row["email"].as_str().unwrap();
            let (name, _) = email.split_once('@').unwrap();
            assert!(text.contains(name), "{name}");
        }
        assert!(text.contains("http://de.localhost:8080/account/"));
        assert!(text.lines().all(|line| line.chars().count() <= 120));
        for region in &config.regions {
            let line = text
                .lines()
                .find(|line| line.contains(&format!("{}  ", region.brand)));
            assert!(line.is_some(), "{} runs into the next column", region.brand);
        }
    }

    #[test]
    fn passkeys_are_in_the_guide_where_the_site_has_them() {
        let mut config = Config::default();
        for (public_url, has) in [("http://localhost:8080", true), ("http://127.0.0.1", false)] {
            config.server.public_url = public_url.to_owned();
            assert_eq!(
                render(&config, &sample_app(), &[]).contains("passkey"),
                has,
                "{public_url}"
            );
        }
    }
}
