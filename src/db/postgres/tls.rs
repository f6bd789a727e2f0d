//! `sslmode` as libpq has it (PostgreSQL manual, 32.19): which connections are tried, and what is checked.

use tokio_postgres::config::SslMode as Wire;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::causes::tls_error;
use crate::config::{self, PostgresAddress, SslMode};
use crate::tls::{self, Authorities, Check};

/// The ways to connect in a mode, in their order. The second is for a server that refuses the first.
pub(super) fn tries(mode: SslMode) -> &'static [Wire] {
    match mode {
        SslMode::Disable => &[Wire::Disable],
        SslMode::Allow => &[Wire::Disable, Wire::Require],
        SslMode::Prefer => &[Wire::Prefer, Wire::Disable],
        SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[Wire::Require],
    }
}

/// Whether a server that answered so may take a connection of the other kind: it has no line for this kind in
/// `pg_hba.conf`, or TLS with it failed.
pub(super) fn other_way_may_work(error: &tokio_postgres::Error) -> bool {
    if let Some(code) = error.code() {
        return *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION;
    }
    // The driver tells its kinds of errors apart by their text alone.
    if error.to_string().contains("TLS handshake") {
        return true;
    }
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        if tls_error(cause).is_some() {
            return true;
        }
        next = cause.source();
    }
    false
}

pub(super) fn connector(
    settings: &config::Database,
    address: &PostgresAddress,
) -> Result<MakeRustlsConnect, String> {
    let check = match (address.ssl_mode_with(settings), &settings.ca_file) {
        (SslMode::VerifyFull, _) => Check::IssuerAndName,
        (SslMode::VerifyCa, _) | (_, Some(_)) => Check::Issuer,
        _ => Check::Nothing,
    };
    let authorities = Authorities::of(settings.ca_file.as_deref())
        .map_err(|problem| format!("database.ca_file: {problem}"))?;
    let certificate = settings.client_cert_file.as_deref();
    let identity = certificate.zip(settings.client_key_file.as_deref());
    let client = tls::client(check, authorities, identity)
        .map_err(|problem| format!("database.client_cert_file: {problem}"))?;
    Ok(MakeRustlsConnect::new(client))
}
