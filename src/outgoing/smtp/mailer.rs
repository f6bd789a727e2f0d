//! The mail server, the senders, and the wake-up of the worker.

use std::collections::HashMap;

use lettre::message::Mailbox;
use tokio::sync::{Mutex, watch};

use super::{SmtpServer, tls};
use crate::config::{Config, SENDER_FORM, parse_sender};

pub struct Mailer {
    /// None: mails are captured, for reading at `/account/dev/mail`.
    pub(crate) server: Option<SmtpServer>,
    from: Mailbox,
    /// The senders of regions that have their own, by region id.
    senders: HashMap<String, Mailbox>,
    /// Changes when a mail was queued.
    pub(crate) wakeup: watch::Sender<()>,
    /// Locked while this process sends: after acquiring it, every mail queued before has been tried.
    pub(crate) sending: Mutex<()>,
}

impl Mailer {
    pub fn new(config: &Config) -> std::result::Result<Mailer, String> {
        Ok(Mailer {
            server: server(config)?,
            from: parse_sender(&config.mail.from)
                .ok_or_else(|| format!("mail.from: {SENDER_FORM}"))?,
            senders: senders(config)?,
            wakeup: watch::Sender::default(),
            sending: Mutex::new(()),
        })
    }

    /// Returns whether mails are captured for reading instead of sent.
    pub fn is_capture_mode(&self) -> bool {
        self.server.is_none()
    }

    /// Returns the sender of mails in a region.
    pub(crate) fn sender(&self, region: &str) -> &Mailbox {
        self.senders.get(region).unwrap_or(&self.from)
    }
}

fn server(config: &Config) -> std::result::Result<Option<SmtpServer>, String> {
    let Some(url) = &config.mail.smtp_url else {
        return Ok(None);
    };
    let tls = tls::tls_parameters(url, config.mail.ca_file.as_deref())?;
    let server = SmtpServer::new(url, tls, &hello_name(config))?;
    Ok(Some(server))
}

/// Returns the name for EHLO: the host of `server.public_url`, or the domain of `mail.from` if that host is an address
/// or a local name. Receivers check that it exists.
fn hello_name(config: &Config) -> String {
    if let Ok(url::Host::Domain(host)) = url::Host::parse(&config.public_host())
        && host.contains('.')
    {
        return host;
    }
    match parse_sender(&config.mail.from) {
        Some(from) => from.email.domain().to_owned(),
        None => "localhost".to_owned(),
    }
}

fn senders(config: &Config) -> std::result::Result<HashMap<String, Mailbox>, String> {
    let regions = config
        .regions
        .iter()
        .filter_map(|region| Some((&region.id, region.mail_from.as_ref()?)));
    regions
        .map(|(id, from)| match parse_sender(from) {
            Some(sender) => Ok((id.clone(), sender)),
            None => Err(format!("regions.{id}.mail_from: {SENDER_FORM}")),
        })
        .collect()
}
