//! TLS to servers that we connect to: whom to trust, how much to check, and the certificate to show.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// How much of a server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Nothing: encryption alone, against those who only listen.
    Nothing,
    /// That a trusted authority issued it.
    Issuer,
    /// That, and that it is for the host that we connect to.
    IssuerAndName,
}

/// Whom a connection trusts.
#[derive(Debug)]
pub struct Authorities {
    roots: RootCertStore,
    /// Those of the operator's file, whole: a server may show one of them as its own certificate.
    own: Vec<CertificateDer<'static>>,
}

impl Authorities {
    /// Those of the file (PEM), or the public ones.
    pub fn of(file: Option<&Path>) -> Result<Authorities, String> {
        let mut roots = RootCertStore::empty();
        let Some(file) = file else {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
            return Ok(Authorities {
                roots,
                own: Vec::new(),
            });
        };
        let own = certificates(file)?;
        for certificate in &own {
            let added = roots.add(certificate.clone());
            added.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        Ok(Authorities { roots, own })
    }
}

/// The certificates of a PEM file, at least one.
fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(&error))?;
    match found.is_empty() {
        true => Err(wrong(&"it holds no certificate (PEM)")),
        false => Ok(found),
    }
}

/// Settings of a connection. `identity` names the files of the certificate that we show, and of its key.
pub fn client(
    check: Check,
    authorities: Authorities,
    identity: Option<(&Path, &Path)>,
) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier {
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
    let chain = certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| format!("cannot read {}: {error}", key.display()))?;
    builder
        .with_client_auth_cert(chain, secret)
        .map_err(|error| format!("{}, {}: {error}", certificate.display(), key.display()))
}

#[derive(Debug)]
struct Verifier {
    check: Check,
    authorities: Authorities,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    fn issuer(
        &self,
        shown: &CertificateDer<'_>,
        parsed: &ParsedCertificate<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let algorithms = self.provider.signature_verification_algorithms.all;
        let roots = &self.authorities.roots;
        let issued = verify_server_cert_signed_by_trust_anchor(
            parsed,
            roots,
            intermediates,
            now,
            algorithms,
        );
        match issued {
            // A self-signed certificate made by `openssl req -x509` calls itself an authority. Where the operator
            // trusts exactly this one, that is no fault; its dates have been checked before.
            Err(error)
                if is_authority_as_server(&error) && self.authorities.own.contains(shown) =>
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

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.check != Check::Nothing {
            let parsed = ParsedCertificate::try_from(end_entity)?;
            self.issuer(end_entity, &parsed, intermediates, now)?;
            if self.check == Check::IssuerAndName {
                verify_server_name(&parsed, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    // Whatever is checked of the certificate: the server must hold its key.
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
