//! The commands: what they print, where, and how they end.

mod closed_stdout;
mod reference;

use account::testing::{i18n, openapi};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::prelude::*;

on_both_databases!(the_version_and_the_first_log_line_agree);

#[track_caller]
fn assert_usage_error(arguments: &str, named: &str) {
    let errors = run_to_failure(folder(), arguments, &[], 2, named);
    assert!(errors.starts_with("account: "), "{errors}");
}

#[test]
fn wrong_use_exits_with_2_and_one_line_on_stderr() {
    for (arguments, named) in [
        ("sing", "'sing'"),
        ("serve --port 1", "'--port'"),
        ("openapi x", "'x'"),
        ("legacy import", "<FILE>"),
        ("users set-email --email a@example.org", "--to <EMAIL>"),
        ("support audit --since x", "'--since <TIME>'"),
    ] {
        assert_usage_error(arguments, named);
    }
    let (code, _, help) = run_to_exit(folder(), "", &[]);
    assert!(code == 2 && help.contains("Usage"), "{help}");
}

#[test]
fn commands_require_exactly_one_account() {
    let two = "--username ada --email ada@example.org";
    for command in ["show", "disable", "enable", "delete", "sign-out", "export"] {
        let command = format!("users {command}");
        assert_usage_error(&command, "required");
        assert_usage_error(&format!("{command} {two}"), "cannot be used with");
    }
}

#[test]
fn an_error_in_a_file_names_the_file_and_the_line() {
    let folder = folder();
    for (text, part) in [
        ("[server]\nlisten = \n", "line 2"),
        ("[server]\nport = 1\n", "port"),
        ("[nothing]\n", "nothing"),
        (
            "[[regions]]\nid = \"us\"\ntimezone = \"Moon/Base\"\n",
            "regions[0].timezone",
        ),
        ("[[regions]]\nenvironment = \"prod\"\n", "server.public_url"),
        (
            "[server]\npublic_url = \"https://www.example.org\"\n[[regions]]\nenvironment = \"prod\"\n",
            "mail.smtp_url",
        ),
        // `/` of the origin redirects to this address.
        (
            "[server]\nsite_home = \"javascript:alert(1)\"\n",
            "server.site_home",
        ),
        (
            "[server]\nsite_home = \"//evil.example\"\n",
            "server.site_home",
        ),
    ] {
        write(&folder, "account.toml", text);
        let check = "check-config --config account.toml";
        run_to_failure(&folder, check, &[], 2, part);
    }
    let missing = "serve --config none.toml";
    run_to_failure(&folder, missing, &[], 2, "none.toml");
}

// security: FI-11
#[test]
fn a_database_that_cannot_be_opened_is_an_error() {
    let folder = folder();
    write(&folder, "file", "no folder");
    // `serve` waits for a PostgreSQL server that is away (tests/operation.rs), so it is not in the list.
    for (command, url, expected) in [
        ("serve", "sqlite://file/account.db", 2),
        ("migrate", "sqlite://file/account.db", 1),
        ("migrate", "postgres://a:hush@127.0.0.1:1/none", 1),
    ] {
        let settings = [("ACCOUNT_DATABASE__URL", url)];
        let error = run_to_failure(&folder, command, &settings, expected, "");
        assert_lacks!(error, "hush");
    }
}

#[tokio::test]
async fn a_taken_port_exits_with_1_and_names_the_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let settings = [("ACCOUNT_SERVER__LISTEN", &*address)];
    let error = run_to_failure(folder(), "serve", &settings, 1, "server.listen");
    assert_contains!(error, &address);
}

#[test]
fn the_openapi_command_prints_the_document() {
    let (out, errors) = run_to_success(folder(), "openapi", &[]);
    let document = openapi::document().to_pretty_json().unwrap();
    assert_eq!((out.trim_end(), &*errors), (&*document, ""));
}

#[tokio::test]
async fn the_program_serves_without_any_configuration() {
    let folder = folder();
    let site = Process::serve(&folder, &[]).await;
    for (path, status, part) in [
        ("/account/", 200, "<html"),
        ("/healthz", 200, "ok"),
        ("/readyz", 200, "ready"),
        ("/account/account-api/users/me", 401, "unauthenticated"),
        ("/account/dev/mail/messages", 200, "[]"),
        ("/account/account-api/ui/header", 200, "<header"),
    ] {
        let response = site.get(path).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
        assert!(response.text().await.unwrap().contains(part), "{path}");
    }
    assert!(folder.path().join("data/account.db").exists());
}

