//! TLS to PostgreSQL and to the mail server, with certificates of an authority that is in no trust store.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::cluster::Cluster;
use crate::support::form;
use crate::support::process::{Caller, Process, run};
use crate::support::smtp::Smtp;
use crate::support::tls_front;

const API: &str = "/account/account-api";

/// An authority and the certificates that it has issued, as PEM files in one folder.
struct Authority(tempfile::TempDir);

impl Authority {
    fn new() -> Authority {
        let authority = Authority(tempfile::tempdir().unwrap());
        authority.openssl(
            &[
                "req",
                "-x509",
                "-subj",
                "/CN=A private authority",
                "-keyout",
                "ca.key",
                "-out",
                "ca.pem",
            ],
            true,
        );
        authority
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn path(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    fn openssl(&self, words: &[&str], with_key: bool) {
        let mut command = Command::new("openssl");
        command.args(words);
        if with_key {
            command.args([
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
            ]);
        }
        let done = command
            .current_dir(self.0.path())
            .output()
            .expect("openssl");
        assert!(done.status.success(), "{words:?}: {done:?}");
    }

    /// `NAME.pem` and `NAME.key`, issued for a server of this address or a client of this common name.
    fn issue_certificate(&self, name: &str, common_name: &str, alternative: &str) {
        let subject = format!("/CN={common_name}");
        let (key, request) = (format!("{name}.key"), format!("{name}.csr"));
        self.openssl(
            &[
                "req", "-new", "-subj", &subject, "-keyout", &key, "-out", &request,
            ],
            true,
        );
        let extensions = format!("subjectAltName={alternative}\nbasicConstraints=CA:FALSE\n");
        std::fs::write(self.file("extensions"), extensions).unwrap();
        let certificate = format!("{name}.pem");
        self.openssl(
            &[
                "x509",
                "-req",
                "-in",
                &request,
                "-CA",
                "ca.pem",
                "-CAkey",
                "ca.key",
                "-CAcreateserial",
                "-days",
                "2",
                "-extfile",
                "extensions",
                "-out",
                &certificate,
            ],
            false,
        );
    }

    /// A self-signed certificate, like that of Debian's package ssl-cert or of `openssl req -x509`.
    fn create_self_signed(&self, name: &str, is_authority: bool) {
        let constraint = format!(
            "basicConstraints=critical,CA:{}",
            is_authority.to_string().to_uppercase()
        );
        let (key, certificate) = (format!("{name}.key"), format!("{name}.pem"));
        self.openssl(
            &[
                "req",
                "-x509",
                "-subj",
                "/CN=debian",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-addext",
                &constraint,
                "-keyout",
                &key,
                "-out",
                &certificate,
            ],
            true,
        );
    }
}

fn run_migrate(folder: &Path, url: &str, settings: &[(&str, &str)]) -> Output {
    let mut all = vec![("ACCOUNT_DATABASE__URL", url)];
    all.extend(settings);
    run(folder, &["migrate"], &all)
}

#[track_caller]
fn assert_success(output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
}

/// Asserts that the error is one line with this part and without the password.
#[track_caller]
fn assert_failure(output: &Output, part: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (output.status.code(), errors.lines().count()),
        (Some(1), 1),
        "{errors}"
    );
    assert!(errors.contains(part), "{part}: {errors}");
    assert!(!errors.contains("postgres://"), "{errors}");
}

#[tokio::test]
async fn sslmode_has_the_meaning_of_libpq() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    authority.issue_certificate("server", "db", "IP:127.0.0.1");
    authority.issue_certificate("elsewhere", "db", "DNS:db.example");
    let mut cluster = Cluster::start().await;
    cluster
        .enable_tls(
            &authority.file("server.pem"),
            &authority.file("server.key"),
            "hostssl",
        )
        .await;
    let (url, ca) = (cluster.url("postgres"), authority.path("ca.pem"));
    let of_ours = [("ACCOUNT_DATABASE__CA_FILE", ca.as_str())];
    let mode = |mode: &str| format!("{url}?sslmode={mode}");
    for encrypts in ["require", "prefer", "allow"] {
        assert_success(&run_migrate(folder.path(), &mode(encrypts), &[]));
    }
    assert_success(&run_migrate(folder.path(), &url, &[]));
    assert_failure(
        &run_migrate(folder.path(), &mode("disable"), &[]),
        "no encryption",
    );
    for checks in ["verify-ca", "verify-full"] {
        assert_failure(
            &run_migrate(folder.path(), &mode(checks), &[]),
            "unknown authority",
        );
        assert_success(&run_migrate(folder.path(), &mode(checks), &of_ours));
    }
    // With the authority in the settings the connection succeeds.
    assert_success(&run_migrate(folder.path(), &url, &of_ours));

