//! A client for the SMTP server (RFC 5321) that executes one step at a time.
//!
//! The step in which a mail fails determines the consequence. A failure of the connection, the greeting, EHLO, TLS,
//! AUTH or MAIL FROM concerns this program or the server, not the recipient. lettre's own client does not report the
//! step, and refuses replies that RFC 5321 allows, such as a reply without text.

use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use lettre::Message;
use lettre::address::Envelope;
use tokio::time::{Instant, timeout_at};

use crate::config::{SmtpAddress, SmtpCredentials, display_endpoint};
use crate::domain::enhanced_status::{EnhancedStatus, MailboxState};
use crate::named_enum::named_enum;
use crate::observability::causes::{certificate_problem, with_causes};

mod connection;
mod failure_kind;
mod mailer;
mod reply;
mod tls;

use connection::{Expected, SmtpConnection, SmtpError};
use tls::Tls;

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
    /// The mailbox does not exist (`MailboxState::Dead`).
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
    fn new(stage: Stage, verdict: Verdict, detail: &str) -> SendError {
        SendError {
            stage,
            verdict,
            reason: format!("{}: {detail}", stage.as_str()),
        }
    }

    fn without_reply(stage: Stage, detail: &str) -> SendError {
        let verdict = match stage {
            // The server may have accepted the mail. The number of retries is limited, because one recipient could
            // otherwise get hundreds of copies.
            Stage::Content => Verdict::TryAgain,
            _ => Verdict::ServerTrouble,
        };
        SendError::new(stage, verdict, detail)
    }

    fn from_smtp(stage: Stage, error: &SmtpError) -> SendError {
        match error {
            SmtpError::Refused(reply) => {
                let (code, status) = (reply.code, reply.enhanced_status());
                let status_text = status.map_or_else(String::new, |status| format!(" {status}"));
                let verdict = classify(stage, code, status);
                SendError::new(stage, verdict, &format!("{code}{status_text}"))
            }
            SmtpError::Broken(error) => SendError::without_reply(stage, &error_text(stage, error)),
        }
    }
}

fn classify(stage: Stage, code: u16, status: Option<EnhancedStatus>) -> Verdict {
    match (stage, code, status.map(EnhancedStatus::mailbox_state)) {
        (Stage::Connect | Stage::Auth | Stage::MailFrom, ..) => Verdict::ServerTrouble,
        // The replies "Service not available" and "authentication required" can follow any command (RFC 5321 section
        // 3.8, RFC 4954 section 6), so they concern the whole SMTP session. Many servers refuse the sender only after
        // RCPT.
        (_, 421 | 530, _) | (.., Some(MailboxState::UnknownBecauseOfSender)) => {
            Verdict::ServerTrouble
        }
        (Stage::RcptTo, 500.., Some(MailboxState::Dead)) => Verdict::NoSuchAddress,
        (_, 500.., _) => Verdict::Refused,
        _ => Verdict::TryAgain,
    }
}

/// Returns the text of an error. Once an email address has been sent, the text leaves out the causes, because they might
/// repeat the address.
fn error_text(stage: Stage, error: &io::Error) -> String {
    if let Some(problem) = certificate_problem(error) {
        return format!("{CERTIFICATE_REFUSED}: {problem}");
    }
    match stage {
        Stage::Connect | Stage::Auth => with_causes(error),
        _ => "the connection broke".to_owned(),
    }
}

/// The SMTP server that the settings name.
pub(crate) struct SmtpServer {
    host: String,
    port: u16,
    /// `None` if the connection is not encrypted.
    tls: Option<Tls>,
    credentials: Option<SmtpCredentials>,
    /// The argument of EHLO.
    hello: String,
}

impl SmtpServer {
    /// `name` is the name for EHLO if the address has none.
    pub(crate) fn new(address: &SmtpAddress, tls: Option<Tls>, name: &str) -> SmtpServer {
        SmtpServer {
            host: address.host.clone(),
            port: address.port,
            tls,
            credentials: address.credentials.clone(),
            hello: ehlo_argument(address.hello.as_deref().unwrap_or(name)),
        }
    }

