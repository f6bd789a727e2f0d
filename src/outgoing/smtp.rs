//! A client for the SMTP server (RFC 5321) that executes one step at a time.
//!
//! The step in which a mail fails determines the consequence. A failure of the connection, the greeting, EHLO, TLS,
//! AUTH or MAIL FROM concerns this program or the server, not the recipient. lettre's own transport reports the
//! status code but not the step, so this module drives lettre's connection directly.

use std::error::Error as _;
use std::sync::Mutex;
use std::time::Duration;

use lettre::Message;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Tls};
use lettre::transport::smtp::commands::{Data, Mail, Quit, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use tokio::time::{Instant, timeout_at};

use crate::config::SmtpAddress;
use crate::named_enum::named_enum;
use crate::observability::causes::{certificate_problem, with_causes};

mod failure_kind;
mod mailer;
mod tls;

pub(crate) use failure_kind::MailFailureKind;
pub(crate) use mailer::Mailer;

/// The time limit for sending one mail, from the connection to the reply after the message.
const SESSION_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit of the command QUIT before an idle connection is closed.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);
const CERTIFICATE_REFUSED: &str = "the server's certificate is refused";

named_enum! {
    /// The step in which an SMTP session failed.
    pub(crate) enum Stage {
        /// The connection, the greeting, EHLO or TLS failed.
        Connect = "connection";
        Auth = "AUTH";
        MailFrom = "MAIL FROM";
        RcptTo = "RCPT TO";
        Data = "DATA";
        /// The session failed after the first byte of the message, so the server may have accepted the mail.
        Content = "message";
    }
}

/// The consequence of a failure to send a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The failure concerns this program or the server, but not this mail.
    ServerTrouble,
    /// The server temporarily refused this mail (4xx).
    TryAgain,
    /// The server permanently refused this mail (5xx).
    Refused,
    /// The email address does not exist (enhanced status 5.1.x of RCPT, RFC 3463 section 3.2).
    NoSuchAddress,
}

#[derive(Debug)]
pub(crate) struct SendError {
    pub stage: Stage,
    pub verdict: Verdict,
    /// The stage and the status, or the error of the connection, for the log and the operator. The text of the server's
    /// reply is left out, because it may repeat the email address.
    pub reason: String,
}

impl SendError {
    fn timeout_error(stage: Stage) -> SendError {
        SendError::no_reply(stage, "timed out")
    }

    fn no_reply(stage: Stage, reason: &str) -> SendError {
        let verdict = match stage {
            // The server may have accepted the mail. The number of retries is limited, because one recipient could
            // otherwise get hundreds of copies.
            Stage::Content => Verdict::TryAgain,
            _ => Verdict::ServerTrouble,
        };
        let reason = format!("{}: {reason}", stage.as_str());
        SendError {
            stage,
            verdict,
            reason,
        }
    }

    fn local_error(stage: Stage, reason: &str) -> SendError {
        SendError {
            stage,
            verdict: Verdict::Refused,
            reason: format!("{}: {reason}", stage.as_str()),
        }
    }

    fn from_smtp(stage: Stage, error: &Error) -> SendError {
        let Some(code) = error.status() else {
            return SendError::no_reply(stage, &error_text(stage, error));
        };
        let code = u16::from(code);
        let text = error.source().map(ToString::to_string).unwrap_or_default();
        let status = enhanced_status(&text);
        let reason = match status {
            Some([class, subject, detail]) => {
                format!("{}: {code} {class}.{subject}.{detail}", stage.as_str())
            }
            None => format!("{}: {code}", stage.as_str()),
        };
        SendError {
            stage,
            verdict: classify(stage, code, status),
            reason,
        }
    }
}

