//! The URLs in the settings. Each URL is parsed when the settings are loaded, by the code that later uses the URL.
//! Therefore `serve` accepts every configuration that loads. No error message repeats a URL, which can be a secret.

use std::error::Error as _;
use std::str::FromStr;

use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::{SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use lettre::{AsyncSmtpTransport, Tokio1Executor};
use percent_encoding::percent_decode_str;
use tokio_postgres::config::Host;
use url::Url;

use crate::config::host::parse_url;
use crate::domain::host_name;

/// The value of `database.url`.
#[derive(Clone, PartialEq)]
pub enum DatabaseAddress {
    /// The path of the SQLite file.
    Sqlite(String),
    Postgres(PostgresAddress),
}

#[derive(Clone, PartialEq)]
pub struct PostgresAddress {
    /// The settings of the `tokio_postgres` driver for each host, in the order of the URL and without the TLS mode.
    pub hosts: Vec<tokio_postgres::Config>,
    /// The value of `sslmode` in the URL, or `None` if the URL has no such parameter.
    pub ssl_mode: Option<SslMode>,
}

/// The values of libpq's `sslmode` (PostgreSQL manual, 32.19.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SslMode {
    Disable,
    /// The connection is encrypted only if the server refuses unencrypted connections.
    Allow,
    /// The connection is encrypted if the server supports TLS.
    Prefer,
    /// The connection is encrypted. The certificate is verified only if `database.ca_file` is set.
    Require,
    /// The connection is encrypted, and a trusted authority issued the certificate. The host name is not verified.
    VerifyCa,
    /// The connection is encrypted, and a trusted authority has issued the certificate for this host.
    VerifyFull,
}

impl DatabaseAddress {
    pub fn sqlite_path(&self) -> Option<&str> {
        match self {
            DatabaseAddress::Sqlite(path) => Some(path),
            DatabaseAddress::Postgres(_) => None,
        }
    }
}

impl FromStr for DatabaseAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite://") {
            return parse_sqlite_path(path);
        }
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Err("must start with sqlite:// or postgres://".into());
        }
        let (address, ssl_mode) = split_ssl_mode(text)?;
        let hosts: Vec<tokio_postgres::Config> = split_hosts(&address)
            .iter()
            .map(|address| address.parse().map_err(|error| error_message(&error)))
            .collect::<Result<_, String>>()?;
        if hosts.iter().any(|config| config.get_hosts().is_empty()) {
            return Err("contains no host: write postgres://USER@HOST/NAME, or ?host=/var/run/postgresql for a socket".into());
        }
        Ok(DatabaseAddress::Postgres(PostgresAddress {
            hosts,
            ssl_mode,
        }))
    }
}

fn parse_sqlite_path(path: &str) -> Result<DatabaseAddress, String> {
    if path.is_empty() || path.ends_with('/') {
        return Err("contains no file: write sqlite://data/account.db".into());
    }
    // SQLite would read such a path as an in-memory database, or as a URI with options.
    if path.starts_with(":memory:") || path.starts_with("file:") {
        return Err("must name a file, like sqlite://data/account.db; a database in memory is lost at the end of the program".into());
    }
    Ok(DatabaseAddress::Sqlite(path.to_owned()))
}

fn error_message(error: &tokio_postgres::Error) -> String {
    let reason = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let tls_options = ["sslrootcert", "sslcert", "sslkey"];
    match tls_options.iter().any(|option| reason.contains(option)) {
        true => format!("{reason}: use database.ca_file, client_cert_file and client_key_file"),
        false => reason,
    }
}

/// Returns the URL without `sslmode`, and the value of `sslmode`, because the driver supports only some values.
fn split_ssl_mode(text: &str) -> Result<(String, Option<SslMode>), String> {
    let Some((before, query)) = text.rsplit_once('?') else {
        return Ok((text.to_owned(), None));
    };
    let mut mode = None;
    let mut rest = Vec::new();
    for part in query.split('&') {
        match part.strip_prefix("sslmode=") {
            None => rest.push(part),
            Some(word) => {
                mode = Some(match word {
                    "disable" => SslMode::Disable,
                    "allow" => SslMode::Allow,
                    "prefer" => SslMode::Prefer,
                    "require" => SslMode::Require,
                    "verify-ca" => SslMode::VerifyCa,
                    "verify-full" => SslMode::VerifyFull,
                    _ => return Err(
                        "sslmode must be disable, allow, prefer, require, verify-ca or verify-full"
                            .into(),
                    ),
                });
            }
        }
    }
    let text = match rest.is_empty() {
        true => before.to_owned(),
        false => format!("{before}?{}", rest.join("&")),
    };
    Ok((text, mode))
}

