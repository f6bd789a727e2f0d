//! TLS to other servers: the trusted authorities, the checks of the certificate, and the client certificate.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// The checks of a server's certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CertificateCheck {
    /// The certificate is not checked, so the encryption protects only against passive eavesdropping.
    EncryptionOnly,
    /// A trusted authority must have issued the certificate.
    Issuer,
    /// A trusted authority must have issued the certificate for the host of the connection.
    IssuerAndName,
}

/// The certificate authorities that a TLS connection trusts.
#[derive(Debug)]
pub(crate) struct Authorities {
    roots: RootCertStore,
    /// The certificates of the operator's file. A server may present one of these certificates as its own.
    configured: Vec<CertificateDer<'static>>,
}

impl Authorities {
    /// Returns the authorities of the PEM file, or the public authorities if `file` is `None`.
    pub(crate) fn load(file: Option<&Path>) -> Result<Authorities, String> {
        let mut roots = RootCertStore::empty();
        let Some(file) = file else {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            return Ok(Authorities {
                roots,
                configured: Vec::new(),
            });
        };
        let own = read_certificates(file)?;
        for certificate in &own {
            let added = roots.add(certificate.clone());
            added.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(Authorities {
            roots,
            configured: own,
        })
    }
}

/// Returns the certificates of a PEM file, or an error if the file contains none.
fn read_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(&error))?;
    match found.is_empty() {
        true => Err(wrong(&"it contains no certificate (PEM)")),
        false => Ok(found),
    }
}

/// Returns the TLS settings of a client connection. `identity` names the files of the client certificate and its key.
pub(crate) fn client_config(
    check: CertificateCheck,
    authorities: Authorities,
    identity: Option<(&Path, &Path)>,
) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = CertificateVerifier {
        check,
        authorities,
        provider: provider.clone(),
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let Some((certificate, key)) = identity else {
        return Ok(builder.with_no_client_auth());
    };
    let chain = read_certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| format!("cannot read {}: {error}", key.display()))?;
    builder
        .with_client_auth_cert(chain, secret)
        .map_err(|error| format!("{}, {}: {error}", certificate.display(), key.display()))
}

#[derive(Debug)]
struct CertificateVerifier {
    check: CertificateCheck,
    authorities: Authorities,
    provider: Arc<CryptoProvider>,
}

impl CertificateVerifier {
    fn verify_issuer(
        &self,
        presented: &CertificateDer<'_>,
        parsed: &ParsedCertificate<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let algorithms = self.provider.signature_verification_algorithms.all;
        let roots = &self.authorities.roots;
        let issued = verify_server_cert_signed_by_trust_anchor(
            parsed, roots, intermediates, now, algorithms,
        );
        match issued {
            // A self-signed certificate of `openssl req -x509` marks itself as an authority, which webpki refuses for a
            // server. This program accepts the certificate if the operator trusts exactly this certificate. The dates
            // of the certificate were checked before.
            Err(error)
                if is_authority_as_server(&error)
                    && self.authorities.configured.contains(presented) =>
            {
                Ok(())
            }
            other => other,
        }
    }
}

fn is_authority_as_server(error: &Error) -> bool {
    matches!(error, Error::InvalidCertificate(problem)
        if format!("{problem:?}").contains("CaUsedAsEndEntity"))
}

impl ServerCertVerifier for CertificateVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.check != CertificateCheck::EncryptionOnly {
            let parsed = ParsedCertificate::try_from(end_entity)?;
            self.verify_issuer(end_entity, &parsed, intermediates, now)?;
            if self.check == CertificateCheck::IssuerAndName {
                verify_server_name(&parsed, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    // The server must prove that it has its private key, even if its certificate is not checked.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
