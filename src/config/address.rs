//! The URLs in the settings. Each URL is parsed when the settings are loaded, by the code that later uses the URL.
//! Therefore `serve` accepts every configuration that loads. No error message repeats a URL, which can be a secret.

use std::error::Error as _;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::config::Host;
use url::Url;

use crate::config::host::{is_loopback_name, parse_host, parse_url, without_brackets};

/// The default ports of SMTP between servers, of submission with STARTTLS, and of submission over TLS (RFC 5321, 6409,
/// 8314).
const SMTP_PORT: u16 = 25;
const SUBMISSION_PORT: u16 = 587;
const SUBMISSIONS_PORT: u16 = 465;

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
        let (addresses, ssl_mode) = split_postgres_url(text)?;
        let hosts: Vec<tokio_postgres::Config> = addresses
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
    if path.contains('?') {
        return Err("must be a path without options: write sqlite://data/account.db".into());
    }
    // SQLite would read such a path as an in-memory database, or as a URI with options.
    if path.starts_with(":memory:") || path.starts_with("file:") {
        return Err("must name a file, like sqlite://data/account.db; a database in memory is lost at the end of the program".into());
    }
    Ok(DatabaseAddress::Sqlite(path.to_owned()))
}

/// Returns the text of an error. The name of an unknown option is left out, because an unescaped `&` in a password makes
/// the rest of the password an option.
fn error_message(error: &tokio_postgres::Error) -> String {
    let reason = error
        .source()
        .map_or_else(|| error.to_string(), ToString::to_string);
    let tls_options = ["`sslrootcert`", "`sslcert`", "`sslkey`"];
    let unknown = "has an option that this program does not know";
    if !reason.starts_with("unknown option") {
        reason
    } else if tls_options.iter().any(|option| reason.contains(option)) {
        format!("{unknown}: use database.ca_file, client_cert_file and client_key_file")
    } else {
        unknown.to_owned()
    }
}

/// Splits a URL such as `postgres://user:password@one:5432,two:5432/name?…` into one URL for each host, and the value
/// of `sslmode`, because the driver supports neither host lists with this program's time limits nor every `sslmode`.
fn split_postgres_url(url: &str) -> Result<(Vec<String>, Option<SslMode>), String> {
    let (before, rest) = url.split_at(begin_of_hosts(url)?);
    let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
    let end = location.find('/').unwrap_or(location.len());
    let (hosts, path) = location.split_at(end);
    let mut mode = None;
    let mut options = Vec::new();
    for option in query.split('&') {
        match option.strip_prefix("sslmode=") {
            None => options.push(option),
            Some(_) if mode.is_some() => return Err("sslmode is set twice".into()),
            Some(word) => mode = Some(parse_ssl_mode(word)?),
        }
    }
    let options = options.join("&");
    let mark = if options.is_empty() { "" } else { "?" };
    let urls = hosts.split(',');
    let urls = urls.map(|host| format!("{before}{host}{path}{mark}{options}"));
    Ok((urls.collect(), mode))
}

/// Returns the index of the first host in a PostgreSQL URL. The driver ends the credentials at the first '@', so an '@'
/// within a password would make the rest of the password a host, which is logged. Such an '@' is an error, which may
/// also be in a query before which the URL has no credentials.
fn begin_of_hosts(url: &str) -> Result<usize, String> {
    let begin = url.find("://").map_or(0, |at| at + 3);
    let Some(at) = url[begin..].find('@').map(|at| begin + at) else {
        return Ok(begin);
    };
    // A '?' before the '@' is part of the password, unless it begins a query.
    let is_in_query = url[begin..at]
        .split_once('?')
        .is_some_and(|(before, after)| {
            before.contains('/') || !before.contains(':') || after.contains('=')
        });
    let location = url[at + 1..].split('?').next().unwrap_or_default();
    match is_in_query || location.contains('@') {
        true => Err("write @ in the name or password as %40".into()),
        false => Ok(at + 1),
    }
}

