//! Implements `sslmode` as libpq does (PostgreSQL manual, 32.19). The mode determines whether encrypted and unencrypted
//! connections are tried, in which order, and how the certificate is checked.

use tokio_postgres::config::SslMode as Wire;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::config::{self, PostgresAddress, SslMode};
use crate::observability::causes::{chain, tls_error};
use crate::outgoing::tls::{self, Authorities, CertificateCheck};

/// Returns the kinds of connection (encrypted or not) to try in this mode, in this order, until the server accepts one.
pub(super) fn connection_modes(mode: SslMode) -> &'static [Wire] {
    match mode {
        SslMode::Disable => &[Wire::Disable],
        SslMode::Allow => &[Wire::Disable, Wire::Require],
        SslMode::Prefer => &[Wire::Prefer, Wire::Disable],
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[Wire::Require],
    }
}

/// Returns whether the server may accept the other kind of connection, with or without TLS: `pg_hba.conf` has no line
/// for the tried kind, or the TLS handshake failed.
pub(super) fn may_succeed_otherwise(error: &tokio_postgres::Error) -> bool {
    if let Some(code) = error.code() {
        return *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION;
    }
    // The driver's errors can be distinguished only by their text.
    if error.to_string().contains("TLS handshake") {
        return true;
    }
    chain(error).any(|cause| tls_error(cause).is_some())
}

pub(super) fn connector(
    settings: &config::Database,
    address: &PostgresAddress,
) -> Result<MakeRustlsConnect, String> {
    let check = match (address.effective_ssl_mode(settings), &settings.ca_file) {
        (SslMode::VerifyFull, _) => CertificateCheck::IssuerAndName,
        (SslMode::VerifyCa, _) | (_, Some(_)) => CertificateCheck::Issuer,
        (SslMode::Disable | SslMode::Allow | SslMode::Prefer | SslMode::Require, None) => {
            CertificateCheck::EncryptionOnly
        }
    };
    let authorities = Authorities::load(settings.ca_file.as_deref())
        .map_err(|problem| format!("database.ca_file: {problem}"))?;
    let certificate = settings.client_cert_file.as_deref();
    let identity = certificate.zip(settings.client_key_file.as_deref());
    let client = tls::client_config(check, authorities, identity)
        .map_err(|problem| format!("database.client_cert_file: {problem}"))?;
    Ok(MakeRustlsConnect::new(client))
}
