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
fn a_secret_comes_from_its_setting_or_from_a_file_and_is_never_shown() {
    let folder = folder();
    for (name, text, shown) in [
        (
            "DATABASE__URL",
            "postgres://db.example/account?user=site&password=hush-s3cret",
            "postgres://db.example/account?user=site&password=***",
        ),
        (
            "MAIL__SMTP_URL",
            "smtps://me:hush-s3cret@mail.example",
            "smtps://me:***@mail.example",
        ),
        (
            "FRAGMENTS__URL",
            "https://me:hush-s3cret@parts.example/x?api_key=hush-s3cret",
            "https://***@parts.example/x?api_key=***",
        ),
        (
            "TRANSLATIONS__URL",
            "https://hush-s3cret@words.example/{environment}",
            "https://***@words.example/{environment}",
        ),
    ] {
        std::fs::write(folder.path().join("secret"), format!("{text}\r\n")).unwrap();
        let name = format!("ACCOUNT_{name}");
        for (name, value) in [(name.clone(), text), (name + "_FILE", "secret")] {
            let (code, out, errors) =
                run_to_exit(folder.path(), &["check-config"], &[(&*name, value)]);
            assert_eq!(code, 0, "{errors}");
            assert!(out.contains(&format!("url = \"{shown}\"\n")), "{out}");
            assert!(
                !out.contains(SECRET) && !errors.contains(SECRET),
                "{out}{errors}"
            );
            assert!(
                errors.contains("warning: server.public_url is http"),
                "{errors}"
            );
        }
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
        &[("ACCOUNT_AGE__REGISTRATION_FILE", "wrong")],
    );
    assert!(line.contains("age.registration_file"), "{line}");
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
127.0.0.1:8080: SERVER__LISTEN=localhost:8080
server.trusted_proxies: SERVER__TRUSTED_PROXIES=10.0.0.1, here
server.ops_listen: SERVER__OPS_LISTEN=localhost:8080
127.0.0.1:8080: SERVER__OPS_LISTEN=localhost:8080
database.url: DATABASE__URL=mysql://x
database.url: DATABASE__URL=sqlite://
database.url: DATABASE__URL=sqlite://:memory:
database.url: DATABASE__URL=postgres://me:hush-s3cret@db:port/a
database.url: DATABASE__URL=postgres://me:hush-s3cret@db/a?x=hush-s3cret
database.url: DATABASE__URL=postgres://me:hush-s3cret@db/a?sslmode=on
database.read_url: DATABASE__READ_URL=postgres://me:hush-s3cret@db/a
no longer a setting: DATABASE__READ_URL_FILE=/run/secret
server.body_limit: no longer a setting; fixed at 16 KiB; remove it: SERVER__BODY_LIMIT=8 KiB
database.url: DATABASE__URL=postgres://me:hush@hush-s3cret@db/a
write @ in the name or password as %40: DATABASE__URL=postgres://me:hush@hush-s3cret@db/a
database.url: DATABASE__URL=postgres://me:hush@s3cret/hush-s3cret#x@db/a
database.url: DATABASE__URL=sqlite://data/account.db?mode=ro
mail.from: MAIL__FROM=ä@example.org
mail.smtp_url: MAIL__SMTP_URL=mail.example
mail.smtp_url: MAIL__SMTP_URL=smtp://
mail.smtp_url: MAIL__SMTP_URL=smtp://me:hush-s3cret@mail.example:port
mail.smtp_url: MAIL__SMTP_URL=smtp://mail.example?tls=hush-s3cret
mail.smtp_url: MAIL__SMTP_URL=smtp://me:hush-s3cret@mail.example?TLS=required
mail.smtp_url: MAIL__SMTP_URL=smtp://mail.example?tls=required&pool=hush-s3cret
mail.smtp_url: MAIL__SMTP_URL=smtp://hush-s3cret@mail.example
fragments.url: FRAGMENTS__URL=https://
fragments.url: FRAGMENTS__URL=https://me:hush-s3cret@parts example
translations.url: TRANSLATIONS__URL=http://me:hush-s3cret@:80
security.profile: SECURITY__PROFILE=lax
lifetimes.reset: LIFETIMES__RESET=soon
lifetimes.session_idle: LIFETIMES__SESSION_IDLE=0s
limits.login_ip: LIMITS__LOGIN_IP=often
true or false: SUPPORT__ENABLED=1
age.registration: AGE__REGISTRATION=-1";

/// The commands in turn: all of them load the settings with `config::load`.
#[test]
fn a_wrong_setting_exits_with_2_and_names_it() {
    let commands = ["check-config", "serve", "migrate"].into_iter().cycle();
    for (row, command) in REFUSED_VALUES.lines().zip(commands) {
        let (key, setting) = row.rsplit_once(": ").unwrap();
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
    std::fs::write(here.join("empty"), "").unwrap();
    let sqlite = ("ACCOUNT_DATABASE__URL", "sqlite://a.db");
    let key_file = (
        "SECURITY__ENCRYPTION_KEY_FILE", "security.encryption_key_file",
    );
    for (url, name, file, key) in [
        (sqlite, key_file.0, "no.pem", key_file.1),
        (sqlite, key_file.0, "empty", key_file.1),
        (sqlite, key_file.0, ".", key_file.1),
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
fn an_empty_variable_counts_as_unset() {
    let folder = folder();
    std::fs::write(
        folder.path().join("a.toml"),
        "[mail]\nfrom = 'a@example.org'\n",
    )
    .unwrap();
    let settings = [
        ("ACCOUNT_MAIL__FROM", ""),
        ("ACCOUNT_MAIL__SMTP_URL", ""),
        ("ACCOUNT_MAIL__SMTP_URL_FILE", ""),
        ("ACCOUNT_DATABASE__BACKUP_FOLDER", ""),
        ("ACCOUNT_DATABASE__MAX_CONNECTIONS", ""),
        ("ACCOUNT_ACCOUNTS__RESERVED_USERNAMES", ""),
        ("ACCOUNT_SERVER_PUBLIC_URL", "https://www.example.org"),
    ];
    let arguments = ["check-config", "--config", "a.toml"];
    let (code, out, errors) = run_to_exit(folder.path(), &arguments, &settings);
    assert_eq!(code, 0, "{errors}");
    for line in [
        "from = \"a@example.org\"", "max_connections = 16", "reserved_usernames = []",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(
        !out.contains("backup_folder") && !out.contains("smtp_url"),
        "{out}"
    );
    let hint = "warning: ACCOUNT_SERVER_PUBLIC_URL has no effect: did you mean ACCOUNT_SERVER__PUBLIC_URL?";
    assert!(errors.contains(hint), "{errors}");
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
