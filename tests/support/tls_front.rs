//! TLS in front of the fake mail server: from the first byte, or after STARTTLS.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::smtp::Smtp;

/// Starts it on this host of the machine, and returns the address for `mail.smtp_url`.
pub async fn start(smtp: &Smtp, certificate: &Path, key: &Path, wraps: bool, host: &str) -> String {
    let chain = CertificateDer::pem_file_iter(certificate).unwrap();
    let chain = chain.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind(format!("{host}:0")).await.unwrap();
    let address = listener.local_addr().unwrap();
    let behind = smtp.url().trim_start_matches("smtp://").to_owned();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(relay(stream, acceptor.clone(), behind.clone(), wraps));
        }
    });
    match wraps {
        true => format!("smtps://{address}"),
        false => format!("smtp://{address}?tls=required"),
    }
}

/// The client may disconnect at any time, which ends the conversation.
async fn relay(
    mut stream: TcpStream,
    acceptor: TlsAcceptor,
    behind: String,
    wraps: bool,
) -> Option<()> {
    if !wraps {
        until_starttls(&mut stream).await?;
    }
    let mut client = acceptor.accept(stream).await.ok()?;
    let mut server = TcpStream::connect(behind).await.ok()?;
    if !wraps {
        // The greeting was sent before TLS began.
        let mut greeting = [0; 64];
        if server.read(&mut greeting).await.ok()? == 0 {
            return None;
        }
    }
    tokio::io::copy_bidirectional(&mut client, &mut server)
        .await
        .ok()?;
    Some(())
}

async fn until_starttls(stream: &mut TcpStream) -> Option<()> {
    let (reader, mut writer) = stream.split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 front\r\n").await.ok()?;
    loop {
        let line = lines.next_line().await.ok()??;
        if line.starts_with("EHLO") {
            writer
                .write_all(b"250-front\r\n250 starttls\r\n")
                .await
                .ok()?;
        } else if line == "STARTTLS" {
            return writer.write_all(b"220\r\n").await.ok();
        } else {
            writer.write_all(b"530 STARTTLS first\r\n").await.ok()?;
        }
    }
}
