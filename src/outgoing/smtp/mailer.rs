//! The configured mail server, the senders of mails, and the channel that wakes the worker.

use std::collections::HashMap;

use lettre::message::Mailbox;
use tokio::sync::{Mutex, watch};

use super::{SmtpServer, Tls};
use crate::config::{Config, parse_sender};

pub struct Mailer {
    /// The SMTP server, or `None` if mails are captured and can be read at `/account/dev/mail`.
    pub(crate) server: Option<SmtpServer>,
    from: Mailbox,
    /// The senders of those regions that have a separate sender, by region id.
    senders: HashMap<String, Mailbox>,
    /// The channel that tells the workers about each newly queued mail.
    pub(crate) wakeup: watch::Sender<()>,
    /// The lock that a worker holds while it sends mails. A task that acquires the lock knows that no attempt is running.
    pub(crate) sending: Mutex<()>,
}

impl Mailer {
    pub fn new(config: &Config) -> std::result::Result<Mailer, String> {
        let from = checked_sender(&config.mail.from);
        let own_senders = config.regions.iter().filter_map(|region| {
            let sender = checked_sender(region.mail_from.as_ref()?);
            Some((region.id.clone(), sender))
        });
        Ok(Mailer {
            server: smtp_server(config, &from)?,
            senders: own_senders.collect(),
            from,
            wakeup: watch::Sender::default(),
            sending: Mutex::new(()),
        })
    }

    /// Returns whether mails are captured instead of sent.
    pub fn is_capture_mode(&self) -> bool {
        self.server.is_none()
    }

    /// Returns the sender of mails in a region.
    pub(crate) fn sender(&self, region: &str) -> &Mailbox {
        self.senders.get(region).unwrap_or(&self.from)
    }
}

fn smtp_server(config: &Config, from: &Mailbox) -> std::result::Result<Option<SmtpServer>, String> {
    let Some(url) = &config.mail.smtp_url else {
        return Ok(None);
    };
    let tls = Tls::new(url, config.mail.ca_file.as_deref())?;
    Ok(Some(SmtpServer::new(url, tls, &ehlo_name(config, from))))
}

/// Returns the host name for EHLO, which is the host of `server.public_url`, or the domain of `mail.from` if that host
/// is an IP address or a local name. Receiving servers check that the name exists.
fn ehlo_name(config: &Config, from: &Mailbox) -> String {
    match url::Host::parse(&config.public_host()) {
        Ok(url::Host::Domain(host)) if host.contains('.') => host,
        _ => from.email.domain().to_owned(),
    }
}

/// Parses the value of `mail.from` or `regions[].mail_from`.
fn checked_sender(text: &str) -> Mailbox {
    parse_sender(text).expect("config::problems refuses settings with a sender that is no mailbox")
}
