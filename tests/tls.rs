//! TLS to PostgreSQL and to the mail server, with certificates of an authority that is in no trust store.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::prelude::*;
use crate::support::cluster::Cluster;
use crate::support::process::Settings;
use crate::support::smtp::Smtp;
use crate::support::tls_front;

/// An authority and the certificates that it has issued, as PEM files in one folder.
struct Authority(TempDir);

impl Authority {
    fn new() -> Authority {
        let authority = Authority(folder());
        authority.openssl_with_key("req -x509 -subj /CN=authority -keyout ca.key -out ca.pem");
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn path(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    fn openssl(&self, arguments: &str) {
        let mut command = Command::new("openssl");
        command.args(arguments.split(' ')).current_dir(&self.0);
        let done = command.output().expect("openssl");
        assert!(done.status.success(), "{arguments}: {done:?}");
    }

    fn openssl_with_key(&self, arguments: &str) {
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2";
        self.openssl(&format!("{arguments} {key}"));
    }

    /// `NAME.pem` and `NAME.key`, issued for a server of this address or a client of this common name.
    fn issue_certificate(&self, name: &str, common_name: &str, alternative: &str) {
        self.openssl_with_key(&format!(
            "req -new -subj /CN={common_name} -keyout {name}.key -out {name}.csr"
        ));
        let extensions = format!("subjectAltName={alternative}\nbasicConstraints=CA:FALSE\n");
        std::fs::write(self.file("extensions"), extensions).unwrap();
        self.openssl(&format!(
            "x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions \
             -out {name}.pem"
        ));
    }

    /// A self-signed certificate, like that of Debian's package ssl-cert or of `openssl req -x509`.
    fn create_self_signed(&self, name: &str, is_authority: bool) {
        let constraint = if is_authority { "TRUE" } else { "FALSE" };
        self.openssl_with_key(&format!(
            "req -x509 -subj /CN=debian -addext subjectAltName=IP:127.0.0.1 \
             -addext basicConstraints=critical,CA:{constraint} -keyout {name}.key -out {name}.pem"
        ));
    }
}

/// The server gets the certificate with this name, for connections of this kind.
async fn enable_tls(cluster: &mut Cluster, authority: &Authority, name: &str, kind: &str) {
    let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
    let (certificate, key) = (authority.file(&certificate), authority.file(&key));
    cluster.enable_tls(&certificate, &key, kind).await;
}

#[track_caller]
fn assert_migrates(url: &str, settings: &Settings) {
    let all = [settings, &[("ACCOUNT_DATABASE__URL", url)]].concat();
    run_to_success(folder(), "migrate", &all);
}

/// Asserts that the error is one line with this part and without the password.
#[track_caller]
fn assert_refused(url: &str, settings: &Settings, part: &str) {
    let all = [settings, &[("ACCOUNT_DATABASE__URL", url)]].concat();
    let error = run_to_failure(folder(), "migrate", &all, 1, part);
    assert_lacks!(error, "postgres://");
}

#[tokio::test]
async fn sslmode_has_the_meaning_of_libpq() {
    let authority = Authority::new();
    authority.issue_certificate("server", "db", "IP:127.0.0.1");
    authority.issue_certificate("elsewhere", "db", "DNS:db.example");
    let mut cluster = Cluster::start().await;
    enable_tls(&mut cluster, &authority, "server", "hostssl").await;
    let (url, ca) = (cluster.url("postgres"), authority.path("ca.pem"));
    let of_ours = [("ACCOUNT_DATABASE__CA_FILE", ca.as_str())];
    let mode = |mode: &str| format!("{url}?sslmode={mode}");
    for encrypts in ["require", "prefer", "allow"] {
        assert_migrates(&mode(encrypts), &[]);
    }
    assert_migrates(&url, &[]);
    assert_refused(&mode("disable"), &[], "no encryption");
    for checks in ["verify-ca", "verify-full"] {
        assert_refused(&mode(checks), &[], "unknown authority");
        assert_migrates(&mode(checks), &of_ours);
    }
    // With the authority in the settings the connection succeeds.
    assert_migrates(&url, &of_ours);

    enable_tls(&mut cluster, &authority, "elsewhere", "hostssl").await;
    for checks_no_name in ["require", "verify-ca"] {
        assert_migrates(&mode(checks_no_name), &of_ours);
    }
    for url in [url.clone(), mode("verify-full")] {
        assert_refused(&url, &of_ours, "another host name");
    }
    let other = Authority::new();
    let other = other.path("ca.pem");
    let of_another = [("ACCOUNT_DATABASE__CA_FILE", &*other)];
    for checks in ["require", "verify-ca", "verify-full"] {
        assert_refused(&mode(checks), &of_another, "certificate is refused");
    }
}

#[tokio::test]
async fn sslmodes_prefer_and_allow_fall_back_in_both_directions() {
    let authority = Authority::new();
    let mut cluster = Cluster::start().await;
    let url = cluster.url("postgres");
    for mode in ["disable", "allow", "prefer"] {
        assert_migrates(&format!("{url}?sslmode={mode}"), &[]);
    }
    let require = format!("{url}?sslmode=require");
    assert_refused(&require, &[], "does not support TLS");
    // The server offers TLS, but `pg_hba.conf` accepts only connections without it.
    authority.create_self_signed("server", false);
    enable_tls(&mut cluster, &authority, "server", "hostnossl").await;
    for mode in ["allow", "prefer"] {
        assert_migrates(&format!("{url}?sslmode={mode}"), &[]);
    }
    assert_refused(&require, &[], "pg_hba.conf");
}

#[tokio::test]
async fn a_self_signed_certificate_is_trusted_if_configured() {
    let authority = Authority::new();
    let mut cluster = Cluster::start().await;
    for (name, is_authority) in [("snakeoil", false), ("req", true)] {
        authority.create_self_signed(name, is_authority);
        enable_tls(&mut cluster, &authority, name, "hostssl").await;
        let url = cluster.url("postgres");
        let full = format!("{url}?sslmode=verify-full");
        assert_migrates(&format!("{url}?sslmode=require"), &[]);
        assert_refused(&full, &[], "certificate is refused");
        let certificate = authority.path(&format!("{name}.pem"));
        let named = [("ACCOUNT_DATABASE__CA_FILE", certificate.as_str())];
        assert_migrates(&full, &named);
    }
}

#[tokio::test]
async fn a_client_certificate_is_sent_on_request() {
    let authority = Authority::new();
    authority.issue_certificate("server", "db", "IP:127.0.0.1");
    authority.issue_certificate("client", "account", "DNS:account.example");
    let mut cluster = Cluster::start().await;
    cluster.set_client_authority(&authority.file("ca.pem"));
    enable_tls(
        &mut cluster, &authority, "server", "hostssl with certificate",
    )
    .await;
    let (ca, certificate, key) = (
        authority.path("ca.pem"),
        authority.path("client.pem"),
        authority.path("client.key"),
    );
    let settings = [
        ("ACCOUNT_DATABASE__CA_FILE", ca.as_str()),
        ("ACCOUNT_DATABASE__CLIENT_CERT_FILE", &certificate),
        ("ACCOUNT_DATABASE__CLIENT_KEY_FILE", &key),
    ];
    let url = cluster.url("postgres");
    assert_refused(&url, &settings[..1], "certificate");
    assert_migrates(&url, &settings);
}

/// Starts a server with this mail server, registers a person, and returns the first log line about the mail.
async fn first_mail_event(url: &str, ca_file: Option<&str>) -> Value {
    let folder = folder();
    let mut settings = vec![("ACCOUNT_MAIL__SMTP_URL", url)];
    settings.extend(ca_file.map(|file| ("ACCOUNT_MAIL__CA_FILE", file)));
    let site = Process::serve(&folder, &settings).await;
    let response = site.post("/register", &form("ada")).await;
    assert_eq!(response.status(), 201);
    eventually_some("a line about the mail", async || {
        let events = site.events();
        events.into_iter().find(|event| event["target"] == "mail")
    })
    .await
}

#[tokio::test]
async fn a_mail_server_with_a_private_authority_is_trusted_only_if_configured() {
    let authority = Authority::new();
    authority.issue_certificate("server", "mail", "IP:127.0.0.1,IP:::1,DNS:localhost");
    let (certificate, key) = (authority.file("server.pem"), authority.file("server.key"));
    for (wraps, host) in [(true, "[::1]"), (true, "127.0.0.1"), (false, "[::1]")] {
        let smtp = Smtp::start().await;
        let url = tls_front::start(&smtp, &certificate, &key, wraps, host).await;
        let event = first_mail_event(&url, Some(&authority.path("ca.pem"))).await;
        assert_eq!(event["event"], "mail_sent", "{event}");
        assert_eq!(smtp.received()[0].to, ["ada@example.org"]);

        let event = first_mail_event(&url, None).await;
        assert_eq!(event["event"], "mail_delayed", "{event}");
        let reason = event["reason"].text();
        assert_contains!(reason, "certificate", "unknown authority");
        assert!(smtp.received().is_empty(), "no mail was sent");

        let other = Authority::new();
        let event = first_mail_event(&url, Some(&other.path("ca.pem"))).await;
        assert_eq!(event["event"], "mail_delayed", "{event}");
    }
}
