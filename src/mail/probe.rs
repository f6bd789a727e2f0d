//! The command `account mail test` sends a mail immediately, so that an operator sees the mail server's response.

use lettre::Message;
use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::message::header::ContentType;

use super::{address, headers};
use crate::config::Config;
use crate::domain::email::Email;
use crate::outgoing::smtp::{Connections, Mailer};

/// The reason why the test mail was not sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProbeError {
    #[error("ADDRESS: must be a mail address")]
    Address,
    #[error("{0}")]
    Setting(String),
    #[error("mail.smtp_url: is not set, so mails are captured and not sent")]
    NoServer,
    /// The server has refused the test mail. The text names the failed step of the SMTP session and the status.
    #[error("the mail server did not accept the mail: {0}")]
    Refused(String),
}

/// Sends a short text to the email address, without the queue and without a database.
pub(crate) async fn send(config: &Config, address: &str) -> Result<(), ProbeError> {
    let to = Email::parse(address).ok();
    let to = to.and_then(|email| address::parse(email.as_entered()));
    let to = to.ok_or(ProbeError::Address)?;
    let mailer = Mailer::new(config).map_err(ProbeError::Setting)?;
    let server = mailer.server.as_ref().ok_or(ProbeError::NoServer)?;
    let sender = mailer.sender(&config.regions[0].id);
    let envelope = Envelope::new(Some(sender.email.clone()), vec![to.clone()])
        .map_err(|error| ProbeError::Setting(error.to_string()))?;
    let message = Message::builder()
        .envelope(envelope)
        .from(sender.clone())
        .to(Mailbox::new(None, to))
        .subject("Test of the mail settings")
        .raw_header(headers::auto_submitted())
        .header(ContentType::TEXT_PLAIN)
        .body(format!(
            "The mail settings of {} work.\n",
            config.server.public_url
        ))
        .map_err(|error| ProbeError::Setting(error.to_string()))?;
    let connections = Connections::new(server);
    let sent = connections.send(&message).await;
    connections.close().await;
    sent.map_err(|failure| ProbeError::Refused(failure.reason))
}