/// Returns one URL for each host in a URL such as `postgres://user:password@one:5432,two:5432/name?…`.
fn split_hosts(url: &str) -> Vec<String> {
    let scheme = url.find("://").map_or(0, |at| at + 3);
    let query = url.find('?').unwrap_or(url.len());
    let begin = url[..query].rfind('@').map_or(scheme, |at| at + 1);
    let end = url[begin..query].find('/').map_or(query, |at| begin + at);
    let (before, after) = (&url[..begin], &url[end..]);
    let hosts = url[begin..end].split(',');
    hosts.map(|host| format!("{before}{host}{after}")).collect()
}

impl PostgresAddress {
    /// Returns the value of `sslmode` in the URL. The default is `verify-full` if `database.ca_file` is set, otherwise
    /// `prefer`.
    pub fn effective_ssl_mode(&self, settings: &super::Database) -> SslMode {
        self.ssl_mode.unwrap_or(match settings.ca_file {
            Some(_) => SslMode::VerifyFull,
            None => SslMode::Prefer,
        })
    }

    /// Returns the host names and IP addresses of the servers, without Unix sockets.
    pub fn network_hosts(&self) -> impl Iterator<Item = &str> {
        let hosts = self
            .hosts
            .iter()
            .flat_map(tokio_postgres::Config::get_hosts);
        hosts.filter_map(|host| match host {
            Host::Tcp(name) => Some(name.as_str()),
            Host::Unix(_) => None,
        })
    }
}

/// The value of `mail.smtp_url`.
#[derive(Clone, PartialEq)]
pub struct SmtpAddress {
    pub host: String,
    /// The port of the URL, or the default port of the kind of TLS (RFC 6409, RFC 8314).
    pub port: u16,
    pub credentials: Option<Credentials>,
    /// The host name that is sent with EHLO, from the path of the URL.
    pub hello: Option<String>,
    pub tls: SmtpTls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    None,
    /// STARTTLS is used if the server offers it.
    Opportunistic,
    /// STARTTLS is required.
    Required,
    /// The connection uses TLS from its first byte (`smtps://`).
    Wrapper,
}

impl FromStr for SmtpAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED_FORM: &str = "must look like smtp://HOST:PORT, smtps://HOST or smtp://HOST?tls=required, with USER:PASSWORD@ before the host";
        if !(text.starts_with("smtp://") || text.starts_with("smtps://")) {
            return Err("must start with smtp:// or smtps://".into());
        }
        let url = Url::parse(text).map_err(|_| EXPECTED_FORM.to_owned())?;
        if AsyncSmtpTransport::<Tokio1Executor>::from_url(text).is_err() {
            return Err(EXPECTED_FORM.into());
        }
        let host = url.host_str().filter(|host| !host.is_empty());
        let hello = Some(url.path().trim_matches('/')).filter(|path| !path.is_empty());
        let wanted = url.query_pairs().find(|(key, _)| key == "tls");
        let tls = match wanted.as_ref().map(|(_, value)| value.as_ref()) {
            _ if url.scheme() == "smtps" => SmtpTls::Wrapper,
            Some("required") => SmtpTls::Required,
            Some("opportunistic") => SmtpTls::Opportunistic,
            _ => SmtpTls::None,
        };
        let default_port = match tls {
            SmtpTls::None => SMTP_PORT,
            SmtpTls::Opportunistic | SmtpTls::Required => SUBMISSION_PORT,
            SmtpTls::Wrapper => SUBMISSIONS_PORT,
        };
        let decoded = |text: &str| {
            let text = percent_decode_str(text).decode_utf8();
            text.map(String::from).map_err(|_| EXPECTED_FORM)
        };
        let credentials = match url.password() {
            None => None,
            Some(password) => Some(Credentials::new(
                decoded(url.username())?,
                decoded(password)?,
            )),
        };
        Ok(SmtpAddress {
            port: url.port().unwrap_or(default_port),
            credentials,
            host: ascii_host(host.ok_or(EXPECTED_FORM)?).ok_or(EXPECTED_FORM)?,
            hello: hello
                .map(|name| ascii_host(name).ok_or("its path must be a host name, for EHLO"))
                .transpose()?,
            tls,
        })
    }
}

