//! The guide that the demo prints: steps to try, in order.

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
    apps: &[(&str, DemoAuthenticator)],
) -> String {
    let url = &config.server.public_url;
    let mut out = format!(
        "\nThe site    {url}/account/\nIts mails   {url}/account/dev/mail\n\
         Fan club    {}  (a sample application: OpenID Connect; `make demo` starts it, or)\n            {sample_app}\n\n\
         The first four take five minutes. Ctrl-C ends the demo.\n\n",
        sample_app.address()
    );
    let mut rows = vec![["    ", "email", "password", "what to try"].map(str::to_owned)];
    for (at, (email, password, what)) in parse_steps(config).into_iter().enumerate() {
        let number = format!("{:>2}  ", at + 1);
        rows.push([number, full_email(email), password.into(), what.into()]);
    }
    append_table(&mut out, &rows);
    if config.has_passkeys() {
        out.push_str(
            "\nPasskeys need a phone, a security key or a computer with a screen lock. Without one, Chrome simulates\n\
             it: DevTools, More tools, WebAuthn. A passkey works only at the host where it was added.\n",
        );
    }
    for (name, app) in apps {
        out.push_str(&format!(
            "\nThe authenticator app of {name}: enter the key {} into one of your own,\n\
             or sign in with its code of now, {}, or with a recovery code: {}.\n",
            app.secret,
            app.code,
            app.recovery_codes.join(", ")
        ));
    }
    out.push_str("\nRegions, each with its own host, brand and zip rule. A browser in none of the four languages\ngets the region's own, and mails lead to the region's host:\n\n");
    let regions = config.regions.iter().flat_map(|region| {
        let row = |host: &String| {
            let (brand, locale) = (region.brand.clone(), region.locale.clone());
            ["    ".into(), url_on_host(url, host), brand, locale]
        };
        region.hosts.iter().map(row)
    });
    append_table(&mut out, &regions.collect::<Vec<_>>());
    out.push('\n');
    out
}

/// Appends a line for each row. The second and the third column have two spaces after their longest cell.
fn append_table(out: &mut String, rows: &[[String; 4]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0) + 2
    };
    let (second, third) = (width(1), width(2));
    for [mark, a, b, c] in rows {
        out.push_str(&format!("{mark}{a:<second$}{b:<third$}{c}\n"));
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
