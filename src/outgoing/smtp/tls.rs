//! TLS to the SMTP server, whose certificate must be from a public or the configured authority and for its host.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;

use crate::config::{SmtpAddress, SmtpTls};
use crate::outgoing::tls::{Authorities, CertificateCheck, client_config};

pub(crate) struct Tls {
    pub(super) mode: SmtpTls,
    pub(super) connector: TlsConnector,
    /// The host of the server, for which its certificate must be issued.
    pub(super) name: ServerName<'static>,
}

impl Tls {
    /// Returns `None` if the URL of the server asks for no TLS.
    pub(super) fn new(
        address: &SmtpAddress,
        ca_file: Option<&Path>,
    ) -> Result<Option<Tls>, String> {
        if address.tls == SmtpTls::None {
            return Ok(None);
        }
        let config = Authorities::load(ca_file)
            .and_then(|authorities| {
                client_config(CertificateCheck::IssuerAndName, authorities, None)
            })
            .map_err(|reason| format!("mail.ca_file: {reason}"))?;
        let name = ServerName::try_from(address.host.clone())
            .map_err(|_| "mail.smtp_url: no certificate can be issued for its host".to_owned())?;
        Ok(Some(Tls {
            mode: address.tls,
            connector: TlsConnector::from(Arc::new(config)),
            name,
        }))
    }
}