#[tokio::test]
async fn the_health_check_succeeds_while_the_site_is_ready() {
    let folder = folder();
    let mut site = Process::serve(&folder, &[]).await;
    let listen = site.address().to_owned();
    let everywhere = listen.replace("127.0.0.1", "0.0.0.0");
    for listen in [&listen, &everywhere] {
        let (out, errors) = run_to_success(
            &folder,
            "healthcheck",
            &[("ACCOUNT_SERVER__LISTEN", listen)],
        );
        assert_eq!(out + &errors, "");
    }
    site.kill();
    run_to_failure(
        &folder,
        "healthcheck",
        &[("ACCOUNT_SERVER__LISTEN", &*listen)],
        1,
        &listen,
    );
}

/// Sends the head of a request, and returns when the server waits for the body.
async fn begin_request(stream: &mut tokio::net::TcpStream, head: &str) {
    const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut read = [0; CONTINUE.len()];
    stream.read_exact(&mut read).await.unwrap();
    assert_eq!(read, CONTINUE);
}

// security: FI-7
#[tokio::test]
async fn a_stop_finishes_requests_in_progress() {
    let folder = folder();
    let mut site = Process::serve(&folder, &[]).await;
    let address = site.address().to_owned();
    let body = crate::support::form("ada").to_string();
    let (first, second) = body.split_at(20);
    let mut slow = tokio::net::TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /account/account-api/register HTTP/1.1\r\nHost: {address}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n",
        body.len()
    );
    begin_request(&mut slow, &head).await;
    slow.write_all(first.as_bytes()).await.unwrap();
    site.terminate();
    eventually("it takes no new connections", async || {
        tokio::net::TcpStream::connect(&address).await.is_err()
    })
    .await;
    slow.write_all(second.as_bytes()).await.unwrap();
    let mut response = String::new();
    slow.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 201 Created"), "{response}");
    site.assert_exits_within(5).await;
    assert_eq!(site.events().last().unwrap()["message"], "stopped");
}

#[tokio::test]
async fn a_stop_takes_at_most_the_grace_period() {
    let folder = folder();
    let mut site = Process::serve(&folder, &[("ACCOUNT_SERVER__SHUTDOWN_GRACE", "500ms")]).await;
    let address = site.address().to_owned();
    let mut stuck = tokio::net::TcpStream::connect(&address).await.unwrap();
    let head = "POST /account/account-api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\nExpect: 100-continue\r\n\r\n";
    begin_request(&mut stuck, head).await;
    site.terminate();
    site.assert_exits_within(4).await;
}

#[test]
fn check_translations_applies_the_rules_of_the_site() {
    let folder = folder();
    let check = |text: &str| {
        write(&folder, "de.json", text);
        run_to_exit(&folder, "check-translations de.json", &[])
    };
    let german = i18n::catalogue(i18n::Language::De);
    let mut words: Value = serde_json::from_str(german).unwrap();
    let (code, out, errors) = check(&words.to_string());
    assert_eq!((code, out.as_str()), (0, ""), "{errors}");

    words["sign_in"]["title"] = "<b>Anmelden</b>".into();
    words["sign_in"]["lead"] = "sign_in.lead".into();
    words["sign_in"]["submit"] = "x".repeat(200).into();
    words["common"]["clear"] = "Leeren".into();
    words["common"]["extra"] = "Neu".into();
    words["common"].as_object_mut().unwrap().remove("back");
    let (code, out, _) = check(&words.to_string());
    let expected = "de.json: common.back is missing
de.json: common.clear must have exactly {{field}}
de.json: common.extra is unknown; nothing shows it
de.json: sign_in.lead says its own key
de.json: sign_in.submit is 200 characters long; 64 is the most
de.json: sign_in.title has < or >; texts carry no markup
";
    assert_eq!((code, &*out), (2, expected));
    for wrong in ["[]", "{", "\"de\""] {
        write(&folder, "de.json", wrong);
        run_to_failure(&folder, "check-translations de.json", &[], 2, "de.json: ");
    }
    let missing = "check-translations none.json";
    run_to_failure(&folder, missing, &[], 2, "--language");
}

async fn the_version_and_the_first_log_line_agree(db: Database) {
    let (out, _) = run_to_success(db.folder(), "--version", &[]);
    let site = Process::serve(db.folder(), &[("ACCOUNT_DATABASE__URL", db.url())]).await;
    eventually("the first log line", async || !site.log().is_empty()).await;
    let events = site.events();
    let first = &events[0];
    assert_eq!(first["message"], "starting");
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(first["version"], version, "{first}");
    let named = match first["commit"].as_str() {
        Some(commit) => format!("account {version} ({commit})\n"),
        None => format!("account {version}\n"),
    };
    assert_eq!(out, named);
    for event in events {
        let target = event["target"].text();
        assert!(!target.starts_with("tokio_postgres"), "{event}");
    }
}