fn classify(stage: Stage, code: u16, status: Option<[u16; 3]>) -> Verdict {
    match (stage, code) {
        (Stage::Connect | Stage::Auth | Stage::MailFrom, _) => Verdict::ServerTrouble,
        // The replies "Service not available" and "authentication required" can follow any command (RFC 5321 section
        // 3.8, RFC 4954 section 6), so they concern the whole SMTP session.
        (_, 421 | 530) => Verdict::ServerTrouble,
        (Stage::RcptTo, 500..) if matches!(status, Some([5, 1, _])) => Verdict::NoSuchAddress,
        (_, 500..) => Verdict::Refused,
        _ => Verdict::TryAgain,
    }
}

/// Returns the text of an error. Once an email address has been sent, the text leaves out the causes, because they might
/// repeat the address.
fn error_text(stage: Stage, error: &Error) -> String {
    if let Some(problem) = certificate_problem(error) {
        return format!("{CERTIFICATE_REFUSED}: {problem}");
    }
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    match stage {
        Stage::Connect | Stage::Auth => with_causes(error),
        _ => "the connection broke".to_owned(),
    }
}

/// Parses the enhanced status code (RFC 3463) at the start of a reply's text (RFC 2034 section 4), such as `5.1.1`.
fn enhanced_status(text: &str) -> Option<[u16; 3]> {
    let parts = text.split_whitespace().next()?.split('.');
    let numbers: Vec<u16> = parts.map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let status: [u16; 3] = numbers.try_into().ok()?;
    matches!(status, [2 | 4 | 5, ..]).then_some(status)
}

/// The SMTP server that the settings name.
pub(crate) struct SmtpServer {
    host: String,
    port: u16,
    tls: Tls,
    credentials: Option<Credentials>,
    hello: ClientId,
}

impl SmtpServer {
    /// `name` is the name for EHLO if the address has none.
    pub(crate) fn new(address: &SmtpAddress, tls: Tls, name: &str) -> SmtpServer {
        SmtpServer {
            host: address.host.clone(),
            port: address.port,
            tls,
            credentials: address.credentials.clone(),
            hello: ehlo_client_id(address.hello.as_deref().unwrap_or(name)),
        }
    }

    async fn connect(&self, deadline: Instant) -> Result<AsyncSmtpConnection, SendError> {
        let connected = run_stage(Stage::Connect, deadline, self.connect_encrypted());
        let mut connection = connected.await.map_err(|mut error| {
            error.reason = format!("{} ({}:{})", error.reason, self.host, self.port);
            error
        })?;
        if let Some(credentials) = &self.credentials {
            let auth = connection.auth(DEFAULT_MECHANISMS, credentials);
            run_stage(Stage::Auth, deadline, auth).await?;
        }
        Ok(connection)
    }

    async fn connect_encrypted(&self) -> Result<AsyncSmtpConnection, Error> {
        let wrapper = match &self.tls {
            Tls::Wrapper(tls) => Some(tls.clone()),
            _ => None,
        };
        let address = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(address, None, &self.hello, wrapper, None).await?;
        match &self.tls {
            Tls::Required(tls) => connection.starttls(tls.clone(), &self.hello).await?,
            Tls::Opportunistic(tls) if connection.can_starttls() => {
                connection.starttls(tls.clone(), &self.hello).await?;
            }
            Tls::Opportunistic(_) | Tls::Wrapper(_) | Tls::None => {}
        }
        Ok(connection)
    }
}

/// Returns an address literal if the name is an IP address (RFC 5321 section 4.1.3), otherwise the domain.
fn ehlo_client_id(name: &str) -> ClientId {
    match name.trim_matches(['[', ']']).parse() {
        Ok(std::net::IpAddr::V4(address)) => ClientId::Ipv4(address),
        Ok(std::net::IpAddr::V6(address)) => ClientId::Ipv6(address),
        Err(_) => ClientId::Domain(name.to_owned()),
    }
}

/// The SMTP connections of the worker while it empties the queue. The next mail reuses an idle connection, and all
/// connections are closed when the queue is empty.
pub(crate) struct Connections<'a> {
    server: &'a SmtpServer,
    idle: Mutex<Vec<AsyncSmtpConnection>>,
}