fn parse_ssl_mode(word: &str) -> Result<SslMode, String> {
    Ok(match word {
        "disable" => SslMode::Disable,
        "allow" => SslMode::Allow,
        "prefer" => SslMode::Prefer,
        "require" => SslMode::Require,
        "verify-ca" => SslMode::VerifyCa,
        "verify-full" => SslMode::VerifyFull,
        _ => {
            let words = "disable, allow, prefer, require, verify-ca or verify-full";
            return Err(format!("sslmode must be {words}"));
        }
    })
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
    /// The name or IP address of the server, without brackets.
    pub host: String,
    /// The port of the URL, or the default port of the kind of TLS.
    pub port: u16,
    pub credentials: Option<SmtpCredentials>,
    /// The host name or IP address that is sent with EHLO, from the path of the URL.
    pub hello: Option<String>,
    pub tls: SmtpTls,
}

#[derive(Clone, PartialEq)]
pub struct SmtpCredentials {
    pub user: String,
    pub password: String,
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
        let url = Url::parse(text).map_err(|_| EXPECTED_FORM)?;
        if url.fragment().is_some() {
            return Err("must not have a part behind #".into());
        }
        // The URL parser only percent-encodes the parts of a URL with this scheme.
        let decode = |text: &str| {
            let text = percent_decode_str(text).decode_utf8();
            text.map(String::from).map_err(|_| EXPECTED_FORM)
        };
        let host = decode(url.host_str().unwrap_or_default())?;
        let host = parse_host(&host).ok_or(EXPECTED_FORM)?;
        let hello = Some(url.path().trim_matches('/')).filter(|path| !path.is_empty());
        let hello = hello.map(|name| {
            let name = parse_host(&decode(name)?);
            name.ok_or("its path must be a host name, for EHLO")
        });
        let tls = smtp_tls(&url)?;
        let default_port = match tls {
            SmtpTls::None => SMTP_PORT,
            SmtpTls::Opportunistic | SmtpTls::Required => SUBMISSION_PORT,
            SmtpTls::Wrapper => SUBMISSIONS_PORT,
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (_, None) => return Err("a user name needs a password: USER:PASSWORD@HOST".into()),
            (user, Some(password)) => Some(SmtpCredentials {
                user: decode(user)?,
                password: decode(password)?,
            }),
        };
        Ok(SmtpAddress {
            host: without_brackets(&host),
            port: url.port().unwrap_or(default_port),
            credentials,
            hello: hello.transpose()?.as_ref().map(without_brackets),
            tls,
        })
    }
}

fn smtp_tls(url: &Url) -> Result<SmtpTls, String> {
    let mut tls = match url.scheme() {
        "smtps" => SmtpTls::Wrapper,
        _ => SmtpTls::None,
    };
    for (option, value) in url.query_pairs() {
        tls = match (&*option, &*value, tls) {
            ("tls", "required", SmtpTls::None) => SmtpTls::Required,
            ("tls", "opportunistic", SmtpTls::None) => SmtpTls::Opportunistic,
            ("tls", "required", SmtpTls::Wrapper) => SmtpTls::Wrapper,
            _ => {
                return Err(
                    "has an unknown option: only ?tls=required and ?tls=opportunistic exist".into(),
                );
            }
        };
    }
    Ok(tls)
}

/// The value of `fragments.url` or `translations.url`, without a trailing slash.
#[derive(Clone, PartialEq)]
pub struct ServiceAddress(String);

impl ServiceAddress {
    /// Returns the base URL for the environment of a region, such as `prod`.
    pub fn base_url(&self, environment: &str) -> String {
        self.0.replace("{environment}", environment)
    }

    /// Returns whether others in the network can change what the service answers.
    pub(super) fn can_be_changed(&self) -> bool {
        let url = parse_url(&self.base_url("x"));
        url.is_some_and(|url| {
            url.scheme() == "http" && !url.host_str().is_some_and(is_loopback_name)
        })
    }
}

impl FromStr for ServiceAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = ServiceAddress(text.trim_end_matches('/').to_owned());
        if !(text.starts_with("http://") || text.starts_with("https://")) {
            return Err("must start with http:// or https://".into());
        }
        let base = address.base_url("prod");
        if base.contains(['{', '}']) {
            return Err("has an unknown placeholder: only {environment} exists".into());
        }
        let url = parse_url(&base).ok_or("must look like https://HOST/PATH")?;
        if url.fragment().is_some() {
            return Err("must not have a part behind #".into());
        }
        Ok(address)
    }
}

#[cfg(test)]
mod tests;