/// Decodes a host name and converts it to ASCII, because the URL parser only percent-encodes the host of an `smtp` URL.
fn ascii_host(encoded: &str) -> Option<String> {
    let decoded = percent_decode_str(encoded).decode_utf8().ok()?;
    let ascii = host_name::to_ascii(&decoded);
    ascii.or_else(|| decoded.is_ascii().then(|| decoded.into_owned()))
}

/// The value of `fragments.url` or `translations.url`, without a trailing slash.
#[derive(Clone, PartialEq)]
pub struct ServiceAddress(String);

impl ServiceAddress {
    /// Returns the base URL for the environment of a region, such as `prod`.
    pub fn base_url(&self, environment: &str) -> String {
        self.0.replace("{environment}", environment)
    }
}

impl FromStr for ServiceAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = ServiceAddress(text.trim_end_matches('/').to_owned());
        if !(text.starts_with("http://") || text.starts_with("https://")) {
            return Err("must start with http:// or https://".into());
        }
        let url = parse_url(&address.base_url("prod")).ok_or("must look like https://HOST/PATH")?;
        if url.fragment().is_some() {
            return Err("must not have a part behind #".into());
        }
        Ok(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_of_a_list_keeps_the_rest_of_the_url() {
        let one = "postgres://me:p@ss,/w@db:5432/account?options=a,b@c/d";
        assert_eq!(split_hosts(one), [one]);
        assert_eq!(
            split_hosts("postgres://me:p,w@one:1,two/account?x=y"),
            [
                "postgres://me:p,w@one:1/account?x=y",
                "postgres://me:p,w@two/account?x=y",
            ]
        );
        assert_eq!(
            split_hosts("postgres://one,two"),
            ["postgres://one", "postgres://two"]
        );
        assert_eq!(
            split_hosts("postgres:///account?host=/run"),
            ["postgres:///account?host=/run"]
        );
    }

    #[test]
    fn addresses_that_nothing_can_connect_to_are_refused_without_being_repeated() {
        for wrong in [
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://file:s3cret?mode=memory",
            "mysql://s3cret",
            "postgres://me:s3cret@db:port/account",
            "postgres://me:s3cret@/account",
            "postgres://me:s3cret@db/account?sslmode=maybe",
            "postgres://me:s3cret@db/account?sslrootcert=/ca.pem",
        ] {
            let error = wrong.parse::<DatabaseAddress>().err().expect(wrong);
            assert!(!error.contains("s3cret"), "{wrong}: {error}");
        }
        for wrong in [
            "mail.example",
            "smtp://",
            "smtp://mail.example:port",
            "smtp://me:s3cret@mail.example?tls=maybe",
        ] {
            let error = wrong.parse::<SmtpAddress>().err().expect(wrong);
            assert!(!error.contains("s3cret"), "{wrong}: {error}");
        }
        for wrong in [
            "parts.example", "https://", "https://me:s3cret@", "http://a b/", "https://x/#y",
        ] {
            let error = wrong.parse::<ServiceAddress>().err().expect(wrong);
            assert!(!error.contains("s3cret"), "{wrong}: {error}");
        }
    }

    #[test]
    fn every_sslmode_is_parsed_and_removed_from_the_address() {
        for (word, mode) in [
            ("disable", SslMode::Disable),
            ("allow", SslMode::Allow),
            ("prefer", SslMode::Prefer),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::VerifyCa),
            ("verify-full", SslMode::VerifyFull),
        ] {
            let text = format!("postgres://me@db/a?connect_timeout=3&sslmode={word}");
            let Ok(DatabaseAddress::Postgres(address)) = text.parse() else {
                panic!("{text}");
            };
            assert_eq!(address.ssl_mode, Some(mode));
        }
    }
}
