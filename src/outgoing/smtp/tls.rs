//! TLS to the SMTP server by the scheme of its URL, verified against the public or the configured authorities.

use std::path::Path;

use lettre::transport::smtp::client::{Certificate, CertificateStore, Tls, TlsParameters};

use crate::config::{SmtpAddress, SmtpTls};
use crate::observability::causes::with_causes;

pub(super) fn tls_parameters(address: &SmtpAddress, ca_file: Option<&Path>) -> Result<Tls, String> {
    let wrap = match address.tls {
        SmtpTls::None => return Ok(Tls::None),
        SmtpTls::Opportunistic => Tls::Opportunistic,
        SmtpTls::Required => Tls::Required,
        SmtpTls::Wrapper => Tls::Wrapper,
    };
    let mut parameters = TlsParameters::builder(address.host.clone());
    if let Some(file) = ca_file {
        let wrong = |reason: String| format!("mail.ca_file: {}: {reason}", file.display());
        let pem = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
        let authority = Certificate::from_pem(&pem).map_err(|error| wrong(with_causes(&error)))?;
        parameters = parameters
            .certificate_store(CertificateStore::None)
            .add_root_certificate(authority);
    }
    let parameters = parameters
        .build()
        .map_err(|error| format!("mail.ca_file: {}", with_causes(&error)))?;
    Ok(wrap(parameters))
}
