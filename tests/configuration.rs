//! Settings from an operator: secrets in files, unusable addresses, and the printed warnings.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::support::process::{exit_and_output, folder, run_to_exit};

const SECRET: &str = "hush-s3cret";

/// Runs the command, asserts that it prints one line on standard error, and returns that line.
#[track_caller]
fn expect_error(folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> String {
    // Another program may use the default port.
    let settings = [&[("ACCOUNT_SERVER__LISTEN", "127.0.0.1:0")], settings].concat();
    let (code, out, errors) = run_to_exit(folder, arguments, &settings);
    assert_eq!(
        (code, out.as_str()),
        (2, ""),
        "{arguments:?} {settings:?}: {errors}"
    );
    let problems: Vec<_> = errors
        .lines()
        .filter(|line| line.starts_with("account: "))
        .collect();
    assert_eq!((problems.len(), errors.lines().count()), (1, 1), "{errors}");
    assert!(!errors.contains(SECRET), "{errors}");
    errors
}

#[test]
fn without_an_argument_a_variable_selects_the_configuration_file() {
    let folder = folder();
    for (file, port) in [("a.toml", 4001), ("b.toml", 4002)] {
        let text = format!("[server]\nlisten = \"127.0.0.1:{port}\"\n");
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    for (variable, arguments, expected) in [
        ("a.toml", &["check-config"][..], "127.0.0.1:4001"),
        (
            "a.toml",
            &["check-config", "--config", "b.toml"],
            "127.0.0.1:4002",
        ),
        ("", &["check-config"], "127.0.0.1:8080"),
    ] {
        let settings = [("ACCOUNT_CONFIG", variable)];
        let (code, out, errors) = run_to_exit(folder.path(), arguments, &settings);
        assert_eq!(code, 0, "{errors}");
        assert!(out.contains(expected), "{arguments:?}: {out}");
    }
    let missing = [("ACCOUNT_CONFIG", "none.toml")];
    let line = expect_error(folder.path(), &["check-config"], &missing);
    assert!(line.contains("cannot read none.toml"), "{line}");
}

#[test]
fn a_secret_is_read_from_its_file_and_never_shown() {
    let folder = folder();
    for (variable, file, text) in [
        (
            "ACCOUNT_DATABASE__URL_FILE",
            "database",
            format!("postgres://site:{SECRET}@db.example/account\n"),
        ),
        (
            "ACCOUNT_MAIL__SMTP_URL_FILE",
            "smtp",
            format!("smtps://me:{SECRET}@mail.example\r\n"),
        ),
        (
            "ACCOUNT_FRAGMENTS__URL_FILE",
            "parts",
            format!("https://{SECRET}@parts.example"),
        ),
        (
            "ACCOUNT_TRANSLATIONS__URL_FILE",
            "words",
            format!("https://words.example/?token={SECRET}\n"),
        ),
    ] {
        std::fs::write(folder.path().join(file), &text).unwrap();
        let (code, out, errors) =
            run_to_exit(folder.path(), &["check-config"], &[(variable, file)]);
        assert_eq!(code, 0, "{errors}");
        let host = text
            .split(['@', '/'])
            .find(|part| part.contains(".example"))
            .unwrap()
            .trim();
        assert!(out.contains(host), "{out}");
        assert!(
            !out.contains(SECRET) && !errors.contains(SECRET),
            "{out}{errors}"
        );
    }
}

#[test]
fn an_unusable_secret_file_is_an_error_that_names_the_setting() {
    let folder = folder();
    std::fs::write(
        folder.path().join("two"),
        format!("postgres://{SECRET}\nmore\n"),
    )
    .unwrap();
    std::fs::write(folder.path().join("empty"), "\n").unwrap();
    std::fs::write(folder.path().join("wrong"), format!("mysql://{SECRET}\n")).unwrap();
    for file in ["missing", "two", "empty", "wrong"] {
        for command in ["check-config", "serve", "migrate"] {
            let line = expect_error(
                folder.path(),
                &[command],
                &[("ACCOUNT_DATABASE__URL_FILE", file)],
            );
            assert!(line.contains("database.url_file"), "{line}");
        }
    }
    let line = expect_error(
        folder.path(),
        &["serve"],
        &[("ACCOUNT_AGE__ATTEMPTS_FILE", "wrong")],
    );
    assert!(line.contains("age.attempts_file"), "{line}");
}

#[test]
fn a_secret_that_is_set_twice_is_an_error_that_names_the_setting() {
    let folder = folder();
    let url = format!("smtp://me:{SECRET}@mail.example");
    std::fs::write(folder.path().join("smtp"), &url).unwrap();
    let both = [
        ("ACCOUNT_MAIL__SMTP_URL", url.as_str()),
        ("ACCOUNT_MAIL__SMTP_URL_FILE", "smtp"),
    ];
    let line = expect_error(folder.path(), &["check-config"], &both);
    assert!(
        line.contains("mail.smtp_url_file") && line.contains("mail.smtp_url is set too"),
        "{line}"
    );
    std::fs::write(
        folder.path().join("a.toml"),
        format!("[mail]\nsmtp_url = \"{url}\"\n"),
    )
    .unwrap();
    let arguments = ["check-config", "--config", "a.toml"];
    let line = expect_error(folder.path(), &arguments, &both[1..]);
    assert!(line.contains("mail.smtp_url_file"), "{line}");
}

/// Settings that are refused without a look at other files or services: the setting that the error names, or an example
/// in the error, and a variable.
const REFUSED_VALUES: &str = "\
listenn: SERVER__LISTENN=127.0.0.1:1
servr: SERVR__LISTEN=127.0.0.1:1
server.listen: SERVER__LISTEN=somewhere
server.listen: SERVER__LISTEN=localhost:8080
127.0.0.1:8080: SERVER__LISTEN=localhost:8080
server.public_url: SERVER__PUBLIC_URL=www.example.org
server.public_url: SERVER__PUBLIC_URL=https://www.example.org/path
server.public_url: SERVER__PUBLIC_URL=https://*.example.org
server.public_url: SERVER__PUBLIC_URL=ftp://x
server.trusted_proxies: SERVER__TRUSTED_PROXIES=10.0.0.1, here
server.body_limit: SERVER__BODY_LIMIT=lots
server.body_limit: SERVER__BODY_LIMIT=0
server.ops_listen: SERVER__OPS_LISTEN=localhost:8080
127.0.0.1:8080: SERVER__OPS_LISTEN=localhost:8080
server.ops_listen: SERVER__OPS_LISTEN=127.0.0.1:8080
server.ops_listen: SERVER__OPS_LISTEN=0.0.0.0:8080
database.url: DATABASE__URL=mysql://x
database.url: DATABASE__URL=sqlite://
database.url: DATABASE__URL=sqlite://:memory:
database.url: DATABASE__URL=postgres://me:hush-s3cret@db:port/a
database.url: DATABASE__URL=postgres://me:hush-s3cret@db/a?x=hush-s3cret
database.url: DATABASE__URL=postgres://me:hush-s3cret@db/a?sslmode=on
database.read_url: DATABASE__READ_URL=postgres://me:hush-s3cret@db/a
no longer a setting: DATABASE__READ_URL_FILE=/run/secret
database.url: DATABASE__URL=postgres://me:hush@hush-s3cret@db/a
write @ in the name or password as %40: DATABASE__URL=postgres://me:hush@hush-s3cret@db/a
database.url: DATABASE__URL=postgres://me:hush@s3cret/hush-s3cret#x@db/a
database.url: DATABASE__URL=sqlite://data/account.db?mode=ro
mail.from: MAIL__FROM=nobody
mail.from: MAIL__FROM=ä@example.org
mail.smtp_url: MAIL__SMTP_URL=mail.example
mail.smtp_url: MAIL__SMTP_URL=smtp://
mail.smtp_url: MAIL__SMTP_URL=smtp://me:hush-s3cret@mail.example:port
mail.smtp_url: MAIL__SMTP_URL=smtp://mail.example?tls=hush-s3cret
mail.smtp_url: MAIL__SMTP_URL=smtp://me:hush-s3cret@mail.example?TLS=required
mail.smtp_url: MAIL__SMTP_URL=smtp://mail.example?tls=required&pool=hush-s3cret
mail.smtp_url: MAIL__SMTP_URL=smtp://hush-s3cret@mail.example
mail.max_attempts: MAIL__MAX_ATTEMPTS=0
mail.poll_interval: MAIL__POLL_INTERVAL=0s
fragments.url: FRAGMENTS__URL=https://
fragments.url: FRAGMENTS__URL=https://me:hush-s3cret@parts example
translations.url: TRANSLATIONS__URL=http://me:hush-s3cret@:80
security.profile: SECURITY__PROFILE=lax
lifetimes.reset: LIFETIMES__RESET=soon
lifetimes.session_idle: LIFETIMES__SESSION_IDLE=0s
lifetimes.sweep: LIFETIMES__SWEEP=0s
limits.login_ip: LIMITS__LOGIN_IP=often
password.memory_kib: PASSWORD__MEMORY_KIB=4
log.format: LOG__FORMAT=xml
log.level: LOG__LEVEL=loud,
age.attempts: AGE__ATTEMPTS=-1
age.attempts: AGE__ATTEMPTS=0";

/// The commands in turn: all of them load the settings with `config::load`.
#[test]
fn a_wrong_setting_exits_with_2_and_names_it() {
    let commands = ["check-config", "serve", "migrate"].into_iter().cycle();
    for (row, command) in REFUSED_VALUES.lines().zip(commands) {
        let (key, setting) = row.split_once(": ").unwrap();
        let (name, value) = setting.split_once('=').unwrap();
        let settings = [(&*format!("ACCOUNT_{name}"), value)];
        let (code, out, errors) = run_to_exit(folder().path(), &[command], &settings);
        assert_eq!(
            (code, &*out, errors.lines().count()),
            (2, "", 1),
            "{command} {row}: {errors}"
        );
        assert!(
            errors.contains(key) && !errors.contains(SECRET),
            "{command} {row}: {errors}"
        );
    }
}

#[test]
fn files_that_a_setting_names_are_checked_by_check_config_as_by_serve() {
    let folder = folder();
    let here = folder.path();
    std::fs::write(here.join("no.pem"), "no certificate").unwrap();
    let postgres = (
        "ACCOUNT_DATABASE__URL",
        "postgres://me:hush-s3cret@127.0.0.1:1/a",
    );
    let smtp = ("ACCOUNT_MAIL__SMTP_URL", "smtps://mail.example");
    for (url, name, file, key) in [
        (
            postgres, "DATABASE__CA_FILE", "none.pem", "database.ca_file",
        ),
        (postgres, "DATABASE__CA_FILE", "no.pem", "database.ca_file"),
        (
            postgres, "DATABASE__CLIENT_KEY_FILE", "no.pem", "database.client_cert_file",
        ),
        (smtp, "MAIL__CA_FILE", "none.pem", "mail.ca_file"),
    ] {
        for command in ["check-config", "serve"] {
            let settings = [
                url,
                (&*format!("ACCOUNT_{name}"), file),
                ("ACCOUNT_LOG__LEVEL", "off"),
            ];
            let line = expect_error(here, &[command], &settings);
            assert!(line.contains(key), "{settings:?}: {line}");
        }
    }
}

#[test]
fn no_setting_is_printed_with_its_credentials() {
    let settings = [
        (
            "ACCOUNT_DATABASE__URL",
            "postgres://db.example/account?user=site&password=hush-s3cret",
        ),
        (
            "ACCOUNT_MAIL__SMTP_URL",
            "smtps://me:hush-s3cret@mail.example",
        ),
        (
            "ACCOUNT_FRAGMENTS__URL",
            "https://me:hush-s3cret@parts.example/x?api_key=hush-s3cret",
        ),
        (
            "ACCOUNT_TRANSLATIONS__URL",
            "https://hush-s3cret@words.example/{environment}",
        ),
        ("ACCOUNT_LIFETIMES__RESET", "2s"),
    ];
    let (code, out, errors) = run_to_exit(folder().path(), &["check-config"], &settings);
    assert_eq!(code, 0, "{errors}");
    assert!(
        !out.contains(SECRET) && !errors.contains(SECRET),
        "{out}\n{errors}"
    );
    let shown: toml::Table = out.parse().unwrap();
    for line in [
        "database.url postgres://db.example/account?user=site&password=***",
        "mail.smtp_url smtps://me:***@mail.example",
        "fragments.url https://***@parts.example/x?api_key=***",
        "translations.url https://***@words.example/{environment}",
        "lifetimes.reset 2s",
    ] {
        let (key, text) = line.split_once(' ').unwrap();
        let (section, name) = key.split_once('.').unwrap();
        assert_eq!(shown[section][name].as_str(), Some(text), "{key}");
    }
    let warning = "warning: server.public_url is http";
    assert!(errors.contains(warning), "{errors}");
    // The path of a webhook is often its secret.
    let file = folder();
    let url = "https://hooks.example:8443/hush-s3cret/hush-s3cret?hush-s3cret";
    let text = format!(
        "[[webhooks]]\nurl = \"{url}\"\nsecret = \"whsec_{}\"\n",
        "A".repeat(32)
    );
    std::fs::write(file.path().join("a.toml"), text).unwrap();
    let arguments = ["check-config", "--config", "a.toml"];
    let (code, out, errors) = run_to_exit(file.path(), &arguments, &[]);
    assert_eq!(code, 0, "{errors}");
    assert!(
        out.contains("url = \"https://hooks.example:8443/***\""),
        "{out}"
    );
    assert!(
        !out.contains(SECRET) && !errors.contains(SECRET),
        "{out}\n{errors}"
    );
    let file = folder();
    let text = format!("database = \"postgres://me:{SECRET}@db/a\"\n");
    std::fs::write(file.path().join("a.toml"), text).unwrap();
    expect_error(file.path(), &["check-config", "--config", "a.toml"], &[]);
}

#[test]
fn a_non_utf_8_variable_is_an_error_only_with_our_prefix() {
    let check = |name: &[u8], value: &[u8]| {
        let output = Command::new(env!("CARGO_BIN_EXE_account"))
            .arg("check-config")
            .env_clear()
            .env(OsStr::from_bytes(name), OsStr::from_bytes(value))
            .current_dir(folder().path())
            .output()
            .unwrap();
        let (code, _, errors) = exit_and_output(&output);
        (code, errors)
    };
    let (code, errors) = check(b"ACCOUNT_SERVER__LISTEN", b"127.0.0.1:\xff");
    assert_eq!((code, errors.lines().count()), (2, 1), "{errors}");
    assert!(errors.contains("ACCOUNT_SERVER__LISTEN"), "{errors}");
    let (code, errors) = check(b"ACCOUNT_SERVER__LIST\xffEN", b"x");
    assert_eq!((code, errors.lines().count()), (2, 1), "{errors}");
    for name in [
        &b"LESSOPEN"[..],
        b"OTHER\xff",
        b"ACCOUNTS__X",
        b"ACCOUNT_HOME",
    ] {
        let (code, errors) = check(name, b"caf\xe9");
        assert_eq!(code, 0, "{errors}");
    }
}

mod unusable_database;