    async fn connect(&self, deadline: Instant) -> Result<SmtpConnection, SendError> {
        let connected = run_stage(Stage::Connect, deadline, SmtpConnection::open(self));
        let mut connection = connected.await.map_err(|mut error| {
            let endpoint = display_endpoint(&self.host, self.port);
            error.reason = format!("{} ({endpoint})", error.reason);
            error
        })?;
        if let Some(credentials) = &self.credentials {
            let auth = connection.authenticate(credentials);
            run_stage(Stage::Auth, deadline, auth).await?;
        }
        Ok(connection)
    }
}

/// Returns an address literal if the name is an IP address (RFC 5321 section 4.1.3), otherwise the domain.
fn ehlo_argument(name: &str) -> String {
    match name.trim_matches(['[', ']']).parse() {
        Ok(IpAddr::V4(address)) => format!("[{address}]"),
        Ok(IpAddr::V6(address)) => format!("[IPv6:{address}]"),
        Err(_) => name.to_owned(),
    }
}

/// The SMTP connections of the worker while it empties the queue. The next mail reuses an idle connection, and all
/// connections are closed when the queue is empty.
pub(crate) struct Connections<'a> {
    server: &'a SmtpServer,
    idle: Mutex<Vec<SmtpConnection>>,
}

impl<'a> Connections<'a> {
    pub(crate) fn new(server: &'a SmtpServer) -> Connections<'a> {
        Connections {
            server,
            idle: Mutex::default(),
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SmtpConnection>> {
        self.idle.lock().expect("no panic while held")
    }

    /// Sends one mail over an idle or a new connection.
    pub(crate) async fn send(&self, message: &Message) -> Result<(), SendError> {
        let deadline = Instant::now() + SESSION_TIMEOUT;
        let (envelope, bytes) = (message.envelope(), message.formatted());
        let idle = self.idle().pop();
        if let Some(connection) = idle {
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
        mut connection: SmtpConnection,
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
            Err(_) => {
                let reset = connection.command("RSET", Expected::Completion);
                run_stage(Stage::MailFrom, deadline, reset).await.is_ok()
            }
        };
        if is_usable {
            self.idle().push(connection);
        }
        done
    }

    /// Sends QUIT on every idle connection.
    pub(crate) async fn close(&self) {
        let idle = std::mem::take(&mut *self.idle());
        for mut connection in idle {
            // The mails are already sent, so an error of QUIT has no consequence.
            let quit = connection.command("QUIT", Expected::Completion);
            let _ = tokio::time::timeout(QUIT_TIMEOUT, quit).await;
        }
    }
}

async fn transfer_mail(
    connection: &mut SmtpConnection,
    envelope: &Envelope,
    message: &[u8],
    deadline: Instant,
) -> Result<(), SendError> {
    let mut addresses = envelope.to().iter().chain(envelope.from());
    let is_utf8 = addresses.any(|address| !AsRef::<str>::as_ref(address).is_ascii());
    let mut options = String::new();
    for (is_needed, extension, option, stage, what) in [
        (
            is_utf8,
            "SMTPUTF8",
            " SMTPUTF8",
            Stage::RcptTo,
            "an address",
        ),
        (
            !message.is_ascii(),
            "8BITMIME",
            " BODY=8BITMIME",
            Stage::Data,
            "a message",
        ),
    ] {
        if is_needed && !connection.offers(extension) {
            let detail = format!("the server has no {extension} for {what} that is not ASCII");
            return Err(SendError::new(stage, Verdict::Refused, &detail));
        }
        if is_needed {
            options.push_str(option);
        }
    }
    let from = envelope.from().map_or("", AsRef::as_ref);
    let from = format!("MAIL FROM:<{from}>{options}");
    let mut commands = vec![(Stage::MailFrom, from, Expected::Completion)];
    for to in envelope.to() {
        let to = format!("RCPT TO:<{to}>");
        commands.push((Stage::RcptTo, to, Expected::Completion));
    }
    commands.push((Stage::Data, "DATA".to_owned(), Expected::Intermediate));
    for (stage, command, expected) in commands {
        run_stage(stage, deadline, connection.command(&command, expected)).await?;
    }
    run_stage(Stage::Content, deadline, connection.send_message(message)).await
}

async fn run_stage<T>(
    stage: Stage,
    deadline: Instant,
    work: impl Future<Output = Result<T, SmtpError>>,
) -> Result<T, SendError> {
    match timeout_at(deadline, work).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(SendError::from_smtp(stage, &error)),
        Err(_) => Err(SendError::without_reply(stage, "timed out")),
    }
}

#[cfg(test)]
mod tests;