impl<'a> Connections<'a> {
    pub(crate) fn new(server: &'a SmtpServer) -> Connections<'a> {
        Connections {
            server,
            idle: Mutex::default(),
        }
    }

    fn take_idle(&self) -> Option<AsyncSmtpConnection> {
        self.idle.lock().ok()?.pop()
    }

    fn put_idle(&self, connection: AsyncSmtpConnection) {
        // A poisoned lock costs only one connection, which closes when it is dropped.
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(connection);
        }
    }

    /// Sends one mail over an idle or a new connection.
    pub(crate) async fn send(&self, message: &Message) -> Result<(), SendError> {
        let deadline = Instant::now() + SESSION_TIMEOUT;
        let (envelope, bytes) = (message.envelope(), message.formatted());
        if let Some(connection) = self.take_idle() {
            match self.deliver(connection, envelope, &bytes, deadline).await {
                // The server may have closed the idle connection or limited the mails per connection, so a failure of
                // MAIL FROM is retried over a new connection.
                Err(failure) if failure.stage == Stage::MailFrom => {}
                done => return done,
            }
        }
        let connection = self.server.connect(deadline).await?;
        self.deliver(connection, envelope, &bytes, deadline).await
    }

    async fn deliver(
        &self,
        mut connection: AsyncSmtpConnection,
        envelope: &Envelope,
        message: &[u8],
        deadline: Instant,
    ) -> Result<(), SendError> {
        let done = transfer_mail(&mut connection, envelope, message, deadline).await;
        // After an error reply the SMTP transaction is still open, so RSET is needed before the next mail.
        let is_usable = match &done {
            Ok(()) => true,
            Err(failure) if failure.verdict == Verdict::ServerTrouble => false,
            Err(failure) if failure.stage == Stage::Content => false,
            Err(_) => run_stage(Stage::MailFrom, deadline, connection.command(Rset))
                .await
                .is_ok(),
        };
        if is_usable {
            self.put_idle(connection);
        }
        done
    }

    /// Sends QUIT on every idle connection.
    pub(crate) async fn close(&self) {
        while let Some(mut connection) = self.take_idle() {
            // The mails are already sent, so an error of QUIT has no consequence.
            let _ = tokio::time::timeout(QUIT_TIMEOUT, connection.command(Quit)).await;
        }
    }
}

async fn transfer_mail(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    message: &[u8],
    deadline: Instant,
) -> Result<(), SendError> {
    let mut options = Vec::new();
    let offers = |extension| connection.server_info().supports_feature(extension);
    let mut addresses = envelope.to().iter().chain(envelope.from());
    if addresses.any(|address| !AsRef::<str>::as_ref(address).is_ascii()) {
        if !offers(Extension::SmtpUtfEight) {
            let what = "the server has no SMTPUTF8 for an address that is not ASCII";
            return Err(SendError::local_error(Stage::RcptTo, what));
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !message.is_ascii() {
        if !offers(Extension::EightBitMime) {
            let what = "the server has no 8BITMIME for a message that is not ASCII";
            return Err(SendError::local_error(Stage::Data, what));
        }
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    let from = Mail::new(envelope.from().cloned(), options);
    run_stage(Stage::MailFrom, deadline, connection.command(from)).await?;
    for to in envelope.to() {
        let to = Rcpt::new(to.clone(), Vec::new());
        run_stage(Stage::RcptTo, deadline, connection.command(to)).await?;
    }
    run_stage(Stage::Data, deadline, connection.command(Data)).await?;
    run_stage(Stage::Content, deadline, connection.message(message)).await?;
    Ok(())
}

async fn run_stage<T>(
    stage: Stage,
    deadline: Instant,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, SendError> {
    match timeout_at(deadline, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(SendError::from_smtp(stage, &error)),
        Err(_) => Err(SendError::timeout_error(stage)),
    }
}

#[cfg(test)]
mod tests;
