//! One connection to the SMTP server: the greeting, TLS, AUTH and the commands of a mail.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::SmtpServer;
use super::reply::{Reply, protocol_error};
use super::tls::Tls;
use crate::config::{SmtpCredentials, SmtpTls};

/// The reason why a command failed.
#[derive(Debug)]
pub(super) enum SmtpError {
    /// The server refused the command with a reply of 4xx or 5xx.
    Refused(Reply),
    /// The connection broke, TLS failed, or the server broke the protocol.
    Broken(io::Error),
}

impl From<io::Error> for SmtpError {
    fn from(error: io::Error) -> SmtpError {
        SmtpError::Broken(error)
    }
}

/// The first digit of a reply that accepts a command (RFC 5321 section 4.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Completion = 2,
    /// The server waits for more data.
    Intermediate = 3,
}

/// A connection with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

pub(super) struct SmtpConnection {
    stream: BufReader<Box<dyn Stream>>,
    /// The extensions that the server offers: a keyword and its parameters in each line.
    extensions: Vec<String>,
}

impl SmtpConnection {
    /// Connects, and begins the session with EHLO and TLS.
    pub(super) async fn open(server: &SmtpServer) -> Result<SmtpConnection, SmtpError> {
        let tcp = TcpStream::connect((server.host.as_str(), server.port)).await?;
        let mut connection = match &server.tls {
            Some(tls) if tls.mode == SmtpTls::Wrapper => {
                SmtpConnection::encrypted(tcp, tls).await?
            }
            _ => SmtpConnection::new(Box::new(tcp)),
        };
        connection.read_reply(Expected::Completion).await?;
        connection.say_hello(&server.hello).await?;
        match &server.tls {
            Some(tls) if tls.mode != SmtpTls::Wrapper => {
                if connection.offers("STARTTLS") {
                    connection = connection.start_tls(tls).await?;
                    connection.say_hello(&server.hello).await?;
                } else if tls.mode == SmtpTls::Required {
                    return Err(protocol_error("the server offers no STARTTLS").into());
                }
            }
            _ => {}
        }
        Ok(connection)
    }

    fn new(stream: Box<dyn Stream>) -> SmtpConnection {
        SmtpConnection {
            stream: BufReader::new(stream),
            extensions: Vec::new(),
        }
    }

    async fn encrypted(stream: impl Stream + 'static, tls: &Tls) -> io::Result<SmtpConnection> {
        let encrypted = tls.connector.connect(tls.name.clone(), stream).await?;
        Ok(SmtpConnection::new(Box::new(encrypted)))
    }

    async fn start_tls(mut self, tls: &Tls) -> Result<SmtpConnection, SmtpError> {
        self.command("STARTTLS", Expected::Completion).await?;
        // Bytes before the handshake may be from an attacker, and would count as encrypted replies.
        if !self.stream.buffer().is_empty() {
            return Err(protocol_error("the server sent data before TLS").into());
        }
        Ok(SmtpConnection::encrypted(self.stream.into_inner(), tls).await?)
    }

    async fn say_hello(&mut self, name: &str) -> Result<(), SmtpError> {
        let command = format!("EHLO {name}");
        let reply = self.command(&command, Expected::Completion).await?;
        // The first line contains the name of the server.
        self.extensions = reply.lines.into_iter().skip(1).collect();
        Ok(())
    }

    /// Returns the parameters of an extension, or `None` if the server does not offer the extension. Keywords are
    /// compared in any case (RFC 5321 section 2.4).
    fn extension(&self, keyword: &str) -> Option<impl Iterator<Item = &str>> {
        self.extensions.iter().find_map(|line| {
            let mut words = line.split_whitespace();
            words.next()?.eq_ignore_ascii_case(keyword).then_some(words)
        })
    }

    pub(super) fn offers(&self, keyword: &str) -> bool {
        self.extension(keyword).is_some()
    }

    fn offers_mechanism(&self, mechanism: &str) -> bool {
        let mut mechanisms = self.extension("AUTH").into_iter().flatten();
        mechanisms.any(|offered| offered.eq_ignore_ascii_case(mechanism))
    }

    pub(super) async fn authenticate(
        &mut self,
        credentials: &SmtpCredentials,
    ) -> Result<(), SmtpError> {
        let SmtpCredentials { user, password } = credentials;
        if self.offers_mechanism("PLAIN") {
            let response = STANDARD.encode(format!("\0{user}\0{password}"));
            let command = format!("AUTH PLAIN {response}");
            self.command(&command, Expected::Completion).await?;
        } else if self.offers_mechanism("LOGIN") {
            self.command("AUTH LOGIN", Expected::Intermediate).await?;
            let user = STANDARD.encode(user);
            self.command(&user, Expected::Intermediate).await?;
            let password = STANDARD.encode(password);
            self.command(&password, Expected::Completion).await?;
        } else {
            let reason = "the server offers neither AUTH PLAIN nor AUTH LOGIN";
            return Err(protocol_error(reason).into());
        }
        Ok(())
    }

    pub(super) async fn command(
        &mut self,
        line: &str,
        expected: Expected,
    ) -> Result<Reply, SmtpError> {
        self.write(format!("{line}\r\n").as_bytes()).await?;
        self.read_reply(expected).await
    }

    /// Sends the message after the reply to DATA.
    pub(super) async fn send_message(&mut self, message: &[u8]) -> Result<(), SmtpError> {
        self.write(&with_end_mark(message)).await?;
        self.read_reply(Expected::Completion).await.map(|_| ())
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    async fn read_reply(&mut self, expected: Expected) -> Result<Reply, SmtpError> {
        let reply = Reply::read(&mut self.stream).await?;
        match reply.code / 100 {
            digit if digit == expected as u16 => Ok(reply),
            4 | 5 => Err(SmtpError::Refused(reply)),
            _ => Err(protocol_error("the reply is of another command").into()),
        }
    }
}

/// Returns the message with a second dot at the start of each line that begins with a dot, and with the line that ends
/// it (RFC 5321 section 4.5.2).
fn with_end_mark(message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(message.len() + 64);
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b".") {
            bytes.push(b'.');
        }
        bytes.extend_from_slice(line);
    }
    if !bytes.ends_with(b"\r\n") {
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b".\r\n");
    bytes
}

#[cfg(test)]
mod tests {
    use super::with_end_mark;

    #[test]
    fn a_line_with_a_dot_does_not_end_the_message() {
        for (message, sent) in [
            ("", "\r\n.\r\n"),
            ("a", "a\r\n.\r\n"),
            ("a\r\n", "a\r\n.\r\n"),
            (".", "..\r\n.\r\n"),
            ("a\r\n.\r\n..b\r\n.c", "a\r\n..\r\n...b\r\n..c\r\n.\r\n"),
            ("a\n.\nb.\r\n", "a\n..\nb.\r\n.\r\n"),
        ] {
            let bytes = with_end_mark(message.as_bytes());
            assert_eq!(String::from_utf8(bytes).unwrap(), sent, "{message:?}");
        }
    }
}