    cluster
        .enable_tls(
            &authority.file("elsewhere.pem"),
            &authority.file("elsewhere.key"),
            "hostssl",
        )
        .await;
    for checks_no_name in ["require", "verify-ca"] {
        assert_success(&run_migrate(folder.path(), &mode(checks_no_name), &of_ours));
    }
    for url in [url.clone(), mode("verify-full")] {
        assert_failure(
            &run_migrate(folder.path(), &url, &of_ours),
            "another host name",
        );
    }
    let other = Authority::new();
    let of_another = [("ACCOUNT_DATABASE__CA_FILE", other.path("ca.pem"))];
    let of_another = [(of_another[0].0, of_another[0].1.as_str())];
    for checks in ["require", "verify-ca", "verify-full"] {
        assert_failure(
            &run_migrate(folder.path(), &mode(checks), &of_another),
            "certificate is refused",
        );
    }
}

#[tokio::test]
async fn sslmodes_prefer_and_allow_fall_back_in_both_directions() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let mut cluster = Cluster::start().await;
    let url = cluster.url("postgres");
    for mode in ["disable", "allow", "prefer"] {
        assert_success(&run_migrate(
            folder.path(),
            &format!("{url}?sslmode={mode}"),
            &[],
        ));
    }
    assert_failure(
        &run_migrate(folder.path(), &format!("{url}?sslmode=require"), &[]),
        "does not support TLS",
    );
    // The server offers TLS, but `pg_hba.conf` accepts only connections without it.
    authority.create_self_signed("server", false);
    cluster
        .enable_tls(
            &authority.file("server.pem"),
            &authority.file("server.key"),
            "hostnossl",
        )
        .await;
    for mode in ["allow", "prefer"] {
        assert_success(&run_migrate(
            folder.path(),
            &format!("{url}?sslmode={mode}"),
            &[],
        ));
    }
    assert_failure(
        &run_migrate(folder.path(), &format!("{url}?sslmode=require"), &[]),
        "pg_hba.conf",
    );
}

#[tokio::test]
async fn a_self_signed_certificate_is_trusted_if_configured() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let mut cluster = Cluster::start().await;
    for (name, is_authority) in [("snakeoil", false), ("req", true)] {
        authority.create_self_signed(name, is_authority);
        let (certificate, key) = (format!("{name}.pem"), format!("{name}.key"));
        cluster
            .enable_tls(
                &authority.file(&certificate),
                &authority.file(&key),
                "hostssl",
            )
            .await;
        let full = format!("{}?sslmode=verify-full", cluster.url("postgres"));
        assert_success(&run_migrate(
            folder.path(),
            &format!("{}?sslmode=require", cluster.url("postgres")),
            &[],
        ));
        assert_failure(
            &run_migrate(folder.path(), &full, &[]),
            "certificate is refused",
        );
        let named = [("ACCOUNT_DATABASE__CA_FILE", authority.path(&certificate))];
        assert_success(&run_migrate(
            folder.path(),
            &full,
            &[(named[0].0, &named[0].1)],
        ));
    }
}

#[tokio::test]
async fn a_client_certificate_is_sent_on_request() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    authority.issue_certificate("server", "db", "IP:127.0.0.1");
    authority.issue_certificate("client", "account", "DNS:account.example");
    let mut cluster = Cluster::start().await;
    cluster.set_client_authority(&authority.file("ca.pem"));
    cluster
        .enable_tls(
            &authority.file("server.pem"),
            &authority.file("server.key"),
            "hostssl with certificate",
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
    assert_failure(
        &run_migrate(folder.path(), &url, &settings[..1]),
        "certificate",
    );
    assert_success(&run_migrate(folder.path(), &url, &settings));
}

/// Starts a server with this mail server, registers a person, and returns the first log line about the mail.
async fn first_mail_event(url: &str, ca_file: Option<&str>) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = vec![("ACCOUNT_MAIL__SMTP_URL", url)];
    settings.extend(ca_file.map(|file| ("ACCOUNT_MAIL__CA_FILE", file)));
    let site = Process::serve(folder.path(), &settings).await;
    let response = Caller::new()
        .post(&format!("{}{API}/register", site.url), &form("ada"))
        .await;
    assert_eq!(response.unwrap().status(), 201);
    crate::support::eventually_some("a line about the mail", async || {
        let events = site.events();
        events.into_iter().find(|event| event["target"] == "mail")
    })
    .await
}

#[tokio::test]
async fn a_mail_server_with_a_private_authority_is_trusted_only_if_configured() {
    let authority = Authority::new();
    authority.issue_certificate("server", "mail", "IP:127.0.0.1,DNS:localhost");
    let (certificate, key) = (authority.file("server.pem"), authority.file("server.key"));
    for wraps in [true, false] {
        let smtp = Smtp::start().await;
        let url = tls_front::start(&smtp, &certificate, &key, wraps).await;
        let event = first_mail_event(&url, Some(&authority.path("ca.pem"))).await;
        assert_eq!(event["event"], "mail_sent", "{event}");
        assert_eq!(smtp.received()[0].to, ["ada@example.org"]);

        let event = first_mail_event(&url, None).await;
        assert_eq!(event["event"], "mail_delayed", "{event}");
        let reason = event["reason"].as_str().unwrap();
        assert!(
            reason.contains("certificate") && reason.contains("unknown authority"),
            "{reason}"
        );
        assert!(smtp.received().is_empty(), "no mail was sent");

        let other = Authority::new();
        let event = first_mail_event(&url, Some(&other.path("ca.pem"))).await;
        assert_eq!(event["event"], "mail_delayed", "{event}");
    }
}
